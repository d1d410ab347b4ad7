"""If this fails, NAME does not what the kernel interface asks of a backend."""
from cygrad.testing.__main__ import main


def test_conformance(capsys):
    status = main(["NAME"])
    assert status == 0, capsys.readouterr().out
