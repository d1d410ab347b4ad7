"""If this fails, docs/kernel-ops.md is not what the contract says: run docs/make_kernel_ops.py, or add an op."""
import importlib.util

from packages_env import ROOT


def test_the_page_is_what_the_contract_makes():
    spec = importlib.util.spec_from_file_location("make_kernel_ops", ROOT / "docs" / "make_kernel_ops.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert maker.PAGE.read_text(encoding="utf-8") == maker.page()
    assert set(maker.UNARY_MEANINGS) == set(maker.UNARY) and set(maker.BINARY_MEANINGS) == set(maker.BINARY)
    assert all(set(names) == set(meanings) for names, meanings in maker.REST.values())
