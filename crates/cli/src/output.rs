//! The output of a command: its answer on standard output, remarks on standard error.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::{Error, Result};
use serde::Serialize;

/// The answer of a command, in JSON for programs and in words for people.
#[derive(Default)]
pub struct Reply {
    json: String,
    words: String,
    remarks: Vec<String>,
    failure: Option<Error>,
}

impl Reply {
    /// This answer. Without words, people get none.
    ///
    /// # Errors
    ///
    /// When the value cannot be written as JSON.
    pub fn new(value: &impl Serialize, words: impl Into<String>) -> Result<Self> {
        Ok(Self { json: serde_json::to_string(value)?, words: words.into(), ..Self::default() })
    }

    /// Adds a remark, which only people get.
    #[must_use]
    pub fn remarking(mut self, remark: impl Into<String>) -> Self {
        self.remarks.push(remark.into());
        self
    }

    /// The command fails nevertheless.
    #[must_use]
    pub fn failing(self, failure: Error) -> Self {
        Self { failure: Some(failure), ..self }
    }

    /// Writes the answer. If it is lost, the remarks name the object whose secret was in it.
    fn write(&self, text: &str) -> Result<()> {
        let Err(error) = answer(text) else { return Ok(()) };
        if error.kind() == io::ErrorKind::BrokenPipe {
            // The reader has closed the pipe, as `head` does. The command succeeds, so no error names the object.
            self.remarks().for_each(remark);
        }
        let lost: Vec<&str> = ["cannot write the answer"].into_iter().chain(self.remarks()).collect();
        Err(Error::from(error).context(lost.join(": ")))
    }

    fn remarks(&self) -> impl Iterator<Item = &str> {
        self.remarks.iter().map(String::as_str)
    }

    /// Prints the answer.
    ///
    /// # Errors
    ///
    /// When standard output cannot be written, or the command fails.
    pub fn print(self, json: bool) -> Result<()> {
        let text = if json { &self.json } else { &self.words };
        if !text.is_empty() {
            self.write(text)?;
        }
        if !json {
            self.remarks().for_each(remark);
        }
        self.failure.map_or(Ok(()), Err)
    }
}

/// A value as the only member of an object.
pub fn member<Value>(name: &'static str, value: Value) -> BTreeMap<&'static str, Value> {
    BTreeMap::from([(name, value)])
}

/// Writes a command's answer to standard output.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn answer(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.trim_end_matches('\n'))?;
    out.flush()
}

/// Writes a remark for a person to standard error.
pub fn remark(text: &str) {
    // The error cannot be reported if standard error is closed.
    let _ = writeln!(io::stderr(), "gatepost: {text}");
}
