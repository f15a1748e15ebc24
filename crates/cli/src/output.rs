//! What a command prints: its answer to standard output, remarks to standard error.

use std::io::{self, Write};

use serde::Serialize;

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

/// Writes a command's answer as one line of JSON.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn answer_json(value: &impl Serialize) -> io::Result<()> {
    answer(&serde_json::to_string(value)?)
}

/// Writes a remark for a person to standard error.
pub fn remark(text: &str) {
    // The error cannot be reported if standard error is closed.
    let _ = writeln!(io::stderr(), "gatepost: {text}");
}
