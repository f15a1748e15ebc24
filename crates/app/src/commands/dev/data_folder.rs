use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use domain::ports::Entropy;
use zeroize::Zeroizing;

use crate::configuration::{DatabaseUrl, EncryptionKey, Secret, operator_token};

/// The folder of development data if the database is not a file.
const DEFAULT_FOLDER: &str = "gatepost-data";
const OPERATOR_TOKEN_FILE: &str = "operator.token";

/// The folder of the database, in which `dev` keeps the secrets that production configures. Only its owner may enter
/// it.
pub(super) struct DataFolder(PathBuf);

impl DataFolder {
    /// Opens the folder, and makes it if it does not exist.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made.
    pub(super) fn open(database_url: &DatabaseUrl) -> Result<Self> {
        let folder = folder(database_url);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Self(folder))
    }

    /// The file in which the development provider keeps its signing key.
    pub(super) fn provider_key_file(&self) -> PathBuf {
        self.0.join("provider.key")
    }

    /// The key that encrypts stored secrets. A missing one is made.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, or contains something else.
    pub(super) fn encryption_key(&self, entropy: &dyn Entropy) -> Result<EncryptionKey> {
        let path = self.0.join("encryption.key");
        let text = keep(&path, || EncryptionKey::generate(entropy).to_base64())?;
        let key = EncryptionKey::parse(text.trim_end());
        key.with_context(|| {
            format!("{} does not contain 32 bytes in base64; delete the file to get a new key", path.display())
        })
    }

    /// The operator token. A missing one is made.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, or contains something else.
    pub(super) fn operator_token(&self, entropy: &dyn Entropy) -> Result<Secret> {
        let path = self.0.join(OPERATOR_TOKEN_FILE);
        let text = keep(&path, || Zeroizing::new(format!("dev_{}", generate_token(entropy))))?;
        read_operator_token(&path, &text)
    }
}

/// The operator token that `dev` made in the folder of this database; `None` if there is none.
///
/// # Errors
///
/// When the file cannot be read, or contains something else.
pub(crate) fn find_operator_token(database_url: &DatabaseUrl) -> Result<Option<Secret>> {
    let path = folder(database_url).join(OPERATOR_TOKEN_FILE);
    match fs::read_to_string(&path).map(Zeroizing::new) {
        Ok(text) => read_operator_token(&path, &text).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The secret with which `gatepost listen` subscribes where `dev` keeps its data; `None` where `dev` never ran. A
/// missing secret is made.
///
/// # Errors
///
/// When the file cannot be read or written.
pub(crate) fn keep_webhook_secret(database_url: &DatabaseUrl, entropy: &dyn Entropy) -> Result<Option<Secret>> {
    let folder = folder(database_url);
    if !folder.join(OPERATOR_TOKEN_FILE).exists() {
        return Ok(None);
    }
    let made = || Zeroizing::new(format!("whsec_{}", *EncryptionKey::generate(entropy).to_base64()));
    let secret = keep(&folder.join("listen.secret"), made)?;
    Ok(Some(Secret::new(secret.trim_end())))
}

fn folder(database_url: &DatabaseUrl) -> PathBuf {
    database_url.folder().unwrap_or(Path::new(DEFAULT_FOLDER)).to_owned()
}

fn read_operator_token(path: &Path, text: &str) -> Result<Secret> {
    let token = operator_token(text.trim_end());
    token.with_context(|| {
        format!("{} does not contain an operator token; delete the file to get a new one", path.display())
    })
}

/// 40 characters of base 32: 200 random bits.
fn generate_token(entropy: &dyn Entropy) -> String {
    let mut bytes = Zeroizing::new([0; 40]);
    entropy.fill(bytes.as_mut());
    bytes.iter().map(|byte| char::from(b"abcdefghijklmnopqrstuvwxyz234567"[usize::from(byte & 31)])).collect()
}

/// The content of the file. A missing file is written with what is `made`, readable by its owner only.
fn keep(path: &Path, made: impl FnOnce() -> Zeroizing<String>) -> Result<Zeroizing<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Zeroizing::new(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let text = made();
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
            let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
            written.with_context(|| format!("cannot write {}", path.display()))?;
            Ok(text)
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}
