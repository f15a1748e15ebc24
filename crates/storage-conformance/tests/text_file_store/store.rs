use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::ports::{ActiveLimit, Insertion, KeyStore, Revocation, StoreError};
use domain::{ApiKey, KeyDigest, KeyId, KeyUse, Label, ListView, Timestamp, UserId};

/// Keys in a map, and the map in a text file, a line for each key. Every change replaces the file as a whole.
pub(crate) struct TextFileStore {
    path: PathBuf,
    rows: Mutex<Rows>,
}

type Rows = BTreeMap<KeyId, (ApiKey, KeyDigest)>;

/// Between the fields of a line: labels and owners hold no control characters.
const SEPARATOR: &str = "\u{1f}";

impl TextFileStore {
    /// Reads the file, if there is one.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let rows: Option<Rows> = text.lines().map(read_row).collect();
        Ok(Self { path, rows: Mutex::new(rows.ok_or(ErrorKind::InvalidData)?) })
    }

    /// Each method holds this lock and never awaits, so it is atomic, and dropping its future cannot cut it in half.
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the change durable first, and visible then.
    fn commit(&self, rows: &mut Rows, changed: Rows) -> Result<(), StoreError> {
        self.replace_file(&changed).map_err(|error| StoreError::Unavailable(error.into()))?;
        *rows = changed;
        Ok(())
    }

    fn replace_file(&self, rows: &Rows) -> io::Result<()> {
        let next = self.path.with_extension("next");
        let mut file = File::create(&next)?;
        file.write_all(rows.values().map(write_row).collect::<String>().as_bytes())?;
        file.sync_all()?;
        fs::rename(&next, &self.path)?;
        self.path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    }
}

fn keys_of<'a>(rows: &'a Rows, owner: &'a UserId) -> impl Iterator<Item = ApiKey> + 'a {
    rows.values().map(|(key, _)| key).filter(move |key| key.owner == *owner).cloned()
}

#[async_trait]
impl KeyStore for TextFileStore {
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &KeyDigest,
        limit: ActiveLimit,
        view: ListView,
    ) -> Result<Insertion, StoreError> {
        let mut rows = self.rows();
        if rows.values().any(|(other, taken)| other.id == key.id || taken == digest) {
            return Err(StoreError::Duplicate { what: "id or digest" });
        }
        if keys_of(&rows, &key.owner).filter(|key| key.is_active(limit.at)).count() >= limit.max as usize {
            return Ok(Insertion::LimitReached);
        }
        let mut changed = rows.clone();
        changed.insert(key.id, (key.clone(), *digest));
        self.commit(&mut rows, changed)?;
        Ok(Insertion::Stored(view.select(keys_of(&rows, &key.owner))))
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        Ok(view.select(keys_of(&self.rows(), owner)))
    }

    async fn revoke(&self, owner: &UserId, id: KeyId, at: Timestamp, view: ListView) -> Result<Revocation, StoreError> {
        let mut rows = self.rows();
        let mut changed = rows.clone();
        match changed.get_mut(&id) {
            None => return Ok(Revocation::NotFound),
            Some((key, _)) if key.owner != *owner => return Ok(Revocation::NotOwned),
            Some((key, _)) => key.revoked_at.get_or_insert(at),
        };
        self.commit(&mut rows, changed)?;
        Ok(Revocation::Revoked(view.select(keys_of(&rows, owner))))
    }

    async fn find_by_digest(&self, digest: &KeyDigest) -> Result<Option<ApiKey>, StoreError> {
        Ok(self.rows().values().find(|(_, stored)| stored == digest).map(|(key, _)| key.clone()))
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let mut changed = rows.clone();
        for used in uses {
            if let Some((key, _)) = changed.get_mut(&used.id) {
                key.last_used_at = key.last_used_at.max(Some(used.at));
            }
        }
        self.commit(&mut rows, changed)
    }

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut rows = self.rows();
        let mut changed = rows.clone();
        let past = rows.values().filter(|(key, _)| key.ended_at(before).is_some_and(|ended_at| ended_at < before));
        let deleted = past.take(max as usize).filter_map(|(key, _)| changed.remove(&key.id)).count();
        self.commit(&mut rows, changed)?;
        Ok(u32::try_from(deleted).unwrap_or(max))
    }
}

fn write_row((key, digest): &(ApiKey, KeyDigest)) -> String {
    let time = |at: Option<Timestamp>| at.map(|at| at.unix_millis().to_string()).unwrap_or_default();
    let times = [Some(key.created_at), key.last_used_at, key.expires_at, key.revoked_at].map(time);
    let texts = [key.owner.issuer(), key.owner.subject(), key.label.as_str(), &key.prefix];
    let (texts, times) = (texts.join(SEPARATOR), times.join(SEPARATOR));
    format!("{}{SEPARATOR}{texts}{SEPARATOR}{times}{SEPARATOR}{:?}\n", key.id, digest.as_bytes())
}

fn read_row(line: &str) -> Option<(KeyId, (ApiKey, KeyDigest))> {
    let fields: Vec<&str> = line.split(SEPARATOR).collect();
    let [id, issuer, subject, label, prefix, created, used, expires, revoked, digest] = fields[..] else { return None };
    let time = |text: &str| text.parse().ok().and_then(Timestamp::from_unix_millis);
    let key = ApiKey {
        id: id.parse().ok()?,
        owner: UserId::new(issuer, subject).ok()?,
        label: Label::parse(label).ok()?,
        prefix: prefix.to_owned(),
        created_at: time(created)?,
        last_used_at: time(used),
        expires_at: time(expires),
        revoked_at: time(revoked),
    };
    let bytes: Result<Vec<u8>, _> = digest.trim_matches(['[', ']']).split(", ").map(str::parse).collect();
    Some((key.id, (key, KeyDigest::from_bytes(bytes.ok()?.try_into().ok()?))))
}
