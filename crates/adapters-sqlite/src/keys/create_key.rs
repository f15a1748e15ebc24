use diesel::prelude::*;
use diesel_mapping::keys::{NewKeyRow, count_active};
use diesel_mapping::schema::api_keys;
use domain::ports::{InsertKeyRequest, Insertion};

use super::list_keys::list_keys;
use crate::audit::write_events;
use crate::owners::limits_of;
use crate::undo::Undo;

/// See [`KeyStore::insert_within`](domain::ports::KeyStore::insert_within). No other write comes between the count and the
/// insertion: SQLite has one writer at a time.
pub(super) fn create_key(connection: &mut SqliteConnection, request: &InsertKeyRequest) -> Result<Insertion, Undo> {
    let InsertKeyRequest { key, digest, view, cause, .. } = request;
    let limit = request.limit.of(limits_of(connection, &key.owner)?);
    let active: i64 = count_active(&key.owner, limit.at).get_result(connection)?;
    if active >= limit.max.into() {
        return Ok(Insertion::LimitReached { max: limit.max });
    }
    let row = NewKeyRow::new(key, digest);
    diesel::insert_into(api_keys::table).values(row).execute(connection)?;
    let active_before = u64::try_from(active).unwrap_or(0);
    write_events(connection, [&cause.key_created(key)])?;
    write_events(connection, &cause.key_limit_reached(key, active_before, limit))?;
    Ok(Insertion::Stored(list_keys(connection, &key.owner, *view)?))
}
