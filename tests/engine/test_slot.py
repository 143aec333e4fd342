"""What of a prompt is in memory already, for memory that can be cut and for memory that cannot."""

from hypothesis import given
from hypothesis import strategies as st

from roomcode.engine.slot import Slot, common_prefix

OTHER = 7


class FakeMemory:
    """Memory of sequences, with the real rules: plain memory can be cut anywhere, recurrent memory only at its end.

    `broken` states cannot be restored.
    """

    def __init__(self, *, cuttable: bool) -> None:
        self.cuttable = cuttable
        self.held: dict[int, list[int]] = {OTHER: [9, 9, 9]}
        self.saves = 0
        self.broken: set[bytes] = set()

    def cut(self, sequence: int, position: int) -> bool:
        held = self.held.setdefault(sequence, [])
        if position < len(held) and not self.cuttable:
            return False
        del held[position:]
        return True

    def clear(self, sequence: int) -> None:
        self.held[sequence] = []

    def last_position(self, sequence: int) -> int:
        return len(self.held.get(sequence, [])) - 1

    def save(self, sequence: int, *, partial: bool) -> bytes:
        self.saves += 1
        return bytes(self.held[sequence])

    def restore(self, sequence: int, state: bytes, *, partial: bool) -> bool:
        if state in self.broken:
            return False
        self.held[sequence] = list(state)
        return True


class Played:
    """A slot with its memory; `prompt` does what a model call does."""

    def __init__(self, *, cuttable: bool, checkpoints: int = 3) -> None:
        self.memory = FakeMemory(cuttable=cuttable)
        self.slot = Slot(self.memory, 0, cuttable=cuttable, checkpoints=checkpoints)
        self.computed = 0

    def compute(self, tokens: list[int]) -> None:
        self.memory.held.setdefault(0, []).extend(tokens)
        self.slot.tokens.extend(tokens)
        self.computed += len(tokens)

    def prompt(self, tokens: list[int], *, pin: int = 0, mark: bool = True) -> int:
        """Returns how many tokens were reused."""
        reused = self.slot.reuse(tokens)
        self.check()
        assert tokens[:reused] == self.slot.tokens
        if pin and reused <= pin:
            self.compute(tokens[reused:pin])
            self.slot.mark(pin=True)
        rest = tokens[len(self.slot.tokens) :]
        self.compute(rest[:-1])
        if mark:
            self.slot.mark()
        self.compute(rest[-1:])
        self.check()
        return reused

    def check(self) -> None:
        assert self.memory.held.get(0, []) == self.slot.tokens
        assert self.memory.held[OTHER] == [9, 9, 9]
        positions = self.slot.checkpoints
        assert all(0 < p <= len(self.slot.tokens) for p in positions)
        assert len(set(positions)) == len(positions)


@given(st.lists(st.integers(0, 2), max_size=8), st.lists(st.integers(0, 2), max_size=8))
def test_common_prefix(left: list[int], right: list[int]) -> None:
    count = common_prefix(left, right)
    assert left[:count] == right[:count]
    assert count == min(len(left), len(right)) or left[count] != right[count]


def test_plain_memory_is_cut_where_the_new_prompt_departs() -> None:
    played = Played(cuttable=True)
    assert played.prompt([1, 2, 3, 4]) == 0
    assert played.prompt([1, 2, 3, 4, 5, 6]) == 4
    assert played.prompt([1, 2, 8]) == 2
    assert played.memory.saves == 0
    assert not played.slot.keeps_marks


def test_the_last_token_is_always_computed_for_its_logits() -> None:
    for cuttable in (True, False):
        played = Played(cuttable=cuttable)
        played.prompt([1, 2, 3])
        assert played.prompt([1, 2, 3]) == 2
        assert played.prompt([1, 2]) == (1 if cuttable else 0)


def test_memory_that_cannot_be_cut_goes_back_to_the_nearest_checkpoint() -> None:
    played = Played(cuttable=False)
    played.prompt([1, 2, 3, 4], pin=2)
    assert played.slot.checkpoints == (2, 3)
    played.compute([10, 11, 12])  # an answer
    assert played.prompt([1, 2, 3, 4, 10, 11, 12, 5]) == 7, "nothing departs: nothing is restored"
    assert played.slot.checkpoints == (2, 3, 7)
    assert played.prompt([1, 2, 3, 4, 10, 99, 5]) == 3
    assert played.prompt([1, 2, 77, 78]) == 2
    assert played.prompt([5, 6]) == 0
    assert played.slot.checkpoints == (1,)


def test_the_pinned_checkpoint_is_never_pushed_out() -> None:
    played = Played(cuttable=False, checkpoints=2)
    talk = [1, 2, 3]
    played.prompt(talk, pin=2)
    for n in range(10):
        talk = [*talk, 20 + n, 40 + n]
        assert played.prompt(talk) == len(talk) - 2
    assert played.slot.checkpoints[0] == 2
    assert len(played.slot.checkpoints) == 3
    assert played.prompt([1, 2, 99]) == 2


def test_a_state_that_is_marked_already_can_be_pinned_later() -> None:
    played = Played(cuttable=False, checkpoints=1)
    played.prompt([1, 2, 3])
    assert played.slot.checkpoints == (2,)
    played.slot.go_back(2)
    played.slot.mark(pin=True)
    played.compute([4, 5, 6])
    played.slot.mark()
    played.compute([7])
    assert played.slot.checkpoints == (2, 5)
    assert played.prompt([1, 2, 9]) == 2


def test_a_state_that_cannot_be_restored_is_passed_over() -> None:
    played = Played(cuttable=False)
    played.prompt([1, 2, 3, 4], pin=2)
    played.memory.broken.add(bytes([1, 2, 3]))
    assert played.prompt([1, 2, 3, 9]) == 2
    played.memory.broken.add(bytes([1, 2]))
    assert played.prompt([1, 2, 8, 8]) == 0


def test_without_checkpoints_everything_is_computed_again() -> None:
    played = Played(cuttable=False, checkpoints=0)
    played.prompt([1, 2, 3, 4], pin=2)
    assert played.memory.saves == 0
    assert played.prompt([1, 2, 3, 4, 5]) == 4
    assert played.prompt([1, 2, 3, 9]) == 0


def test_forgetting_empties_slot_and_memory() -> None:
    played = Played(cuttable=False)
    played.prompt([1, 2, 3, 4], pin=2)
    played.slot.forget()
    played.check()
    assert played.slot.tokens == []
    assert played.slot.checkpoints == ()
    assert played.prompt([1, 2, 3, 4]) == 0


PROMPTS = st.lists(
    st.tuples(
        st.integers(0, 12), st.lists(st.integers(0, 3), min_size=1, max_size=8), st.integers(0, 6), st.integers(0, 9)
    ),
    min_size=1,
    max_size=12,
)


@given(cuttable=st.booleans(), checkpoints=st.integers(0, 3), prompts=PROMPTS)
def test_memory_and_slot_agree_whatever_is_asked(
    cuttable: bool, checkpoints: int, prompts: list[tuple[int, list[int], int, int]]
) -> None:
    """Each prompt keeps the beginning of the last one and goes on its own way, then is answered, then is cut back."""
    played = Played(cuttable=cuttable, checkpoints=checkpoints)
    for keep, more, pin, back in prompts:
        prompt = [*played.slot.tokens[:keep], *more]
        before = list(played.slot.tokens)
        reused = played.prompt(prompt, pin=min(pin, len(prompt) - 1))
        assert reused <= len(prompt) - 1
        if cuttable:
            assert reused == min(common_prefix(before, prompt), len(prompt) - 1)
        played.compute([50, 51])
        reached = played.slot.go_back(max(0, len(played.slot.tokens) - back))
        assert reached == len(played.slot.tokens)
        played.check()
