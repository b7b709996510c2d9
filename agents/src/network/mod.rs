//! Networks in plain Rust and in files: the forward pass of self-play, search and exported bots.
//!
//! [`portable`] has the value network and the policy network of a bot, without burn. [`evaluator`]
//! is the evaluator that uses them. [`tensor_file`] stores tensors with their metadata in the
//! safetensors format. [`bot`] is the exported bot: one file with networks, manifest and probes
//! (positions with the expected outputs), or an ONNX model. Training is in [`learn`](crate::learn).
//! This module is allowed to use `play`, `search` and `arena`.

pub mod bot;
pub mod evaluator;
pub mod portable;
pub mod tensor_file;
