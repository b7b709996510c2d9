"""Policies: functions and ONNX models as functions from `States` to actions or probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._ashta import States

Batched = Callable[[States], Any]
"""Returns an action for each state, `int[n]`, or the probabilities of the actions,
`float[n, actions]`."""


def function_of(policy: Callable[..., Any], name: str, takes: str) -> Batched:
    """Makes a function of `States` from a function of `States`, of one `State`, or of observations
    and action masks."""
    calls: dict[str, Batched] = {
        "states": policy,
        "state": lambda states: [policy(state) for state in states],
        "observations": lambda states: policy(states.observations(), states.masks().view(np.int8)),
    }
    if takes not in calls:
        raise ValueError(f'`takes` must be "states", "state" or "observations", not "{takes}"')

    def call(states: States) -> Any:
        try:
            return calls[takes](states)
        except Exception as error:
            error.add_note(f'{name} was called with `takes="{takes}"`; see `ashta.Agent.of`')
            raise

    return call


def onnx_policy(path: str) -> Batched:
    """Makes the policy of an ONNX model with the inputs and outputs of
    `ashta export --format onnx`: the legal action with the highest probability."""
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise ImportError(
            "an ONNX model needs onnxruntime, which is not installed: pip install onnxruntime"
        ) from error
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
            raise ValueError(
                f"{path} takes observations of length {length}, but this game has {observations.shape[1]}"
            )
        [policy] = session.run(["policy"], {"observation": observations, "legal_actions": masks})
        return np.where(masks, policy, -1.0).argmax(axis=1)

    return choose
