use std::time::Duration;

use domain::memory::unique_cause;
use domain::ports::{Clock, OwnerStore, SetOwnerStateRequest};
use domain::{OwnerId, OwnerStateChange};
use tokio::time::sleep;
use verifier::{FEED_POLL_INTERVAL, OWNER_STATE_TTL, VerifierSettings};

use crate::world::World;

/// A change of the state of the world's owner.
fn request(world: &World, state: OwnerStateChange) -> SetOwnerStateRequest {
    SetOwnerStateRequest { owner: world.owner.clone(), state, at: world.clock.now(), cause: unique_cause() }
}

fn suspended(world: &World) -> SetOwnerStateRequest {
    request(world, OwnerStateChange::Suspend { reason: None })
}

fn activated(world: &World) -> SetOwnerStateRequest {
    request(world, OwnerStateChange::Activate)
}

#[tokio::test(start_paused = true)]
async fn keys_of_a_suspended_owner_are_refused_at_once_and_good_again() {
    let world = World::new();
    let instance = world.single(VerifierSettings::default());
    let owners = instance.verifier.owner_states(world.owners.clone());
    let (key, other) = (instance.create().await, instance.create_many(1).await.remove(0));
    assert!(instance.is_good(&key.full_key).await && instance.is_good(&other).await);
    assert!(!owners.is_suspended(&world.owner).await.unwrap());

    owners.set_state(&suspended(&world)).await.unwrap();
    assert!(!instance.is_good(&key.full_key).await, "refused once the call returns");
    assert!(owners.is_suspended(&world.owner).await.unwrap(), "known once the call returns");
    let finds = instance.link.finds();
    assert!(!instance.is_good(&key.full_key).await && instance.is_good(&other).await);
    assert_eq!(instance.link.finds(), finds, "refused from memory, and other owners stay cached");

    owners.set_state(&activated(&world)).await.unwrap();
    assert!(instance.is_good(&key.full_key).await, "good once the call returns");
    assert!(!owners.is_suspended(&world.owner).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn another_instance_refuses_within_one_poll() {
    let world = World::new();
    let ((here, _stop), there) = (world.running().await, world.shared(VerifierSettings::default()));
    let (states, of_there) =
        (here.verifier.owner_states(world.owners.clone()), there.verifier.owner_states(world.owners.clone()));
    let keys = [there.create().await, there.create().await];
    let other = there.create_many(1).await.remove(0);
    for key in keys.iter().map(|key| &key.full_key).chain([&other]) {
        assert!(here.is_good(key).await);
    }
    assert!(!states.is_suspended(&world.owner).await.unwrap());
    of_there.set_state(&suspended(&world)).await.unwrap();
    sleep(FEED_POLL_INTERVAL + Duration::from_millis(1)).await;
    for key in &keys {
        assert!(!here.is_good(&key.full_key).await, "one change of the feed is for all keys");
    }
    let finds = here.link.finds();
    assert!(here.is_good(&other).await);
    assert_eq!(here.link.finds(), finds, "keys of other owners stay cached");
    sleep(OWNER_STATE_TTL).await;
    assert!(states.is_suspended(&world.owner).await.unwrap(), "known after a second at the latest");

    of_there.set_state(&activated(&world)).await.unwrap();
    sleep(FEED_POLL_INTERVAL + Duration::from_millis(1)).await;
    assert!(here.is_good(&keys[0].full_key).await);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_owner_is_active() {
    let world = World::new();
    let instance = world.single(VerifierSettings::default());
    let states = instance.verifier.owner_states(world.owners.clone());
    for subject in ["alice", "bob"] {
        let owner = OwnerId::new(world.owner.issuer(), subject).unwrap();
        assert!(!states.is_suspended(&owner).await.unwrap());
    }
}
