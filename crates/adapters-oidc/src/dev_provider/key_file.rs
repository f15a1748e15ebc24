use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::ports::Entropy;
use serde_json::Value;
use zeroize::Zeroizing;

use super::signer::{Signer, base64url};
use crate::strict_json::read_object;

/// Why the file of the signing key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Reading or writing failed.
    #[error("cannot use the file {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The file contains something else.
    #[error(
        "the file {path} does not contain a private Ed25519 key as a JSON Web Key; delete the file to get a new key"
    )]
    NotAKey {
        /// The file.
        path: PathBuf,
    },
}

/// The key in the file. Creates the file if it does not exist; an existing file keeps its mode.
pub(super) fn open(path: &Path, entropy: &dyn Entropy) -> Result<Signer, KeyFileError> {
    let failed = |source| KeyFileError::File { path: path.to_owned(), source };
    let content = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create(path, entropy).map_err(failed)?;
            fs::read(path)
        }
        found => found,
    };
    let content = Zeroizing::new(content.map_err(failed)?);
    read_key(&content).ok_or_else(|| KeyFileError::NotAKey { path: path.to_owned() })
}

/// Writes a new key to a second file, then links it to `path`. So no process reads half a key, and two processes that
/// start together both use the key of the first.
fn create(path: &Path, entropy: &dyn Entropy) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut seed = Zeroizing::new([0; 32]);
    entropy.fill(&mut *seed);
    let mut suffix = [0; 8];
    entropy.fill(&mut suffix);
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", base64url(suffix)));

    let written = write_new(beside.as_ref(), &seed).and_then(|()| match fs::hard_link(&beside, path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    fs::remove_file(&beside)?;
    written
}

fn write_new(path: &Path, seed: &[u8; 32]) -> io::Result<()> {
    let d = Zeroizing::new(base64url(seed));
    let jwk = Zeroizing::new(format!("{{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"{}\"}}\n", *d));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(jwk.as_bytes())?;
    file.sync_all()
}

fn read_key(content: &[u8]) -> Option<Signer> {
    let jwk = read_object(content)?;
    if jwk.get("kty")? != "OKP" || jwk.get("crv")? != "Ed25519" {
        return None;
    }
    let seed = Zeroizing::new(URL_SAFE_NO_PAD.decode(jwk.get("d").and_then(Value::as_str)?).ok()?);
    Signer::from_seed(&seed)
}
