"""The quick starts of the documentation."""

import re
from dataclasses import dataclass
from pathlib import Path

from service import ROOT

NAMES = ("fastapi", "django", "flask")


@dataclass(frozen=True)
class Page:
    """A quick start, and the example that it shows."""

    name: str
    install: str
    code: str
    start: str
    call: str

    @classmethod
    def read(cls, name: str) -> "Page":
        text = (ROOT / f"docs/quickstart/{name}.md").read_text()
        blocks: list[tuple[str, str]] = re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL)
        assert [language for language, _ in blocks] == ["sh", "python", "sh", "sh"]
        return cls(name, *(block for _, block in blocks))

    @property
    def example(self) -> Path:
        return ROOT / f"examples/python-{self.name}/app.py"
