use async_trait::async_trait;
use diesel::OptionalExtension;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::{OwnerRow, record_in, record_of};
use domain::ports::{
    ChangeOwnerRequest, ChangedOwner, ListOwnersRequest, OwnerStore, SetOwnerStateRequest, StoreError,
};
use domain::{OwnerId, OwnerPage, OwnerRecord};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};

#[async_trait]
impl OwnerStore for PostgresStore {
    async fn find(&self, owner: &OwnerId) -> Result<OwnerRecord, StoreError> {
        self.run_look_up(&FindOwner(owner)).await
    }

    async fn change(&self, request: &ChangeOwnerRequest) -> Result<ChangedOwner, StoreError> {
        let changed = self.run_in_turn(&request.owner, request).await?;
        self.notify_if(request.change.has_rates());
        Ok(changed)
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError> {
        let record = self.run_in_turn(&request.owner, request).await?;
        self.notify_if(true);
        Ok(record)
    }

    async fn list(&self, request: &ListOwnersRequest) -> Result<OwnerPage, StoreError> {
        self.run(request).await
    }
}

/// Finds the record of an owner. Calls with ID tokens wait for it, so it has the connections of look-ups.
struct FindOwner<'a>(&'a OwnerId);

impl Work for FindOwner<'_> {
    type Answer = OwnerRecord;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<OwnerRecord, Failure> {
        let row: Option<OwnerRow> = record_of(self.0).first(&mut &*connection).await.optional()?;
        Ok(record_in(self.0, row)?)
    }
}
