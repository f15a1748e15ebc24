use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::OFlags;

use crate::open_error::OpenError;

/// How often, and how many times, a process looks again at a lock file that does not name its holder yet.
const POLL: Duration = Duration::from_millis(10);
const POLLS_MAX: u32 = 20;

/// Keeps other Gatepost processes from opening the same database until the lock is released or dropped, or the process
/// ends in any way. See decision 41.
///
/// The lock is on a separate file, so that other programs can use the database. The file is never deleted: a process
/// that holds the deleted file would not see the lock on the new file.
#[derive(Debug)]
pub(crate) struct FileLock {
    file: File,
}

impl FileLock {
    /// Locks the database. The path must be canonical: another spelling leads to another lock.
    pub(crate) fn take(database: &Path) -> Result<Self, OpenError> {
        let path = lock_file_of(database);
        Self::take_file(&path, database, POLLS_MAX).map_err(|source| OpenError::Lock { path, source })?.ok_or_process()
    }

    fn take_file(path: &Path, database: &Path, polls_max: u32) -> io::Result<Attempt> {
        let mut file = open_lock(path, database)?;
        let mut polls = 0;
        loop {
            match file.try_lock() {
                Ok(()) => return Self::sign(file).map(Attempt::Locked),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) => (),
            }
            let holder = read_process(&mut file)?;
            if holder.is_some() || polls == polls_max {
                return Ok(Attempt::Refused(holder));
            }
            // The holder has taken the lock, and writes its process id next.
            polls += 1;
            thread::sleep(POLL);
        }
    }

    /// Writes the id of this process into the file, for the error message of processes that are refused.
    fn sign(mut file: File) -> io::Result<Self> {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Self { file })
    }

    /// Lets other processes open the database.
    pub(crate) fn release(&self) {
        // An error has no effect: the kernel releases the lock when the file is closed.
        let _ = self.file.unlock();
    }
}

enum Attempt {
    Locked(FileLock),
    Refused(Option<u32>),
}

impl Attempt {
    fn ok_or_process(self) -> Result<FileLock, OpenError> {
        match self {
            Self::Locked(lock) => Ok(lock),
            Self::Refused(process) => Err(OpenError::InUse { process }),
        }
    }
}

/// Gives a file that this process has just made to the owner of `like`, if it may. So a command that root runs leaves no
/// file that the service cannot open.
pub(crate) fn give_to_owner_of(like: &Path, made: &File) {
    if let (Ok(like), Ok(file)) = (like.metadata(), made.metadata())
        && like.uid() != file.uid()
    {
        // Only root may. By the open file: its name may lead to another file by now.
        let _ = fchown(made, Some(like.uid()), Some(like.gid()));
    }
}

/// Opens the lock file, or makes it. It is never a link: the service could lead a command of root to another file.
fn open_lock(path: &Path, database: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    match options.clone().create_new(true).open(path) {
        Ok(made) => {
            give_to_owner_of(database, &made);
            Ok(made)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => options.open(path),
        Err(error) => Err(error),
    }
}

fn lock_file_of(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// The process id in the file; `None` while the holder has not written it yet.
fn read_process(file: &mut File) -> io::Result<Option<u32>> {
    file.rewind()?;
    let mut line = String::new();
    file.read_to_string(&mut line)?;
    Ok(line.strip_suffix('\n').and_then(|id| id.parse().ok()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tokio::time::Instant;

    use super::*;

    #[test]
    fn a_lock_that_is_held_names_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("test.db");
        let lock = FileLock::take(&database).unwrap();
        let refused = FileLock::take(&database);
        assert!(
            matches!(refused, Err(OpenError::InUse { process: Some(id) }) if id == std::process::id()),
            "{refused:?}"
        );
        lock.release();
        FileLock::take(&database).unwrap();
    }

    #[test]
    fn a_dead_process_is_not_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("test.db");
        fs::write(lock_file_of(&database), "4294967295\nleft by a process that was killed").unwrap();
        let _lock = FileLock::take(&database).unwrap();
        assert_eq!(fs::read_to_string(lock_file_of(&database)).unwrap(), format!("{}\n", std::process::id()));
    }

    #[test]
    fn a_holder_that_has_not_signed_yet_is_waited_for_a_moment() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("test.db");
        let holder = File::create(lock_file_of(&database)).unwrap();
        holder.lock().unwrap();
        let begun = Instant::now();
        let refused = FileLock::take(&database);
        assert!(matches!(refused, Err(OpenError::InUse { process: None })), "{refused:?}");
        assert!(begun.elapsed() >= POLL * POLLS_MAX, "{:?}", begun.elapsed());
        let release = thread::spawn(move || {
            thread::sleep(POLL * 2);
            drop(holder);
        });
        let polls_of_a_minute = 6_000;
        let taken = FileLock::take_file(&lock_file_of(&database), &database, polls_of_a_minute).unwrap();
        assert!(matches!(taken, Attempt::Locked(_)));
        release.join().unwrap();
    }
}
