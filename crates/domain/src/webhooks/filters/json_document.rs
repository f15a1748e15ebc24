use std::borrow::Cow;
use std::iter;

/// The text is not one JSON value (RFC 8259).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not valid JSON at byte {at}")]
pub struct InvalidJson {
    /// The place of the fault, in bytes from 0.
    pub at: usize,
}

/// A JSON text whose values can be looked up. Reading takes time and memory in proportion to the text, and no stack,
/// however deep it is. Numbers keep their digits.
#[derive(Debug)]
pub struct JsonDocument<'a> {
    text: &'a str,
    /// In the order of the text. A member of an object is its name and its value.
    values: Vec<Value>,
}

#[derive(Clone, Copy, Debug)]
struct Value {
    kind: Kind,
    start: usize,
    /// Behind its last byte.
    end: usize,
    /// The index of the next value that is not inside this one.
    next: usize,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    Text,
    Number,
    True,
    False,
    Null,
}

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonValue<'d> {
    document: &'d JsonDocument<'d>,
    index: usize,
}

impl<'a> JsonDocument<'a> {
    /// Reads JSON.
    ///
    /// # Errors
    ///
    /// If it is not one JSON value.
    pub fn parse(text: &'a str) -> Result<Self, InvalidJson> {
        let reader = Reader { bytes: text.as_bytes(), at: 0, values: Vec::new(), open: Vec::new() };
        Ok(Self { text, values: reader.read()? })
    }

    /// The text of the value to which a JSON pointer (RFC 6901) leads. Of members with the same name, the last counts.
    pub fn text_at(&self, pointer: &str) -> Option<&str> {
        let steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
        let mut value = self.root();
        for step in steps {
            value = match value.kind() {
                Kind::Object => value.member(&step)?,
                _ => value.elements().nth(step.parse().ok()?)?,
            };
        }
        Some(value.raw())
    }

    pub(super) fn root(&self) -> JsonValue<'_> {
        JsonValue { document: self, index: 0 }
    }
}

impl<'d> JsonValue<'d> {
    fn value(self) -> Value {
        self.document.values[self.index]
    }

    pub(super) fn kind(self) -> Kind {
        self.value().kind
    }

    /// The text of the value as it stands.
    pub(super) fn raw(self) -> &'d str {
        &self.document.text[self.value().start..self.value().end]
    }

    /// The string; `None` if the value is none, or its escapes are not Unicode: half of a surrogate pair.
    pub(super) fn text(self) -> Option<Cow<'d, str>> {
        if self.kind() != Kind::Text {
            return None;
        }
        let inner = &self.raw()[1..self.raw().len() - 1];
        if inner.contains('\\') { unescaped(inner).map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
    }

    /// The elements of an array; none for other values.
    pub(super) fn elements(self) -> impl Iterator<Item = Self> {
        self.inner(Kind::Array)
    }

    /// The names and values of an object; none for other values.
    pub(super) fn members(self) -> impl Iterator<Item = (Self, Self)> {
        let mut inner = self.inner(Kind::Object);
        iter::from_fn(move || inner.next().zip(inner.next()))
    }

    /// The value of the last member with this name, as most parsers have it.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        self.members().filter(|(own, _)| own.text().is_some_and(|own| own == name)).last().map(|(_, value)| value)
    }

    fn inner(self, kind: Kind) -> impl Iterator<Item = Self> {
        let Value { kind: own, next: end, .. } = self.value();
        let mut next = if own == kind { self.index + 1 } else { end };
        iter::from_fn(move || {
            let index = next;
            let value = (index < end).then_some(Self { index, ..self })?;
            next = value.value().next;
            Some(value)
        })
    }
}

/// Reads JSON from its start to its end.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    values: Vec<Value>,
    /// The objects and arrays that have no end yet.
    open: Vec<usize>,
}

impl Reader<'_> {
    fn read(mut self) -> Result<Vec<Value>, InvalidJson> {
        loop {
            self.skip_space();
            let is_open = match self.peek() {
                Some(b'{') => self.begin(Kind::Object, b'}')?,
                Some(b'[') => self.begin(Kind::Array, b']')?,
                _ => self.scalar()?,
            };
            if !is_open && !self.has_another()? {
                self.skip_space();
                return if self.at == self.bytes.len() { Ok(self.values) } else { Err(self.fault()) };
            }
        }
    }

    fn fault(&self) -> InvalidJson {
        InvalidJson { at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> Result<(), InvalidJson> {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there.then_some(()).ok_or(self.fault())
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let next = self.values.len() + 1;
        self.values.push(Value { kind, start, end: self.at, next });
    }

    /// Begins an object or an array, and returns whether it has a first value.
    fn begin(&mut self, kind: Kind, end: u8) -> Result<bool, InvalidJson> {
        self.open.push(self.values.len());
        self.push(kind, self.at);
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(end) {
            self.end();
            return Ok(false);
        }
        if kind == Kind::Object {
            self.name()?;
        }
        Ok(true)
    }

    /// Ends the object or the array that began last.
    fn end(&mut self) {
        self.at += 1;
        let next = self.values.len();
        if let Some(value) = self.open.pop().and_then(|index| self.values.get_mut(index)) {
            (value.end, value.next) = (self.at, next);
        }
    }

    /// Whether another value follows. Ends what ends here.
    fn has_another(&mut self) -> Result<bool, InvalidJson> {
        while let Some(&index) = self.open.last() {
            self.skip_space();
            let kind = self.values[index].kind;
            match (self.peek(), kind) {
                (Some(b'}'), Kind::Object) | (Some(b']'), Kind::Array) => self.end(),
                (Some(b','), _) => {
                    self.at += 1;
                    if kind == Kind::Object {
                        self.skip_space();
                        self.name()?;
                    }
                    return Ok(true);
                }
                _ => return Err(self.fault()),
            }
        }
        Ok(false)
    }

    /// The name of a member, up to its value.
    fn name(&mut self) -> Result<(), InvalidJson> {
        self.string()?;
        self.skip_space();
        self.take(b':')
    }

    /// Always `false`: nothing is open in it.
    fn scalar(&mut self) -> Result<bool, InvalidJson> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(b't') => self.word("true", Kind::True)?,
            Some(b'f') => self.word("false", Kind::False)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => self.number()?,
        }
        Ok(false)
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<(), InvalidJson> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.fault());
        }
        let start = self.at;
        self.at += word.len();
        self.push(kind, start);
        Ok(())
    }

    fn string(&mut self) -> Result<(), InvalidJson> {
        let start = self.at;
        self.take(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(0x20..) => self.at += 1,
                Some(_) | None => return Err(self.fault()),
            }
        }
        self.at += 1;
        self.push(Kind::Text, start);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), InvalidJson> {
        self.at += 1;
        let digits = match self.peek() {
            Some(b'u') => 4,
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 0,
            _ => return Err(self.fault()),
        };
        self.at += 1;
        for _ in 0..digits {
            if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                return Err(self.fault());
            }
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), InvalidJson> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        self.push(Kind::Number, start);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), InvalidJson> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.fault()) }
    }
}

/// The characters of a string whose escapes are well-formed; `None` if an escape is half of a surrogate pair.
fn unescaped(text: &str) -> Option<String> {
    let mut characters = text.chars();
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    while let Some(character) = characters.next() {
        if character != '\\' {
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            continue;
        }
        units.push(match characters.next()? {
            'b' => 0x08,
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'u' => {
                (0..4).try_fold(0, |unit, _| Some(unit << 4 | u16::try_from(characters.next()?.to_digit(16)?).ok()?))?
            }
            other => u16::try_from(u32::from(other)).ok()?,
        });
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_pointers() {
        let text = r#" {"a": [1, {"b":"x\u0041"}, [ ], null], "a/b~": true, "n": -0.5E+10, "a": [{"c":{}}, 2e400]} "#;
        let document = JsonDocument::parse(text).unwrap();
        for (pointer, found) in [
            ("", Some(text.trim())),
            ("/a", Some(r#"[{"c":{}}, 2e400]"#)),
            ("/a/0/c", Some("{}")),
            ("/a/1", Some("2e400")),
            ("/a/2", None),
            ("/a~1b~0", Some("true")),
            ("/n", Some("-0.5E+10")),
            ("/n/0", None),
            ("/b", None),
        ] {
            assert_eq!(document.text_at(pointer), found, "{pointer}");
        }
    }

    #[test]
    fn refuses_texts_that_are_not_one_value() {
        for text in [
            "",
            " ",
            "{",
            "}",
            "[1",
            "[1,]",
            "[,]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "1 2",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "-",
            "tru",
            "nul",
            "\"",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "[1}",
            "{\"a\":1]",
            "\u{feff}1",
            "'a'",
        ] {
            assert!(JsonDocument::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn strings_are_read_with_their_escapes() {
        let read = |text| JsonDocument::parse(text).unwrap().root().text().map(Cow::into_owned);
        assert_eq!(read(r#""é\u00e9\n\/\"\\\b\f\r\t""#).unwrap(), "éé\n/\"\\\u{8}\u{c}\r\t");
        assert_eq!(read(r#""\ud83d\ude00😀""#).unwrap(), "😀😀");
        assert_eq!([read(r#""\ud83d""#), read(r#""\ude00\ud83d""#), read("1")], [None, None, None]);
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = ["[".repeat(1_000_000), "]".repeat(1_000_000)].concat();
        assert_eq!(JsonDocument::parse(&deep).unwrap().values.len(), 1_000_000);
        assert_eq!(JsonDocument::parse(&deep[1..]).unwrap_err(), InvalidJson { at: 1_999_998 });
    }
}
