use std::collections::VecDeque;

/// The size of a message's tag and length.
const HEADER: usize = 5;

/// A message that was sent, and has not been answered completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Awaited {
    pub(super) end: End,
    /// Whether the driver did not send the message, and must not see the answer.
    pub(super) is_hidden: bool,
}

/// How the answer to a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Parsed,
    Bound,
    Closed,
    Described,
    Executed,
    /// Ends every answer since the last one of these: after an error the server skips the messages up to here.
    Ready,
}

impl End {
    fn is(self, tag: u8) -> bool {
        match self {
            Self::Parsed => tag == b'1',
            Self::Bound => tag == b'2',
            Self::Closed => tag == b'3',
            Self::Described => matches!(tag, b'T' | b'n'),
            Self::Executed => matches!(tag, b'C' | b'I' | b's'),
            Self::Ready => tag == b'Z',
        }
    }
}

/// Removes the answers to hidden messages from the messages of the server.
#[derive(Default)]
pub(super) struct Answers {
    header: Vec<u8>,
    /// How much of the current message is to come.
    left: usize,
    is_hidden: bool,
}

impl Answers {
    pub(super) fn push(&mut self, mut bytes: &[u8], awaited: &mut VecDeque<Awaited>, shown: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let wanted = if self.left > 0 { self.left } else { HEADER - self.header.len() };
            let (part, rest) = bytes.split_at(wanted.min(bytes.len()));
            bytes = rest;
            if self.left > 0 {
                self.left -= part.len();
                if !self.is_hidden {
                    shown.extend_from_slice(part);
                }
                continue;
            }
            self.header.extend_from_slice(part);
            if let [tag, length @ ..] = self.header.as_slice()
                && let Ok(length) = <[u8; 4]>::try_from(length)
            {
                self.left = (u32::from_be_bytes(length) as usize).saturating_sub(4);
                self.is_hidden = hides(*tag, awaited);
                if !self.is_hidden {
                    shown.extend_from_slice(&self.header);
                }
                self.header.clear();
            }
        }
    }
}

/// Whether a message with this tag answers a hidden message. Errors are always shown.
fn hides(tag: u8, awaited: &mut VecDeque<Awaited>) -> bool {
    if matches!(tag, b'E' | b'N' | b'S' | b'A') {
        return false;
    }
    if End::Ready.is(tag) {
        while awaited.pop_front().is_some_and(|answered| answered.end != End::Ready) {}
        return false;
    }
    let Some(first) = awaited.front().copied() else { return false };
    if first.end.is(tag) {
        awaited.pop_front();
    }
    first.is_hidden
}
