use std::cmp::Reverse;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{
    ChangeOwnerRequest, ChangedOwner, EraseRequest, Erasure, ListOwnersRequest, OwnerStore, SetOwnerStateRequest,
    StoreError,
};
use domain::{ListedOwner, OwnerId, OwnerPage, OwnerRecord};

use crate::ShardedStore;
use crate::fan_out::all;
use crate::pages::merged;

#[async_trait]
impl OwnerStore for ShardedStore {
    /// Fails at once while the shard does not answer look-ups: a look-up of keys that members made reads their records.
    async fn find(&self, owner: &OwnerId) -> Result<OwnerRecord, StoreError> {
        let shard = self.of(owner);
        shard.while_it_answers(shard.store.owners.find(owner)).await
    }

    async fn change(&self, request: &ChangeOwnerRequest) -> Result<ChangedOwner, StoreError> {
        self.of(&request.owner).store.owners.change(request).await
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError> {
        self.of(&request.owner).store.owners.set_state(request).await
    }

    async fn list(&self, request: &ListOwnersRequest) -> Result<OwnerPage, StoreError> {
        let pages = all(&self.shards, |shard| shard.store.owners.list(request)).await?;
        let pages = pages.into_iter().map(|page| (page.owners, page.next.map(Reverse)));
        let (owners, next) = merged(pages, |listed: &ListedOwner| Reverse(listed.found.place.clone()), request.max);
        Ok(OwnerPage { owners, next: next.map(|Reverse(place)| place) })
    }
}

#[async_trait]
impl Erasure for ShardedStore {
    /// Those of each shard that answers: neither a shard that is down nor an owner who waits long on one shard keeps the
    /// owners of another one waiting.
    async fn erasing(&self, max: u32) -> Result<Vec<OwnerId>, StoreError> {
        let erasing = all(self.in_turn(), |shard| shard.store.erasure.erasing(max)).await?;
        Ok(erasing.into_iter().flatten().collect())
    }

    async fn erase(&self, request: &EraseRequest) -> Result<u32, StoreError> {
        self.of(&request.owner).store.erasure.erase(request).await
    }

    async fn finish_erasure(&self, owner: &OwnerId, cause: &Cause) -> Result<bool, StoreError> {
        self.of(owner).store.erasure.finish_erasure(owner, cause).await
    }
}
