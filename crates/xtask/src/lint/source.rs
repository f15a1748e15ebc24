//! Rust source as text.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The Rust files below a folder, in the order of their paths.
///
/// # Errors
///
/// When a folder cannot be read.
pub(super) fn rust_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The text up to its tests, which come last in a file.
pub(super) fn without_tests(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod tests {").map_or(text, |tests| &text[..tests])
}
