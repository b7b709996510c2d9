//! Export of a bot as an ONNX model for any ONNX runtime. Both networks are in one graph, and the
//! manifest is metadata.

use prost::encoding::{bytes, int64};

use super::Bot;
use crate::{
    network::portable::{Mlp, ValueHead},
    play::error::Error,
};

/// The version of the file format that belongs to the operators.
const IR_VERSION: i64 = 7;
/// The lowest version of the operators in which `ReduceSum` has axes as an input.
const OPSET: i64 = 13;
/// The element type of 32-bit floats, little-endian.
const FLOAT: i64 = 1;
/// The element type of 64-bit integers, little-endian.
const INT64: i64 = 7;
/// The element type of booleans, one byte each.
const BOOL: i64 = 9;
/// The type of an attribute with one integer.
const INT: i64 = 2;
/// The logit of illegal actions, so low that their probability is 0.
const NEVER: f32 = -1e30;

impl Bot {
    /// Returns the bot as an ONNX model with the name `name`. The model evaluates `batch` positions
    /// together:
    ///
    /// | | name | type | shape |
    /// |---|---|---|---|
    /// | input | `observation` | float | `[batch, observation]`, zeros and ones |
    /// | input | `legal_actions` | bool | `[batch, actions]` |
    /// | output | `policy` | float | `[batch, actions]`: probabilities, 0 for illegal actions |
    /// | output | `values` | float | `[batch, values]`, 0 to 1, relative to the observer |
    ///
    /// The metadata are `ruleset`, `ruleset_hash`, `seats`, `encoding`, `outlook` (`winner`,
    /// `teams` or `placings`: the meaning of the values), and `manifest` (the manifest as JSON).
    ///
    /// # Errors
    /// When the manifest is invalid or does not match the networks.
    pub fn to_onnx(&self, name: &str) -> Result<Vec<u8>, Error> {
        self.check()?;
        let manifest = &self.manifest;
        let payoff = match (
            self.net.shape().value.value_head,
            self.net.shape().value.values == manifest.seats.len(),
        ) {
            (ValueHead::Sigmoid, _) => "placings",
            (ValueHead::Softmax, true) => "winner",
            (ValueHead::Softmax, false) => "teams",
        };
        let properties = [
            ("ruleset", manifest.ruleset.clone()),
            ("ruleset_hash", format!("{:016x}", manifest.ruleset_hash)),
            ("seats", manifest.seats.clone()),
            ("encoding", manifest.encoding.to_string()),
            ("outlook", payoff.to_owned()),
            ("manifest", manifest.to_json()?),
        ];
        let property =
            |(key, value): (&str, String)| Message::default().bytes(1, key).bytes(2, value);
        let model = Message::default()
            .number(1, IR_VERSION)
            .bytes(2, "ashta")
            .bytes(3, manifest.program.as_str())
            .bytes(
                6,
                format!(
                    "A bot for {} with the seats {}.",
                    manifest.ruleset, manifest.seats
                ),
            )
            .bytes(7, self.graph(name))
            .bytes(8, Message::default().number(2, OPSET))
            .all(14, properties.map(property));
        Ok(model.into())
    }

    fn graph(&self, name: &str) -> Message {
        let shape = self.net.shape();
        let (observation, starts) = (shape.policy.observation, shape.value.observation);
        let (values, actions) = (shape.policy.values, shape.policy.actions);
        let mut builder = Builder::default();
        // Some entries are always 0 in turn-start states. If one of them is 1, the model returns
        // the values of the policy network. If all are 0, it returns the values of the value
        // network.
        let from_start = builder.slice("observation", 0, starts, "start");
        let starting = builder.mlp("value", self.net.value(), &from_start);
        let starting = builder.head(shape.value.value_head, &starting, "value_values");
        let logits = builder.mlp("policy", self.net.policy(), "observation");
        let during = builder.slice(&logits, 0, values, "policy_value_logits");
        let during = builder.head(shape.policy.value_head, &during, "policy_values");
        let beyond = builder.slice("observation", starts, observation, "beyond");
        let along = builder.tensor("along", &[1], INT64, 1i64.to_le_bytes().to_vec());
        let beyond = builder.node(
            "ReduceSum",
            &[&beyond, &along],
            "sum_beyond",
            Some(int("keepdims", 1)),
        );
        let zero = builder.constant("zero", &[1], &[0.0]);
        let within = builder.node("Greater", &[&beyond, &zero], "is_within", None);
        builder.node("Where", &[&within, &during, &starting], "values", None);

        let preferred = builder.slice(&logits, values, values + actions, "policy_action_logits");
        let never = builder.constant("never", &[1], &[NEVER]);
        let masked = builder.node(
            "Where",
            &["legal_actions", &preferred, &never],
            "masked",
            None,
        );
        let spread = builder.node("Softmax", &[&masked], "spread", Some(int("axis", 1)));
        let legal = builder.node("Cast", &["legal_actions"], "legal", Some(int("to", FLOAT)));
        builder.node("Mul", &[&spread, &legal], "policy", None);

        let inputs = [
            value_info(
                "observation",
                FLOAT,
                observation,
                "what the observing seat sees, zeros and ones",
            ),
            value_info(
                "legal_actions",
                BOOL,
                actions,
                "the actions that the observing seat may take",
            ),
        ];
        let outputs = [
            value_info(
                "policy",
                FLOAT,
                actions,
                "probabilities of the legal actions; nothing before a throw",
            ),
            value_info(
                "values",
                FLOAT,
                values,
                "expected results, 0 to 1, relative to the observing seat",
            ),
        ];
        Message::default()
            .all(1, builder.nodes)
            .bytes(2, name)
            .all(5, builder.tensors)
            .all(11, inputs)
            .all(12, outputs)
    }
}

/// A protocol buffer: its fields, in ascending order of their numbers in the ONNX standard.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(mut self, field: u32, number: i64) -> Message {
        int64::encode(field, &number, &mut self.0);
        self
    }

    /// Adds a field that is a text, raw data or a message.
    fn bytes(mut self, field: u32, content: impl Into<Vec<u8>>) -> Message {
        bytes::encode(field, &content.into(), &mut self.0);
        self
    }

    /// Adds a field once for each of `contents`.
    fn all<B: Into<Vec<u8>>>(self, field: u32, contents: impl IntoIterator<Item = B>) -> Message {
        contents
            .into_iter()
            .fold(self, |message, content| message.bytes(field, content))
    }
}

impl From<Message> for Vec<u8> {
    fn from(message: Message) -> Vec<u8> {
        message.0
    }
}

/// An input or output `[batch, size]`.
fn value_info(name: &str, element: i64, size: usize, doc: &str) -> Message {
    let sizes = [
        Message::default().bytes(2, "batch"),
        Message::default().number(1, size as i64),
    ];
    let tensor = Message::default()
        .number(1, element)
        .bytes(2, Message::default().all(1, sizes));
    Message::default()
        .bytes(1, name)
        .bytes(2, Message::default().bytes(1, tensor))
        .bytes(3, doc)
}

fn int(name: &str, number: i64) -> Message {
    Message::default()
        .bytes(1, name)
        .number(3, number)
        .number(20, INT)
}

#[derive(Default)]
struct Builder {
    nodes: Vec<Message>,
    tensors: Vec<Message>,
}

impl Builder {
    /// Adds an operation with one output, and returns the name of the output.
    fn node(
        &mut self,
        kind: &str,
        inputs: &[&str],
        output: &str,
        attribute: Option<Message>,
    ) -> String {
        let node = Message::default()
            .all(1, inputs.iter().copied())
            .bytes(2, output);
        self.nodes.push(
            node.bytes(3, format!("make_{output}"))
                .bytes(4, kind)
                .all(5, attribute),
        );
        output.to_owned()
    }

    fn tensor(&mut self, name: &str, sizes: &[usize], element: i64, data: Vec<u8>) -> String {
        let shape = sizes.iter().fold(Message::default(), |shape, &size| {
            shape.number(1, size as i64)
        });
        self.tensors
            .push(shape.number(2, element).bytes(8, name).bytes(9, data));
        name.to_owned()
    }

    fn constant(&mut self, name: &str, dims: &[usize], numbers: &[f32]) -> String {
        self.tensor(
            name,
            dims,
            FLOAT,
            numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect(),
        )
    }

    /// Adds the columns `start..end` of `input`, and returns their name.
    fn slice(&mut self, input: &str, start: usize, end: usize, output: &str) -> String {
        let mut row = |what: &str, number: usize| {
            self.tensor(
                &format!("{output}_{what}"),
                &[1],
                INT64,
                (number as i64).to_le_bytes().to_vec(),
            )
        };
        let [from, to, axis] = [row("from", start), row("to", end), row("axis", 1)];
        self.node("Slice", &[input, &from, &to, &axis], output, None)
    }

    /// Adds a network, and returns the name of its logits.
    fn mlp(&mut self, network: &str, mlp: &Mlp, input: &str) -> String {
        let shape = mlp.shape();
        let mut x = input.to_owned();
        for (layer, ((inputs, outputs), (weights, biases))) in shape
            .layers()
            .zip(shape.split(mlp.parameters()))
            .enumerate()
        {
            let weights = self.constant(
                &format!("{network}_{layer}_weight"),
                &[inputs, outputs],
                weights,
            );
            let biases = self.constant(&format!("{network}_{layer}_bias"), &[outputs], biases);
            x = self.node(
                "Gemm",
                &[&x, &weights, &biases],
                &format!("{network}_{layer}"),
                None,
            );
            if layer < shape.hidden.len() {
                x = self.node("Relu", &[&x], &format!("{network}_{layer}_relu"), None);
            }
        }
        x
    }

    fn head(&mut self, head: ValueHead, logits: &str, output: &str) -> String {
        match head {
            ValueHead::Softmax => self.node("Softmax", &[logits], output, Some(int("axis", 1))),
            ValueHead::Sigmoid => self.node("Sigmoid", &[logits], output, None),
        }
    }
}
