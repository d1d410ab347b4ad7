"""If this fails, webgpu does not what the kernel interface asks of a backend."""
from cygrad.testing.__main__ import main


def test_conformance(capsys):
    status = main(["webgpu"])
    assert status == 0, capsys.readouterr().out
