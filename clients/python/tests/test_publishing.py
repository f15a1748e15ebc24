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
        self.failures: list[Exception] = []
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


def test_the_queue_has_copies() -> None:
    publisher = Publisher()
    publisher.may_go.clear()
    data = {"n": 0}
    with queue_of(publisher) as queue:
        for data["n"] in (1, 2):
            queue.put(user_id="a", type="t", data=data)
        data["n"] = 3
        publisher.may_go.set()
    assert [one["n"] for batch in publisher.batches for one in batch] == [1, 2]


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


def test_a_handler_that_fails_does_not_stop_the_queue() -> None:
    lost: list[Any] = []

    def on_error(error: Exception, events: list[PublishEvent]) -> None:
        lost.append((str(error), [event.data for event in events]))
        raise RuntimeError("the host's fault")

    publisher = Publisher()
    publisher.failures = [GatepostError("the client is closed", code="client_closed")]
    publisher.may_go.clear()
    with queue_of(publisher, on_error=on_error) as queue:
        queue.put(user_id="a", type="t", data=0)
        publisher.may_go.set()
        queue.flush()
        for data in (1, "wrong", 2):
            queue.put(user_id="a", type="t", data=data)
    assert sum(publisher.batches, []) == [1, 2]
    assert lost == [("the client is closed", [0]), ("refused", ["wrong"])]


def test_events_that_wait_at_the_deadline_of_close_go_to_the_handler() -> None:
    lost: list[Any] = []
    publisher = Publisher()
    publisher.failures = [GatepostError("no answer")] * 1_000
    queue = queue_of(publisher, on_error=lambda error, events: lost.append((str(error), [one.data for one in events])))
    for data in range(3):
        queue.put(user_id="a", type="t", data=data)
    with pytest.raises(TimeoutError, match="3 events wait"):
        queue.flush(0.05)
    assert lost == []
    with pytest.raises(TimeoutError, match="3 events wait"):
        queue.close(0.05)
    assert lost == [("3 events wait", [0, 1, 2])]
    thread = queue._thread  # pyright: ignore[reportPrivateUsage]
    assert thread is not None
    thread.join(5)
    assert not thread.is_alive() and publisher.batches == []
    queue.close()
