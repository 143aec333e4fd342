"""A model that says what a test wants, under a constraint, with a real vocabulary and real grammars."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from roomcode.calls import CallConstraint, Edited, Levels
from roomcode.chat import Form
from roomcode.engine.decoding import allowed
from roomcode.engine.llama import LlamaEngine
from roomcode.protocol.engine import Matcher
from tests.support.samples import SPECS
from tests.support.tiny_gguf import CONTROL

__all__ = ["Says"]

_ALL = Levels()


class Says:
    """Plays a model that wants to say `text`: commits its tokens where the constraint lets it, and takes forced tokens
    and rewrites as they come. What is forced is not said again when the text goes on the same way."""

    def __init__(
        self,
        engine: LlamaEngine,
        form: Form,
        *,
        levels: Levels = _ALL,
        files: Mapping[str, str] | None = None,
        weighs: Callable[["Says"], Mapping[int, float]] | None = None,
        matcher: Callable[[str], Matcher] | None = None,
        first: Sequence[str] = (),
        plan: int = 0,
        on_plan: Callable[[str], None] = lambda _plan: None,
        wanted: tuple[str, ...] = (),
        within: str = "",
        entire: bool = False,
        insert: str = "",
        becomes: tuple[str, str] = ("", ""),
        where: tuple[str, ...] = (),
        whole: str = "",
        words: bool = True,
        vain: tuple[tuple[str, str], ...] = (),
        known: Mapping[str, str] | None = None,
        offline: bool = False,
        lead: str = "",
    ) -> None:
        """With `files` the answer begins with an edit of one of them, with `first` with a call of one of these tools.
        `known` are the texts that new files have to hold.

        `weighs` says before each token which others were likely, and how much: the logit of the one that is said is 10.
        """
        self.engine = engine
        self.constraint = CallConstraint(
            form,
            SPECS,
            engine,
            matcher or engine.matcher,
            end_tokens=engine.info.end_tokens,
            levels=levels,
            edited=Edited(
                "edit_file",
                files.get,
                wanted=wanted,
                within=within,
                entire=entire,
                insert=insert,
                becomes=becomes,
                where=where,
                whole=whole,
                words=words,
                vain=vain,
                maker="write_file",
                known=(known or {}).get,
            )
            if files is not None
            else None,
            first=first or (["edit_file"] if files is not None else ()),
            plan=plan,
            on_plan=on_plan,
            offline=offline,
            lead=lead,
        )
        self._weighs = weighs
        self._vocabulary = 1 + max(engine.encode("".join(CONTROL), control=True))  # those are its last tokens
        self.tokens: list[int] = []
        self.rewrites = 0
        self._take_forced()

    def _take_forced(self) -> None:
        self.tokens += self.constraint.forced()

    @property
    def text(self) -> str:
        return self.engine.decode(self.tokens).decode()

    def may(self, token: int) -> bool:
        mask = self.constraint.mask()
        return mask is None or bool(allowed(mask, self._vocabulary)[token])

    def refuses(self, character: str) -> bool:
        """Whether the text cannot go on with `character`."""
        return not self.may(self.engine.encode(character)[0])

    def say(self, text: str) -> "Says":
        """Say `text` one character at a time, so that every boundary is tried. Stops behind a rewrite."""
        for token in self._one_by_one(text):
            if self._say_token(token):
                break
        return self

    def reach(self, text: str) -> "Says":
        """Go on until the whole answer begins with `text`, saying only what is not forced."""
        while len(self.text) < len(text):
            assert text.startswith(self.text), f"{self.text!r} instead of {text!r}"
            for token in self.engine.encode(text[len(self.text)]):  # the bytes of one character
                self._say_token(token)
        assert self.text.startswith(text), f"{self.text!r} instead of {text!r}"
        return self

    def go_on(self) -> int:
        """Say any token that may come; how many came with it."""
        before = len(self.tokens)
        self._say_token(next(token for token in range(self._vocabulary) if self.may(token)))
        return len(self.tokens) - before

    def _say_token(self, token: int) -> bool:
        assert self.may(token), f"{self.engine.decode([token])!r} is not allowed after {self.text!r}"
        if self._weighs is not None:
            logits = np.full(self._vocabulary, -10.0, np.float32)
            for other, weight in {**self._weighs(self), token: 10.0}.items():
                logits[other] = weight
            self.constraint.weigh(logits)
        self.tokens.append(token)
        rewrite = self.constraint.commit(token)
        if rewrite is not None:
            self.rewrites += 1
            del self.tokens[len(self.tokens) - rewrite.drop :]
            self.tokens += rewrite.tokens
        self._take_forced()
        return rewrite is not None

    def _one_by_one(self, text: str) -> Iterator[int]:
        for part in text.replace("<|im_end|>", "\0").partition("\0"):
            if part == "\0":
                yield from self.engine.encode("<|im_end|>", control=True)
            else:
                for character in part:
                    yield from self.engine.encode(character)
