//! Reads every sentence of the repository for the turns that it does not use.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context;

use super::turns::Turn;
use crate::program::{output, program, root, say};

/// The kinds of files that are checked, comments and code alike, since errors and help are strings in the code.
const KINDS: [&str; 8] = ["rs", "md", "sql", "toml", "js", "mjs", "html", "css"];
/// The folders of vendored files.
const VENDORED: [&str; 2] = ["/vectors/", "/vendor/"];
/// The folder of this lint, which has the turns and their tests.
const THIS_LINT: &str = "crates/xtask/src/lint/";

/// A turn in a file.
struct Hit {
    path: String,
    line: usize,
    words: String,
    plain: &'static str,
}

impl fmt::Display for Hit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, words, plain } = self;
        write!(formatter, "{path}:{line}: \"{words}\"; write: {plain}")
    }
}

/// Prints every turn below `paths` (everywhere without a path), and answers how many there are.
///
/// # Errors
///
/// When git or a file cannot be read.
pub(super) fn list(paths: &[&str]) -> anyhow::Result<usize> {
    let hits = hits(paths)?;
    for hit in &hits {
        say(&hit.to_string());
    }
    Ok(hits.len())
}

fn hits(paths: &[&str]) -> anyhow::Result<Vec<Hit>> {
    let turns = Turn::all()?;
    let mut hits = Vec::new();
    for path in tracked(paths)? {
        // A file that was deleted and not committed yet is still tracked.
        if let Ok(text) = fs::read_to_string(root().join(&path)) {
            hits.extend(hits_in(&path, &text, &turns));
        }
    }
    Ok(hits)
}

fn hits_in(path: &str, text: &str, turns: &[Turn]) -> Vec<Hit> {
    let (joined, starts) = joined_lines(text);
    let found = turns.iter().flat_map(|turn| turn.find_in(&joined).map(|(at, words)| (at, words, turn.plain)));
    let mut hits: Vec<Hit> = found
        .map(|(at, words, plain)| {
            let line = starts.partition_point(|start| *start <= at);
            Hit { path: path.to_owned(), line, words: words.to_owned(), plain }
        })
        .collect();
    hits.sort_by_key(|hit| hit.line);
    hits
}

/// The lines in lower case, without the marks of comments, joined with blanks, and the offset at which each line
/// starts.
fn joined_lines(text: &str) -> (String, Vec<usize>) {
    let (mut joined, mut starts) = (String::with_capacity(text.len()), Vec::new());
    for line in text.lines() {
        starts.push(joined.len());
        joined.push_str(line.trim_start().trim_start_matches(['/', '!', '-', '#', '*', '>', '|']).trim());
        joined.push(' ');
    }
    joined.make_ascii_lowercase();
    (joined, starts)
}

/// The files of git below these paths, without the vendored ones.
fn tracked(paths: &[&str]) -> anyhow::Result<Vec<String>> {
    let listed = output(program("git", ["ls-files", "--"].into_iter().chain(paths.iter().copied())))?;
    let listed = String::from_utf8(listed).context("a file's name is not UTF-8")?;
    let is_read = |path: &&str| {
        let kind = Path::new(path).extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        KINDS.contains(&kind) && !path.starts_with(THIS_LINT) && !VENDORED.iter().any(|folder| path.contains(folder))
    };
    Ok(listed.lines().filter(is_read).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_found_across_lines_and_named_with_its_first() {
        let turns = Turn::all().unwrap();
        let text = "fn one() {}\n\n/// Why a key is\n/// no key.\nconst A: &str = \"asked in vain\";\n";
        let hits: Vec<String> = hits_in("a.rs", text, &turns).iter().map(ToString::to_string).collect();
        assert_eq!(hits, ["a.rs:3: \"is no key\"; write: is not", "a.rs:5: \"in vain\"; write: without success"]);
    }
}
