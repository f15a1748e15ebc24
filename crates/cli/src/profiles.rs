use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::remote::Remote;

/// Larger than any profile, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// A longer name of a profile is a mistake.
const NAME_CHARACTERS_MAX: usize = 64;

/// The folder with one file for each profile, which `gatepost login` writes. A file has lines of `VARIABLE=value`, with
/// the variables of [`Remote`]. See decision 81.
#[derive(Clone, Debug)]
pub struct Profiles(PathBuf);

/// The name of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileName(String);

/// A profile cannot be used. No variant has a secret.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The name is not that of a profile.
    #[error("a profile must have a name of 1 to {NAME_CHARACTERS_MAX} letters, digits, - and _")]
    InvalidName,
    /// No profile has this name.
    #[error("no profile is called {name}; make one with `gatepost login URL --profile {name}`")]
    Missing {
        /// The profile.
        name: String,
    },
    /// Others can read the secrets in the file.
    #[error("other users of this machine can read {0}, which has a credential: chmod 600 {0}", .path.display())]
    Readable {
        /// The file.
        path: PathBuf,
    },
    /// A line of the file is wrong.
    #[error("line {line} of {} is not valid; repeat `gatepost login`", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
    /// The file cannot be read or written.
    #[error("cannot use {}", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl ProfileName {
    /// The profile that is used if no other is named.
    pub const DEFAULT: &str = "default";
    /// The name for this machine's configuration. `gatepost login` does not write it.
    pub const LOCAL: &str = "local";

    /// Parses a name.
    ///
    /// # Errors
    ///
    /// [`ProfileError::InvalidName`].
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let fits = (1..=NAME_CHARACTERS_MAX).contains(&text.len());
        let is_name = fits && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if is_name { Ok(Self(text.to_owned())) } else { Err(ProfileError::InvalidName) }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is this machine's configuration.
    pub fn is_local(&self) -> bool {
        self.0 == Self::LOCAL
    }
}

impl Default for ProfileName {
    fn default() -> Self {
        Self(Self::DEFAULT.to_owned())
    }
}

impl Profiles {
    /// The profiles of a user, in `gatepost/profiles` in this folder, which is `$XDG_CONFIG_HOME` or `~/.config`.
    pub fn of_user(config_home: &Path) -> Self {
        Self(config_home.join("gatepost/profiles"))
    }

    /// The file of a profile.
    pub(crate) fn file(&self, name: &ProfileName) -> PathBuf {
        self.0.join(name.as_str())
    }

    /// The names of all profiles, sorted; none if the folder cannot be read.
    pub(crate) fn names(&self) -> Vec<ProfileName> {
        let files = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut names: Vec<_> = files.filter_map(|file| ProfileName::parse(file.file_name().to_str()?).ok()).collect();
        names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        names
    }

    /// The profile with this name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// When others can read its file, or the file cannot be read or is not valid.
    pub fn find(&self, name: &ProfileName) -> Result<Option<Remote>, ProfileError> {
        let path = self.file(name);
        let failed = |source| ProfileError::Failed { path: path.clone(), source };
        let file = match File::open(&path) {
            Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => return Ok(None),
            opened => opened.map_err(failed)?,
        };
        // The open file, not the path: a file that is replaced between the two is not trusted.
        if file.metadata().map_err(failed)?.permissions().mode() & 0o077 != 0 {
            return Err(ProfileError::Readable { path });
        }
        let mut text = Zeroizing::new(String::new());
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
        read(&text).map(Some).map_err(|line| ProfileError::Invalid { path, line })
    }

    /// Writes a profile. No process reads half of it, and only its owner may read it.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub(crate) fn write(&self, name: &ProfileName, profile: &Remote) -> Result<(), ProfileError> {
        let path = self.file(name);
        // One user does not log in twice at the same time; if so, the second write wins as a whole.
        let beside = self.0.join(format!(".{}.new", name.as_str()));
        let written = DirBuilder::new().recursive(true).mode(0o700).create(&self.0).and_then(|()| {
            // A file that an earlier write left behind may have any mode.
            let _ = fs::remove_file(&beside);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
            file.write_all(&lines(profile))?;
            file.sync_all()?;
            fs::rename(&beside, &path)
        });
        written.map_err(|source| ProfileError::Failed { path, source })
    }

    /// Deletes a profile. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// When the file cannot be deleted.
    pub(crate) fn delete(&self, name: &ProfileName) -> Result<bool, ProfileError> {
        let path = self.file(name);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(source) => Err(ProfileError::Failed { path, source }),
        }
    }
}

/// The error is the number of the line that is wrong.
fn read(text: &str) -> Result<Remote, usize> {
    let mut profile = Remote::default();
    for (index, line) in text.lines().enumerate() {
        let wrong = |_| index + 1;
        let (variable, value) = line.split_once('=').ok_or(index + 1)?;
        let known = Remote::VARIABLES.into_iter().find(|known| *known == variable).ok_or(index + 1)?;
        profile.set(known, value).map_err(wrong)?;
    }
    Ok(profile)
}

fn lines(profile: &Remote) -> Zeroizing<Vec<u8>> {
    let mut lines = Zeroizing::new(Vec::new());
    for (variable, value) in profile.place_and_credentials() {
        lines.extend_from_slice(format!("{variable}=").as_bytes());
        lines.extend_from_slice(value.as_bytes());
        lines.push(b'\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;

    use super::*;

    fn profile(url: &str) -> Remote {
        let mut profile = Remote::default();
        for (variable, value) in [(Remote::URL, url), (Remote::API_KEY, "svc_live_1"), (Remote::ID_TOKEN, "a.b.c")] {
            profile.set(variable, value).unwrap();
        }
        profile
    }

    fn url(profile: &Remote) -> &str {
        profile.url.as_ref().unwrap().as_str()
    }

    #[test]
    fn a_profile_is_written_replaced_and_deleted_and_only_its_owner_may_read_it() {
        let home = tempfile::tempdir().unwrap();
        let profiles = Profiles::of_user(&home.path().join("new"));
        let name = ProfileName::default();
        assert!(profiles.find(&name).unwrap().is_none());
        for place in ["https://keys.example", "https://other.example"] {
            profiles.write(&name, &profile(place)).unwrap();
            let found = profiles.find(&name).unwrap().unwrap();
            assert_eq!((url(&found), found.api_key.as_ref().unwrap().expose()), (place, "svc_live_1"));
            assert!(found.operator_token.is_none());
        }
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(profiles.file(&name)), mode(profiles.0.clone())), (0o600, 0o700));
        assert_eq!(fs::read_dir(&profiles.0).unwrap().count(), 1, "nothing is left beside it");
        assert!(profiles.delete(&name).unwrap());
        assert!(!profiles.delete(&name).unwrap() && profiles.find(&name).unwrap().is_none());
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let (profiles, name) = (Profiles::of_user(home.path()), ProfileName::parse("work").unwrap());
        profiles.write(&name, &profile("https://keys.example")).unwrap();
        for mode in [0o640, 0o604, 0o620] {
            fs::set_permissions(profiles.file(&name), Permissions::from_mode(mode)).unwrap();
            let error = profiles.find(&name).unwrap_err().to_string();
            assert!(error.contains("chmod 600") && error.contains("work"), "{mode:o}: {error}");
        }
        profiles.write(&name, &profile("https://keys.example")).unwrap();
        assert!(profiles.find(&name).is_ok(), "a new login cures it");
    }

    #[test]
    fn a_wrong_line_is_named_and_not_shown() {
        let home = tempfile::tempdir().unwrap();
        let (profiles, name) = (Profiles::of_user(home.path()), ProfileName::default());
        profiles.write(&name, &profile("https://keys.example")).unwrap();
        for text in ["swordfish", "SWORDFISH=1", "GATEPOST_API_KEY=sword fish"] {
            fs::write(profiles.file(&name), format!("GATEPOST_URL=https://keys.example\n{text}\n")).unwrap();
            let error = profiles.find(&name).unwrap_err().to_string();
            assert!(error.contains("line 2") && !error.to_lowercase().contains("fish"), "{error}");
        }
    }

    #[test]
    fn a_name_cannot_leave_the_folder() {
        for wrong in ["", "..", "a/b", ".hidden", "ä", &"n".repeat(65)] {
            assert!(ProfileName::parse(wrong).is_err(), "{wrong}");
        }
        assert!(ProfileName::parse("Work-2_b").is_ok());
    }
}
