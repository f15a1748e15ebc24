use std::fs::File;
use std::io::{self, Read};

use anyhow::{Context, Result, bail};
use serde_json::value::RawValue;

/// The most bytes that are read: larger than any event may be.
pub(crate) const JSON_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The JSON of an argument: the argument itself, the file of `@FILE`, or standard input for `-`. `name` is what it is, for
/// errors.
///
/// # Errors
///
/// When the file or standard input cannot be read, or the text is not JSON.
pub(crate) fn json_of(given: String, name: &str) -> Result<Box<RawValue>> {
    let text = match given.strip_prefix('@') {
        Some(path) => {
            let file = File::open(path).with_context(|| format!("cannot read the file {path}"))?;
            read(file, name).with_context(|| format!("cannot read the file {path}"))?
        }
        None if given == "-" => read(io::stdin().lock(), name).context("cannot read standard input")?,
        None => given,
    };
    // The newline at the end of a file does not belong to the JSON.
    RawValue::from_string(text.trim().to_owned()).with_context(|| format!("the {name} is not JSON"))
}

fn read(source: impl Read, name: &str) -> Result<String> {
    let mut text = String::new();
    source.take(JSON_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > JSON_BYTES_MAX {
        bail!("the {name} has more than {JSON_BYTES_MAX} bytes");
    }
    Ok(text)
}
