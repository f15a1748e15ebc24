"""A catalogue of event types that a program makes sure of when it starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gatepost import json_form, types
from gatepost.calls import Steps, call
from gatepost.operations import (
    ARCHIVE_EVENT_TYPE,
    FIND_ANY_EVENT_TYPE,
    LIST_ALL_EVENT_TYPES,
    PUT_EVENT_TYPE,
)

DEFAULTS: dict[str, Any] = {
    "title": "",
    "description": "",
    "schema": None,
    "examples": [],
    "validation": "off",
    "visibility": "public",
    "deprecated": None,
}


@dataclass(frozen=True, slots=True)
class AppliedEventType:
    """A change that `apply` has made, or would make."""

    name: str
    change: str
    """`created`, `changed` or `archived`."""


def apply(
    catalogue: Sequence[Mapping[str, Any]], timeout: float, *, dry_run: bool, prune: bool, force: bool
) -> Steps[list[AppliedEventType]]:
    """Gives the service these event types, each a mapping with its `name` and settings. Sends only what differs."""
    names = [str(settings["name"]) for settings in catalogue]
    for name in set(names):
        if names.count(name) > 1:
            raise ValueError(f"the catalogue has {name} twice")
    listed = yield from call(LIST_ALL_EVENT_TYPES, {}, {}, timeout)
    archived = {known.name: known.archived for known in listed.event_types}
    applied: list[AppliedEventType] = []
    for settings in catalogue:
        name = str(settings["name"])
        is_archived = archived.pop(name, None)
        if is_archived is False:
            known = yield from call(FIND_ANY_EVENT_TYPE, {"name": name}, {}, timeout)
            if is_same(settings, known):
                continue
        if not dry_run:
            members = {**settings, "force": True} if force else dict(settings)
            written = yield from call(PUT_EVENT_TYPE, members, {}, timeout)
            if not written.changed:
                continue
        applied.append(AppliedEventType(name, "created" if is_archived is None else "changed"))
    for name, is_archived in archived.items():
        if prune and not is_archived:
            if not dry_run:
                yield from call(ARCHIVE_EVENT_TYPE, {"name": name}, {}, timeout)
            applied.append(AppliedEventType(name, "archived"))
    return applied


def is_same(settings: Mapping[str, Any], known: types.EventType) -> bool:
    """Whether the service has these settings. Times are compared as texts in the form of the service."""
    wanted = {**DEFAULTS, **json_form.encode(dict(settings))}
    present = json_form.encode(known)
    return all(without_times(wanted[name]) == without_times(present.get(name, DEFAULTS[name])) for name in DEFAULTS)


def without_times(value: Any) -> Any:
    """The service and the standard library write UTC differently."""
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    return {**fields, "since": json_form.moment(fields["since"])} if "since" in fields else fields
