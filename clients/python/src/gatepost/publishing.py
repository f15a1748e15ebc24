"""A queue of events for programs that must not wait for Gatepost."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from queue import Full
from typing import TYPE_CHECKING, Any

from gatepost import json_form
from gatepost.client import Gatepost
from gatepost.errors import GatepostError
from gatepost.ids import new_id
from gatepost.types import PublishEvent

if TYPE_CHECKING:
    from typing import Self

BATCH_MAX = 500
PAUSE_SECONDS = 1.0
# The service refuses these events, and will refuse them again.
REFUSED = (400, 409, 413, 422)

log = logging.getLogger("gatepost")


class EventQueue:
    """Publishes events in the background, in the order of `put` and in batches.

    `put` returns at once, also in asyncio. The queue is in memory: call `flush` or `close` before the program ends.
    While Gatepost does not answer, events wait. An event that Gatepost refuses goes to `on_refused`, or to the log.
    """

    def __init__(
        self,
        gatepost: Gatepost,
        *,
        capacity: int = 10_000,
        on_refused: Callable[[PublishEvent, GatepostError], None] | None = None,
    ) -> None:
        self._gatepost = gatepost
        self._capacity = capacity
        self._on_refused = on_refused or log_refused
        self._events = deque[PublishEvent]()
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def put(
        self,
        *,
        type: str,
        data: Any,
        user_id: str | None = None,
        organization_id: str | None = None,
        id: str | None = None,
    ) -> str:
        """Adds an event, and returns its id. Raises `queue.Full` if too many events wait."""
        event = PublishEvent(user_id=user_id, organization_id=organization_id, type=type, data=data, id=id or new_id())
        json_form.dump(event)  # An event that cannot be sent is an error here, and not in the background.
        with self._changed:
            if self._is_closed or len(self._events) >= self._capacity:
                raise Full("the queue is closed" if self._is_closed else "too many events wait")
            self._events.append(event)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="gatepost events", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return event.id

    def flush(self, timeout: float = 10.0) -> None:
        """Waits until the queue is empty. Raises `TimeoutError` after `timeout` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._events, timeout):
                raise TimeoutError(f"{len(self._events)} events wait")

    def close(self, timeout: float = 10.0) -> None:
        """Takes no more events, and waits as `flush` does."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self.flush(timeout)

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._events or self._is_closed)
                batch = list(islice(self._events, BATCH_MAX))
            if not batch:
                return
            self._publish(batch)
            with self._changed:
                for _ in batch:
                    self._events.popleft()
                self._changed.notify_all()

    def _publish(self, events: Sequence[PublishEvent]) -> None:
        """Publishes the events, each of which is published or refused at the end."""
        while True:
            try:
                self._gatepost.publish_events(events=events)
                return
            except GatepostError as error:
                if error.status in REFUSED:
                    return self._refused(events, error)
                log.warning("events wait: %s", error)
            time.sleep(PAUSE_SECONDS)

    def _refused(self, events: Sequence[PublishEvent], error: GatepostError) -> None:
        # A batch is refused as a whole, so its halves show which event is wrong.
        half = len(events) // 2
        if half:
            self._publish(events[:half])
            self._publish(events[half:])
            return
        try:
            self._on_refused(events[0], error)
        except Exception:
            log.exception("the handler of refused events failed")


def log_refused(event: PublishEvent, error: GatepostError) -> None:
    log.error("the event %s is refused: %s", event.id, error)
