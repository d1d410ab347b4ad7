"""If one of these fails, weights are fetched twice, kept half, or not found where PyTorch keeps them."""
import hashlib
import os

import cygrad
import pytest
from cygrad import hub


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "hub" / "checkpoints"


def test_weights_are_fetched_once(tmp_path, kept, capsys):
    cygrad.save({"w": cygrad.arange(3)}, tmp_path / "net.pt")
    url = (tmp_path / "net.pt").as_uri()
    assert cygrad.utils.model_zoo.load_url(url)["w"].tolist() == [0, 1, 2]
    assert capsys.readouterr().err.startswith(f'Downloading: "{url}" to {kept / "net.pt"}\n')
    (tmp_path / "net.pt").unlink()
    assert hub.load_state_dict_from_url(url)["w"].tolist() == [0, 1, 2] and capsys.readouterr().err == ""


def test_bytes_of_another_hash_are_not_kept(tmp_path, kept):
    data = b"weights"
    right = hashlib.sha256(data).hexdigest()[:8]
    for prefix, there in ((right, True), ("0" * 8, False)):
        (tmp_path / "a").write_bytes(data)
        goal = tmp_path / prefix
        if there:
            hub.download_url_to_file((tmp_path / "a").as_uri(), str(goal), prefix, progress=False)
        else:
            with pytest.raises(RuntimeError, match="invalid hash value"):
                hub.download_url_to_file((tmp_path / "a").as_uri(), str(goal), prefix, progress=False)
        assert goal.exists() is there
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".partial")]
    name = "net-00000000.pt"
    (tmp_path / name).write_bytes(data)
    with pytest.raises(RuntimeError, match="invalid hash value"):
        hub.load_state_dict_from_url((tmp_path / name).as_uri(), check_hash=True, progress=False)
    assert os.listdir(kept) == []


def test_the_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("TORCH_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert hub.get_dir() == str(tmp_path / "torch" / "hub")
    monkeypatch.setattr(hub, "_chosen", None)
    hub.set_dir("~/here")
    assert hub.get_dir() == os.path.expanduser("~/here")


def test_models_of_a_folder(tmp_path):
    (tmp_path / "beside_the_models.py").write_text("WIDTH = 4")
    (tmp_path / "hubconf.py").write_text(
        "import beside_the_models\ndependencies = ['math']\n"
        "def small(depth=1):\n    'A small one.'\n    return beside_the_models.WIDTH * depth\ndef _hidden(): pass\n")
    folder = str(tmp_path)
    assert hub.load(folder, "small", 2, source="local") == 8
    assert hub.load(folder, "small", source="local", depth=3) == 12
    assert hub.list(folder, source="local") == ["small"]
    assert hub.help(folder, "small", source="local") == "A small one."
    for error, call in ((ValueError, lambda: hub.load(folder, "small", source="other")),
                        (RuntimeError, lambda: hub.load(folder, "small")),
                        (RuntimeError, lambda: hub.load(folder, "large", source="local"))):
        with pytest.raises(error):
            call()
    (tmp_path / "hubconf.py").write_text("dependencies = ['no_module_of_this_name']")
    with pytest.raises(RuntimeError, match="Missing dependencies: no_module_of_this_name"):
        hub.list(folder, source="local")
