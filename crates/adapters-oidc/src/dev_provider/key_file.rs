use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::ports::Entropy;
use serde_json::Value;
use zeroize::Zeroizing;

use super::signer::{Signer, base64url};
use crate::strict_json::read_object;

/// The signing key's file is of no use.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Reading or writing failed.
    #[error("cannot use the file {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// It holds something else.
    #[error("the file {path} holds no private Ed25519 key as a JSON Web Key; delete it for a new key")]
    NotAKey {
        /// The file.
        path: PathBuf,
    },
}

/// The key in the file, which is created when it is not there.
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
    // A copied or restored file may have become readable for others.
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
    read_key(&content).ok_or_else(|| KeyFileError::NotAKey { path: path.to_owned() })
}

/// Writes a new key beside, then links it to its name: nobody ever reads half a key, and of two processes that start
/// together both go on with the key of the first.
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
