use std::io;

/// How many bytes of a chunk's size line do not count: more than the size of any chunk that a body limit allows.
const FREE_LINE_BYTES: usize = 10;
/// How many further bytes the size lines of a body may have together: extensions, leading zeros and trailers, which the
/// service ignores.
const IGNORED_BYTES_MAX: usize = 16 * 1024;

/// A chunked body (RFC 9112, section 7.1).
///
/// The parser of the framework counts only the data. Without a limit on the rest, a client could send bytes forever
/// within one small body.
#[derive(Default)]
pub(super) struct Chunks {
    place: Place,
    size: u64,
    line_bytes: usize,
    ignored_bytes: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// In the digits of a size line.
    #[default]
    Size,
    /// In the rest of a size line.
    Extension,
    /// In the data of a chunk.
    Data,
    /// In the line break after the data.
    DataEnd,
    /// In the trailers, after the last chunk.
    Trailer,
}

impl Chunks {
    /// Passes bytes. Returns how many belong to the body, and whether the body is complete.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> io::Result<(usize, bool)> {
        let mut passed = 0;
        while let Some(byte) = bytes.get(passed) {
            if self.place == Place::Data {
                passed += self.skip_data(bytes.len() - passed);
                continue;
            }
            passed += 1;
            if self.read(*byte)? {
                return Ok((passed, true));
            }
        }
        Ok((passed, false))
    }

    fn skip_data(&mut self, available: usize) -> usize {
        let skipped = usize::try_from(self.size).map_or(available, |size| size.min(available));
        self.size -= skipped as u64;
        if self.size == 0 {
            self.place = Place::DataEnd;
        }
        skipped
    }

    /// Reads a byte outside of the data. Returns whether it is the last byte of the body.
    fn read(&mut self, byte: u8) -> io::Result<bool> {
        self.count()?;
        if byte == b'\n' {
            return Ok(self.end_line());
        }
        match (self.place, char::from(byte).to_digit(16)) {
            (Place::Size, Some(digit)) => self.size = self.size.saturating_mul(16).saturating_add(digit.into()),
            (Place::Size, None) => self.place = Place::Extension,
            (Place::Trailer, _) if byte != b'\r' => self.size += 1,
            _ => {}
        }
        Ok(false)
    }

    fn count(&mut self) -> io::Result<()> {
        self.line_bytes += 1;
        if self.line_bytes > FREE_LINE_BYTES {
            self.ignored_bytes += 1;
        }
        if self.ignored_bytes > IGNORED_BYTES_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a chunked body with too many bytes besides its data",
            ));
        }
        Ok(())
    }

    /// Ends a line. Returns whether it is the empty line that ends the body. In a trailer `size` counts the characters
    /// of the line.
    fn end_line(&mut self) -> bool {
        let is_empty = self.size == 0;
        self.line_bytes = 0;
        match self.place {
            Place::Size | Place::Extension if is_empty => self.place = Place::Trailer,
            Place::Size | Place::Extension => self.place = Place::Data,
            Place::DataEnd => self.place = Place::Size,
            Place::Trailer if is_empty => return true,
            Place::Trailer => self.size = 0,
            Place::Data => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(extension: usize, chunks: usize) -> Vec<u8> {
        let chunk = format!("1;{}\r\na\r\n", "x".repeat(extension));
        [chunk.repeat(chunks).as_bytes(), b"0\r\n\r\n"].concat()
    }

    #[test]
    fn data_is_free_and_the_rest_is_bounded() {
        let ends =
            |body: &[u8]| Chunks::default().advance(body).map(|(passed, is_done)| (passed == body.len(), is_done));
        for good in [body(0, 100_000), body(100, 100), body(16_000, 1)] {
            assert_eq!(ends(&good).unwrap(), (true, true));
        }
        let zeros = format!("{}1\r\na\r\n0\r\n\r\n", "0".repeat(20_000));
        let trailer = format!("0\r\n{}\r\n", "a: b\r\n".repeat(20_000) + &"x".repeat(20_000));
        for excessive in [body(17_000, 1), body(100, 1_000), zeros.into_bytes(), trailer.into_bytes()] {
            assert_eq!(ends(&excessive).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
