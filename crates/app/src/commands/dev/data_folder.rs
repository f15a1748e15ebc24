use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use domain::ports::Entropy;

use super::DatabaseUrl;
use crate::configuration::EncryptionKey;

/// Where development data is when the database is not a file.
const DEFAULT_FOLDER: &str = "gatepost-data";

/// The folder beside the database in which `dev` keeps what production configures. Nobody else may enter it.
pub(super) struct DataFolder(PathBuf);

impl DataFolder {
    /// Makes the folder where there is none, and in it an encryption key where there is none.
    ///
    /// # Errors
    ///
    /// When they cannot be made, or the key's file holds something else.
    pub(super) fn open(database_url: &DatabaseUrl, entropy: &dyn Entropy) -> Result<Self> {
        let folder = database_url.folder().unwrap_or(Path::new(DEFAULT_FOLDER)).to_owned();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        keep_encryption_key(&folder.join("encryption.key"), entropy)?;
        Ok(Self(folder))
    }

    /// Where the development provider keeps its signing key.
    pub(super) fn provider_key_file(&self) -> PathBuf {
        self.0.join("provider.key")
    }
}

fn keep_encryption_key(path: &Path, entropy: &dyn Entropy) -> Result<()> {
    match fs::read_to_string(path) {
        Ok(text) if EncryptionKey::parse(text.trim_end()).is_some() => Ok(()),
        Ok(_) => bail!("{} holds no key of 32 bytes in base64; delete it for a new one", path.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = EncryptionKey::generate(entropy).to_base64();
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
            let written = file.and_then(|mut file| file.write_all(key.as_bytes()));
            written.with_context(|| format!("{} cannot be written", path.display()))
        }
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}
