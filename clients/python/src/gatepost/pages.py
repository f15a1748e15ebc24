"""Lists that arrive page by page."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar

from gatepost.calls import Operation

Page = TypeVar("Page")
Item = TypeVar("Item")
Members = dict[str, Any]


class Listed(Generic[Page, Item]):
    """What lists have, whether they are awaited or not: the call of a page, and the member with its items."""

    def __init__(
        self,
        call: Callable[[Operation[Page], Members, Members], Any],
        member: str,
        operation: Operation[Page],
        required: Members,
        optional: Members,
    ) -> None:
        self._call = call
        self._member = member
        self._question = (operation, required, optional)


class Pages(Listed[Page, Item]):
    """Iterates over the items of all pages, and asks for a page when it needs it. `pages()` iterates over the pages."""

    def pages(self) -> Iterator[Page]:
        """The pages. Each has a `next_cursor`, with which a later call continues."""
        operation, required, optional = self._question
        while True:
            page = self._call(operation, required, optional)
            yield page
            if page.next_cursor is None:
                return
            optional = {**optional, "cursor": page.next_cursor}

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from getattr(page, self._member)


class AsyncPages(Listed[Page, Item]):
    """The same for `async for`."""

    async def pages(self) -> AsyncIterator[Page]:
        """The pages. Each has a `next_cursor`, with which a later call continues."""
        operation, required, optional = self._question
        while True:
            page = await self._call(operation, required, optional)
            yield page
            if page.next_cursor is None:
                return
            optional = {**optional, "cursor": page.next_cursor}

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in getattr(page, self._member):
                yield item
