use std::time::Duration;

use domain::memory::unique_cause;
use domain::ports::{ChangeOwnerRequest, Clock, OwnerStore, SetOwnerStateRequest};
use domain::{CreatedKey, OwnerChange, OwnerId, OwnerStateChange, Patch};
use tokio::time::sleep;
use verifier::{FEED_POLL_INTERVAL, OWNER_STATE_TTL, VerifierSettings};

use crate::world::{Instance, World};

/// The suspension of the world's owner.
pub(crate) fn suspended(world: &World) -> SetOwnerStateRequest {
    let state = OwnerStateChange::Suspend { reason: None };
    SetOwnerStateRequest { owner: world.owner.clone(), state, at: world.clock.now(), cause: unique_cause() }
}

/// The end of this suspension.
pub(crate) fn activated(world: &World) -> SetOwnerStateRequest {
    SetOwnerStateRequest { state: OwnerStateChange::Activate, ..suspended(world) }
}

#[tokio::test(start_paused = true)]
async fn keys_of_a_suspended_owner_are_refused_at_once_and_good_again() {
    let (world, instance) = World::with_single();
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
    let (world, (here, _stop), there) = World::with_two().await;
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
    let (world, instance) = World::with_single();
    let states = instance.verifier.owner_states(world.owners.clone());
    for subject in ["alice", "bob"] {
        let owner = OwnerId::new(world.owner.issuer(), subject).unwrap();
        assert!(!states.is_suspended(&owner).await.unwrap());
    }
}

/// A change of the owner's rate limits.
fn rates(world: &World, key: &str, request: &str) -> ChangeOwnerRequest {
    let patch = |text: &str| text.parse().map_or(Patch::Reset, Patch::Set);
    let (key_rate_limit, request_rate_limit) = (patch(key), patch(request));
    let change = OwnerChange { key_rate_limit, request_rate_limit, ..OwnerChange::default() };
    ChangeOwnerRequest { owner: world.owner.clone(), change, cause: unique_cause() }
}

/// The limit of the next use of a key; `None` without one.
async fn limit(instance: &Instance, key: &CreatedKey) -> Option<String> {
    let key = instance.verifier.verify(key.full_key.expose()).await.unwrap().expect("a good key");
    instance.verifier.spend(&key).map(|allowance| allowance.limit.to_string())
}

#[tokio::test(start_paused = true)]
async fn cached_keys_and_sessions_have_new_rate_limits_at_once_here_and_within_one_poll_there() {
    let (world, (here, _stop), there) = World::with_two().await;
    let (states, of_there) =
        (here.verifier.owner_states(world.owners.clone()), there.verifier.owner_states(world.owners.clone()));
    let keys = [there.create().await, there.create().await];
    let other = there.create_many(1).await.remove(0);
    assert!(here.is_good(&other).await);
    for (key, request, expected) in [("5/s", "7/m", Some("5/s")), ("6/s", "8/m", Some("6/s")), ("", "", None)] {
        for one in &keys {
            limit(&here, one).await;
        }
        of_there.change(&rates(&world, key, request)).await.unwrap();
        assert_eq!(limit(&there, &keys[0]).await.as_deref(), expected, "once the call returns");
        sleep(FEED_POLL_INTERVAL + Duration::from_millis(1)).await;
        for one in &keys {
            assert_eq!(limit(&here, one).await.as_deref(), expected, "one change of the feed is for all keys");
        }
        let cached = here.verifier.verify(keys[0].full_key.expose()).await.unwrap().expect("a good key");
        let of_calls = cached.request_rate_limit().map(|limit| limit.to_string());
        assert_eq!(of_calls.as_deref(), Some(request).filter(|request| !request.is_empty()));
        sleep(OWNER_STATE_TTL).await;
        assert_eq!(states.request_rate_limit(&world.owner).await.unwrap(), cached.request_rate_limit());
    }
    let finds = here.link.finds();
    for _ in 0..10 {
        assert_eq!(limit(&here, &keys[0]).await, None);
    }
    assert!(here.is_good(&other).await);
    assert_eq!(here.link.finds(), finds, "a hit asks nobody, and keys of other owners stay cached");
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_owner_renews_no_allowance() {
    let (world, here) = World::with_single();
    let owners = here.verifier.owner_states(world.owners.clone());
    let key = here.create().await;
    owners.change(&rates(&world, "3/h", "")).await.unwrap();
    sleep(Duration::from_hours(5)).await;
    let spend = async || {
        let key = here.verifier.verify(key.full_key.expose()).await.unwrap().expect("a good key");
        here.verifier.spend(&key).expect("a limit").remaining
    };
    assert_eq!((spend().await, spend().await), (2, 1));
    owners.change(&rates(&world, "3/h", "5/s")).await.unwrap();
    assert_eq!(spend().await, 0, "another limit of the owner");
    owners.set_state(&suspended(&world)).await.unwrap();
    owners.set_state(&activated(&world)).await.unwrap();
    let key = here.verifier.verify(key.full_key.expose()).await.unwrap().expect("a good key");
    assert!(here.verifier.spend(&key).expect("a limit").retry_after.is_some(), "the end of a suspension");
}

#[tokio::test(start_paused = true)]
async fn a_confirmation_finds_a_changed_rate_limit_that_the_feed_has_missed() {
    let (world, here) = World::with_single();
    let key = here.create().await;
    assert_eq!(limit(&here, &key).await, None);
    let _stop = here.run();
    world.owners.change(&rates(&world, "5/s", "")).await.unwrap();
    assert_eq!(limit(&here, &key).await, None, "nothing has told this process");
    sleep(VerifierSettings::default().max_age).await;
    assert_eq!(limit(&here, &key).await.as_deref(), Some("5/s"));
}

#[tokio::test(start_paused = true)]
async fn a_sign_in_is_noted_once_a_day() {
    let world = World::new();
    let owners = world.single(VerifierSettings::default()).verifier.owner_states(world.owners.clone());
    let (user, start) = (&world.owner, world.clock.now());
    let see = async |hours: u64| {
        owners.see(user, start.plus(Duration::from_hours(hours)), unique_cause()).await.unwrap();
        let seen_at = world.owners.find(user).await.unwrap().seen_at;
        seen_at.map(|at| at.since(start).as_secs() / 3_600)
    };
    assert_eq!(see(0).await, Some(0));
    assert_eq!((see(1).await, see(23).await), (Some(0), Some(0)), "noted already");
    assert_eq!(see(24).await, Some(24));
    sleep(OWNER_STATE_TTL).await;
    assert_eq!((see(47).await, see(48).await), (Some(24), Some(48)), "as the store has it");
    owners.set_state(&suspended(&world)).await.unwrap();
    assert_eq!(see(100).await, Some(48), "a suspended user does not sign in");
}
