//! Packs the folder `web` for the binary: each file compressed, under a version made from all of them. The first style sheets
//! become one file, because each answer costs as many bytes of headers as a small sheet has.
//!
//! See decision 70.

#[path = "src/source.rs"]
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pages::{Unpacked, digest};

use source::{SHELL, content_type, shell_of};

/// How the shell names a style sheet: before its path, and behind it.
const LINK: (&str, &str) = (r#"<link rel="stylesheet" href="/console/assets/{version}/"#, r#"" />"#);
/// The file with all style sheets.
const STYLES: &str = "styles.css";

fn main() -> Result<()> {
    let web =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web").canonicalize().context("the folder web is missing")?;
    println!("cargo::rerun-if-changed={}", web.display());
    let mut files = Vec::new();
    collect(&web, &web, &mut files)?;
    join_styles(&mut files)?;
    files.sort();
    let version = digest(files.iter().flat_map(|file| [file.path.as_bytes(), &file.content]));
    name_files(&mut files, &version)?;
    let out = out_dir()?;
    pages::pack(&files, &out)?;
    fs::write(out.join("version.rs"), format!("pub(crate) const VERSION: &str = {version:?};\n"))?;
    Ok(())
}

/// Puts the style sheets that the shell names into one file, in this order. Modules load the others when they need them.
fn join_styles(files: &mut Vec<Unpacked>) -> Result<()> {
    let shell = files.iter().position(|file| file.path == SHELL).context("the shell is missing")?;
    let page = String::from_utf8(files[shell].content.clone())?;
    let (mut joined, mut content, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for line in page.lines() {
        let Some(sheet) = line.trim().strip_prefix(LINK.0).and_then(|rest| rest.strip_suffix(LINK.1)) else {
            lines.push(line.to_owned());
            continue;
        };
        if joined.is_empty() {
            lines.push(format!("{}{STYLES}{}", LINK.0, LINK.1));
        }
        let file = files.iter().find(|file| file.path == sheet).with_context(|| format!("{sheet} is missing"))?;
        content.extend_from_slice(&file.content);
        joined.push(sheet.to_owned());
    }
    ensure!(!joined.is_empty(), "{SHELL} names no style sheet");
    files[shell].content = lines.join("\n").into_bytes();
    let content_type = content_type(STYLES).context("style sheets have no type")?;
    files.retain(|file| !joined.contains(&file.path));
    files.push(Unpacked { path: STYLES.to_owned(), content_type, content });
    Ok(())
}

/// Writes the version into the shell.
fn name_files(files: &mut [Unpacked], version: &str) -> Result<()> {
    let shell = files.iter_mut().find(|file| file.path == SHELL).context("the shell is missing")?;
    let named = shell_of(std::str::from_utf8(&shell.content)?, version);
    shell.content = named.with_context(|| format!("{SHELL} does not say where the version belongs"))?.into_bytes();
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
        let name = text(path.strip_prefix(web)?)?.to_owned();
        if let Some(content_type) = content_type(&name) {
            files.push(Unpacked { path: name, content_type, content: fs::read(&path)? });
        }
    }
    Ok(())
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}
