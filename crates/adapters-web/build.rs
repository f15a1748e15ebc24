//! Packs the folder `web` for the binary: each file compressed, under a version made from all of them.
//!
//! See decision 70.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

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
    let out = out_dir()?;
    let mut source = format!("pub(crate) const VERSION: &str = {version:?};\npub(crate) const FILES: &[File] = &[\n");
    for (number, file) in files.into_iter().enumerate() {
        pack(file, &version, &out.join(number.to_string()), &mut source)?;
    }
    source.push_str("];\n");
    fs::write(out.join("packed.rs"), source)?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "cargo passes the folder only so")]
fn out_dir() -> Result<PathBuf> {
    std::env::var_os("OUT_DIR").map(PathBuf::from).context("cargo sets OUT_DIR")
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct File {
    /// Below `web`, with slashes.
    path: String,
    content_type: &'static str,
    content: Vec<u8>,
}

fn collect(web: &Path, folder: &Path, files: &mut Vec<File>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(web, &path, files)?;
            continue;
        }
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        if let Some((_, content_type)) = KINDS.iter().find(|(known, _)| *known == kind) {
            let name = text(path.strip_prefix(web)?)?.to_owned();
            files.push(File { path: name, content_type, content: fs::read(&path)? });
        }
    }
    Ok(())
}

/// Writes the compressed file to `place`, and its entry to `source`.
fn pack(file: File, version: &str, place: &Path, source: &mut String) -> Result<()> {
    let File { path, content_type, mut content } = file;
    if path == SHELL {
        let shell = String::from_utf8(content)?;
        ensure!(shell.contains(VERSION), "{SHELL} does not name its files by {VERSION}");
        content = shell.replace(VERSION, version).into_bytes();
    }
    let tag = digest([content.as_slice()]);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&content)?;
    fs::write(place, encoder.finish()?)?;
    writeln!(
        source,
        "File {{ path: {path:?}, content_type: {content_type:?}, tag: {tag:?}, \
         gzip: include_bytes!({:?}) }},",
        text(place)?,
    )?;
    Ok(())
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}

/// The first 64 bits of a SHA-256 over the parts, in hexadecimal.
fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
