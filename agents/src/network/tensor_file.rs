//! Files of named tensors with a JSON manifest: the part of the safetensors format that this
//! package uses.
//!
//! Numbers are floats of 32 or 16 bits, or unsigned integers, little-endian. Matrices are
//! row-major. The manifest is an entry of `__metadata__` in the header. The reader limits the size
//! of a file and does not trust the lengths in a file. Writing is atomic. The callers define the
//! meaning of the tensors.

#![cfg_attr(
    not(feature = "learning"),
    expect(dead_code, reason = "only learning writes checkpoints")
)]

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, Write},
    path::Path,
};

use flate2::Crc;
use half::f16;
use safetensors::{Dtype, SafeTensorError, SafeTensors, tensor::TensorView};
use serde::Deserialize;

use crate::play::{
    error::Error,
    files::{open_regular, read_within, write_whole},
};

/// The largest header that this program reads, in bytes.
pub(crate) const MAX_HEADER: u64 = 16 << 20;
/// The number of bytes before the header; they contain the length of the header.
const LENGTH: usize = 8;
const INVALID: &str = "not a valid safetensors file";

/// The smallest type that stores these floats exactly.
pub(crate) fn smallest_type(mut numbers: impl Iterator<Item = f32>) -> Dtype {
    let is_half = |x: f32| f16::from_f32(x).to_f32().to_bits() == x.to_bits();
    if numbers.all(is_half) {
        Dtype::F16
    } else {
        Dtype::F32
    }
}

pub(crate) struct NamedTensor {
    name: String,
    shape: Vec<usize>,
    dtype: Dtype,
    /// The bytes of the numbers, row-major.
    bytes: Vec<u8>,
}

impl NamedTensor {
    /// A tensor of floats, row-major, stored as `dtype`: `F32`, or `F16` with rounded numbers.
    pub(crate) fn floats(
        name: String,
        shape: Vec<usize>,
        numbers: &[f32],
        dtype: Dtype,
    ) -> NamedTensor {
        let bytes = match dtype {
            Dtype::F16 => numbers
                .iter()
                .flat_map(|&x| f16::from_f32(x).to_le_bytes())
                .collect(),
            _ => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        };
        NamedTensor {
            name,
            shape,
            dtype,
            bytes,
        }
    }

    pub(crate) fn bytes(name: &str, bytes: &[u8]) -> NamedTensor {
        NamedTensor {
            name: name.to_owned(),
            shape: vec![bytes.len()],
            dtype: Dtype::U8,
            bytes: bytes.to_owned(),
        }
    }

    pub(crate) fn row(name: &str, numbers: &[f32]) -> NamedTensor {
        NamedTensor::floats(name.to_owned(), vec![numbers.len()], numbers, Dtype::F32)
    }

    pub(crate) fn shorts(name: &str, numbers: &[u16]) -> NamedTensor {
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        NamedTensor {
            name: name.to_owned(),
            shape: vec![numbers.len()],
            dtype: Dtype::U16,
            bytes,
        }
    }

    pub(crate) fn longs(name: &str, numbers: &[u32]) -> NamedTensor {
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        NamedTensor {
            name: name.to_owned(),
            shape: vec![numbers.len()],
            dtype: Dtype::U32,
            bytes,
        }
    }
}

/// The CRC-32 of the concatenated parts.
pub(crate) fn checksum(parts: &[&[u8]]) -> u32 {
    let mut sum = Crc::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.sum()
}

fn short(bytes: &[u8]) -> Error {
    Error::new(format!(
        "the file has {} bytes, too few for the header",
        bytes.len()
    ))
}

/// The content of a file, with a valid structure.
pub(crate) struct TensorFile<'a> {
    tensors: SafeTensors<'a>,
    pub(crate) manifest: String,
    /// The bytes after the header.
    pub(crate) data: &'a [u8],
}

#[derive(Deserialize)]
struct Header {
    #[serde(default, rename = "__metadata__")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, TensorEntry>,
}

#[derive(Deserialize)]
struct TensorEntry {
    data_offsets: (u64, u64),
}

impl<'a> TensorFile<'a> {
    /// Checks the structure of a file and reads the manifest under `key`.
    pub(crate) fn decode(bytes: &'a [u8], key: &'static str) -> Result<TensorFile<'a>, Error> {
        let Some((length, rest)) = bytes.split_first_chunk::<LENGTH>() else {
            return Err(short(bytes));
        };
        let length = u64::from_le_bytes(*length);
        Error::unless(length <= MAX_HEADER, || {
            format!(
                "the file is not in the safetensors format: its header would have {length} bytes, more than \
                 {MAX_HEADER}"
            )
        })?;
        let Some((header, data)) = rest.split_at_checked(length as usize) else {
            return Err(short(bytes));
        };
        let mut header: Header = serde_json::from_slice(header).map_err(Error::because(
            "the header is not valid JSON of the safetensors format",
        ))?;
        // The library adds lengths without an overflow check, so each length is checked before.
        for (
            name,
            &TensorEntry {
                data_offsets: (_, end),
            },
        ) in &header.tensors
        {
            let most = data.len() as u64;
            Error::unless(end <= most, || {
                format!("tensor {name} ends at byte {end}, but there are {most} bytes of data")
            })?;
        }
        let manifest = header
            .metadata
            .remove(key)
            .ok_or_else(|| Error::new(format!("the header has no metadata entry \"{key}\"")))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(Error::because(INVALID))?;
        Ok(TensorFile {
            tensors,
            manifest,
            data,
        })
    }

    pub(crate) fn expect_count(&self, expected: usize) -> Result<(), Error> {
        let found = self.tensors.len();
        Error::unless(found == expected, || {
            format!("the file has {found} tensors, not {expected}")
        })
    }

    /// The tensor `name`, which must have one of these types and this shape.
    pub(crate) fn tensor(
        &self,
        name: &str,
        dtypes: &[Dtype],
        shape: &[usize],
    ) -> Result<TensorView<'a>, Error> {
        let tensor = self
            .tensors
            .tensor(name)
            .map_err(|_| Error::new(format!("there is no tensor {name}")))?;
        let (dtype, found) = (tensor.dtype(), tensor.shape());
        let expected = if dtypes.contains(&dtype) {
            dtype
        } else {
            dtypes[0]
        };
        Error::unless(dtype == expected && found == shape, || {
            format!("tensor {name} is {dtype:?} {found:?}, not {expected:?} {shape:?}")
        })?;
        Ok(tensor)
    }

    /// The 16-bit integers of the tensor `name`, which must have one dimension of this length.
    pub(crate) fn shorts(&self, name: &str, length: usize) -> Result<Vec<u16>, Error> {
        let tensor = self.tensor(name, &[Dtype::U16], &[length])?;
        Ok(tensor
            .data()
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| u16::from_le_bytes(bytes))
            .collect())
    }

    /// The 32-bit integers of the tensor `name`, which must have one dimension of this length.
    pub(crate) fn longs(&self, name: &str, length: usize) -> Result<Vec<u32>, Error> {
        let tensor = self.tensor(name, &[Dtype::U32], &[length])?;
        Ok(tensor
            .data()
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| u32::from_le_bytes(bytes))
            .collect())
    }

    /// The floats of the tensor `name`, which must have this shape.
    pub(crate) fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let tensor = self.tensor(name, &[Dtype::F32, Dtype::F16], shape)?;
        Ok(match tensor.dtype() {
            Dtype::F32 => tensor
                .data()
                .as_chunks()
                .0
                .iter()
                .map(|&bytes| f32::from_le_bytes(bytes))
                .collect(),
            _ => tensor
                .data()
                .as_chunks()
                .0
                .iter()
                .map(|&bytes| f16::from_le_bytes(bytes).to_f32())
                .collect(),
        })
    }
}

/// The bytes of a file with this manifest under `key`. Equal content gives equal bytes.
pub(crate) fn encode(
    key: &str,
    manifest: String,
    tensors: &[NamedTensor],
) -> Result<Vec<u8>, Error> {
    let views: Result<Vec<_>, SafeTensorError> = tensors
        .iter()
        .map(
            |NamedTensor {
                 name,
                 shape,
                 dtype,
                 bytes,
             }| Ok((name, TensorView::new(*dtype, shape.clone(), bytes)?)),
        )
        .collect();
    let metadata = HashMap::from([(key.to_owned(), manifest)]);
    views
        .and_then(|views| safetensors::serialize(views, Some(metadata)))
        .map_err(Error::because(INVALID))
}

/// Writes a file with this manifest under `key`. `what` is the name of its content in error
/// messages.
pub(crate) fn save(
    path: &Path,
    key: &str,
    what: &str,
    manifest: &impl serde::Serialize,
    tensors: &[NamedTensor],
) -> Result<(), Error> {
    let manifest = serde_json::to_string(manifest).map_err(invalid_manifest(what))?;
    write(path, &encode(key, manifest, tensors)?)
}

pub(crate) fn invalid_manifest(what: &str) -> impl FnOnce(serde_json::Error) -> Error {
    Error::because(format!("the saved {what} has no valid manifest"))
}

fn failed(action: &str, path: &Path) -> impl Fn(io::Error) -> Error {
    move |source| Error::caused(format!("cannot {action} {}", path.display()), source)
}

pub(crate) fn check_size(bytes: u64, limit: u64) -> Result<(), Error> {
    Error::unless(bytes <= limit, || {
        format!("the file has {bytes} bytes, but at most {limit} are allowed")
    })
}

pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let failed = failed("read", path);
    let file = open_regular(path).map_err(&failed)?;
    check_size(file.metadata().map_err(&failed)?.len(), limit)?;
    read_within(limit, file).map_err(failed)
}

/// Writes a file atomically: `path` always has either the old content or the new content.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = failed("write", path);
    write_whole(path, &failed, |file| file.write_all(bytes).map_err(&failed))
}

/// Creates a folder, which must not exist yet.
pub(crate) fn create_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir(path).map_err(failed("create the folder", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(dtype: Dtype) -> Vec<u8> {
        let numbers = [1.0, -2.5, 3.0];
        let tensors = [
            NamedTensor::floats("b".into(), vec![3], &numbers, dtype),
            NamedTensor::floats("a".into(), vec![2, 1], &numbers[..2], dtype),
        ];
        encode("key", "{}".into(), &tensors).expect("the tensors are valid")
    }

    fn with_header(header: &str) -> Vec<u8> {
        [
            &(header.len() as u64).to_le_bytes()[..],
            header.as_bytes(),
            &[0; 8],
        ]
        .concat()
    }

    fn refusal(bytes: &[u8]) -> String {
        TensorFile::decode(bytes, "key")
            .err()
            .expect("it must be refused")
            .to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let bytes = sample(Dtype::F32);
        let file = TensorFile::decode(&bytes, "key").expect("it was just written");
        assert_eq!(file.manifest, "{}");
        assert_eq!(
            file.floats("b", &[3]).expect("it was written"),
            [1.0, -2.5, 3.0]
        );
        file.expect_count(2).expect("two were written");
        assert_eq!(
            file.expect_count(1).map_err(|e| e.to_string()),
            Err("the file has 2 tensors, not 1".into())
        );
        let wrong = file.floats("a", &[1, 2]).map_err(|e| e.to_string());
        assert_eq!(wrong, Err("tensor a is F32 [2, 1], not F32 [1, 2]".into()));
        assert_eq!(
            file.floats("c", &[1]).map_err(|e| e.to_string()),
            Err("there is no tensor c".into())
        );
    }

    #[test]
    fn numbers_of_half_precision_take_half_the_space() {
        let (single, half) = (sample(Dtype::F32), sample(Dtype::F16));
        assert!(
            half.len() < single.len(),
            "{} and {} bytes",
            half.len(),
            single.len()
        );
        let numbers = TensorFile::decode(&half, "key")
            .expect("it was just written")
            .floats("b", &[3])
            .expect("it was written");
        assert_eq!(numbers, [1.0, -2.5, 3.0]);
        assert_eq!(smallest_type(numbers.into_iter()), Dtype::F16);
        // Numbers that are too precise, too large or too small for half precision.
        for x in [1.0 + f32::EPSILON, 65_536.0, 1e-9] {
            assert_eq!(smallest_type([1.0, x].into_iter()), Dtype::F32, "{x}");
        }
        assert_eq!(smallest_type([-0.0].into_iter()), Dtype::F16);
    }

    #[test]
    fn lengths_are_never_trusted() {
        assert_eq!(
            refusal(&[1, 2, 3]),
            "the file has 3 bytes, too few for the header"
        );
        assert_eq!(
            refusal(&[0xff; 16]),
            format!(
                "the file is not in the safetensors format: its header would have {} bytes, more than 16777216",
                u64::MAX
            )
        );
        assert_eq!(
            refusal(&[9, 0, 0, 0, 0, 0, 0, 0, b'{']),
            "the file has 9 bytes, too few for the header"
        );
        let mut header = String::from("{\"__metadata__\":{\"key\":\"\"}");
        // Eight tensors with sizes whose sum is 2⁶⁴ − 8.
        for index in 0..8u64 {
            let (start, end) = (index * ((1 << 61) - 1), (index + 1) * ((1 << 61) - 1));
            header += &format!(
                ",\"t{index}\":{{\"dtype\":\"U8\",\"shape\":[{}],\"data_offsets\":[{start},{end}]}}",
                end - start
            );
        }
        assert_eq!(
            refusal(&with_header(&(header + "}"))),
            "tensor t0 ends at byte 2305843009213693951, but there are 8 bytes of data"
        );
        assert_eq!(
            refusal(&with_header("{}")),
            "the header has no metadata entry \"key\""
        );
        assert_eq!(
            refusal(&with_header("[]")),
            "the header is not valid JSON of the safetensors format"
        );
    }
}
