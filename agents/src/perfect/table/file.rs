//! The file format of a table of values; `docs/table-format.md` describes it for other programs.
//!
//! A file has a header in JSON, and then blocks of values. Each block is compressed separately and
//! has a checksum. The reader checks every length in the file. If a file is damaged, the error
//! names the damaged part. Writing is atomic.

use std::{
    fmt::Display,
    fs::File,
    io::{self, BufReader, Read, Write},
    path::Path,
};

use ashta_env::{race::Race, ruleset::Ruleset, turn_index::TurnIndex};
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use serde::{Deserialize, Serialize};

use super::{SHORT, Table};
use crate::{
    network::tensor_file::checksum,
    perfect::solve::{Cursor, Facts, Unfinished, value_count},
    play::{
        error::Error,
        files::{open_regular, write_whole},
    },
};

/// The first bytes of every table.
pub(super) const MAGIC: &[u8; 8] = b"ASHTATBL";
/// The version of the format that this program reads and writes.
pub const FORMAT: u32 = 1;
/// The largest header that is read, in bytes.
const MAX_HEADER: u32 = 16 << 20;
/// Number of values in a block; the last block can have fewer.
const BLOCK: usize = 1 << 18;
const BAD_HEADER: &str = "the header of the file is not valid";

/// The header of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableHeader {
    /// The ruleset that was solved.
    pub ruleset: Ruleset,
    /// The hash of the ruleset, 16 hexadecimal digits.
    pub ruleset_hash: String,
    /// Number of side positions of a seat.
    #[serde(rename = "camps")]
    pub sides: usize,
    /// Number of values.
    pub values: usize,
    /// Bits of a value, 16 or 32.
    pub bits: u8,
    /// Accuracy and cost of the values; missing if the game is not solved yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Facts>,
    /// Where the solver stopped; missing if the game is solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Cursor>,
}

/// Returns an error that names `part` unless its checksum is right.
fn check_intact(part: &str, is_intact: bool) -> Result<(), Error> {
    Error::unless(is_intact, || {
        format!("the file is damaged: the checksum of {part} is wrong")
    })
}

/// The message about a wrong value in the header.
fn wrong_value(key: &str, expected: impl Display, found: impl Display) -> String {
    format!("{key} in the header is {found}, not {expected}")
}

fn io(action: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::caused(format!("the file cannot be {action}"), source)
}

fn in_file<T>(path: &Path, result: Result<T, Error>) -> Result<T, Error> {
    result.map_err(|cause| Error::caused(format!("table {}", path.display()), cause))
}

impl TableHeader {
    /// The header of a file with this number of values.
    pub(super) fn new(
        starts: &TurnIndex,
        values: usize,
        bits: u8,
        facts: Option<Facts>,
        unfinished: Option<Cursor>,
    ) -> TableHeader {
        let ruleset = starts.race().ruleset().clone();
        let ruleset_hash = hash(&ruleset);
        TableHeader {
            ruleset_hash,
            ruleset,
            sides: starts.sides().len(),
            values,
            bits,
            facts,
            unfinished,
        }
    }

    /// Reads the header of a file.
    ///
    /// # Errors
    /// When the file cannot be read or is not a table.
    pub fn read(path: &Path) -> Result<TableHeader, Error> {
        in_file(
            path,
            open(path).and_then(|mut input| read_header(&mut input)),
        )
    }
}

pub(super) fn read(path: &Path) -> Result<Table, Error> {
    in_file(path, open(path).and_then(|mut input| decode(&mut input)))
}

/// Reads the content of a table file.
pub(super) fn decode(input: &mut impl Read) -> Result<Table, Error> {
    match decode_any(input)? {
        (
            TableHeader {
                facts: Some(facts),
                unfinished: None,
                bits,
                ..
            },
            starts,
            values,
        ) => Ok(Table {
            starts,
            values,
            bits,
            facts,
        }),
        _ => Err(Error::new(
            "the table is not finished: run `ashta solve` again to finish it",
        )),
    }
}

/// Reads the values of a game that is not solved yet.
///
/// # Errors
/// When the file cannot be read, is damaged, is a finished table or is for another game.
pub fn read_unfinished(path: &Path, starts: &TurnIndex) -> Result<Unfinished, Error> {
    let read = || {
        let (header, found, mut values) = decode_any(&mut open(path)?)?;
        let (expected, found) = (starts.race().ruleset(), found.race().ruleset());
        Error::unless(expected == found, || {
            format!("the file is for {found}, not for {expected}")
        })?;
        match header {
            TableHeader {
                unfinished: Some(place),
                bits: 32,
                ..
            } => {
                let deltas = values.split_off(value_count(starts));
                Ok(Unfinished {
                    values,
                    place,
                    deltas,
                })
            }
            _ => Err(Error::new(
                "the table is finished: there is nothing to resume",
            )),
        }
    };
    in_file(path, read())
}

fn open(path: &Path) -> Result<BufReader<File>, Error> {
    Ok(BufReader::new(open_regular(path).map_err(io("opened"))?))
}

/// Reads the content of a file, finished or not.
fn decode_any(input: &mut impl Read) -> Result<(TableHeader, TurnIndex, Vec<u32>), Error> {
    let header = read_header(input)?;
    let hash = hash(&header.ruleset);
    Error::unless(header.ruleset_hash == hash, || {
        wrong_value("ruleset_hash", &hash, &header.ruleset_hash)
    })?;
    let race = Race::new(header.ruleset.clone());
    let starts = TurnIndex::new(&race).map_err(Error::new)?;
    // If the file has the changes of the last sweeps, they follow the values: one change for each
    // value.
    let numbers = if header.unfinished.is_some_and(|place| place.has_deltas()) {
        2
    } else {
        1
    };
    let (sides, count) = (starts.sides().len(), value_count(&starts) * numbers);
    Error::unless(header.sides == sides, || {
        wrong_value("camps", sides, header.sides)
    })?;
    Error::unless(header.values == count, || {
        wrong_value("values", count, header.values)
    })?;
    Error::unless([16, 32].contains(&header.bits), || {
        wrong_value("bits", "16 or 32", header.bits)
    })?;
    let values = read_values(input, header.values, usize::from(header.bits / 8))?;
    let is_over = input.read(&mut [0]).map_err(io("read"))? == 0;
    Error::unless(is_over, || "the file has bytes after its last value")?;
    Ok((header, starts, values))
}

fn hash(ruleset: &Ruleset) -> String {
    format!("{:016x}", ruleset.hash64())
}

fn read_header(input: &mut impl Read) -> Result<TableHeader, Error> {
    const PART: &str = "the header";
    let start = read_bytes(input, MAGIC.len() + 8, PART)?;
    let (format, length) = (number(&start, MAGIC.len()), number(&start, MAGIC.len() + 4));
    Error::unless(
        start.starts_with(MAGIC),
        || "the file is not a table of ashta: its first bytes differ",
    )?;
    Error::unless(format == FORMAT, || {
        format!("the table has format {format}, this program reads format {FORMAT}")
    })?;
    check_intact(PART, length <= MAX_HEADER)?;
    let header = read_bytes(input, length as usize, PART)?;
    let sum = number(&read_bytes(input, 4, PART)?, 0);
    check_intact(PART, checksum(&[&start, &header]) == sum)?;
    serde_json::from_slice(&header).map_err(Error::because(BAD_HEADER))
}

/// Reads `count` bytes of the part `part`.
fn read_bytes(input: &mut impl Read, count: usize, part: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; count];
    input
        .read_exact(&mut bytes)
        .map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                Error::new(format!("the file is cut short: it ends within {part}"))
            }
            _ => io("read")(source),
        })?;
    Ok(bytes)
}

/// The little-endian number in the four bytes at `at`.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

/// Reads `count` values of `bytes` bytes each, block by block.
fn read_values(input: &mut impl Read, count: usize, bytes: usize) -> Result<Vec<u32>, Error> {
    let mut values: Vec<u32> = Vec::new();
    let blocks = count.div_ceil(BLOCK);
    for block in 0..blocks {
        let part = format!("block {} of {blocks}", block + 1);
        let here = BLOCK.min(count - values.len());
        let start = read_bytes(input, 8, &part)?;
        let (length, sum) = (number(&start, 0) as usize, number(&start, 4));
        // Compression can make the block slightly larger.
        check_intact(&part, length <= 2 * bytes * here + 64)?;
        let packed = read_bytes(input, length, &part)?;
        check_intact(&part, checksum(&[&packed]) == sum)?;
        let size = bytes * here;
        let mut planes = Vec::with_capacity(size + 1);
        let read = ZlibDecoder::new(packed.as_slice())
            .take(size as u64 + 1)
            .read_to_end(&mut planes);
        Error::unless(read.is_ok() && planes.len() == size, || {
            format!(
                "the file is damaged: block {} does not have {size} bytes after decompression",
                block + 1
            )
        })?;
        if values.capacity() < values.len() + here {
            // The capacity is at most about twice the number of values that were read so far. So a
            // file with only a header allocates nothing here.
            values.reserve_exact((values.len() + here).min(count - values.len()));
        }
        let mut last = 0_u32;
        values.extend((0..here).map(|at| {
            let lowest_first = (0..bytes)
                .rev()
                .map(|plane| u32::from(planes[plane * here + at]));
            last =
                last.wrapping_add(lowest_first.fold(0, |difference, byte| difference << 8 | byte));
            if bytes == 2 {
                u32::from(last as u16) * SHORT
            } else {
                last
            }
        }));
    }
    Ok(values)
}

/// Writes the values of a game that is not solved yet, and the cursor at which the solver stopped.
///
/// # Errors
/// When the file cannot be written.
pub fn write_unfinished(
    path: &Path,
    starts: &TurnIndex,
    unfinished: &Unfinished,
) -> Result<(), Error> {
    let Unfinished {
        values,
        place,
        deltas,
    } = unfinished;
    let header = TableHeader::new(starts, values.len() + deltas.len(), 32, None, Some(*place));
    write(path, &header, |at| {
        if at < values.len() {
            values[at]
        } else {
            deltas[at - values.len()]
        }
    })
}

pub(super) fn write(
    path: &Path,
    header: &TableHeader,
    value: impl Fn(usize) -> u32,
) -> Result<(), Error> {
    in_file(
        path,
        write_whole(path, io("written"), |out| encode(out, header, value)),
    )
}

/// Writes the content of a file to `out`; `value` returns the value at an index.
pub(super) fn encode(
    out: &mut impl Write,
    header: &TableHeader,
    value: impl Fn(usize) -> u32,
) -> Result<(), Error> {
    let &TableHeader {
        values: count,
        bits,
        ..
    } = header;
    let header = serde_json::to_vec(header).map_err(Error::because(BAD_HEADER))?;
    let start = [
        MAGIC.as_slice(),
        &FORMAT.to_le_bytes(),
        &(header.len() as u32).to_le_bytes(),
    ]
    .concat();
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(io("written"));
    put(&start)?;
    put(&header)?;
    put(&checksum(&[&start, &header]).to_le_bytes())?;
    for first in (0..count).step_by(BLOCK) {
        // The block has the differences between neighbouring values: first the lowest bytes of all
        // differences, then the next bytes. This puts similar bytes together, so they compress
        // better.
        let here = BLOCK.min(count - first);
        let mut planes = vec![0; usize::from(bits / 8) * here];
        let mut last = 0_u32;
        for at in 0..here {
            let number = if bits == 16 {
                value(first + at) / SHORT
            } else {
                value(first + at)
            };
            let bytes = number.wrapping_sub(last).to_le_bytes();
            planes[at..]
                .iter_mut()
                .step_by(here)
                .zip(bytes)
                .for_each(|(plane, byte)| *plane = byte);
            last = number;
        }
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&planes).map_err(io("written"))?;
        let packed = packed.finish().map_err(io("written"))?;
        put(&(packed.len() as u32).to_le_bytes())?;
        put(&checksum(&[&packed]).to_le_bytes())?;
        put(&packed)?;
    }
    Ok(())
}
