//! Builds the crate again when a migration is added, and lists their statements.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

#[expect(clippy::disallowed_methods, reason = "cargo passes the folder only so")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = fs::canonicalize("../../migrations/postgres")?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut scripts = String::new();
    for migration in fs::read_dir(&folder)? {
        let migration = migration?;
        let (name, up) = (migration.file_name(), migration.path().join("up.sql"));
        let (name, up) = (name.to_str().ok_or("a name in UTF-8")?, up.to_str().ok_or("a path in UTF-8")?);
        writeln!(scripts, "({name:?}, include_str!({up:?})),")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("scripts.rs"), format!("&[{scripts}]"))?;
    Ok(())
}
