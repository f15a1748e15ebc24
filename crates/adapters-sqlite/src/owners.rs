mod list_owners;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_mapping::owners::{
    LimitsRow, OwnerRow, ReplacedOwnerRow, delete_owner, limits_in, limits_of as limits_row_of, record_in, record_of,
};
use diesel_mapping::schema::owners;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::audit::Cause;
use domain::ports::{
    ChangeOwnerRequest, ChangedOwner, ListOwnersRequest, OwnerStore, SetOwnerStateRequest, StoreError,
};
use domain::{OwnerId, OwnerLimits, OwnerPage, OwnerRecord, Timestamp};

use crate::SqliteStore;
use crate::audit::write_events;
use crate::undo::Undo;
use list_owners::list_owners;

/// The time of the rest, from `$2` to `$1`, does not count as failing. See
/// [`Breaker::rested`](domain::webhooks::Breaker::rested).
const REST: &str = "UPDATE webhook_lanes SET failing_since = failing_since + max($1 - max($2, failing_since), 0)
    WHERE failing_since IS NOT NULL AND subscription_id IN (
        SELECT id FROM webhook_subscriptions WHERE owner_issuer = $3 AND owner_subject = $4
    )";

#[async_trait]
impl OwnerStore for SqliteStore {
    async fn find(&self, owner: &OwnerId) -> Result<OwnerRecord, StoreError> {
        let owner = owner.clone();
        self.readers.read(move |connection| find_owner(connection, &owner)).await
    }

    async fn change(&self, request: &ChangeOwnerRequest) -> Result<ChangedOwner, StoreError> {
        self.write(request, change_owner).await
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError> {
        self.write_and_wake(request, set_owner_state).await
    }

    async fn list(&self, request: &ListOwnersRequest) -> Result<OwnerPage, StoreError> {
        let request = request.clone();
        self.readers.read_at_once(move |connection| list_owners(connection, &request)).await
    }
}

/// See [`OwnerStore::find`](OwnerStore::find).
pub(crate) fn find_owner(connection: &mut SqliteConnection, owner: &OwnerId) -> Result<OwnerRecord, Undo> {
    let row: Option<OwnerRow> = record_of(owner).first(connection).optional()?;
    Ok(record_in(owner, row)?)
}

/// The limits of the owner.
pub(crate) fn limits_of(connection: &mut SqliteConnection, owner: &OwnerId) -> Result<OwnerLimits, Undo> {
    let row: Option<LimitsRow> = limits_row_of(owner).first(connection).optional()?;
    Ok(limits_in(owner, row)?)
}

/// See [`OwnerStore::change`](OwnerStore::change).
fn change_owner(connection: &mut SqliteConnection, request: &ChangeOwnerRequest) -> Result<ChangedOwner, Undo> {
    let ChangeOwnerRequest { owner, change, cause } = request;
    let before = find_owner(connection, owner)?;
    let after = match change.apply_to(&before) {
        Ok(after) => after,
        Err(invalid) => return Ok(ChangedOwner::Refused(invalid)),
    };
    write(connection, owner, (&before, &after), cause)?;
    Ok(ChangedOwner::Changed(Box::new(after)))
}

/// See [`OwnerStore::set_state`](OwnerStore::set_state).
fn set_owner_state(connection: &mut SqliteConnection, request: &SetOwnerStateRequest) -> Result<OwnerRecord, Undo> {
    let SetOwnerStateRequest { owner, state, at, cause } = request;
    let before = find_owner(connection, owner)?;
    let after = state.apply_to(&before, *at);
    write(connection, owner, (&before, &after), cause)?;
    if let (Some(suspension), None) = (&before.suspension, &after.suspension) {
        rest_lanes(connection, owner, suspension.since, *at)?;
    }
    Ok(after)
}

/// Writes the record and its event, if it is new.
fn write(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    (before, after): (&OwnerRecord, &OwnerRecord),
    cause: &Cause,
) -> Result<(), Undo> {
    if before == after {
        return Ok(());
    }
    match ReplacedOwnerRow::new(owner, after) {
        Some(row) => diesel::replace_into(owners::table).values(row).execute(connection)?,
        None => delete_owner(owner).execute(connection)?,
    };
    Ok(write_events(connection, cause.owner_changed(owner, before, after).as_slice())?)
}

fn rest_lanes(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    since: Timestamp,
    until: Timestamp,
) -> Result<(), Undo> {
    let rest = statement(REST)
        .bind::<Instant, StoredInstant>(until.into())
        .bind::<Instant, StoredInstant>(since.into())
        .bind::<Text, _>(owner.issuer())
        .bind::<Text, _>(owner.subject());
    Kept(rest).execute(connection)?;
    Ok(())
}
