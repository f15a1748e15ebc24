use std::io;

use crate::connections::chunks::Chunks;

/// How much of a line of the head is kept when the line arrives in pieces: more than a header with the length of a
/// body.
const LINE_KEPT_BYTES: usize = 128;

/// Finds the end of an HTTP/1 request in the bytes of a connection.
///
/// It only decides when bytes reach the HTTP parser, and never changes them. If it and the parser disagree about a
/// malformed request, the connection waits until a deadline closes it.
#[derive(Default)]
pub(super) struct Framing(Place);

enum Place {
    Head(Head),
    /// In a body with this many bytes left.
    Body(u64),
    Chunks(Chunks),
    End,
}

impl Default for Place {
    fn default() -> Self {
        Self::Head(Head::default())
    }
}

impl Framing {
    /// Whether the last byte of the request has passed.
    pub(super) fn is_at_end(&self) -> bool {
        matches!(self.0, Place::End)
    }

    /// Passes bytes, and returns how many of them belong to the request.
    ///
    /// # Errors
    ///
    /// When the framing of a chunked body exceeds its limits.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut passed = 0;
        while passed < bytes.len() && !self.is_at_end() {
            passed += self.step(&bytes[passed..])?;
        }
        Ok(passed)
    }

    fn step(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (passed, next) = match &mut self.0 {
            Place::Head(head) => head.advance(bytes),
            Place::Body(left) => {
                let passed = usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                *left -= passed as u64;
                (passed, (*left == 0).then_some(Place::End))
            }
            Place::Chunks(chunks) => {
                let (passed, is_done) = chunks.advance(bytes)?;
                (passed, is_done.then_some(Place::End))
            }
            Place::End => (0, None),
        };
        if let Some(next) = next {
            self.0 = next;
        }
        Ok(passed)
    }
}

/// The head of a request, line by line.
#[derive(Default)]
struct Head {
    /// The start of a line that has arrived in part.
    partial: Vec<u8>,
    /// Whether a line that is not empty has passed. Empty lines before a request are ignored (RFC 9112, section 2.2).
    is_begun: bool,
    is_chunked: bool,
    length: u64,
}

impl Head {
    /// Passes bytes. Returns how many belong to the head, and the place after it once it is complete.
    fn advance(&mut self, bytes: &[u8]) -> (usize, Option<Place>) {
        let mut start = 0;
        while let Some(length) = memchr::memchr(b'\n', &bytes[start..]) {
            let end = start + length;
            let is_last = self.end_line(&bytes[start..end]);
            start = end + 1;
            if is_last {
                return (start, Some(self.body()));
            }
        }
        self.keep(&bytes[start..]);
        (bytes.len(), None)
    }

    /// Reads a line without its line feed. Returns whether it ends the head.
    fn end_line(&mut self, rest: &[u8]) -> bool {
        if self.partial.is_empty() {
            return self.read_line(rest);
        }
        self.keep(rest);
        let line = std::mem::take(&mut self.partial);
        self.read_line(&line)
    }

    fn read_line(&mut self, line: &[u8]) -> bool {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return self.is_begun;
        }
        self.is_begun = true;
        if let Some(value) = value_of(line, b"content-length:") {
            self.length = std::str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok()).unwrap_or_default();
        } else if let Some(value) = value_of(line, b"transfer-encoding:") {
            self.is_chunked = value.trim_ascii().to_ascii_lowercase().ends_with(b"chunked");
        }
        false
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE_KEPT_BYTES.saturating_sub(self.partial.len());
        self.partial.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }

    fn body(&self) -> Place {
        match (self.is_chunked, self.length) {
            (true, _) => Place::Chunks(Chunks::default()),
            (false, 0) => Place::End,
            (false, length) => Place::Body(length),
        }
    }
}

/// The value of a header line with this name, which is in lower case and ends with its colon.
fn value_of<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (start, value) = line.split_at_checked(name.len())?;
    start.eq_ignore_ascii_case(name).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes of the text belong to its first request, which arrives in pieces of this size.
    fn passed(text: &str, piece: usize) -> usize {
        let mut framing = Framing::default();
        let passed = text.as_bytes().chunks(piece).map(|bytes| framing.advance(bytes).unwrap()).sum();
        assert!(framing.is_at_end(), "{text:?}");
        passed
    }

    #[test]
    fn a_request_ends_where_its_body_ends_however_it_arrives() {
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4;a=b\r\nGET \r\n0\r\nx: y\r\n\r\n";
        let requests = [
            "GET / HTTP/1.1\r\n\r\n",
            "\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "GET / HTTP/1.1\nhost: a\n\n",
            "POST / HTTP/1.1\r\nContent-Length:  7 \r\nhost: a\r\n\r\n\r\n\r\nabc",
            "POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n",
            chunked,
        ];
        for request in requests {
            let followed = format!("{request}GET /next HTTP/1.1\r\n\r\n");
            for piece in [1, 2, 3, 7, followed.len()] {
                assert_eq!(passed(&followed, piece), request.len(), "{request:?} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn a_line_that_is_long_is_not_kept() {
        let mut framing = Framing::default();
        for _ in 0..1_000 {
            framing.advance(&[b'a'; 1_000]).unwrap();
        }
        let Place::Head(head) = &framing.0 else { panic!("the head has not ended") };
        assert_eq!(head.partial.len(), LINE_KEPT_BYTES);
    }
}
