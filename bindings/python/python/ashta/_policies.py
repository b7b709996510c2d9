"""Policies: functions and ONNX models as functions from `States` to actions or probabilities."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ._ashta import State, States

Batched = Callable[[States], Any]
"""Returns an action for each state, `int[n]`, or the probabilities of the actions, `float[n, actions]`."""


def _takes_masks(policy: Callable[..., Any]) -> bool:
    """Whether a function takes observations and action masks: it needs two positional arguments."""
    try:
        parameters = list(inspect.signature(policy).parameters.values())
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in positional if p.default is p.empty]
    is_mask = len(positional) > 1 and "mask" in positional[1].name
    return len(needed) > 1 or is_mask or not positional and any(p.kind is p.VAR_POSITIONAL for p in parameters)


class _OneKind:
    """Calls a function of one argument with `States`. If the first call raises an exception or does not return an
    array, the function takes single states, and is called with each `State`."""

    def __init__(self, policy: Callable[[Any], Any], name: str) -> None:
        self.policy, self.name = policy, name
        self.takes_one: bool | None = None

    def __call__(self, states: States) -> Any:
        if self.takes_one:
            return self._each(states)
        try:
            answer = self.policy(states)
        except Exception as error:
            if self.takes_one is False:
                raise
            try:
                answers = self._each(states)
            except (AttributeError, TypeError) as second:
                # The function probably takes `States`, and its own error is the first one.
                raise (second if isinstance(error, (AttributeError, TypeError)) else error) from None
            self.takes_one = True
            return answers
        if self.takes_one is None:
            self.takes_one = isinstance(answer, str) or np.ndim(answer) == 0
        return self._each(states) if self.takes_one else answer

    def _each(self, states: States) -> list[int]:
        return [self._number(self.policy(state), state) for state in states]

    def _number(self, answer: Any, state: State) -> int:
        try:
            number = operator.index(answer)
        except TypeError:
            raise ValueError(f"{self.name} must return a whole number at `{state}`, not {answer!r}") from None
        if 0 <= number < state.num_distinct_actions():
            return number
        legal = set(state.legal_actions())
        raise ValueError(f"{self.name} chose {answer}, which is not legal at `{state}`; legal actions: {legal}")


def function_of(policy: Callable[..., Any], name: str) -> Batched:
    """Makes a function of `States` from a function of `States`, of one `State`, or of observations and action masks."""
    if _takes_masks(policy):
        return lambda states: policy(states.observations(), states.masks().view(np.int8))
    return _OneKind(policy, name)


def onnx_policy(path: str) -> Batched:
    """Makes the policy of an ONNX model with the inputs and outputs of `ashta export --format onnx`: the legal action
    with the highest probability."""
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise ImportError("an ONNX model needs onnxruntime, which is not installed: pip install onnxruntime") from error
    options = onnxruntime.SessionOptions()
    # With several threads, sums of numbers depend on their order.
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ValueError(f"cannot load {path}: {error}") from error
    found = {given.name for given in [*session.get_inputs(), *session.get_outputs()]}
    if missing := {"observation", "legal_actions", "policy"} - found:
        raise ValueError(f"{path} has no input or output {', '.join(sorted(missing))}")
    length = next(given for given in session.get_inputs() if given.name == "observation").shape[-1]

    def choose(states: States) -> np.ndarray:
        observations, masks = states.observations(), states.masks()
        if isinstance(length, int) and length != observations.shape[1]:
            raise ValueError(f"{path} takes observations of length {length}, but this game has {observations.shape[1]}")
        [policy] = session.run(["policy"], {"observation": observations, "legal_actions": masks})
        return np.where(masks, policy, -1.0).argmax(axis=1)

    return choose
