"""One answer, token by token: sampled, forced, rewritten, cut, aborted. On a fake model that wants to say a text."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.engine.decoding import allowed, decode_answer
from roomcode.engine.slot import Slot
from roomcode.protocol.engine import Answer, EngineError, Generation, Mask, Rewrite

VOCABULARY = 300
END = 256
PROMPT = tuple(b"prompt")


def mask_of(*tokens: int) -> Mask:
    mask = np.zeros((VOCABULARY + 31) // 32, dtype=np.int32)
    for token in tokens:
        mask[token // 32] |= np.int32(np.uint32(1 << (token % 32)).view(np.int32))
    return mask


class Model:
    """Backend and memory at once. Token n is byte n. What it wants at position p of the answer is `says[p]`.

    `abort_at` sets the abort flag at that look at it; `fail_at` lets that call of `compute` be aborted half done.
    """

    context_size = 64
    end_tokens = frozenset({END})

    def __init__(self, says: bytes, *, batch: int = 4, cuttable: bool = True, prompt: int = len(PROMPT)) -> None:
        self.says = [*says, END]
        self.batch_size = batch
        self.cuttable = cuttable
        self.prompt = prompt
        self.held: list[int] = []
        self.batches: list[tuple[int, ...]] = []
        self.accepted: list[int] = []
        self.looks = 0
        self.abort_at = -1
        self.fail_at = -1
        self.break_at = -1
        self._logits: npt.NDArray[np.float32] | None = None

    # Backend

    @property
    def aborted(self) -> bool:
        self.looks += 1
        return 0 <= self.abort_at < self.looks

    def compute(self, tokens: Sequence[int], position: int) -> bool:
        assert position == len(self.held), "tokens must follow those in memory"
        assert 0 < len(tokens) <= self.batch_size
        assert position + len(tokens) <= self.context_size
        self.batches.append(tuple(tokens))
        if len(self.batches) == self.break_at:
            raise EngineError("the card is gone")
        if len(self.batches) == self.fail_at:
            self.held += tokens[:1]  # some of it got there
            return False
        self.held += tokens
        self._logits = None
        return True

    def logits(self) -> npt.NDArray[np.float32]:
        if self._logits is None:
            at = len(self.held) - self.prompt
            self._logits = np.zeros(VOCABULARY, dtype=np.float32)
            self._logits[self.says[at] if at < len(self.says) else END] = 1.0
        return self._logits

    def sample(self) -> int:
        token = int(self.logits().argmax())
        self.accepted.append(token)
        return token

    def accept(self, token: int) -> None:
        self.accepted.append(token)

    def piece(self, token: int) -> bytes:
        return bytes([token]) if token < 256 else b"<end>"

    # Memory

    def cut(self, _sequence: int, position: int) -> bool:
        if position < len(self.held) and not self.cuttable:
            return False
        del self.held[position:]
        return True

    def clear(self, _sequence: int) -> None:
        self.held.clear()

    def last_position(self, _sequence: int) -> int:
        return len(self.held) - 1

    def save(self, _sequence: int, *, partial: bool) -> bytes:
        return bytes(self.held)

    def restore(self, _sequence: int, state: bytes, *, partial: bool) -> bool:
        self.held = list(state)
        return True


class Rules:
    """A constraint given as what happens after so many tokens of the answer."""

    def __init__(
        self,
        *,
        masks: Mapping[int, Mask] | None = None,
        forced: Mapping[int, Sequence[int]] | None = None,
        rewrites: Mapping[int, Rewrite] | None = None,
        greedy: bool = False,
    ) -> None:
        self.masks = dict(masks or {})
        self.forces = dict(forced or {})
        self.rewrites = dict(rewrites or {})
        self.greedy = greedy
        self.tokens: list[int] = []

    def mask(self) -> Mask | None:
        return self.masks.get(len(self.tokens))

    def commit(self, token: int) -> Rewrite | None:
        self.tokens.append(token)
        rewrite = self.rewrites.pop(len(self.tokens), None)
        if rewrite is not None:
            self.tokens[len(self.tokens) - rewrite.drop :] = rewrite.tokens
        return rewrite

    def forced(self) -> Sequence[int]:
        tokens = self.forces.pop(len(self.tokens), ())
        self.tokens += tokens
        return tokens


class Screen:
    def __init__(self) -> None:
        self.text = ""

    def __call__(self, text: str, retract: int) -> None:
        self.text = self.text[: len(self.text) - retract] + text


class Talk:
    """A model with its slot, and what the person saw of the last answer."""

    def __init__(self, model: Model, *, checkpoints: int = 3) -> None:
        self.model = model
        self.slot = Slot(model, 0, cuttable=model.cuttable, checkpoints=checkpoints)
        self.screen = Screen()

    def run(
        self, rules: Rules | None = None, *, prompt: Sequence[int] = PROMPT, most: int = 50, **options: int
    ) -> Answer:
        self.model.prompt = len(prompt)
        self.screen = Screen()
        answer = decode_answer(
            self.model, self.slot, Generation(tuple(prompt), most, constraint=rules, **options), self.screen
        )
        self.check(prompt, answer)
        return answer

    def check(self, prompt: Sequence[int], answer: Answer) -> None:
        assert self.slot.tokens == self.model.held, "slot and memory agree"
        assert self.model.held == [*prompt, *answer.tokens][: len(self.model.held)]
        assert answer.usage.sampled + answer.usage.forced == len(answer.tokens)
        if answer.finish != "aborted":
            assert answer.usage.new + answer.usage.reused == len(prompt)
        assert 0 <= answer.usage.prefill_seconds <= answer.usage.seconds
        assert self.screen.text == answer.text
        spoken = [t for t in answer.tokens if t != END]
        assert answer.text == bytes(spoken).decode("utf-8", "ignore")


def test_an_answer_is_sampled_until_the_model_ends_its_turn() -> None:
    answer = (talk := Talk(Model(b"hello"))).run()
    assert (answer.text, answer.finish) == ("hello", "stop")
    assert answer.tokens == (*b"hello", END)
    assert (answer.usage.sampled, answer.usage.forced, answer.rewrites) == (6, 0, 0)
    assert (answer.usage.new, answer.usage.reused) == (len(PROMPT), 0)
    assert talk.model.batches[:2] == [tuple(b"prom"), tuple(b"pt")]
    assert talk.model.accepted == list(answer.tokens)


def test_the_next_prompt_reuses_prompt_and_answer() -> None:
    talk = Talk(Model(b"hi"))
    first = talk.run()
    talk.model.says = [*b"ho", END]
    second = talk.run(prompt=(*PROMPT, *first.tokens, *b"more"))
    # The token that ended the turn was never computed.
    assert second.usage.reused == len(PROMPT) + len(first.tokens) - 1
    assert second.usage.new == 1 + len(b"more")


def test_a_forced_run_goes_through_in_one_call() -> None:
    talk = Talk(Model(b"ab______c", batch=32))
    answer = talk.run(Rules(forced={2: tuple(b"forced")}))
    assert answer.text == "abforcedc"
    # The sampled token before the run waits for it, so that both are one batch.
    assert talk.model.batches == [PROMPT, tuple(b"a"), tuple(b"bforced"), tuple(b"c")]
    assert (answer.usage.sampled, answer.usage.forced) == (4, 6)
    assert talk.model.accepted == list(answer.tokens)


def test_an_answer_can_begin_with_forced_tokens() -> None:
    talk = Talk(Model(b"__c", batch=32))
    answer = talk.run(Rules(forced={0: tuple(b"ab")}))
    assert answer.text == "abc"
    assert talk.model.batches == [PROMPT, tuple(b"ab"), tuple(b"c")]


def test_a_forced_run_longer_than_a_batch_is_split() -> None:
    talk = Talk(Model(b"_" * 10 + b"c", batch=4))
    assert talk.run(Rules(forced={0: tuple(b"0123456789")})).text == "0123456789c"
    assert [len(b) for b in talk.model.batches] == [4, 2, 4, 4, 2, 1]


def test_a_forced_end_ends_the_answer() -> None:
    answer = Talk(Model(b"ab")).run(Rules(forced={1: (ord("x"), END, ord("y"))}))
    assert (answer.text, answer.finish, answer.tokens) == ("ax", "stop", (*b"ax", END))


@pytest.mark.parametrize("most", [0, 1, 3, 7])
def test_the_cap_cuts_sampled_and_forced_tokens(most: int) -> None:
    answer = Talk(Model(b"ab____c")).run(Rules(forced={2: tuple(b"forc")}), most=most)
    assert (answer.text, answer.finish) == ("abforcc"[:most], "length")


def test_the_context_is_never_overrun() -> None:
    talk = Talk(Model(b"x" * 100))
    answer = talk.run(most=1000)
    assert answer.finish == "length"
    assert len(PROMPT) + len(answer.tokens) == talk.model.context_size


@pytest.mark.parametrize("prompt", [(), tuple(range(64)), tuple(range(100))])
def test_a_prompt_that_does_not_fit_is_refused_with_its_sizes(prompt: tuple[int, ...]) -> None:
    with pytest.raises(EngineError, match=f"has {len(prompt)} tokens and the context 64"):
        Talk(Model(b"x")).run(prompt=prompt)


def test_too_many_forced_tokens_in_a_row_end_the_answer() -> None:
    answer = Talk(Model(b"a" * 30)).run(Rules(forced={2: tuple(b"123456789")}), forced_cap=8)
    assert (answer.finish, answer.text) == ("forced", "aa123456789")
    assert Talk(Model(b"a" * 11)).run(Rules(forced={2: tuple(b"12345678")}), forced_cap=8).finish == "stop"


def test_sampled_tokens_in_between_are_no_garbage() -> None:
    rules = Rules(forced={1 + n * 6: tuple(b"fives") for n in range(5)})
    answer = Talk(Model(b"a" * 30)).run(rules, forced_cap=8)
    assert answer.finish == "stop"
    assert answer.usage.forced == 25


# Rewrites


@pytest.mark.parametrize("cuttable", [True, False])
@pytest.mark.parametrize("drop", [1, 2, 4])
def test_a_rewrite_replaces_the_end_of_the_answer_across_computed_tokens(cuttable: bool, drop: int) -> None:
    # What the model would say after the rewrite, at its place in the answer.
    says = {1: b"abcd_z", 2: b"abcdz", 4: b"abcd"}[drop]
    talk = Talk(Model(says, cuttable=cuttable))
    answer = talk.run(Rules(rewrites={4: Rewrite(drop, tuple(b"XY"))}))
    expected = {1: "abcXYz", 2: "abXYz", 4: "XYcd"}[drop]
    assert (answer.text, answer.finish, answer.rewrites) == (expected, "stop", 1)
    assert answer.usage.forced == 2


def test_a_rewrite_of_nothing_but_the_last_token_cuts_no_memory() -> None:
    talk = Talk(Model(b"abc"))
    answer = talk.run(Rules(rewrites={2: Rewrite(1, tuple(b"X"))}))
    assert answer.text == "aXc"
    assert (answer.usage.sampled, answer.usage.forced) == (3, 1)


def test_an_end_of_turn_can_be_rewritten() -> None:
    model = Model(b"ab")
    answer = Talk(model).run(Rules(rewrites={3: Rewrite(1, tuple(b"</p>"))}))
    assert (answer.text, answer.finish) == ("ab</p>", "stop")


def test_a_rewrite_does_not_pass_the_cap() -> None:
    answer = Talk(Model(b"abcdef")).run(Rules(rewrites={3: Rewrite(1, tuple(b"XYZ"))}), most=4)
    assert (answer.text, answer.finish) == ("abXY", "length")


def test_a_forced_run_behind_a_rewrite_that_reached_the_cap_adds_nothing() -> None:
    rules = Rules(rewrites={3: Rewrite(1, tuple(b"XYZ"))}, forced={5: tuple(b"more")})
    answer = Talk(Model(b"abcdef")).run(rules, most=4)
    assert (answer.text, answer.usage.forced) == ("abXY", 2)


# Masks


def test_only_tokens_of_the_mask_are_sampled() -> None:
    rules = Rules(masks={1: mask_of(ord("x"), ord("y"))})
    assert Talk(Model(b"abc")).run(rules).text == "axc"


@pytest.mark.parametrize("greedy", [True, False])
def test_a_mask_that_allows_the_wish_changes_nothing(greedy: bool) -> None:
    talk = Talk(Model(b"abc"))
    answer = talk.run(Rules(masks={1: mask_of(ord("b"), ord("x"))}, greedy=greedy))
    assert answer.text == "abc"
    assert talk.model.accepted == list(answer.tokens)


def test_a_mask_that_allows_nothing_is_an_error() -> None:
    with pytest.raises(EngineError, match="allows no token"):
        Talk(Model(b"abc")).run(Rules(masks={1: mask_of()}))


@given(st.sets(st.integers(0, VOCABULARY - 1)))
def test_masks_are_read_bit_by_bit(tokens: set[int]) -> None:
    permitted = allowed(mask_of(*tokens), VOCABULARY)
    assert permitted.shape == (VOCABULARY,)
    assert set(np.flatnonzero(permitted)) == tokens


# Abort


RULES = {"forced": {2: tuple(b"force")}, "rewrites": {9: Rewrite(4, tuple(b"RE"))}}


@pytest.mark.parametrize("cuttable", [True, False])
@pytest.mark.parametrize("how", ["flag", "compute"])
@pytest.mark.parametrize("at", range(1, 20))
def test_an_abort_at_any_point_leaves_a_slot_that_goes_on(cuttable: bool, how: str, at: int) -> None:
    says = b"ab_____cdefgh"
    whole = Talk(Model(says, cuttable=cuttable)).run(Rules(**RULES))
    talk = Talk(Model(says, cuttable=cuttable))
    if how == "flag":
        talk.model.abort_at = at
    else:
        talk.model.fail_at = at
    answer = talk.run(Rules(**RULES))
    talk.model.abort_at = talk.model.fail_at = -1
    if answer.finish == "aborted":
        assert len(answer.tokens) <= len(whole.tokens) + 4
        assert answer.usage.new + answer.usage.reused <= len(PROMPT)
    else:
        assert answer.tokens == whole.tokens
    again = talk.run(Rules(**RULES))
    assert (again.tokens, again.finish) == (whole.tokens, "stop")
    assert again.usage.reused <= len(PROMPT)


def test_an_abort_in_prefill_says_what_was_computed() -> None:
    talk = Talk(Model(b"x", batch=2))
    talk.model.fail_at = 3
    answer = talk.run()
    assert (answer.finish, answer.tokens, answer.text) == ("aborted", (), "")
    assert (answer.usage.new, answer.usage.reused) == (4, 0)
    talk.model.fail_at = -1
    assert talk.run().usage.reused == 4


def test_an_abort_between_two_tokens_costs_nothing() -> None:
    """Memory that cannot be cut is whole when the abort came before anything was computed."""
    model = Model(b"abcdef", cuttable=False)
    talk = Talk(model)
    model.abort_at = 8
    answer = talk.run()
    assert answer.finish == "aborted"
    assert answer.tokens
    model.abort_at = -1
    model.says = [*b"go", END]
    more = talk.run(prompt=(*PROMPT, *answer.tokens, *b"on"))
    assert more.usage.reused == len(PROMPT) + len(answer.tokens) - 1


def test_half_a_character_is_dropped_when_aborted() -> None:
    model = Model("a日b".encode())
    talk = Talk(model)
    model.fail_at = 5
    answer = talk.run()
    assert answer.finish == "aborted"
    assert answer.text == "a"
    assert bytes(answer.tokens) == "a日".encode()[: len(answer.tokens)]


def test_an_engine_that_breaks_raises() -> None:
    talk = Talk(Model(b"abc"))
    talk.model.break_at = 3
    with pytest.raises(EngineError, match="card is gone"):
        talk.run()


# Marks, for memory that cannot be cut


def test_the_prefix_is_marked_once_and_gone_back_to() -> None:
    talk = Talk(Model(b"abc", cuttable=False, batch=32))
    talk.run(prefix=3)
    assert talk.slot.checkpoints == (3, len(PROMPT) - 1)
    other = (*PROMPT[:3], *b"else")
    answer = talk.run(prompt=other, prefix=3)
    assert answer.usage.reused == 3
    assert talk.slot.checkpoints == (3, len(other) - 1)


def test_the_same_prompt_again_computes_one_token() -> None:
    talk = Talk(Model(b"abc", cuttable=False))
    talk.run(prefix=3)
    assert talk.run(prefix=3).usage.new == 1


@given(
    cuttable=st.booleans(),
    batch=st.integers(1, 8),
    most=st.integers(0, 40),
    prefix=st.integers(0, 6),
    forced=st.dictionaries(st.integers(0, 12), st.binary(max_size=12).map(tuple), max_size=4),
    rewrites=st.dictionaries(
        st.integers(1, 14), st.tuples(st.integers(1, 6), st.binary(max_size=6).map(tuple)), max_size=3
    ),
    abort_at=st.integers(-1, 40),
)
def test_slot_memory_text_and_usage_agree_whatever_the_constraint_does(
    cuttable: bool,
    batch: int,
    most: int,
    prefix: int,
    forced: dict[int, tuple[int, ...]],
    rewrites: dict[int, tuple[int, tuple[int, ...]]],
    abort_at: int,
) -> None:
    model = Model("a日b👩🏽‍💻cdefghij".encode(), batch=batch, cuttable=cuttable)
    model.abort_at = abort_at
    talk = Talk(model)
    rules = Rules(
        forced=forced, rewrites={at: Rewrite(min(drop, at), tokens) for at, (drop, tokens) in rewrites.items()}
    )
    prompt: tuple[int, ...] = PROMPT
    for _ in range(2):
        model.prompt = len(prompt)
        answer = decode_answer(
            model, talk.slot, Generation(prompt, most, constraint=rules, prefix=prefix), screen := Screen()
        )
        assert talk.slot.tokens == model.held
        assert model.held == [*prompt, *answer.tokens][: len(model.held)]
        assert answer.usage.sampled + answer.usage.forced == len(answer.tokens)
        assert len(answer.tokens) <= most or answer.finish == "aborted"
        assert screen.text == answer.text
        if answer.finish != "aborted":
            assert answer.usage.new + answer.usage.reused == len(prompt)
        prompt = (*prompt, *answer.tokens, *b"more")
        if len(prompt) >= model.context_size:
            break
        rules, model.abort_at, model.says = Rules(), -1, [*b"ok", END]


class Weighs(Rules):
    """A constraint that keeps the logits that it was shown, by the number of tokens before."""

    def __init__(self, masks: Mapping[int, Mask]) -> None:
        super().__init__(masks=masks)
        self.seen: dict[int, npt.NDArray[np.float32]] = {}

    def weigh(self, logits: npt.NDArray[np.float32]) -> None:
        self.seen[len(self.tokens)] = logits.copy()


def test_a_constraint_that_weighs_sees_what_the_mask_leaves() -> None:
    rules = Weighs({1: mask_of(*b"xyz"), 2: mask_of(*b"c")})
    answer = Talk(Model(b"aycd")).run(rules)
    assert answer.text == "aycd"
    assert set(rules.seen) == {1, 2}, "only where there is a mask"
    assert [chr(t) for t in np.flatnonzero(np.isfinite(rules.seen[1]))] == ["x", "y", "z"]
    assert int(rules.seen[1].argmax()) == ord("y")
