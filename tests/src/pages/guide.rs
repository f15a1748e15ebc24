//! The guide for new stores: its commands make a store in a copy of the repository, and the names in it exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use cargo_metadata::MetadataCommand;
use tempfile::TempDir;

use super::page::{Block, Page, pages};
use super::sources::{files_below, has_extension};
use crate::harness::repository;

const SPECIMEN: &str = "crates/adapters-journal/";
const COPY: &str = "crates/adapters-yours/";

fn guide() -> Page {
    pages().into_iter().find(|page| page.path == "docs/writing-an-adapter.md").expect("the guide")
}

/// Runs the commands that need no compiler, as a reader pastes them. Cargo must know the crate and its use afterwards.
#[test]
fn the_guide_makes_a_store_and_wires_it_in() {
    let folder = TempDir::new().unwrap();
    for file in files_below("") {
        let copy = folder.path().join(&file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(repository().join(&file), copy).unwrap();
    }
    let is_run = |block: &&Block| block.language == "sh" && block.remark.is_none();
    for block in guide().blocks().iter().filter(is_run) {
        let mut shell = Command::new("bash");
        let output = shell.args(["-euc", &block.text]).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "line {}: {}", block.line, String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(with_the_old_name(folder.path()), Vec::<String>::new());
    let mut command = MetadataCommand::new();
    command.manifest_path(folder.path().join("Cargo.toml")).no_deps();
    let metadata = command.exec().unwrap();
    let app = metadata.packages.iter().find(|package| package.name.as_str() == "app").expect("the binary");
    assert!(app.dependencies.iter().any(|used| used.name == "adapters-yours"), "{:?}", app.dependencies);
    assert!(metadata.packages.iter().any(|package| package.name.as_str() == "adapters-yours"));
}

/// The files of the new crate that still name the specimen.
fn with_the_old_name(copy: &Path) -> Vec<String> {
    let files = files_below(SPECIMEN).into_iter().map(|file| file.replace(SPECIMEN, COPY));
    let is_old = |file: &String| {
        let text = fs::read_to_string(copy.join(file)).unwrap();
        text.contains("adapters-journal") || text.contains("adapters_journal")
    };
    files.filter(is_old).collect()
}

#[test]
fn the_guide_has_each_method_of_the_ports_of_keys() {
    let keys = fs::read_to_string(repository().join(SPECIMEN).join("src/keys.rs")).unwrap();
    let methods = keys.split("async fn ").skip(1).filter_map(|rest| rest.split('(').next());
    let page = guide();
    let rows = page.text.lines().skip_while(|line| *line != "| method | task |").skip(2);
    let cells = rows.take_while(|row| row.starts_with('|')).filter_map(|row| row.split('|').nth(1));
    let shown = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    assert_eq!(shown.collect::<BTreeSet<_>>(), methods.collect::<BTreeSet<_>>());
}

/// Names of promises, methods, types and columns.
#[test]
fn every_name_in_the_guide_is_in_the_source() {
    let is_source = |file: &String| has_extension(file, &["rs", "sql"]);
    let files = files_below("crates").into_iter().chain(files_below("migrations")).filter(is_source);
    let source: String = files.map(|file| fs::read_to_string(repository().join(file)).unwrap()).collect();
    let prose = guide().prose();
    let is_name = |span: &&str| span.chars().all(|c| c.is_ascii_alphanumeric() || "_:!".contains(c));
    let names = prose.split('`').skip(1).step_by(2).filter(is_name);
    let parts = names.flat_map(|name| name.split("::")).map(|name| name.trim_end_matches('!'));
    let missing: Vec<&str> = parts.filter(|part| !source.contains(*part)).collect();
    assert!(missing.is_empty(), "the guide names these, and the source does not: {missing:?}");
}
