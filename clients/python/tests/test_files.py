"""Files that must agree with others."""

import importlib.util
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest
from pages import NAMES, Page
from service import ROOT

from gatepost import AsyncGatepost, Gatepost

PACKAGE = ROOT / "clients/python"
WORDS_MAX = 250
COMMANDS_MAX = 6
CODE_LINES_MAX = 15


def test_the_generated_files_are_those_of_the_openapi_document() -> None:
    spec = importlib.util.spec_from_file_location("generate", PACKAGE / "generate.py")
    assert spec and spec.loader
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    for path, text in generator.generate().items():
        assert path.read_text() == text, f"{path.name} is stale: run python clients/python/generate.py"


def test_the_operations_say_what_a_program_is_wrong_without() -> None:
    for kind in (Gatepost, AsyncGatepost):
        assert "it works for five minutes, and once." in (kind.create_portal_link.__doc__ or "")
        assert "the answer is that event with `duplicate: true`. If the" in (kind.publish_event.__doc__ or "")
        assert "Only this answer contains the full key." in (kind.create_user_api_key.__doc__ or "")


def test_the_types_are_strict(types_check: subprocess.Popen[str]) -> None:
    found, _ = types_check.communicate()
    version = [sys.executable, "-m", "pyright", "--version"]
    # Its first run downloads it.
    if types_check.returncode != 0 and subprocess.run(version, capture_output=True).returncode != 0:
        pytest.skip("pyright cannot be downloaded here")
    assert types_check.returncode == 0, found


@pytest.mark.parametrize("name", NAMES)
def test_a_quick_start_shows_the_example(name: str) -> None:
    page = Page.read(name)
    assert page.code == page.example.read_text()
    assert page.install.startswith("pip install gatepost ")
    assert len((ROOT / f"docs/quickstart/{name}.md").read_text().split()) < WORDS_MAX
    commands = (page.install + page.start + page.call).replace("\\\n", "").splitlines()
    assert len(commands) <= COMMANDS_MAX, commands


def test_the_quick_start_of_fastapi_is_short() -> None:
    code = [line for line in Page.read("fastapi").code.splitlines() if line.strip() and not line.startswith("#")]
    assert len(code) <= CODE_LINES_MAX, code


def test_the_reference_is_built(tmp_path: Path) -> None:
    modules = ["gatepost", "gatepost.django", "gatepost.fastapi", "gatepost.flask"]
    command = [sys.executable, "-m", "pdoc", "--no-show-source", "-o", str(tmp_path), *modules]
    subprocess.run(command, check=True, capture_output=True)
    assert "organization_id" in (tmp_path / "gatepost.html").read_text()
    assert (tmp_path / "gatepost/flask.html").exists()


def test_the_version_and_the_repository_are_those_of_the_service() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    service = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    assert project["version"] == service["version"]
    changelog = f"{service['repository']}/blob/main/clients/python/CHANGELOG.md"
    assert project["urls"] == {"Repository": service["repository"], "Changelog": changelog}
    assert f"\n## {project['version']}\n" in (PACKAGE / "CHANGELOG.md").read_text()
    # The page of a package has no files beside it.
    links = re.findall(r"]\(([^)]*)\)", (PACKAGE / "README.md").read_text())
    documents = [link.removeprefix(f"{service['repository']}/blob/main/").partition("#")[0] for link in links]
    assert all((ROOT / document).is_file() or document.startswith("https://pypi.org/") for document in documents), links


def test_the_readme_calls_what_there_is() -> None:
    import gatepost

    for block in re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL):
        compile("def block():\n" + textwrap.indent(block, "    "), "README.md", "exec")
        for names in re.findall(r"from gatepost import (.*)", block):
            assert all(hasattr(gatepost, name.strip()) for name in names.split(","))
