use std::fs;
use std::path::Path;

use crate::harness::repository;

/// Files of others, and files that tools make.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "gatepost-data", "vectors"];

/// All files of the repository below a folder, as paths from the root, sorted.
pub(super) fn files_below(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    files
}

fn collect(folder: &str, files: &mut Vec<String>) {
    for entry in fs::read_dir(repository().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

/// Whether the file's name ends in one of these, written without a dot.
pub(super) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    Path::new(path).extension().is_some_and(|extension| extensions.iter().any(|one| extension == *one))
}
