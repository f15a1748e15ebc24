use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use domain::{ApiKey, KeyDigest, KeyId, Label, Scopes, Timestamp, UserId};

/// A key, and what it is stored under.
pub(crate) type Row = (ApiKey, KeyDigest);
/// What a file holds.
pub(crate) type Rows = BTreeMap<KeyId, Row>;

/// Between the fields of a line: labels and owners hold no control characters.
const SEPARATOR: &str = "\u{1f}";

/// The rows of the file; none when there is no file yet.
pub(crate) fn read(path: &Path) -> io::Result<Rows> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let rows: Option<Rows> = text.lines().map(read_row).collect();
    rows.ok_or(ErrorKind::InvalidData.into())
}

/// Replaces the file as a whole. After `Ok` a crash of the machine loses nothing of it.
pub(crate) fn replace(path: &Path, rows: &Rows) -> io::Result<()> {
    let next = path.with_extension("next");
    let mut file = File::create(&next)?;
    file.write_all(rows.values().map(write_row).collect::<String>().as_bytes())?;
    file.sync_all()?;
    fs::rename(&next, path)?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// The row as a line, its end included.
fn write_row((key, digest): &Row) -> String {
    let time = |at: Option<Timestamp>| at.map(|at| at.unix_millis().to_string()).unwrap_or_default();
    let [created, used, expires, revoked] =
        [Some(key.created_at), key.last_used_at, key.expires_at, key.revoked_at].map(time);
    let replaced_by = key.replaced_by.map(|id| id.to_string()).unwrap_or_default();
    let (issuer, subject, label) = (key.owner.issuer(), key.owner.subject(), key.label.as_str());
    [
        &key.id.to_string(),
        issuer,
        subject,
        label,
        &key.prefix,
        &created,
        &used,
        &expires,
        &revoked,
        key.scopes.as_str(),
        &replaced_by,
        &format!("{:?}\n", digest.as_bytes()),
    ]
    .join(SEPARATOR)
}

/// The row of a line, by its id; `None` when it is none.
fn read_row(line: &str) -> Option<(KeyId, Row)> {
    let fields: Vec<&str> = line.split(SEPARATOR).collect();
    let [id, issuer, subject, label, prefix, created, used, expires, revoked, scopes, replaced_by, digest] = fields[..]
    else {
        return None;
    };
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
        scopes: Scopes::parse(scopes).ok()?,
        replaced_by: replaced_by.parse().ok(),
    };
    let bytes: Result<Vec<u8>, _> = digest.trim_matches(['[', ']']).split(", ").map(str::parse).collect();
    Some((key.id, (key, KeyDigest::from_bytes(bytes.ok()?.try_into().ok()?))))
}
