//! `gatepost open`.

use std::process::{Command, Stdio};

use anyhow::Result;
use clap::Args;

use crate::connection::Connection;
use crate::output::{Reply, member};

/// The arguments of `gatepost open`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub struct Arguments {
    /// Only print the URL
    #[arg(long)]
    print: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost open --print
  gatepost open --json --print";

/// The programs that open a URL on a desktop: Linux and the BSDs, macOS.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Prints the URL of the console, and has the desktop open it. A machine without a desktop only gets the URL.
///
/// # Errors
///
/// When standard output cannot be written.
pub(crate) fn run(arguments: &Arguments, connection: &Connection) -> Result<()> {
    let url = format!("{}/console/", connection.url());
    Reply::new(&member("url", &url), &url)?.print(arguments.json)?;
    if !arguments.print {
        open_in_browser(&url);
    }
    Ok(())
}

/// Has the desktop open the URL, and returns whether it could.
pub(crate) fn open_in_browser(url: &str) -> bool {
    OPENERS.iter().any(|opener| opens(opener, url))
}

fn opens(opener: &str, url: &str) -> bool {
    let mut command = Command::new(opener);
    let quiet = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
