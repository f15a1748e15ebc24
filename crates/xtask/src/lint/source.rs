//! The files of the repository as text.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The files of a kind, such as `rs`, below a folder, in the order of their paths, with their text.
///
/// # Errors
///
/// When a folder or a file cannot be read.
pub(super) fn files(folder: &Path, kind: &str) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, kind)?);
        } else if path.extension().is_some_and(|extension| extension == kind) {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            found.push((path, text));
        }
    }
    found.sort();
    Ok(found)
}

/// The text up to its tests, which come last in a file.
pub(super) fn without_tests(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod tests {").map_or(text, |tests| &text[..tests])
}
