use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use domain::Timestamp;

use super::{remove, with_ending};

/// Writes a file next to the database which says that a copy that began `at` is complete, so that the serving instance
/// sees it. A file and not a row, because a copy needs no right to write the database.
///
/// # Errors
///
/// When the file cannot be written.
pub fn note_backup(database: &Path, at: Timestamp) -> io::Result<()> {
    let mark = mark_of(database)?;
    let partial = with_ending(&mark, ".partial");
    // The rest of a killed call, or a link: a job of root must not follow it.
    remove(&partial)?;
    let mut file = File::create_new(&partial)?;
    writeln!(file, "{at}")?;
    // The instance may run as another user than the job that copies.
    file.set_permissions(Permissions::from_mode(0o644))?;
    fs::rename(&partial, mark)
}

/// When the copy that was noted last began; `None` without one.
pub fn last_backup(database: &Path) -> Option<Timestamp> {
    Timestamp::parse_rfc3339(fs::read_to_string(mark_of(database).ok()?).ok()?.trim_end())
}

fn mark_of(database: &Path) -> io::Result<PathBuf> {
    Ok(with_ending(&database.canonicalize()?, ".last-backup"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_note_is_read_also_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (database, link) = (folder.path().join("a.db"), folder.path().join("link.db"));
        assert!(note_backup(&database, Timestamp::MIN).is_err(), "the database does not exist yet");
        fs::write(&database, "").unwrap();
        std::os::unix::fs::symlink(&database, &link).unwrap();
        assert_eq!(last_backup(&database), None);
        for millis in [1_795_225_323_120, 1_795_225_323_121] {
            let at = Timestamp::from_unix_millis(millis).unwrap();
            note_backup(&database, at).unwrap();
            assert_eq!((last_backup(&database), last_backup(&link)), (Some(at), Some(at)));
        }
        fs::write(folder.path().join("a.db.last-backup"), "yesterday").unwrap();
        assert_eq!(last_backup(&database), None);
    }
}
