use std::path::Path;

use adapters_oidc::dev_provider::DevProvider;
use adapters_system::{EncryptionKey, Secret, SecretFolder};
use anyhow::{Context, Result};
use domain::ports::Entropy;
use zeroize::Zeroizing;

use crate::configuration::{DatabaseUrl, operator_token};

/// The folder of development data if the database is not a file.
const DEFAULT_FOLDER: &str = "gatepost-data";
const OPERATOR_TOKEN_FILE: &str = "operator.token";
const ENCRYPTION_KEY_FILE: &str = "encryption.key";
const PROVIDER_KEY_FILE: &str = "provider.key";

/// The folder of the database, in which `dev` keeps the secrets that production configures.
pub(crate) struct DataFolder(SecretFolder);

impl DataFolder {
    /// The folder of this database.
    pub(crate) fn of(database_url: &DatabaseUrl) -> Self {
        Self(SecretFolder::at(database_url.folder().unwrap_or(Path::new(DEFAULT_FOLDER))))
    }

    /// The signing key of the development provider. A missing one is made.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written.
    pub(super) fn provider_key(&self, entropy: &dyn Entropy) -> Result<Zeroizing<String>> {
        Ok(self.0.keep(PROVIDER_KEY_FILE, || DevProvider::generate_key(entropy))?)
    }

    /// Why the provider does not accept its key.
    pub(super) fn wrong_provider_key(&self) -> String {
        self.wrong(PROVIDER_KEY_FILE, "a private Ed25519 key as a JSON Web Key")
    }

    /// The key that encrypts stored secrets. A missing one is made.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, or contains something else.
    pub(super) fn encryption_key(&self, entropy: &dyn Entropy) -> Result<EncryptionKey> {
        let text = self.0.keep(ENCRYPTION_KEY_FILE, || EncryptionKey::generate(entropy).to_base64())?;
        EncryptionKey::parse(&text).with_context(|| self.wrong(ENCRYPTION_KEY_FILE, "32 bytes in base64"))
    }

    /// The operator token. A missing one is made.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, or contains something else.
    pub(super) fn operator_token(&self, entropy: &dyn Entropy) -> Result<Secret> {
        let made = || Zeroizing::new(format!("dev_{}", generate_token(entropy)));
        self.read_operator_token(&self.0.keep(OPERATOR_TOKEN_FILE, made)?)
    }

    /// The operator token that `dev` made; `None` if there is none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or contains something else.
    pub(crate) fn find_operator_token(&self) -> Result<Option<Secret>> {
        self.0.find(OPERATOR_TOKEN_FILE)?.map(|text| self.read_operator_token(&text)).transpose()
    }

    /// The secret with which `gatepost listen` subscribes where `dev` keeps its data; `None` where `dev` never ran. A
    /// missing secret is made.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written.
    pub(crate) fn webhook_secret(&self, entropy: &dyn Entropy) -> Result<Option<Zeroizing<String>>> {
        if self.0.find(OPERATOR_TOKEN_FILE)?.is_none() {
            return Ok(None);
        }
        let made = || Zeroizing::new(format!("whsec_{}", *EncryptionKey::generate(entropy).to_base64()));
        Ok(Some(self.0.keep("listen.secret", made)?))
    }

    fn read_operator_token(&self, text: &str) -> Result<Secret> {
        operator_token(text).with_context(|| self.wrong(OPERATOR_TOKEN_FILE, "an operator token"))
    }

    fn wrong(&self, file: &str, wanted: &str) -> String {
        let path = self.0.file(file);
        format!("{} does not contain {wanted}; delete the file to get a new one", path.display())
    }
}

/// 40 characters of base 32: 200 random bits.
fn generate_token(entropy: &dyn Entropy) -> String {
    let mut bytes = Zeroizing::new([0; 40]);
    entropy.fill(bytes.as_mut());
    bytes.iter().map(|byte| char::from(b"abcdefghijklmnopqrstuvwxyz234567"[usize::from(byte & 31)])).collect()
}
