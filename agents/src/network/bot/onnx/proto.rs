//! The messages of the ONNX format, as far as a bot needs them; numbers as in the ONNX standard, IR version 8.

use prost::Message;

/// A model with everything about it.
#[derive(Clone, PartialEq, Message)]
pub struct Model {
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    #[prost(string, tag = "2")]
    pub producer_name: String,
    #[prost(string, tag = "3")]
    pub producer_version: String,
    #[prost(string, tag = "6")]
    pub doc_string: String,
    #[prost(message, required, tag = "7")]
    pub graph: Graph,
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSet>,
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<Property>,
}

/// The version of the operators.
#[derive(Clone, PartialEq, Message)]
pub struct OperatorSet {
    #[prost(string, tag = "1")]
    pub domain: String,
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// A text with a name.
#[derive(Clone, PartialEq, Message)]
pub struct Property {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

/// The operations, in order.
#[derive(Clone, PartialEq, Message)]
pub struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfo>,
}

/// One operation.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    #[prost(string, tag = "3")]
    pub name: String,
    #[prost(string, tag = "4")]
    pub op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<Attribute>,
}

/// A whole number that belongs to an operation.
#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    #[prost(int32, tag = "20")]
    pub kind: i32,
}

/// [`Attribute::kind`] of a single whole number.
pub const INT: i32 = 2;

/// A constant.
#[derive(Clone, PartialEq, Message)]
pub struct Tensor {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    #[prost(string, tag = "8")]
    pub name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub raw_data: Vec<u8>,
}

/// 32-bit floats, little-endian.
pub const FLOAT: i32 = 1;
/// 64-bit whole numbers, little-endian.
pub const INT64: i32 = 7;
/// Truth values, a byte each.
pub const BOOL: i32 = 9;

/// An input or output.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfo {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, required, tag = "2")]
    pub kind: Type,
    #[prost(string, tag = "3")]
    pub doc_string: String,
}

/// The type of an input or output, always a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct Type {
    #[prost(message, required, tag = "1")]
    pub tensor: TensorType,
}

/// The element type of a tensor, and its sizes.
#[derive(Clone, PartialEq, Message)]
pub struct TensorType {
    #[prost(int32, tag = "1")]
    pub element: i32,
    #[prost(message, required, tag = "2")]
    pub shape: Shape,
}

/// The sizes of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub dimension: Vec<Dimension>,
}

/// One size of a tensor, by number or by name.
#[derive(Clone, PartialEq, Message)]
pub struct Dimension {
    #[prost(oneof = "Size", tags = "1, 2")]
    pub size: Option<Size>,
}

/// A size: a number, or the name of one that is known when the model runs.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Size {
    #[prost(int64, tag = "1")]
    Fixed(i64),
    #[prost(string, tag = "2")]
    Named(String),
}
