//! The documents that the binary generates: the description of the API, and the reference of its settings.

use std::fs;

use anyhow::{Context, bail};

use crate::program::{cargo, output, root, say};

/// The path of a document, and the arguments that print it.
const DOCUMENTS: [(&str, &[&str]); 2] =
    [("docs/openapi.json", &["openapi"]), ("docs/configuration.md", &["config", "--reference"])];

pub(crate) fn write() -> anyhow::Result<()> {
    for (path, arguments) in DOCUMENTS {
        fs::write(root().join(path), print(arguments)?).with_context(|| format!("cannot write {path}"))?;
        say(&format!("wrote {path}"));
    }
    Ok(())
}

pub(crate) fn check() -> anyhow::Result<()> {
    for (path, arguments) in DOCUMENTS {
        if fs::read(root().join(path)).unwrap_or_default() != print(arguments)? {
            bail!("{path} is out of date: run `cargo xtask openapi`");
        }
    }
    Ok(())
}

fn print(arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let run = ["run", "--locked", "--quiet", "--package", "app", "--bin", "gatepost", "--"];
    output(cargo(run.into_iter().chain(arguments.iter().copied())))
}
