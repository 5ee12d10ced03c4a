"""Each package imports only itself and lower packages. There are no import cycles, not even for types or inside a
function."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import haichi

ROOT = Path(haichi.__file__).parent
ORDER = ["errors", "base", "model", "results", "job", "report", "comparison", "calibration", "service", "cli"]


def imported(path: Path) -> Iterator[str]:
    """Yields the haichi modules that a file imports, such as "model.job_spec"."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (entry.name for entry in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path}: relative import"
            for entry in node.names:
                path = ROOT.parent / node.module.replace(".", "/") / entry.name
                is_module = path.is_dir() or any(path.with_suffix(kind).exists() for kind in (".py", ".pyi"))
                yield f"{node.module}.{entry.name}" if is_module else node.module


MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): set(imported(path))
    for path in ROOT.rglob("*.py")
}


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert list(TopologicalSorter(MODULES).static_order())  # raises CycleError


def test_packages_import_only_packages_before_them() -> None:
    for name, found in MODULES.items():
        _, _, rest = name.partition(".")
        if rest in ("", "__main__"):
            continue
        before = ORDER[: ORDER.index(rest.split(".")[0]) + 1]
        for other in found:
            package = other.split(".")
            assert package[0] != "haichi" or package[1:2] == ["_core"] or package[1] in before, f"{name}: {other}"
