"""What was computed for a session is kept when another one is entered, and only then."""

from collections.abc import Sequence

from roomcode.computed import Computed
from roomcode.engine.scripted import ScriptedEngine


class Keeping(ScriptedEngine):
    """An engine that says what it is asked to keep."""

    def __init__(self) -> None:
        super().__init__(())
        self.asked: list[str] = []

    async def save_slot(self, name: str) -> bool:
        self.asked.append(f"save {name}")
        return True

    async def load_slot(self, name: str) -> int:
        self.asked.append(f"load {name}")
        return 0

    def prepare(self, prefix: Sequence[int]) -> None:
        self.asked.append(f"prepare {len(prefix)}")


async def test_what_was_computed_is_kept_once_when_it_is_left() -> None:
    engine, computed = Keeping(), Computed()
    await computed.leave(engine, "one")
    await computed.enter(engine, "two")
    assert engine.asked == ["load two"], "nothing was computed for the first one"
    computed.works()
    await computed.leave(engine, "two")
    await computed.leave(engine, "two")
    assert engine.asked == ["load two", "save two"], "the second time it is as it was brought back"
    computed.prepare(engine, (1, 2, 3))
    assert engine.asked[-1] == "prepare 3"


async def test_a_session_without_an_id_is_not_kept() -> None:
    engine, computed = Keeping(), Computed()
    computed.works()
    await computed.leave(engine, "")
    await computed.enter(engine, "")
    assert engine.asked == []


async def test_an_engine_that_keeps_nothing_is_left_alone() -> None:
    computed = Computed()
    for engine in (None, ScriptedEngine(())):
        computed.works()
        await computed.leave(engine, "one")
        await computed.enter(engine, "one")
        computed.prepare(engine, (1,))
