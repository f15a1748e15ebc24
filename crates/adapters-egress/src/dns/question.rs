//! The messages of the DNS protocol (RFC 1035, section 4): one question, and the useful part of its answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use domain::webhooks::HostName;

const HEADER_BYTES: usize = 12;
/// A standard query that asks the server to resolve recursively.
const RECURSION_DESIRED: [u8; 2] = [0x01, 0x00];
const IS_RESPONSE: u8 = 0x80;
const OPCODE: u8 = 0x78;
const IS_TRUNCATED: u8 = 0x02;
const CODE: u8 = 0x0f;
const CODE_NO_ERROR: u8 = 0;
const CODE_NO_SUCH_NAME: u8 = 3;
const CLASS_INTERNET: u16 = 1;

/// The records that a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordType {
    A = 1,
    NameServers = 2,
    Aaaa = 28,
}

/// The answer of a name server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The addresses of the name, and how long they hold.
    Addresses(Vec<IpAddr>, Duration),
    /// The name does not exist, or has no such record.
    Nothing,
    /// The server has no answer. The code is that of RFC 1035, section 4.1.1.
    Failed(u8),
    /// The answer is too long for a datagram.
    Truncated,
}

/// One question to a name server.
#[derive(Debug)]
pub(super) struct Question {
    bytes: Vec<u8>,
    record_type: RecordType,
}

impl Question {
    /// Asks for records of `name`. The answer must have the same `id`, which an attacker cannot guess.
    pub(super) fn about(name: &HostName, record_type: RecordType, id: [u8; 2]) -> Self {
        Self::new(name.as_str().split('.'), record_type, id)
    }

    /// Asks for the name servers of the root. Every resolver that works knows them.
    pub(super) fn about_the_root(id: [u8; 2]) -> Self {
        Self::new(std::iter::empty(), RecordType::NameServers, id)
    }

    fn new<'a>(labels: impl Iterator<Item = &'a str>, record_type: RecordType, id: [u8; 2]) -> Self {
        let mut bytes = [id, RECURSION_DESIRED, [0, 1], [0, 0], [0, 0], [0, 0]].concat();
        for label in labels {
            bytes.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
            bytes.extend_from_slice(label.as_bytes());
        }
        bytes.push(0);
        bytes.extend_from_slice(&(record_type as u16).to_be_bytes());
        bytes.extend_from_slice(&CLASS_INTERNET.to_be_bytes());
        Self { bytes, record_type }
    }

    /// The question as it is sent.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the answer to this question; `None` if `message` is not one.
    pub(super) fn read(&self, message: &[u8]) -> Option<Answer> {
        let mut reader = Reader(message);
        let header: [u8; HEADER_BYTES] = reader.take(HEADER_BYTES)?.try_into().ok()?;
        let [id0, id1, flags, more_flags, questions @ .., _, _, _, _, _, _] = header;
        let is_ours = self.bytes.starts_with(&[id0, id1]) && flags & (IS_RESPONSE | OPCODE) == IS_RESPONSE;
        if !is_ours {
            return None;
        }
        let code = more_flags & CODE;
        let asked = &self.bytes[HEADER_BYTES..];
        // A server that refuses the question need not repeat it.
        if questions == [0, 0] && code != CODE_NO_ERROR {
            return Some(Answer::Failed(code));
        }
        if questions != [0, 1] || !reader.take(asked.len())?.eq_ignore_ascii_case(asked) {
            return None;
        }
        match code {
            _ if flags & IS_TRUNCATED != 0 => Some(Answer::Truncated),
            CODE_NO_ERROR => self.read_records(reader, u16::from_be_bytes([header[6], header[7]])),
            CODE_NO_SUCH_NAME => Some(Answer::Nothing),
            code => Some(Answer::Failed(code)),
        }
    }

    /// Reads the addresses. Aliases stand before them: their times to live count too.
    fn read_records(&self, mut reader: Reader<'_>, count: u16) -> Option<Answer> {
        let (mut addresses, mut seconds) = (Vec::new(), u32::MAX);
        for _ in 0..count {
            let record = reader.record()?;
            seconds = seconds.min(record.seconds);
            if record.class == CLASS_INTERNET && record.kind == self.record_type as u16 {
                addresses.extend(record.address());
            }
        }
        let holds = Duration::from_secs(seconds.into());
        Some(if addresses.is_empty() { Answer::Nothing } else { Answer::Addresses(addresses, holds) })
    }
}

/// The part of a message that is not read yet.
struct Reader<'a>(&'a [u8]);

struct Record<'a> {
    kind: u16,
    class: u16,
    seconds: u32,
    data: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// Skips a name. It ends with an empty label, or with a pointer to the rest of it.
    fn skip_name(&mut self) -> Option<()> {
        loop {
            match self.take(1)?[0] {
                0 => return Some(()),
                length @ 1..=63 => drop(self.take(length.into())?),
                192.. => return self.take(1).map(drop),
                _ => return None,
            }
        }
    }

    fn record(&mut self) -> Option<Record<'a>> {
        self.skip_name()?;
        let (kind, class) = (self.number()?, self.number()?);
        let seconds = u32::from_be_bytes(self.take(4)?.try_into().ok()?);
        let length = self.number()?;
        Some(Record { kind, class, seconds, data: self.take(length.into())? })
    }
}

impl Record<'_> {
    fn address(&self) -> Option<IpAddr> {
        match self.data.len() {
            4 => <[u8; 4]>::try_from(self.data).ok().map(|octets| Ipv4Addr::from(octets).into()),
            16 => <[u8; 16]>::try_from(self.data).ok().map(|octets| Ipv6Addr::from(octets).into()),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
