//! Keys of organizations that are suspended with the member who made them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::memory::MemoryOwnerStore;
use domain::ports::{
    ChangeOwnerRequest, ChangedOwner, ListOwnersRequest, OwnerStore, SetOwnerStateRequest, StoreError,
};
use domain::{CredentialDigest, Home, OwnerId, OwnerPage, OwnerRecord};
use tokio::time::sleep;
use verifier::{FEED_POLL_INTERVAL, TRUST_MAX, VerifierSettings};

use crate::session_link::fail_if;
use crate::suspended::{activated, suspended};
use crate::world::{Feed, World};

/// A world whose keys of organizations are suspended with their members.
fn world() -> World {
    let mut world = World::new();
    world.members = Some(world.owners.clone());
    world
}

fn fellow(world: &World) -> OwnerId {
    world.owner.fellow("bob").unwrap()
}

#[tokio::test(start_paused = true)]
async fn keys_are_refused_with_their_member_here_at_once_and_elsewhere_within_one_poll() {
    let world = world();
    let ((elsewhere, _stop), here) = (world.running().await, world.shared(VerifierSettings::default()));
    let states = here.verifier.owner_states(world.owners.clone());
    let keys = [here.create_as(&world.owner, "acme").await, here.create_as(&world.owner, "globex").await];
    let others = [here.create_as(&fellow(&world), "acme").await, here.create_many(1).await.remove(0)];
    for key in keys.iter().chain(&others) {
        assert!(here.is_good(key).await && elsewhere.is_good(key).await);
    }
    states.set_state(&suspended(&world)).await.unwrap();
    for key in &keys {
        assert!(!here.is_good(key).await, "refused once the call returns");
        let digest = CredentialDigest::of_presented(key.expose()).unwrap();
        assert!(!here.keys.is_good(&digest).await.unwrap(), "at the end of a call that began before, too");
    }
    sleep(FEED_POLL_INTERVAL + Duration::from_millis(1)).await;
    for key in &keys {
        assert!(!elsewhere.is_good(key).await);
    }
    for key in &others {
        assert!(here.is_good(key).await && elsewhere.is_good(key).await, "keys of other members");
    }
    states.set_state(&activated(&world)).await.unwrap();
    sleep(FEED_POLL_INTERVAL + Duration::from_millis(1)).await;
    for key in &keys {
        assert!(here.is_good(key).await && elsewhere.is_good(key).await, "good with the member again");
    }
}

#[tokio::test(start_paused = true)]
async fn without_the_setting_keys_of_organizations_stay_good() {
    let (world, instance) = World::with_single();
    let states = instance.verifier.owner_states(world.owners.clone());
    let key = instance.create_as(&world.owner, "acme").await;
    states.set_state(&suspended(&world)).await.unwrap();
    assert!(instance.is_good(&key).await);
}

#[tokio::test(start_paused = true)]
async fn a_round_finds_a_suspension_that_the_feed_has_missed() {
    let world = world();
    let max_age = Duration::from_mins(1);
    let instance = world.single(VerifierSettings { max_age, ..VerifierSettings::default() });
    let _stop = instance.run();
    let key = instance.create_as(&world.owner, "acme").await;
    assert!(instance.is_good(&key).await);
    world.owners.set_state(&suspended(&world)).await.unwrap();
    assert!(instance.is_good(&key).await, "nothing has reached this process");
    sleep(max_age).await;
    assert!(!instance.is_good(&key).await);
}

/// Records that cannot be read for a while.
struct Records {
    store: Arc<MemoryOwnerStore>,
    are_down: AtomicBool,
}

#[async_trait]
impl OwnerStore for Records {
    async fn find(&self, owner: &OwnerId) -> Result<OwnerRecord, StoreError> {
        fail_if(&self.are_down)?;
        self.store.find(owner).await
    }

    async fn change(&self, request: &ChangeOwnerRequest) -> Result<ChangedOwner, StoreError> {
        self.store.change(request).await
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError> {
        self.store.set_state(request).await
    }

    async fn list(&self, request: &ListOwnersRequest) -> Result<OwnerPage, StoreError> {
        self.store.list(request).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_whose_member_cannot_be_read_is_neither_good_nor_refused() {
    let mut world = World::new();
    let records = Arc::new(Records { store: world.owners.clone(), are_down: AtomicBool::new(true) });
    world.members = Some(records.clone());
    let instance = world.single(VerifierSettings::default());
    let (key, other) = (instance.create_as(&world.owner, "acme").await, instance.create_many(1).await.remove(0));
    assert!(instance.verifier.verify(key.expose()).await.is_err());
    assert!(instance.is_good(&other).await, "a key of a user needs no member");
    records.are_down.store(false, Ordering::SeqCst);
    assert!(instance.is_good(&key).await);
}

#[tokio::test(start_paused = true)]
async fn a_key_is_trusted_as_far_as_the_shard_of_its_member() {
    let world = world();
    let here = world.of_two_shards();
    let _stop = here.run();
    sleep(FEED_POLL_INTERVAL).await;
    let organization = |n: usize| OwnerId::organization("https://id.example", &format!("org-{n}")).unwrap();
    let in_second = |owner: &OwnerId| Home::of(owner).shard(2) == 1;
    let safe = (0..50).find(|n| in_second(&organization(*n))).unwrap();
    let members = (0..50).map(|n| OwnerId::new("https://id.example", format!("user-{n}")).unwrap());
    let (mut of_first, mut of_second) = (None, None);
    for member in members {
        let slot = if in_second(&member) { &mut of_second } else { &mut of_first };
        *slot = Some(member);
    }
    let mut keys = Vec::new();
    for member in [of_first.unwrap(), of_second.unwrap()] {
        keys.push(here.create_as(&member, &format!("org-{safe}")).await);
    }
    for key in &keys {
        assert!(here.is_good(key).await);
    }
    here.link.set_feed(Feed::Fails);
    sleep(TRUST_MAX + Duration::from_secs(1)).await;
    let before = here.link.finds();
    for key in &keys {
        assert!(here.is_good(key).await);
    }
    assert_eq!(here.link.finds() - before, 1, "the key of the member in the shard that cannot be read");
}
