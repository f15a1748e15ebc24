//! A million keys, written directly into a database: creating them over HTTP would take minutes.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use diesel::connection::SimpleConnection;
use diesel::{Connection, RunQueryDsl, SqliteConnection};
use diesel_mapping::keys::NewKeyRow;
use diesel_mapping::schema::api_keys;
use domain::{ApiKey, CredentialDigest, KeyId, Label, OwnerId, Scopes, Timestamp};
use throwaway_postgres::{Cluster, Database};

/// The digits of the number of a key.
pub(crate) const DIGITS: usize = 38;
/// A key with `{key}` for the digits of its number. With the digits it is as long as a real key. It has another prefix
/// than new keys, because it has no valid check.
pub(crate) const KEY: &str = "svc_test_{key}";
/// Keys of each owner: the default maximum.
const KEYS_OF_OWNER: u64 = 10;
/// When the first key was created: 2026-01-01 in Unix milliseconds. Each further key is a millisecond younger.
const FIRST_CREATED_UNIX_MILLIS: i64 = 1_767_225_600_000;

/// Writes the number of a key with all its digits.
pub(crate) fn write_number(digits: &mut [u8], mut number: u64) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
}

/// Stores keys 0 to `count` in a file with the schema, which no other process has open.
pub(crate) fn store_in_sqlite(file: &Path, count: u64) -> anyhow::Result<()> {
    let mut connection = SqliteConnection::establish(file.to_str().context("the path is not UTF-8")?)?;
    // The keys need not survive a crash of the machine.
    connection.batch_execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000")?;
    connection.transaction(|connection| {
        for number in 0..count {
            let (key, digest) = stored_key(number, count)?;
            diesel::insert_into(api_keys::table).values(NewKeyRow::new(&key, &digest)).execute(connection)?;
        }
        anyhow::Ok(())
    })?;
    connection.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

/// The same in a Postgres database, by COPY.
pub(crate) fn store_in_postgres(cluster: &Cluster, database: &Database, count: u64) -> anyhow::Result<()> {
    let columns = "id, digest, owner_issuer, owner_subject, label, prefix, created_at, last_used_at, scopes";
    let mut psql = Command::new(cluster.binaries().path("psql"));
    psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres"]);
    psql.args(["-p", &cluster.port().to_string(), "-d", &database.name]);
    let copy = format!("COPY api_keys ({columns}) FROM STDIN");
    psql.args(["-c", &copy, "-c", "VACUUM ANALYZE api_keys", "-c", "CHECKPOINT"]);
    let mut psql = psql.stdin(Stdio::piped()).spawn().context("cannot run psql")?;
    let mut lines = BufWriter::new(psql.stdin.take().context("psql has no input")?);
    for number in 0..count {
        let (key, digest) = stored_key(number, count)?;
        let (id, digest) = (hexadecimal(key.id.as_bytes()), hexadecimal(digest.as_bytes()));
        let ApiKey { owner, label, prefix, created_at, scopes, .. } = &key;
        let (issuer, subject) = (owner.issuer(), owner.subject());
        // The text format of COPY reads two backslashes as one.
        writeln!(
            lines,
            "\\\\x{id}\t\\\\x{digest}\t{issuer}\t{subject}\t{label}\t{prefix}\t{created_at}\t{created_at}\t{scopes}"
        )?;
    }
    lines.flush()?;
    drop(lines);
    ensure!(psql.wait()?.success(), "psql could not store the keys");
    Ok(())
}

/// The key with this number among `count` keys. Owners take turns, so that the keys of an owner are apart in the order
/// of creation, as in production. Every key was used once, so that the cost of a first use is not measured.
fn stored_key(number: u64, count: u64) -> anyhow::Result<(ApiKey, CredentialDigest)> {
    let created_unix_millis = FIRST_CREATED_UNIX_MILLIS + i64::try_from(number)?;
    let created_at = Timestamp::from_unix_millis(created_unix_millis).context("no time")?;
    // A UUIDv7: its time, its version, its variant, and the number instead of the random bits.
    let id = (u128::from(created_unix_millis.unsigned_abs()) << 80) | (7 << 76) | (2 << 62) | u128::from(number);
    let owner = number % (count / KEYS_OF_OWNER).max(1);
    let key = ApiKey {
        id: KeyId::from_bytes(id.to_be_bytes()),
        owner: OwnerId::new("https://id.example.com", format!("user-{owner:08}"))?,
        label: Label::parse("CI deploy")?,
        prefix: "svc_test_000...".into(),
        created_at,
        last_used_at: Some(created_at),
        expires_at: None,
        revoked_at: None,
        scopes: Scopes::parse("orders:read orders:write")?,
        replaced_by: None,
        settings: domain::KeySettings::default(),
        created_by: None,
    };
    let text = KEY.replace("{key}", &format!("{number:0DIGITS$}"));
    Ok((key, CredentialDigest::of_presented(&text).context("the key is not plausible")?))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
