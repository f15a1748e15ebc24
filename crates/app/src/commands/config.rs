use anyhow::Result;
use clap::Args;
use cli::output::{answer, answer_json};
use serde::Serialize;

use crate::configuration::{Effective, Loaded, reference_page};

/// Show the configuration that is in force and where each value came from, with secrets masked
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Print the reference of all settings as Markdown instead
    #[arg(long, conflicts_with = "json")]
    pub(crate) reference: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost config
  gatepost --config staging.toml config
  LISTEN=0.0.0.0:8080 gatepost config --json";

#[derive(Serialize)]
struct SettingAnswer {
    name: &'static str,
    value: Option<String>,
    origin: String,
}

impl From<Effective> for SettingAnswer {
    fn from(setting: Effective) -> Self {
        Self { name: setting.name, value: setting.value, origin: setting.origin }
    }
}

/// Prints the configuration.
///
/// # Errors
///
/// When it cannot be printed.
pub(crate) fn run(arguments: &Arguments, loaded: &Loaded) -> Result<()> {
    if arguments.json {
        return Ok(answer_json(&loaded.effective().map(SettingAnswer::from).collect::<Vec<_>>())?);
    }
    let settings: Vec<Effective> = loaded.effective().collect();
    let name_width = settings.iter().map(|setting| setting.name.len()).max().unwrap_or_default();
    let value_width = settings.iter().map(|setting| value(setting).chars().count()).max().unwrap_or_default();
    let lines = settings
        .iter()
        .map(|setting| format!("{:name_width$}  {:value_width$}  {}", setting.name, value(setting), setting.origin));
    Ok(answer(&lines.collect::<Vec<_>>().join("\n"))?)
}

/// Prints the content of `docs/configuration.md`.
///
/// # Errors
///
/// When it cannot be printed.
pub(crate) fn print_reference() -> Result<()> {
    Ok(answer(&reference_page())?)
}

fn value(setting: &Effective) -> &str {
    setting.value.as_deref().unwrap_or("-")
}
