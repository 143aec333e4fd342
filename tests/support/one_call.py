"""An answer that is one call, for models that would never stop."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from roomcode.calls import CallConstraint
from roomcode.protocol.engine import Mask, Rewrite

__all__ = ["OneCall"]


class OneCall:
    """A constraint that ends the answer when its first call is closed."""

    greedy = False

    def __init__(self, inner: CallConstraint, end: int, vocabulary: int) -> None:
        self._inner = inner
        self._started = False
        self._only_end: Mask = np.zeros((vocabulary + 31) // 32, np.int32)
        self._only_end[end // 32] = np.int32(np.uint32(1 << (end % 32)).view(np.int32))

    def mask(self) -> Mask | None:
        return self._only_end if self._started and not self._inner.in_call else self._inner.mask()

    def commit(self, token: int) -> Rewrite | None:
        return self._inner.commit(token)

    def forced(self) -> Sequence[int]:
        tokens = self._inner.forced()
        self._started = self._started or self._inner.in_call
        return tokens

    def weigh(self, logits: npt.NDArray[np.float32]) -> None:
        self._inner.weigh(logits)
