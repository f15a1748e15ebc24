use std::fs;
use std::path::{Path, PathBuf};

use super::storage::Storage;

/// Every file of the database with its content, as it is on disk now.
pub(crate) async fn database_files(storage: &Storage) -> Vec<(PathBuf, Vec<u8>)> {
    let folders = match storage.server() {
        Some((cluster, _)) => cluster.folders_on_disk().await.unwrap(),
        None => vec![storage.files().to_owned()],
    };
    let mut files = Vec::new();
    for folder in folders {
        list_files(&folder, &mut files);
    }
    files.into_iter().filter_map(|path| fs::read(&path).ok().map(|content| (path, content))).collect()
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() { list_files(&entry.path(), files) } else { files.push(entry.path()) }
    }
}

pub(crate) fn contains(haystack: &[u8], bytes: &[u8]) -> bool {
    find(haystack, bytes).is_some()
}

/// The position of the first occurrence of `bytes`.
pub(crate) fn find(haystack: &[u8], bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, bytes)
}
