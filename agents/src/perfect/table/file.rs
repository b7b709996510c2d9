//! The file format of a table of values; `docs/table-format.md` describes it for other programs.
//!
//! A header of JSON, then blocks of values, each compressed separately and with a checksum. Reading never trusts a
//! length and names every defect; writing is atomic.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;
use ashta_env::turn_index::{IndexError, TurnIndex};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};

use super::{Table, TableValues, value_count};
use crate::perfect::solve::{Cursor, Facts, Unfinished};
use crate::play::files::write_whole;

/// The first bytes of every table.
pub(super) const MAGIC: &[u8; 8] = b"ASHTATBL";
/// The version of the format that this program writes, and the only one it reads.
pub const FORMAT: u32 = 1;
/// The largest header that is read, in bytes.
const MAX_HEADER: u32 = 1 << 16;
/// Values of a block.
const BLOCK: usize = 1 << 18;

/// The header of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableHeader {
    /// The ruleset that was solved.
    pub ruleset: Ruleset,
    /// Its hash.
    pub ruleset_hash: String,
    /// Number of side positions of a seat.
    #[serde(rename = "camps")]
    pub sides: usize,
    /// Number of values.
    pub values: usize,
    /// Bits of a value, 16 or 32.
    pub bits: u8,
    /// Accuracy and cost of the values; missing while the game is being solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Facts>,
    /// Where the solver stopped; missing when it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Cursor>,
}

/// Values to be written.
pub(super) enum Numbers<'a> {
    Short(&'a [u16]),
    Long(&'a [u32]),
}

/// Whether the values are finished.
pub(super) enum SolveProgress {
    Facts(Facts),
    Cursor(Cursor),
}

/// Why a table cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Something is wrong with this file.
    #[error("table {}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: Box<TableError>,
    },
    /// The file system refused.
    #[error("cannot be {action}")]
    Io {
        /// The operation.
        action: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// Another program wrote the file.
    #[error("is not a table of ashta: it begins with other bytes")]
    Magic,
    /// Another version of this program wrote the file.
    #[error("has format {found}, this program reads format {FORMAT}")]
    Format {
        /// The version of the file's format.
        found: u32,
    },
    /// The file ends too early.
    #[error("is cut short: it ends within {part}")]
    Short {
        /// The incomplete part.
        part: String,
    },
    /// The file goes on after its end.
    #[error("goes on after its last value")]
    Long,
    /// Bytes are not those that were written.
    #[error("is damaged: the checksum of {part} is wrong")]
    Damaged {
        /// The damaged part.
        part: String,
    },
    /// The header is not as described.
    #[error("has a header that is not valid")]
    TableHeader(#[source] serde_json::Error),
    /// A fact in the header cannot be true.
    #[error("{what} in the header is {found}, not {expected}")]
    Fact {
        /// Which fact.
        what: &'static str,
        /// The expected value.
        expected: String,
        /// The value found.
        found: String,
    },
    /// The ruleset has no table.
    #[error(transparent)]
    Starts(#[from] IndexError),
    /// The game is not solved to the end.
    #[error("is not finished: go on with `ashta solve`")]
    Unfinished,
    /// The game is solved already.
    #[error("is finished: there is nothing to go on with")]
    Finished,
    /// The table is of another game.
    #[error("is of {found}, not of {expected}")]
    Ruleset {
        /// The game that was wanted.
        expected: String,
        /// The game of the table.
        found: String,
    },
}

fn io(action: &'static str) -> impl Fn(io::Error) -> TableError {
    move |source| TableError::Io { action, source }
}

fn in_file<T>(path: &Path, result: Result<T, TableError>) -> Result<T, TableError> {
    result.map_err(|cause| TableError::InFile { path: path.to_owned(), cause: Box::new(cause) })
}

impl TableHeader {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// When it is no table.
    pub fn read(path: &Path) -> Result<TableHeader, TableError> {
        in_file(path, open(path).and_then(|mut input| read_header(&mut input)))
    }
}

pub(super) fn read(path: &Path) -> Result<Table, TableError> {
    in_file(path, open(path).and_then(|mut input| decode(&mut input)))
}

/// The table that a file holds.
pub(super) fn decode(input: &mut impl Read) -> Result<Table, TableError> {
    match decode_any(input)? {
        (TableHeader { facts: Some(facts), unfinished: None, .. }, starts, values) => {
            Ok(Table { starts, values, facts })
        }
        _ => Err(TableError::Unfinished),
    }
}

pub(super) fn read_unfinished(path: &Path, starts: &TurnIndex) -> Result<Unfinished, TableError> {
    let read = || {
        let (header, found, values) = decode_any(&mut open(path)?)?;
        let (expected, found) = (starts.race().ruleset(), found.race().ruleset());
        if expected != found {
            return Err(TableError::Ruleset { expected: expected.to_string(), found: found.to_string() });
        }
        match (header.unfinished, values) {
            (Some(place), TableValues::Long(values)) => Ok(Unfinished { values, place }),
            _ => Err(TableError::Finished),
        }
    };
    in_file(path, read())
}

fn open(path: &Path) -> Result<BufReader<File>, TableError> {
    Ok(BufReader::new(File::open(path).map_err(io("opened"))?))
}

/// The content of a file, finished or not.
fn decode_any(input: &mut impl Read) -> Result<(TableHeader, TurnIndex, TableValues), TableError> {
    let header = read_header(input)?;
    let fact = |what, expected: &dyn ToString, found: &dyn ToString| {
        let (expected, found) = (expected.to_string(), found.to_string());
        if expected == found { Ok(()) } else { Err(TableError::Fact { what, expected, found }) }
    };
    fact("ruleset_hash", &hash(&header.ruleset), &header.ruleset_hash)?;
    let starts = TurnIndex::new(&Race::new(header.ruleset.clone()))?;
    fact("camps", &starts.sides().len(), &header.sides)?;
    fact("values", &value_count(&starts), &header.values)?;
    let values = match header.bits {
        16 => {
            let bytes = |planes: &[u8], at, count| u16::from_le_bytes([planes[at], planes[count + at]]);
            TableValues::Short(read_values(input, header.values, 2, bytes, u16::wrapping_add)?)
        }
        32 => {
            let bytes =
                |planes: &[u8], at, count| u32::from_le_bytes(std::array::from_fn(|plane| planes[plane * count + at]));
            TableValues::Long(read_values(input, header.values, 4, bytes, u32::wrapping_add)?)
        }
        bits => {
            return Err(TableError::Fact { what: "bits", expected: "16 or 32".to_owned(), found: bits.to_string() });
        }
    };
    match input.read(&mut [0]).map_err(io("read"))? {
        0 => Ok((header, starts, values)),
        _ => Err(TableError::Long),
    }
}

fn hash(ruleset: &Ruleset) -> String {
    format!("{:016x}", ruleset.hash64())
}

fn read_header(input: &mut impl Read) -> Result<TableHeader, TableError> {
    let short = || "the header".to_owned();
    let mut start = [0; MAGIC.len() + 8];
    fill(input, &mut start, short)?;
    let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| start[at + byte]));
    if &start[..MAGIC.len()] != MAGIC {
        return Err(TableError::Magic);
    }
    if number(8) != FORMAT {
        return Err(TableError::Format { found: number(8) });
    }
    let length = number(12);
    if length > MAX_HEADER {
        return Err(TableError::Damaged { part: "the header".to_owned() });
    }
    let mut header = vec![0; length as usize];
    fill(input, &mut header, short)?;
    let mut sum = [0; 4];
    fill(input, &mut sum, short)?;
    if u32::from_le_bytes(sum) != checksum(&[&start, &header]) {
        return Err(TableError::Damaged { part: "the header".to_owned() });
    }
    serde_json::from_slice(&header).map_err(TableError::TableHeader)
}

/// Reads as many bytes as there is room for.
fn fill(input: &mut impl Read, bytes: &mut [u8], part: impl Fn() -> String) -> Result<(), TableError> {
    input.read_exact(bytes).map_err(|source| match source.kind() {
        io::ErrorKind::UnexpectedEof => TableError::Short { part: part() },
        _ => TableError::Io { action: "read", source },
    })
}

fn checksum(parts: &[&[u8]]) -> u32 {
    let mut sum = flate2::Crc::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.sum()
}

/// Reads values of so many bytes, block by block.
fn read_values<V: Copy + Default>(
    input: &mut impl Read,
    count: usize,
    bytes: usize,
    value: impl Fn(&[u8], usize, usize) -> V,
    add: impl Fn(V, V) -> V,
) -> Result<Vec<V>, TableError> {
    let mut values: Vec<V> = Vec::new();
    let blocks = count.div_ceil(BLOCK);
    let (mut packed, mut planes) = (Vec::new(), Vec::new());
    for block in 0..blocks {
        let part = || format!("block {} of {blocks}", block + 1);
        let here = BLOCK.min(count - values.len());
        let mut start = [0; 8];
        fill(input, &mut start, part)?;
        let [length, sum] = [0, 4].map(|at| u32::from_le_bytes(std::array::from_fn(|byte| start[at + byte])));
        // Values that cannot be compressed take a little more room than they have themselves.
        if length as usize > 2 * bytes * here + 64 {
            return Err(TableError::Damaged { part: part() });
        }
        packed.resize(length as usize, 0);
        fill(input, &mut packed, part)?;
        if checksum(&[&packed]) != sum {
            return Err(TableError::Damaged { part: part() });
        }
        planes.clear();
        let limit = (bytes * here) as u64;
        let read = ZlibDecoder::new(packed.as_slice()).take(limit + 1).read_to_end(&mut planes);
        if read.is_err() || planes.len() as u64 != limit {
            return Err(TableError::Damaged { part: part() });
        }
        if values.capacity() < values.len() + here {
            // A header alone takes no room: there is as much again as has been read, and no more than there will be.
            values.reserve_exact((values.len() + here).min(count - values.len()));
        }
        let mut last = V::default();
        values.extend((0..here).map(|at| {
            last = add(last, value(&planes, at, here));
            last
        }));
    }
    Ok(values)
}

pub(super) fn write(
    path: &Path,
    starts: &TurnIndex,
    values: Numbers<'_>,
    progress: SolveProgress,
) -> Result<(), TableError> {
    in_file(path, write_whole(path, io("written"), |out| encode(out, starts, values, progress)))
}

/// Puts the content of a file into `out`.
pub(super) fn encode(
    out: &mut impl Write,
    starts: &TurnIndex,
    values: Numbers<'_>,
    progress: SolveProgress,
) -> Result<(), TableError> {
    let ruleset = starts.race().ruleset().clone();
    let (facts, unfinished) = match progress {
        SolveProgress::Facts(facts) => (Some(facts), None),
        SolveProgress::Cursor(place) => (None, Some(place)),
    };
    let header = TableHeader {
        ruleset_hash: hash(&ruleset),
        ruleset,
        sides: starts.sides().len(),
        values: match values {
            Numbers::Short(values) => values.len(),
            Numbers::Long(values) => values.len(),
        },
        bits: if matches!(values, Numbers::Short(_)) { 16 } else { 32 },
        facts,
        unfinished,
    };
    let header = serde_json::to_vec(&header).map_err(TableError::TableHeader)?;
    let start = [MAGIC.as_slice(), &FORMAT.to_le_bytes(), &(header.len() as u32).to_le_bytes()].concat();
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(io("written"));
    put(&start)?;
    put(&header)?;
    put(&checksum(&[&start, &header]).to_le_bytes())?;
    let mut put_block = |planes: &[u8]| {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(planes).map_err(io("written"))?;
        let packed = packed.finish().map_err(io("written"))?;
        put(&(packed.len() as u32).to_le_bytes())?;
        put(&checksum(&[&packed]).to_le_bytes())?;
        put(&packed)
    };
    match values {
        Numbers::Short(values) => {
            values.chunks(BLOCK).try_for_each(|block| put_block(&planes(block, u16::wrapping_sub, u16::to_le_bytes)))
        }
        Numbers::Long(values) => {
            values.chunks(BLOCK).try_for_each(|block| put_block(&planes(block, u32::wrapping_sub, u32::to_le_bytes)))
        }
    }
}

/// The differences of neighbouring values, first all their lowest bytes, then the next ones: alike bytes stand
/// together.
fn planes<V: Copy + Default, const BYTES: usize>(
    block: &[V],
    subtract: impl Fn(V, V) -> V,
    bytes: impl Fn(V) -> [u8; BYTES],
) -> Vec<u8> {
    let mut planes = vec![0; BYTES * block.len()];
    let mut last = V::default();
    for (at, &value) in block.iter().enumerate() {
        for (plane, byte) in bytes(subtract(value, last)).into_iter().enumerate() {
            planes[plane * block.len() + at] = byte;
        }
        last = value;
    }
    planes
}
