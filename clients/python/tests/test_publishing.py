"""The queue of events, with a client that the test plays."""

import threading
from queue import Full
from typing import Any, cast

import pytest

from gatepost import EventQueue, Gatepost, GatepostError, PublishEvent


class Publisher:
    """A client that publishes only into a list."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.failures: list[GatepostError] = []
        self.may_go = threading.Event()
        self.may_go.set()

    def publish_events(self, *, events: list[PublishEvent]) -> None:
        self.may_go.wait(5)
        if self.failures:
            raise self.failures.pop(0)
        if any(event.data == "wrong" for event in events):
            raise GatepostError("refused", status=400, code="invalid_field")
        self.batches.append([event.data for event in events])


def queue_of(publisher: Publisher, **arguments: Any) -> EventQueue:
    return EventQueue(cast("Gatepost", publisher), **arguments)


def test_a_queue_publishes_in_order_and_in_batches() -> None:
    publisher = Publisher()
    publisher.may_go.clear()
    with queue_of(publisher) as queue:
        ids = {queue.put(user_id="a", type="t", data=number) for number in range(1_200)}
        assert len(ids) == 1_200
        with pytest.raises(TimeoutError, match="1200 events wait"):
            queue.flush(0.01)
        publisher.may_go.set()
        queue.flush()
        assert [number for batch in publisher.batches for number in batch] == list(range(1_200))
        assert max(map(len, publisher.batches)) == 500
    with pytest.raises(Full, match="closed"):
        queue.put(user_id="a", type="t", data=1)


def test_a_full_queue_says_so_and_an_event_that_is_not_json_does_not_get_in() -> None:
    publisher = Publisher()
    publisher.may_go.clear()
    queue = queue_of(publisher, capacity=2)
    with pytest.raises(TypeError):
        queue.put(user_id="a", type="t", data=object())
    for number in range(2):
        queue.put(user_id="a", type="t", data=number)
    with pytest.raises(Full, match="too many"):
        queue.put(user_id="a", type="t", data=3)
    publisher.may_go.set()
    queue.close()


def test_a_refused_event_does_not_stop_the_others_and_an_outage_stops_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatepost.publishing.PAUSE_SECONDS", 0.01)
    publisher = Publisher()
    publisher.failures = [GatepostError("no answer"), GatepostError("wrong token", status=401)] * 5
    refused: list[Any] = []

    def on_refused(event: PublishEvent, error: GatepostError) -> None:
        refused.append((event.data, error.code))
        raise RuntimeError("the host's fault")

    publisher.may_go.clear()
    with queue_of(publisher, on_refused=on_refused) as queue:
        for data in (0, 1, "wrong", 3, 4):
            queue.put(user_id="a", type="t", data=data)
        publisher.may_go.set()
    assert sorted(number for batch in publisher.batches for number in batch) == [0, 1, 3, 4]
    assert refused == [("wrong", "invalid_field")]
