//! Input of `publish` and `route --simulate`: lines of files or of standard input.
//!
//! Owns finding the lines: their source, number and bytes, in bounded memory whatever the input holds. A
//! line beyond the limit is counted, not kept. Does not judge what a line says.
//!
//! Invariant: confirm-or-report (a line that can't be read is handed on as such, never dropped).

use std::{
    ffi::OsString,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::PathBuf,
    sync::Arc,
};

use super::failure::Failure;
use crate::domain::code::Code;

/// Read at once.
const BUFFER: usize = 256 * 1024;

/// White space and a BOM around a body that is just within `publish.max_body`.
const SLACK: u64 = 1024;

/// Where lines come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// One line, or why it can't be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputLine {
    /// File name, or `-`.
    pub source: Arc<str>,
    /// From 1, blank lines counted.
    pub number: u64,
    /// Its bytes without the line end, or why they can't be used.
    pub bytes: Result<Vec<u8>, String>,
}

impl Source {
    /// The sources named by arguments; `-` and no argument at all mean standard input.
    ///
    /// # Errors
    /// Names the first file that can't be opened, before anything is contacted.
    pub fn all(arguments: &[OsString]) -> Result<Vec<Self>, Failure> {
        if arguments.is_empty() {
            return Ok(vec![Self::Stdin]);
        }
        let sources: Vec<Self> = arguments
            .iter()
            .map(|name| if name == "-" { Self::Stdin } else { Self::File(PathBuf::from(name)) })
            .collect();
        if sources.iter().filter(|s| **s == Self::Stdin).count() > 1 {
            return Err(Failure::usage(Code::Usage, "standard input is named twice"));
        }
        for source in &sources {
            source.probe()?;
        }
        Ok(sources)
    }

    fn probe(&self) -> Result<(), Failure> {
        let Self::File(path) = self else { return Ok(()) };
        let missing = |error: &io::Error| {
            Failure::usage(Code::FileMissing, format!("can't read {}", path.display()))
                .because(Some(error))
                .help("Name JSON Lines files, or `-` for standard input.")
        };
        let file = File::open(path).map_err(|error| missing(&error))?;
        let is_dir = file.metadata().map_err(|error| missing(&error))?.is_dir();
        if is_dir { Err(missing(&io::Error::from(io::ErrorKind::IsADirectory))) } else { Ok(()) }
    }

    fn name(&self) -> Arc<str> {
        match self {
            Self::Stdin => Arc::from("-"),
            Self::File(path) => Arc::from(path.display().to_string()),
        }
    }

    fn open(&self) -> io::Result<Box<dyn Read>> {
        match self {
            Self::Stdin => Ok(Box::new(io::stdin())),
            Self::File(path) => Ok(Box::new(File::open(path)?)),
        }
    }
}

/// Hands every line that is not blank to `sink`, until it answers `false`. Blocks; meant for a thread.
///
/// `max_body` bounds a line. A source that fails half-way ends with one unusable line that says so.
pub fn feed(sources: &[Source], max_body: u64, mut sink: impl FnMut(InputLine) -> bool) {
    for source in sources {
        let name = source.name();
        let limit = max_body.saturating_add(SLACK);
        let mut lines = match source.open() {
            Ok(reader) => Lines { reader: BufReader::with_capacity(BUFFER, reader), limit, number: 0 },
            Err(error) => {
                let bytes = Err(format!("can't be opened any more: {error}"));
                if !sink(InputLine { source: name, number: 0, bytes }) {
                    return;
                }
                continue;
            }
        };
        loop {
            let bytes = match lines.next_line() {
                Ok(None) => break,
                Ok(Some(Raw::Line(bytes))) if is_blank(&bytes) => continue,
                Ok(Some(Raw::Line(bytes))) => usable(bytes, lines.number),
                Ok(Some(Raw::Long(length))) => {
                    Err(format!("the line has {length} bytes; publish.max_body allows {max_body}"))
                }
                Err(error) => {
                    let bytes = Err(format!("reading failed, the rest was not read: {error}"));
                    if !sink(InputLine { source: Arc::clone(&name), number: lines.number + 1, bytes }) {
                        return;
                    }
                    break;
                }
            };
            if !sink(InputLine { source: Arc::clone(&name), number: lines.number, bytes }) {
                return;
            }
        }
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

fn usable(mut bytes: Vec<u8>, number: u64) -> Result<Vec<u8>, String> {
    // Some editors begin a file with a byte order mark; it is no part of the first line's JSON.
    if number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    match std::str::from_utf8(&bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("not UTF-8 from byte {} on", error.valid_up_to() + 1)),
    }
}

enum Raw {
    Line(Vec<u8>),
    Long(u64),
}

struct Lines<R> {
    reader: BufReader<R>,
    limit: u64,
    number: u64,
}

impl<R: Read> Lines<R> {
    /// The next line without `\n` or `\r\n`; a line beyond the limit is read to its end but not kept.
    fn next_line(&mut self) -> io::Result<Option<Raw>> {
        let mut line = Vec::new();
        let mut length = 0_u64;
        let mut ended = false;
        while !ended {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                break;
            }
            let (taken, used) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(end) => (&buffer[..end], end + 1),
                None => (buffer, buffer.len()),
            };
            ended = used > taken.len();
            length += u64::try_from(taken.len()).unwrap_or(0);
            if length <= self.limit {
                line.extend_from_slice(taken);
            } else {
                // Dropped at once: a line may be as long as the input.
                line = Vec::new();
            }
            self.reader.consume(used);
        }
        if !ended && length == 0 {
            return Ok(None);
        }
        self.number += 1;
        if length > self.limit {
            return Ok(Some(Raw::Long(length)));
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some(Raw::Line(line)))
    }
}
