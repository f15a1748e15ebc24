//! A file with the headers, the authentication and the client certificate of a subscription, which keeps secrets out of the
//! history of the shell.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use gatepost_client::WebhookOptions;
use zeroize::Zeroizing;

/// Far more than 16 headers need.
const BYTES_MAX: u64 = 64 * 1_024;

/// The option that names the file.
#[derive(Debug, Args)]
pub(super) struct RequestFile {
    /// A JSON file with `headers`, `auth` and `clientCertificate`, or - for standard input
    #[arg(long, value_name = "FILE", group = "change")]
    request: Option<PathBuf>,
}

impl RequestFile {
    /// What the file says; nothing without a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or says something else. No error shows what the file says.
    pub(super) fn read(&self) -> Result<WebhookOptions> {
        let Some(path) = &self.request else { return Ok(WebhookOptions::default()) };
        let text = text_of(path).with_context(|| format!("cannot read {}", path.display()))?;
        let read = serde_json::from_str(&text);
        read.map_err(|error| {
            let (path, line) = (path.display(), error.line());
            anyhow::anyhow!(
                "{path}, line {line}: must be a JSON object with headers, auth or clientCertificate, as in the API"
            )
        })
    }
}

fn text_of(path: &Path) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    let input: Box<dyn Read> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(fs::File::open(path)?) };
    input.take(BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}
