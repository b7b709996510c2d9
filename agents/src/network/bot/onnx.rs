//! Export of a bot as an ONNX model for any ONNX runtime: both networks in one graph, the manifest as metadata.

mod proto;

use prost::Message;

use super::Bot;
use crate::network::portable::{Mlp, ValueHead};
use crate::play::error::Error;
use proto::{
    Attribute, BOOL, Dimension, FLOAT, Graph, INT, INT64, Model, NodeProto, OperatorSet, Property, Shape, Size, Tensor,
    TensorType, Type, ValueInfo,
};

/// Version of the file format; any runtime since 2022 reads it.
const IR_VERSION: i64 = 8;
/// Version of the operators.
const OPSET: i64 = 17;
/// Logit of illegal actions (action mask): their probability is 0 to the last bit.
const NEVER: f32 = -1e30;

impl Bot {
    /// The bot as an ONNX model that goes by `name`. For `batch` positions at a time:
    ///
    /// | | name | type | shape |
    /// |---|---|---|---|
    /// | input | `observation` | float | `[batch, observation]`, zeros and ones |
    /// | input | `legal_actions` | bool | `[batch, actions]` |
    /// | output | `policy` | float | `[batch, actions]`: probabilities, 0 of what is not legal |
    /// | output | `values` | float | `[batch, values]`, 0 to 1, relative to the observer |
    ///
    /// Metadata: `ruleset`, `ruleset_hash`, `seats`, `encoding`, `outlook`, and `manifest`, the manifest as JSON.
    ///
    /// # Errors
    /// When the manifest is not true of the bot.
    pub fn to_onnx(&self, name: &str) -> Result<Vec<u8>, Error> {
        self.check()?;
        let manifest = &self.manifest;
        let payoff = match (self.net.shape().value.value_head, self.net.shape().value.values == manifest.seats.len()) {
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
        let property = |(key, value): (&str, String)| Property { key: key.to_owned(), value };
        let model = Model {
            ir_version: IR_VERSION,
            producer_name: "ashta".to_owned(),
            producer_version: manifest.program.clone(),
            doc_string: format!("A bot for {} with the seats {}.", manifest.ruleset, manifest.seats),
            graph: self.graph(name),
            opset_import: vec![OperatorSet { domain: String::new(), version: OPSET }],
            metadata_props: properties.into_iter().map(property).collect(),
        };
        Ok(model.encode_to_vec())
    }

    fn graph(&self, name: &str) -> Graph {
        let shape = self.net.shape();
        let (observation, starts) = (shape.policy.observation, shape.value.observation);
        let (values, actions) = (shape.policy.values, shape.policy.actions);
        let mut builder = Builder::default();
        // The entries that are 0 at the start of a turn select one of the two networks.
        let from_start = builder.slice("observation", 0, starts, "start");
        let starting = builder.mlp("value", self.net.value(), &from_start);
        let starting = builder.head(shape.value.value_head, &starting, "value_values");
        let logits = builder.mlp("policy", self.net.policy(), "observation");
        let during = builder.slice(&logits, 0, values, "policy_value_logits");
        let during = builder.head(shape.policy.value_head, &during, "policy_values");
        let beyond = builder.slice("observation", starts, observation, "beyond");
        let sum = vec![int("keepdims", 1)];
        let along = builder.tensor("along", &[1], INT64, 1i64.to_le_bytes().to_vec());
        let beyond = builder.node("ReduceSum", &[&beyond, &along], "sum_beyond", sum);
        let zero = builder.constant("zero", &[1], &[0.0]);
        let within = builder.node("Greater", &[&beyond, &zero], "is_within", vec![]);
        builder.node("Where", &[&within, &during, &starting], "values", vec![]);

        let preferred = builder.slice(&logits, values, values + actions, "policy_action_logits");
        let never = builder.constant("never", &[1], &[NEVER]);
        let masked = builder.node("Where", &["legal_actions", &preferred, &never], "masked", vec![]);
        let spread = builder.node("Softmax", &[&masked], "spread", vec![int("axis", 1)]);
        let legal = builder.node("Cast", &["legal_actions"], "legal", vec![int("to", i64::from(FLOAT))]);
        builder.node("Mul", &[&spread, &legal], "policy", vec![]);

        Graph {
            node: builder.nodes,
            name: name.to_owned(),
            initializer: builder.tensors,
            input: vec![
                value_info("observation", FLOAT, observation, "what the observing seat sees, zeros and ones"),
                value_info("legal_actions", BOOL, actions, "the actions that the observing seat may take"),
            ],
            output: vec![
                value_info("policy", FLOAT, actions, "probabilities of the legal actions; nothing before a throw"),
                value_info("values", FLOAT, values, "expected results, 0 to 1, relative to the observing seat"),
            ],
        }
    }
}

fn value_info(name: &str, element: i32, size: usize, doc: &str) -> ValueInfo {
    let sizes = [Size::Named("batch".to_owned()), Size::Fixed(size as i64)];
    let shape = Shape { dimension: sizes.map(|size| Dimension { size: Some(size) }).to_vec() };
    ValueInfo {
        name: name.to_owned(),
        kind: Type { tensor: TensorType { element, shape } },
        doc_string: doc.to_owned(),
    }
}

fn int(name: &str, i: i64) -> Attribute {
    Attribute { name: name.to_owned(), i: Some(i), kind: INT }
}

/// A graph as it grows.
#[derive(Default)]
struct Builder {
    nodes: Vec<NodeProto>,
    tensors: Vec<Tensor>,
}

impl Builder {
    /// Adds an operation with one output and returns the name of that.
    fn node(&mut self, kind: &str, inputs: &[&str], output: &str, attribute: Vec<Attribute>) -> String {
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            output: vec![output.to_owned()],
            name: format!("make_{output}"),
            op_type: kind.to_owned(),
            attribute,
        });
        output.to_owned()
    }

    fn tensor(&mut self, name: &str, dims: &[usize], data_type: i32, raw_data: Vec<u8>) -> String {
        let dims = dims.iter().map(|&size| size as i64).collect();
        self.tensors.push(Tensor { dims, data_type, name: name.to_owned(), raw_data });
        name.to_owned()
    }

    fn constant(&mut self, name: &str, dims: &[usize], numbers: &[f32]) -> String {
        self.tensor(name, dims, FLOAT, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
    }

    /// The columns from `start` to before `end`.
    fn slice(&mut self, input: &str, start: usize, end: usize, output: &str) -> String {
        let mut row = |what: &str, number: usize| {
            self.tensor(&format!("{output}_{what}"), &[1], INT64, (number as i64).to_le_bytes().to_vec())
        };
        let [from, to, axis] = [row("from", start), row("to", end), row("axis", 1)];
        self.node("Slice", &[input, &from, &to, &axis], output, vec![])
    }

    /// The logits of a network.
    fn mlp(&mut self, network: &str, mlp: &Mlp, input: &str) -> String {
        let (shape, parameters) = (mlp.shape(), mlp.parameters());
        let mut x = input.to_owned();
        let layers = shape.layers().zip(shape.split(&parameters));
        for (layer, ((inputs, outputs), (weights, biases))) in layers.enumerate() {
            let weights = self.constant(&format!("{network}_{layer}_weight"), &[inputs, outputs], weights);
            let biases = self.constant(&format!("{network}_{layer}_bias"), &[outputs], biases);
            x = self.node("Gemm", &[&x, &weights, &biases], &format!("{network}_{layer}"), vec![]);
            if layer < shape.hidden.len() {
                x = self.node("Relu", &[&x], &format!("{network}_{layer}_relu"), vec![]);
            }
        }
        x
    }

    fn head(&mut self, head: ValueHead, logits: &str, output: &str) -> String {
        match head {
            ValueHead::Softmax => self.node("Softmax", &[logits], output, vec![int("axis", 1)]),
            ValueHead::Sigmoid => self.node("Sigmoid", &[logits], output, vec![]),
        }
    }
}
