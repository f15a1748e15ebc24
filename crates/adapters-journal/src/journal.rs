use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::call::Call;
use crate::codec::Field;

/// The length of a record's body and the CRC-32 of the body: 4 bytes each.
const HEADER_BYTES: usize = 8;

/// A file of calls, one record behind the other.
pub(crate) struct Journal {
    file: File,
    /// Where the next record begins.
    length: u64,
    /// Whether a record may be half written. Then no record may follow it.
    is_broken: bool,
}

impl Journal {
    /// Opens the file and reads its calls. A crash in the middle of a write leaves half a record at the end. Its caller
    /// got no answer, so it is cut off.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or is damaged elsewhere than at its end.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Vec<Call>)> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (mut rest, mut calls) = (&bytes[..], Vec::new());
        while let Some(call) = read_record(&mut rest)? {
            calls.push(call);
        }
        let length = u64::try_from(bytes.len() - rest.len()).map_err(io::Error::other)?;
        let mut journal = Self { file, length, is_broken: false };
        journal.cut()?;
        Ok((journal, calls))
    }

    /// Appends the call. After `Ok` a crash of the machine does not lose it; after `Err` it is not in the journal.
    ///
    /// # Errors
    ///
    /// When the file takes no writes.
    pub(crate) fn append(&mut self, call: &Call) -> io::Result<()> {
        if self.is_broken {
            return Err(io::Error::other("an earlier write failed"));
        }
        let record = record_of(call)?;
        let written = self.file.write_all(&record).and_then(|()| self.file.sync_data());
        if written.is_err() {
            self.is_broken = self.cut().is_err();
        } else {
            self.length += record.len() as u64;
        }
        written
    }

    /// Whether the file takes no more records.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Cuts off the bytes after the last whole record.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.sync_all()
    }
}

fn record_of(call: &Call) -> io::Result<Vec<u8>> {
    let mut record = vec![0; HEADER_BYTES];
    call.write(&mut record);
    let body = &record[HEADER_BYTES..];
    let (length, check) = (u32::try_from(body.len()).map_err(io::Error::other)?, crc32fast::hash(body));
    record[..4].copy_from_slice(&length.to_le_bytes());
    record[4..HEADER_BYTES].copy_from_slice(&check.to_le_bytes());
    Ok(record)
}

/// Takes a record off the front; `None` at the end, and before a record that was not written whole.
fn read_record(bytes: &mut &[u8]) -> io::Result<Option<Call>> {
    let mut ahead = *bytes;
    let (Some(length), Some(check)) = (u32::read(&mut ahead), u32::read(&mut ahead)) else { return Ok(None) };
    let Some(mut body) = ahead.split_off(..length as usize) else { return Ok(None) };
    if crc32fast::hash(body) != check {
        // A power failure may leave zeros or old bytes at the end. Whole records after them mean other damage.
        return if ahead.is_empty() { Ok(None) } else { Err(ErrorKind::InvalidData.into()) };
    }
    if body.is_empty() {
        return Ok(None);
    }
    let call = Call::read(&mut body).filter(|_| body.is_empty()).ok_or(ErrorKind::InvalidData)?;
    *bytes = ahead;
    Ok(Some(call))
}
