use std::collections::{HashMap, VecDeque};

use super::answers::{Awaited, End};

/// The text of the unnamed portal and of the unnamed statement.
const UNNAMED: &[u8] = b"\0";

/// Rewrites the messages of the driver, so that a session need not keep any state.
pub(super) struct Requests {
    /// The statement with which each transaction begins.
    settings: String,
    /// The prepared statements of the driver, by its names.
    prepared: HashMap<Vec<u8>, Prepared>,
    /// Whether the first message, which has no tag, is complete.
    has_started: bool,
    transaction: Transaction,
    incomplete: Vec<u8>,
}

/// The transaction of the next message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transaction {
    /// It begins with the message.
    None,
    /// It has its settings, and ends with the next `Sync`.
    OfGroup,
    /// The statement that will be executed begins it.
    Begins,
    Open,
}

struct Prepared {
    /// A `Parse` message after the name: the SQL and the types of parameters.
    statement: Vec<u8>,
    boundary: Boundary,
}

/// The effect of a statement on transactions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boundary {
    Begin,
    End,
    None,
}

impl Boundary {
    fn of(sql: &[u8]) -> Self {
        if sql.starts_with(b"BEGIN") {
            Self::Begin
        } else if sql.starts_with(b"COMMIT") || sql.starts_with(b"ROLLBACK") && !sql.starts_with(b"ROLLBACK TO") {
            Self::End
        } else {
            Self::None
        }
    }
}

/// The rewritten messages, and the expected answer to each.
pub(super) struct Sent<'a> {
    pub(super) bytes: &'a mut Vec<u8>,
    pub(super) awaited: &'a mut VecDeque<Awaited>,
}

impl Requests {
    pub(super) fn new(settings: String) -> Self {
        Self {
            settings,
            prepared: HashMap::new(),
            has_started: false,
            transaction: Transaction::None,
            incomplete: Vec::new(),
        }
    }

    /// Rewrites every message that these bytes complete.
    pub(super) fn push(&mut self, bytes: &[u8], sent: &mut Sent<'_>) {
        self.incomplete.extend_from_slice(bytes);
        let arrived = std::mem::take(&mut self.incomplete);
        let mut rest = arrived.as_slice();
        while let Some((message, after)) = self.split(rest) {
            self.rewrite(message, sent);
            rest = after;
        }
        self.incomplete = rest.to_vec();
    }

    /// The first message, if it is complete, and the rest. The length of a message counts itself, but not the tag.
    fn split<'a>(&self, bytes: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let tag = usize::from(self.has_started);
        let length = bytes.get(tag..)?.first_chunk::<4>()?;
        bytes.split_at_checked(tag + usize::try_from(u32::from_be_bytes(*length)).ok()?)
    }

    fn rewrite(&mut self, message: &[u8], sent: &mut Sent<'_>) {
        if !self.has_started {
            self.has_started = true;
            sent.pass(message, Some(End::Ready));
            return;
        }
        let body = message.get(5..).unwrap_or_default();
        match message.first() {
            Some(b'P') => self.parse(body, sent),
            Some(b'B') => self.bind(body, sent),
            Some(b'D') => sent.send(b'D', &[b"S", UNNAMED], End::Described),
            Some(b'C') => self.close(body, sent),
            Some(b'E') => self.execute(message, sent),
            Some(b'Q') => self.query(body, sent),
            Some(b'S') => {
                if self.transaction == Transaction::OfGroup {
                    self.transaction = Transaction::None;
                }
                sent.pass(message, Some(End::Ready));
            }
            _ => sent.pass(message, None),
        }
    }

    /// Prepares the statement without its name, so that the server describes it, and keeps it for its executions.
    fn parse(&mut self, body: &[u8], sent: &mut Sent<'_>) {
        let (name, statement) = split_text(body);
        self.set_up(sent);
        sent.send(b'P', &[UNNAMED, statement], End::Parsed);
        let prepared = Prepared { statement: statement.to_vec(), boundary: Boundary::of(statement) };
        self.prepared.insert(name.to_vec(), prepared);
    }

    /// Brings the statement along.
    fn bind(&mut self, body: &[u8], sent: &mut Sent<'_>) {
        let (_, after) = split_text(body);
        let (name, parameters) = split_text(after);
        let (statement, boundary) = match self.prepared.get(name) {
            Some(prepared) => (prepared.statement.clone(), prepared.boundary),
            None => (UNNAMED.to_vec(), Boundary::None),
        };
        if boundary == Boundary::Begin {
            self.transaction = Transaction::Begins;
        } else {
            self.set_up(sent);
            self.end_with(boundary);
        }
        sent.hide(b'P', &[UNNAMED, &statement], End::Parsed);
        sent.send(b'B', &[UNNAMED, UNNAMED, parameters], End::Bound);
    }

    fn execute(&mut self, message: &[u8], sent: &mut Sent<'_>) {
        sent.pass(message, Some(End::Executed));
        if self.transaction == Transaction::Begins {
            self.transaction = Transaction::Open;
            self.apply_settings(sent);
        }
    }

    fn close(&mut self, body: &[u8], sent: &mut Sent<'_>) {
        if let Some((b'S', name)) = body.split_first() {
            self.prepared.remove(split_text(name).0);
        }
        sent.send(b'C', &[b"S", UNNAMED], End::Closed);
    }

    /// Statements without parameters. Their results are not hidden: a caller that begins a transaction in this way
    /// ignores them.
    fn query(&mut self, body: &[u8], sent: &mut Sent<'_>) {
        let (sql, _) = split_text(body);
        match Boundary::of(sql) {
            Boundary::Begin => {
                self.transaction = Transaction::Open;
                sent.send(b'Q', &[sql, b"; ", self.settings.as_bytes(), b"\0"], End::Ready);
            }
            boundary => {
                self.end_with(boundary);
                sent.send(b'Q', &[sql, b"\0"], End::Ready);
            }
        }
    }

    /// Applies the settings if the following statement has its own transaction.
    fn set_up(&mut self, sent: &mut Sent<'_>) {
        if self.transaction == Transaction::None {
            self.transaction = Transaction::OfGroup;
            self.apply_settings(sent);
        }
    }

    fn end_with(&mut self, boundary: Boundary) {
        if boundary == Boundary::End && self.transaction == Transaction::Open {
            self.transaction = Transaction::None;
        }
    }

    fn apply_settings(&self, sent: &mut Sent<'_>) {
        const NO_TYPES: &[u8] = &[0; 2];
        const NO_FORMATS_AND_PARAMETERS: &[u8] = &[0; 6];
        const ALL_ROWS: &[u8] = &[0; 4];
        sent.hide(b'P', &[UNNAMED, self.settings.as_bytes(), b"\0", NO_TYPES], End::Parsed);
        sent.hide(b'B', &[UNNAMED, UNNAMED, NO_FORMATS_AND_PARAMETERS], End::Bound);
        sent.hide(b'E', &[UNNAMED, ALL_ROWS], End::Executed);
    }
}

impl Sent<'_> {
    /// The message as it is.
    fn pass(&mut self, message: &[u8], end: Option<End>) {
        self.bytes.extend_from_slice(message);
        self.awaited.extend(end.map(|end| Awaited { end, is_hidden: false }));
    }

    fn send(&mut self, tag: u8, body: &[&[u8]], end: End) {
        self.write(tag, body);
        self.awaited.push_back(Awaited { end, is_hidden: false });
    }

    /// Sends a message that is hidden from the driver.
    fn hide(&mut self, tag: u8, body: &[&[u8]], end: End) {
        self.write(tag, body);
        self.awaited.push_back(Awaited { end, is_hidden: true });
    }

    fn write(&mut self, tag: u8, body: &[&[u8]]) {
        let length: usize = body.iter().map(|part| part.len()).sum();
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&u32::try_from(length + 4).unwrap_or(u32::MAX).to_be_bytes());
        for part in body {
            self.bytes.extend_from_slice(part);
        }
    }
}

/// A string that ends with a zero byte, without it, and the rest.
fn split_text(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    (&bytes[..end], bytes.get(end + 1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::answers::Answers;
    use super::*;

    /// A connection that sends one byte at a time.
    struct Wire {
        requests: Requests,
        answers: Answers,
        awaited: VecDeque<Awaited>,
    }

    impl Wire {
        fn started() -> Self {
            let requests = Requests::new("SET".to_owned());
            let mut wire = Self { requests, answers: Answers::default(), awaited: VecDeque::new() };
            assert_eq!(wire.send(&[0, 0, 0, 8, 0, 3, 0, 0]), [0, 0, 0, 8, 0, 3, 0, 0]);
            assert_eq!(wire.receive(&[message(b'R', &[&[0; 4]]), message(b'Z', &[b"I"])].concat()), "RZ");
            wire
        }

        fn send(&mut self, messages: &[u8]) -> Vec<u8> {
            let mut bytes = Vec::new();
            for byte in messages {
                self.requests.push(&[*byte], &mut Sent { bytes: &mut bytes, awaited: &mut self.awaited });
            }
            bytes
        }

        /// The tags of the shown messages.
        fn receive(&mut self, messages: &[u8]) -> String {
            let mut shown = Vec::new();
            for byte in messages {
                self.answers.push(&[*byte], &mut self.awaited, &mut shown);
            }
            tags(&shown)
        }
    }

    fn message(tag: u8, body: &[&[u8]]) -> Vec<u8> {
        let (mut bytes, mut awaited) = (Vec::new(), VecDeque::new());
        Sent { bytes: &mut bytes, awaited: &mut awaited }.send(tag, body, End::Ready);
        bytes
    }

    fn tags(mut bytes: &[u8]) -> String {
        let mut tags = String::new();
        while let [tag, a, b, c, d, ..] = *bytes {
            tags.push(char::from(tag));
            bytes = &bytes[1 + u32::from_be_bytes([a, b, c, d]) as usize..];
        }
        assert!(bytes.is_empty(), "whole messages");
        tags
    }

    fn prepare(name: &[u8], sql: &[u8]) -> Vec<u8> {
        let parse = message(b'P', &[name, b"\0", sql, b"\0\0\0"]);
        [parse, message(b'D', &[b"S", name, b"\0"]), message(b'S', &[])].concat()
    }

    fn run(name: &[u8]) -> Vec<u8> {
        let bind = message(b'B', &[b"\0", name, b"\0", &[0; 6]]);
        [bind, message(b'E', &[b"\0", &[0; 4]]), message(b'S', &[])].concat()
    }

    fn answers(tags: &[u8]) -> Vec<u8> {
        tags.iter().flat_map(|tag| message(*tag, &[b"body"])).collect()
    }

    #[test]
    fn a_statement_comes_along_with_each_execution() {
        let mut wire = Wire::started();
        assert_eq!(tags(&wire.send(&prepare(b"s1", b"SELECT 1"))), "PBEPDS");
        assert_eq!(wire.receive(&answers(b"12DC1tTZ")), "1tTZ");
        let sent = wire.send(&run(b"s1"));
        assert_eq!(tags(&sent), "PBEPBES");
        assert!(!sent.windows(2).any(|name| name == b"s1"), "no name is sent");
        assert_eq!(sent.windows(8).filter(|sql| sql == b"SELECT 1").count(), 1);
        assert_eq!(wire.receive(&answers(b"12DC12DDNCZ")), "2DDNCZ");
        assert_eq!(tags(&wire.send(&message(b'C', &[b"S", b"s1\0"]))), "C");
        assert!(wire.requests.prepared.is_empty());
    }

    #[test]
    fn a_transaction_has_its_settings_once() {
        let mut wire = Wire::started();
        for (name, sql) in [(b"s1", "BEGIN ISOLATION LEVEL READ COMMITTED"), (b"s2", "SELECT 1"), (b"s3", "COMMIT")] {
            wire.send(&prepare(name, sql.as_bytes()));
        }
        wire.receive(&answers(b"12DC1tnZ12DC1tTZ12DC1tnZ"));
        assert_eq!(tags(&wire.send(&run(b"s1"))), "PBEPBES");
        assert_eq!(tags(&wire.send(&[run(b"s2"), run(b"s3")].concat())), "PBESPBES");
        assert_eq!(wire.receive(&answers(b"12C12DCZ12DCZ12CZ")), "2CZ2DCZ2CZ");
        assert_eq!(tags(&wire.send(&run(b"s2"))), "PBEPBES", "after the end");
    }

    #[test]
    fn an_error_is_shown_and_ends_its_group_only() {
        let mut wire = Wire::started();
        wire.send(&prepare(b"s1", b"SELECT 1"));
        wire.receive(&answers(b"12DC1tTZ"));
        wire.send(&[run(b"s1"), run(b"s1")].concat());
        assert_eq!(wire.receive(&answers(b"12EZ12DC12CZ")), "EZ2CZ");
        assert!(wire.awaited.is_empty());
    }

    #[test]
    fn a_simple_begin_has_the_settings_in_its_text() {
        let mut wire = Wire::started();
        assert_eq!(wire.send(&message(b'Q', &[b"BEGIN\0"])), message(b'Q', &[b"BEGIN; SET\0"]));
        assert_eq!(wire.send(&message(b'Q', &[b"ROLLBACK TO a\0"])), message(b'Q', &[b"ROLLBACK TO a\0"]));
        assert_eq!(wire.requests.transaction, Transaction::Open);
        assert_eq!(wire.send(&message(b'Q', &[b"ROLLBACK\0"])), message(b'Q', &[b"ROLLBACK\0"]));
        assert_eq!(wire.requests.transaction, Transaction::None);
    }
}
