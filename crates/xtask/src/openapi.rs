//! The documents that the binary generates: the description of the API, and the reference of its settings.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

use crate::program::{build_binary, output, program, root, say};

/// The path of a document, and the arguments that print it.
const DOCUMENTS: [(&str, &[&str]); 2] =
    [("docs/openapi.json", &["openapi"]), ("docs/configuration.md", &["config", "--reference"])];

pub(crate) fn write() -> anyhow::Result<()> {
    let binary = build_binary()?;
    for (path, arguments) in DOCUMENTS {
        fs::write(root().join(path), print(&binary, arguments)?).with_context(|| format!("cannot write {path}"))?;
        say(&format!("wrote {path}"));
    }
    Ok(())
}

pub(crate) fn check() -> anyhow::Result<()> {
    let binary = build_binary()?;
    for (path, arguments) in DOCUMENTS {
        if fs::read(root().join(path)).unwrap_or_default() != print(&binary, arguments)? {
            bail!("{path} is out of date: run `cargo xtask openapi`");
        }
    }
    Ok(())
}

fn print(binary: &Path, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    output(program(binary, arguments.iter().copied()))
}
