"""A queue of events for programs that must not wait for Gatepost. `queue.json` of the vectors has its rule."""

import json
import logging
import random
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from queue import Full
from typing import TYPE_CHECKING, Any

from gatepost import json_form
from gatepost.calls import new_id
from gatepost.client import Gatepost
from gatepost.errors import GatepostError
from gatepost.types import PublishEvent

if TYPE_CHECKING:
    from typing import Self

BATCH_MAX = 500
FIRST_PAUSE_SECONDS, PAUSE_SECONDS_MAX, RETRY_AFTER_SECONDS_MAX = 1.0, 30.0, 3_600.0
# The service refuses one of these events, and will refuse it again.
REFUSED = (400, 409, 413, 422)

OnError = Callable[[Exception, list[PublishEvent]], None]

log = logging.getLogger("gatepost")


class EventQueue:
    """Publishes events in the background, in the order of `put` and in batches.

    `put` returns at once, also in asyncio. The queue is in memory: call `flush` or `close` before the program ends.
    Refused events go to `on_error` with the error, or to the log.
    """

    def __init__(self, gatepost: Gatepost, *, capacity: int = 10_000, on_error: OnError | None = None) -> None:
        self._gatepost = gatepost
        self._capacity = capacity
        self._on_error = on_error or log_lost
        self._events = deque[PublishEvent]()
        self._changed = threading.Condition()
        self._is_closed = False
        self._is_over = False
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
        """Adds a copy of an event, and returns its id. Raises `queue.Full` if too many events wait."""
        # What is no JSON is an error here, and not in the background.
        copy = json.loads(json_form.dump(data))
        event = PublishEvent(user_id=user_id, organization_id=organization_id, type=type, data=copy, id=id or new_id())
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
        """Takes no more events, and waits as `flush` does. Events that still wait then go to `on_error`."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        try:
            self.flush(timeout)
        except TimeoutError as error:
            with self._changed:
                self._is_over = True
                left = list(self._events)
                self._events.clear()
                self._changed.notify_all()
            if left:
                self._lost(error, left)
                raise

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

    def _publish(self, events: list[PublishEvent]) -> None:
        """Publishes the first events of the queue, each of which is published or lost at the end."""
        pause = FIRST_PAUSE_SECONDS
        while not self._is_over:
            try:
                self._gatepost.publish_events(events=events)
            except Exception as error:
                seconds = pause_after(error, pause)
                if seconds is not None:
                    log.warning("events wait: %s", error)
                    self._pause(seconds)
                    pause = min(2 * pause, PAUSE_SECONDS_MAX)
                    continue
                half = len(events) // 2
                # A batch is refused as a whole, so its halves show which event is wrong.
                if half and isinstance(error, GatepostError) and error.status in REFUSED:
                    self._publish(events[:half])
                    self._publish(events[half:])
                    return
                if not self._is_over:
                    self._lost(error, events)
            with self._changed:
                for _ in events if self._events else ():
                    self._events.popleft()
                self._changed.notify_all()
            return

    def _pause(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_over, seconds)

    def _lost(self, error: Exception, events: list[PublishEvent]) -> None:
        try:
            self._on_error(error, events)
        except Exception:
            log.exception("the handler of events that are not published failed")


def pause_after(error: Exception, pause: float) -> float | None:
    """How long events wait after this error; `None` if they are lost."""
    if not isinstance(error, GatepostError) or error.code == "client_closed":
        return None
    if error.status is not None and error.status not in (408, 429) and error.status < 500:
        return None
    # At random, so that clients that failed together do not come back together.
    return max(pause * random.uniform(0.5, 1), min(error.retry_after or 0, RETRY_AFTER_SECONDS_MAX))


def log_lost(error: Exception, events: Sequence[PublishEvent]) -> None:
    log.error("%d events are not published, the first with the id %s: %s", len(events), events[0].id, error)
