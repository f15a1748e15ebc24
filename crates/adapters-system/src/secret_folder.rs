use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use domain::ports::Entropy;
use zeroize::Zeroizing;

use crate::SystemEntropy;

/// A folder with one secret in each file. Only its owner may enter it, and read the files. A folder or a file that exists
/// keeps its mode.
pub struct SecretFolder(PathBuf);

impl SecretFolder {
    /// The folder at this path. It need not exist.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The path of the file with this name.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The secret in the file, without white space at its end; `None` if there is no file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read as text. The error names the file.
    pub fn find(&self, name: &str) -> io::Result<Option<Zeroizing<String>>> {
        let path = self.file(name);
        match fs::read_to_string(&path).map(Zeroizing::new) {
            Ok(text) => Ok(Some(text.trim_end().to_owned().into())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io::Error::new(error.kind(), format!("cannot read {}: {error}", path.display()))),
        }
    }

    /// The secret in the file. If the file is missing, calls `make`, and writes the secret and its folder.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written. The error names the file.
    pub fn keep(&self, name: &str, make: impl FnOnce() -> Zeroizing<String>) -> io::Result<Zeroizing<String>> {
        if let Some(secret) = self.find(name)? {
            return Ok(secret);
        }
        let path = self.file(name);
        let written = self.write(name, &make());
        written.map_err(|error| io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display())))?;
        self.find(name)?.ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Writes a second file, then links it to `name`. So no process reads half a secret, and two processes that start
    /// together both use the secret of the first.
    fn write(&self, name: &str, secret: &str) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        let mut suffix = [0; 8];
        SystemEntropy.fill(&mut suffix);
        let beside = self.file(&format!("{name}.{:016x}", u64::from_ne_bytes(suffix)));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside);
        let written = file.and_then(|mut file| {
            file.write_all(secret.as_bytes())?;
            file.sync_all()
        });
        let linked = written.and_then(|()| match fs::hard_link(&beside, self.file(name)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        });
        fs::remove_file(&beside)?;
        linked
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_secret_is_made_once_and_only_its_owner_may_read_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = SecretFolder::at(parent.path().join("new"));
        assert!(folder.find("a.secret").unwrap().is_none());
        assert_eq!(*folder.keep("a.secret", || "first".to_owned().into()).unwrap(), "first");
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(folder.0.clone()), mode(folder.file("a.secret"))), (0o700, 0o600));
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing is left beside it");

        fs::set_permissions(folder.file("a.secret"), fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(*folder.keep("a.secret", || unreachable!("the file exists")).unwrap(), "first");
        assert_eq!(mode(folder.file("a.secret")), 0o640, "its owner chose that mode");
        folder.write("a.secret", "second").unwrap();
        assert_eq!(*folder.find("a.secret").unwrap().unwrap(), "first", "the first of two processes wins");
    }

    #[test]
    fn an_error_names_the_file() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("file"), "").unwrap();
        let error = SecretFolder::at(parent.path().join("file")).keep("a.secret", || "first".to_owned().into());
        let text = error.unwrap_err().to_string();
        assert!(text.contains("file/a.secret: "), "{text}");
    }
}
