//! The configuration as an operator meets it: the output of `gatepost config`, and the messages about values that are
//! not allowed.

#![expect(clippy::unwrap_used, reason = "a test fails with a panic")]

mod commands;
mod names;
mod secrets;
mod sources;
mod values;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const SECRET: &str = "hunter2-hunter2-hunter2-hunter2-hunter2";
const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// A configuration file with this text, in a folder that is deleted with the value.
struct ConfigFile(TempDir);

impl ConfigFile {
    fn new(text: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("gatepost.toml"), text).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("gatepost.toml")
    }

    /// Writes a file to the same folder, and returns its path.
    fn beside(&self, name: &str, content: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Runs `gatepost` with this file and this environment.
    fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut gatepost = Command::new(env!("CARGO_BIN_EXE_gatepost"));
        gatepost.arg("--config").arg(self.path()).args(arguments).env_clear().envs(environment.iter().copied());
        gatepost.output().unwrap()
    }

    /// The configuration with this environment, or the complaint.
    fn load(&self, environment: &[(&str, &str)]) -> Result<Loaded, String> {
        loaded(&self.run(&["config", "--json"], environment))
    }
}

/// The output of `gatepost config`.
#[derive(Debug)]
struct Loaded {
    settings: Vec<Value>,
    complaint: String,
}

impl Loaded {
    /// The value of a setting, and where it came from.
    fn value(&self, name: &str) -> (Option<String>, String) {
        let setting = self.settings.iter().find(|setting| setting["name"] == name).expect("a setting of the table");
        (setting["value"].as_str().map(str::to_owned), setting["origin"].as_str().unwrap().to_owned())
    }
}

fn loaded(output: &Output) -> Result<Loaded, String> {
    let complaint = String::from_utf8(output.stderr.clone()).unwrap();
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(78), "{complaint}");
        // With --json, a problem document.
        let problem: Option<Value> = serde_json::from_str(&complaint).ok();
        let detail = problem.map(|problem| problem["detail"].as_str().expect("a string").to_owned());
        return Err(detail.unwrap_or_else(|| complaint.trim_end().to_owned()));
    }
    Ok(Loaded { settings: serde_json::from_slice(&output.stdout).unwrap(), complaint })
}

fn with<const N: usize>(file: &str, environment: [(&str, &str); N]) -> Result<Loaded, String> {
    ConfigFile::new(file).load(&environment)
}

fn problems<const N: usize>(file: &str, environment: [(&str, &str); N]) -> String {
    with(file, environment).expect_err("a problem")
}
