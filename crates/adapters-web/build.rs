//! Packs the folder `web` for the binary: each file compressed, under a version made from all of them.
//!
//! See decision 70.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pages::{Unpacked, digest};

/// The only file that is not under the versioned path. It names the others by [`VERSION`].
const SHELL: &str = "index.html";
/// Where the version belongs.
const VERSION: &str = "{version}";
/// What the browser loads. Other files, such as type declarations, stay out of the binary.
const KINDS: [(&str, &str); 5] = [
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
];

fn main() -> Result<()> {
    let web =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web").canonicalize().context("the folder web is missing")?;
    println!("cargo::rerun-if-changed={}", web.display());
    let mut files = Vec::new();
    collect(&web, &web, &mut files)?;
    files.sort();
    let version = digest(files.iter().flat_map(|file| [file.path.as_bytes(), &file.content]));
    name_files(&mut files, &version)?;
    let out = out_dir()?;
    pages::pack(&files, &out)?;
    fs::write(out.join("version.rs"), format!("pub(crate) const VERSION: &str = {version:?};\n"))?;
    Ok(())
}

/// Writes the version into the shell.
fn name_files(files: &mut [Unpacked], version: &str) -> Result<()> {
    let shell = files.iter_mut().find(|file| file.path == SHELL).context("the shell is missing")?;
    let text = std::str::from_utf8(&shell.content)?;
    ensure!(text.contains(VERSION), "{SHELL} does not name its files by {VERSION}");
    shell.content = text.replace(VERSION, version).into_bytes();
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "cargo passes the folder only so")]
fn out_dir() -> Result<PathBuf> {
    std::env::var_os("OUT_DIR").map(PathBuf::from).context("cargo sets OUT_DIR")
}

fn collect(web: &Path, folder: &Path, files: &mut Vec<Unpacked>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(web, &path, files)?;
            continue;
        }
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        if let Some((_, content_type)) = KINDS.iter().find(|(known, _)| *known == kind) {
            let name = text(path.strip_prefix(web)?)?.to_owned();
            files.push(Unpacked { path: name, content_type, content: fs::read(&path)? });
        }
    }
    Ok(())
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}
