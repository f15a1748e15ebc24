//! How long files and functions are. The code is formatted, so a function ends where its indentation says.

use std::path::Path;

use anyhow::ensure;

use super::source::files;
use crate::program::{root, say};

/// A file with at most this number of lines is small: a reader opens it, and has to open another one.
const SMALL_FILE_LINES: usize = 30;
/// The most small files. Files that only list the content of a folder or a crate do not count.
const SMALL_FILES_MAX: usize = 15;
/// Files that list the content of a folder, a crate or a build.
const INDEX_FILES: [&str; 4] = ["mod.rs", "lib.rs", "main.rs", "build.rs"];
/// The most lines of a function at the median and at the 90th percentile.
const FUNCTION_LINES_MAX: (usize, usize) = (10, 40);

/// Prints the sizes.
///
/// # Errors
///
/// When functions are too long, there are too many small files, or a file cannot be read.
pub(super) fn check() -> anyhow::Result<()> {
    let (mut small, mut functions) = (Vec::new(), Vec::new());
    for folder in ["crates", "tests/src"] {
        for (file, text) in files(&root().join(folder), "rs")? {
            functions.extend(function_lines(&text));
            if text.lines().count() <= SMALL_FILE_LINES && !is_index(&file) {
                small.push(file.strip_prefix(root()).unwrap_or(&file).display().to_string());
            }
        }
    }
    functions.sort_unstable();
    let (median, p90) = (percentile(&functions, 50), percentile(&functions, 90));
    say(&format!("functions: {}, median {median} lines, 90th percentile {p90}", functions.len()));
    say(&format!("files of at most {SMALL_FILE_LINES} lines: {} ({SMALL_FILES_MAX} allowed)", small.len()));
    let (median_max, p90_max) = FUNCTION_LINES_MAX;
    ensure!(median <= median_max && p90 <= p90_max, "functions have more than {median_max} or {p90_max} lines");
    ensure!(
        small.len() <= SMALL_FILES_MAX,
        "more than {SMALL_FILES_MAX} files have at most {SMALL_FILE_LINES} lines; put each where its concept is:\n  {}",
        small.join("\n  ")
    );
    Ok(())
}

fn is_index(file: &Path) -> bool {
    file.file_name().is_some_and(|name| INDEX_FILES.iter().any(|index| name == *index))
}

/// The lengths of the functions in a file, in lines, with the signature and the closing brace.
fn function_lines(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| starts_function(line));
    starts.filter_map(|(start, line)| length(&lines[start..], line.len() - line.trim_start().len())).collect()
}

fn starts_function(line: &str) -> bool {
    let words = line.trim_start().split(' ').take_while(|word| !word.contains('"'));
    let mut words =
        words.skip_while(|word| word.starts_with("pub") || ["const", "async", "unsafe", "default"].contains(word));
    words.next() == Some("fn")
}

/// `None` for a function without a body, as a trait declares it.
fn length(lines: &[&str], indentation: usize) -> Option<usize> {
    let close = format!("{}}}", " ".repeat(indentation));
    for (index, line) in lines.iter().enumerate() {
        let indented = line.len() - line.trim_start().len() == indentation;
        if indented && line.ends_with(';') {
            return None;
        }
        if *line == close || (index == 0 && line.ends_with('}')) {
            return Some(index + 1);
        }
    }
    None
}

fn percentile(sorted: &[usize], percent: usize) -> usize {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * percent / 100).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_by_their_indentation() {
        let text = "\
fn one() {}
impl A {
    pub(crate) async fn three(
        &self,
    ) {
        if yes() {
        }
    }
}
trait B {
    fn without_body(&self);
    fn also_without(
        &self,
    ) -> u8;
}
let fn_pointer = 1;
";
        assert_eq!(function_lines(text), [1, 6]);
        assert_eq!((percentile(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 50), percentile(&[1, 2], 90)), (5, 1));
    }
}
