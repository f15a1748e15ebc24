//! The paths in pages and comments exist.

use std::fs;

use super::page::pages;
use super::sources::{files_below, has_extension};
use crate::harness::repository;

/// The folders of which paths are written from the root.
const FOLDERS: [&str; 5] = ["crates/", "docs/", "migrations/", "tests/", ".cargo/"];

#[test]
fn every_path_on_a_page_exists() {
    let files = files_below("");
    let mut missing = Vec::new();
    for page in pages() {
        let prose = page.prose();
        for span in prose.split('`').skip(1).step_by(2) {
            missing
                .extend(paths(span).filter(|path| !exists(path, &files)).map(|path| format!("{}: {path}", page.path)));
        }
    }
    assert!(missing.is_empty(), "these are named and not there: {missing:#?}");
}

#[test]
fn every_page_that_code_names_exists() {
    let files = files_below("");
    let mut missing = Vec::new();
    let is_code = |path: &&String| has_extension(path, &["rs", "toml"]);
    for path in files.iter().filter(is_code).filter(|path| !path.starts_with("tests/src/pages/")) {
        let text = fs::read_to_string(repository().join(path)).unwrap();
        for rest in text.split("docs/").skip(1) {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "/-_.".contains(c))).unwrap_or(rest.len());
            let named = format!("docs/{}", rest[..end].trim_end_matches('.'));
            if has_extension(&named, &["md"]) && !exists(&named, &files) {
                missing.push(format!("{path}: {named}"));
            }
        }
    }
    assert!(missing.is_empty(), "these are named and not there: {missing:#?}");
}

/// The paths and file names of Rust code in a code span.
fn paths(span: &str) -> impl Iterator<Item = String> {
    let is_written_out =
        |word: &&str| FOLDERS.iter().any(|folder| word.starts_with(folder)) || has_extension(word, &["rs"]);
    span.split_whitespace().filter(is_written_out).flat_map(alternatives).filter(|path| !path.contains("yours"))
}

/// `a/{b,c}` is `a/b` and `a/c`.
fn alternatives(path: &str) -> Vec<String> {
    match path.split_once('{').and_then(|(start, rest)| Some((start, rest.split_once('}')?))) {
        Some((start, (inner, end))) => inner.split(',').map(|one| format!("{start}{one}{end}")).collect(),
        None => vec![path.to_owned()],
    }
}

/// Whether it is a path from the root or from a crate, or the end of one.
fn exists(path: &str, files: &[String]) -> bool {
    let path = path.trim_end_matches('/');
    let (as_file, as_folder) = (format!("/{path}"), format!("/{path}/"));
    files.iter().map(|file| format!("/{file}")).any(|file| file.ends_with(&as_file) || file.contains(&as_folder))
}
