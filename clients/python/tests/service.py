"""A running `gatepost dev`, for tests that call the real binary."""

import json
import os
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
BINARY = Path(os.environ.get("GATEPOST_BINARY", ROOT / "target/debug/gatepost"))
SETTINGS = {
    "LISTEN": "127.0.0.1:0",
    "METRICS_LISTEN": "",
    "USER_RATE_LIMIT": "off",
    "MANUAL_SEND_LIMIT": "off",
    "CREDENTIAL_FAILURE_LIMIT": "off",
}


@dataclass(frozen=True)
class Service:
    """Where the service is, and what its development provider gives."""

    folder: Path
    url: str
    operator_token: str
    id_token: str
    """Of the user alice."""


@contextmanager
def started(folder: Path) -> Generator[Service]:
    """Runs the service in a folder: on SQLite, or on the Postgres of `GATEPOST_TEST_DATABASE_URL`."""
    log = folder / "log"
    database = os.environ.get("GATEPOST_TEST_DATABASE_URL")
    place = {"DATABASE_URL": database} if database else {}
    with log.open("w") as errors:
        process = subprocess.Popen(
            [BINARY, "dev", "--json"],
            cwd=folder,
            env={**os.environ, **SETTINGS, **place},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()  # It prints this line when it answers.
        assert line, log.read_text()
        welcome: dict[str, Any] = json.loads(line)
        url = welcome["docsUrl"].removesuffix("/docs")
        yield Service(folder, url, welcome["operatorToken"], welcome["idToken"])
    finally:
        process.kill()
        process.wait()


def eventually(what: Any, seconds: float = 10.0) -> Any:
    """The first result of `what` that is not false. A failure to connect counts as false."""
    end = time.monotonic() + seconds
    while True:
        result = what()
        if result or time.monotonic() > end:
            assert result, f"not within {seconds} seconds"
            return result
        time.sleep(0.05)
