"""Each quick start runs with the wheel in a fresh virtual environment, as a reader pastes it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
import time
import venv
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
import pytest
from pages import NAMES, Page
from service import BINARY, ROOT, Service, eventually

from gatepost import Gatepost

PACKAGE = ROOT / "clients/python"
WHEEL_BYTES_MAX = 60_000


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=PACKAGE, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment with the wheel. It borrows the frameworks, which are large, from this one."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, symlinks=True)
    python, packages = folder / "bin/python", next(folder.glob("lib/*/site-packages"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(packages)]
    subprocess.run([*pip, str(wheel)], check=True)
    (packages / "frameworks.pth").write_text(sysconfig.get_path("purelib"))
    for name in ("uvicorn", "flask"):
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec "{python}" -m {name} "$@"\n')
        program.chmod(0o755)
    found = subprocess.run([python, "-c", "import gatepost; print(gatepost.__file__)"], check=True, capture_output=True)
    assert Path(found.stdout.decode().strip()).is_relative_to(folder)
    return folder / "bin"


def test_the_wheel_is_small_and_needs_one_package(wheel: Path) -> None:
    print(f"wheel: {wheel.stat().st_size} bytes")
    assert wheel.stat().st_size <= WHEEL_BYTES_MAX
    with zipfile.ZipFile(wheel) as files:
        assert "gatepost/py.typed" in files.namelist()
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            assert files.read(f"gatepost-0.1.0.dist-info/licenses/{name}") == (ROOT / name).read_bytes()
        metadata = files.read(next(name for name in files.namelist() if name.endswith("METADATA"))).decode()
    needs = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert [need.split()[1].split("<")[0] for need in needs] == ["httpx2"], needs


def test_pypi_takes_the_files(wheel: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=PACKAGE, check=True, capture_output=True)
    sdist = next(tmp_path.glob("*.tar.gz"))
    with tarfile.open(sdist) as files:
        assert "gatepost-0.1.0/CHANGELOG.md" in files.getnames()
    twine = [sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)]
    checked = subprocess.run(twine, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@dataclass(frozen=True)
class Running:
    """A quick start that runs."""

    url: str
    output: Path
    environment: dict[str, str]
    page: Page

    def paste(self, block: str, service: Service) -> str:
        """Runs a block of the page in the folder of the service."""
        script = placed(block, self.url, service)
        run = subprocess.run(
            ["sh", "-ec", script], cwd=service.folder, env=self.environment, check=True, capture_output=True, text=True
        )
        return run.stdout


def placed(block: str, url: str, service: Service) -> str:
    """A block, with the places of this test instead of those of the page."""
    port = url.rsplit(":", 1)[1]
    return block.replace("http://127.0.0.1:8080", service.url).replace("3000", port)


@contextmanager
def running(page: Page, programs: Path, service: Service) -> Generator[Running]:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{place.getsockname()[1]}"
    (service.folder / "bin").mkdir(exist_ok=True)
    shutil.copy(page.example, service.folder / "app.py")
    path = f"{programs}:{service.folder / 'bin'}:{os.environ['PATH']}"
    if not (service.folder / "bin/gatepost").exists():
        (service.folder / "bin/gatepost").symlink_to(BINARY)
    environment = {"PATH": path, "HOME": str(service.folder), "GATEPOST_URL": service.url}
    output = service.folder / f"{page.name}.log"
    with output.open("w") as log:
        process = subprocess.Popen(
            ["sh", "-ec", placed(page.start, url, service)],
            cwd=service.folder,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        eventually(lambda: process.poll() is not None or answers(url), 30)
        assert process.poll() is None, output.read_text()
        yield Running(url, output, environment, page)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def answers(url: str) -> bool:
    try:
        return httpx2.get(url, trust_env=False).status_code == 404
    except httpx2.TransportError:
        return False


@pytest.mark.parametrize("name", NAMES)
def test_a_quick_start_keeps_what_it_promises(name: str, programs: Path, service: Service) -> None:
    page = Page.read(name)
    with running(page, programs, service) as example:
        printed = example.paste(page.call, service)
        assert json.loads(printed)["deliveries"] >= 1
        eventually(lambda: "received order.created {'order': 1}" in example.output.read_text())
        check_keys(example, service)
        check_hook(example)


def test_the_second_file_of_fastapi_has_a_portal(programs: Path, service: Service) -> None:
    page = Page.read("fastapi")
    shutil.copy(page.example.with_name("more.py"), service.folder)
    with running(replace(page, start=page.start.replace("app:app", "more:app")), programs, service) as example:
        key = Gatepost(service.url, service.id_token).create_api_key(label="may read", scopes=["orders:read"]).key
        orders = httpx2.get(f"{example.url}/orders", headers={"x-api-key": key})
        assert orders.json() == {"ordersOf": {"user_id": "alice"}}
        redirect = httpx2.get(f"{example.url}/portal")
        assert redirect.status_code == 307
        assert redirect.headers["location"].startswith(f"{service.url}/console/portal#")


def check_keys(example: Running, service: Service) -> None:
    user = Gatepost(service.url, service.id_token)
    url = f"{example.url}/orders"

    def order(key: str) -> httpx2.Response:
        return httpx2.post(url, headers={"x-api-key": key})

    refusal = order(user.create_api_key(label="without the scope").key)
    assert (refusal.status_code, refusal.json()["code"]) == (403, "insufficient_scope")
    assert refusal.headers["content-type"] == "application/problem+json"
    assert refusal.headers["www-authenticate"].endswith('scope="orders:write"')
    nobody = httpx2.post(url)
    assert (nobody.status_code, nobody.json()["code"]) == (401, "credential_missing")
    created = user.create_api_key(label="with the scope", scopes=["orders:write"])
    assert order(created.key).status_code == 200
    user.revoke_api_key(key_id=created.key_id)
    revoked_at = time.monotonic()
    eventually(lambda: order(created.key).status_code == 401)
    assert time.monotonic() - revoked_at < 2
    user.close()


def check_hook(example: Running) -> None:
    body = json.dumps({"type": "order.created", "data": {}}).encode()
    forged = {"webhook-id": "evt_1", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,AAAA"}
    answer = httpx2.post(f"{example.url}/hook", content=body, headers=forged)
    assert answer.status_code == 400
    assert "no signature matches" in answer.text
    assert httpx2.post(f"{example.url}/hook", content=body).status_code == 400
