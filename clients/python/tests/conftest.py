from collections.abc import Iterator

import pytest
from service import Service, started


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with started(tmp_path_factory.mktemp("service")) as service:
        yield service
