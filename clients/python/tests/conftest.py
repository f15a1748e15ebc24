import subprocess
import sys
from collections.abc import Iterator

import pytest
from service import ROOT, Service, started


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with started(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture(scope="session", autouse=True)
def types_check(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str] | None]:
    """Pyright takes longer than any test and starts before them; `None` if no test of this run needs it."""
    if not any(item.name == "test_the_types_are_strict" for item in request.session.items):
        yield None
        return
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    with subprocess.Popen(command, cwd=ROOT / "clients/python", stdout=subprocess.PIPE, text=True) as check:
        yield check
        check.kill()
