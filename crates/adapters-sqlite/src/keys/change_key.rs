use diesel::prelude::*;
use diesel_mapping::Kept;
use diesel_mapping::keys::{NewKeyRow, change_key as write_key, count_being_replaced, replace_key};
use diesel_mapping::schema::api_keys;
use domain::ports::{ChangeKeyRequest, ChangedKey, RotateKeyRequest, Rotation};

use super::list_keys::{find_key, list_keys};
use crate::audit::write_events;
use crate::owners::limits_of;
use crate::undo::Undo;

/// See [`KeyStore::change`](domain::ports::KeyStore::change).
pub(super) fn change_key(connection: &mut SqliteConnection, request: &ChangeKeyRequest) -> Result<ChangedKey, Undo> {
    let ChangeKeyRequest { owner, id, change, at, cause } = request;
    let Some((before, digest)) = find_key(connection, *id)? else { return Ok(ChangedKey::NotFound) };
    if before.owner != *owner {
        return Ok(ChangedKey::NotOwned);
    }
    let key = match change.decide(&before, *at) {
        Ok(key) if key == before => return Ok(ChangedKey::Unchanged(Box::new(key))),
        Ok(key) => key,
        Err(refusal) => return Ok(ChangedKey::Refused(refusal)),
    };
    Kept(write_key(&key)).execute(connection)?;
    write_events(connection, cause.key_changed(&before, &key).as_ref())?;
    Ok(ChangedKey::Changed { digest, key: Box::new(key) })
}

/// See [`KeyStore::rotate`](domain::ports::KeyStore::rotate).
pub(super) fn rotate_key(connection: &mut SqliteConnection, request: &RotateKeyRequest) -> Result<Rotation, Undo> {
    let RotateKeyRequest { owner, id, rotation, digest, view, cause } = request;
    let Some((key, replaced)) = find_key(connection, *id)? else { return Ok(Rotation::NotFound) };
    if key.owner != *owner {
        return Ok(Rotation::NotOwned);
    }
    let overlapping: i64 = count_being_replaced(owner, rotation.at).get_result(connection)?;
    let rotation = rotation.of(limits_of(connection, owner)?);
    let rotated = match rotation.decide(&key, u32::try_from(overlapping).unwrap_or(u32::MAX)) {
        Ok(rotated) => rotated,
        Err(refusal) => return Ok(Rotation::Refused(refusal)),
    };
    Kept(replace_key(&rotated.replaced)).execute(connection)?;
    let row = NewKeyRow::new(&rotated.successor, digest);
    diesel::insert_into(api_keys::table).values(row).execute(connection)?;
    write_events(connection, [&cause.key_rotated(&key, &rotated)])?;
    Ok(Rotation::Rotated { replaced, keys: list_keys(connection, owner, *view)? })
}
