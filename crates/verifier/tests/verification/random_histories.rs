//! After any sequence of steps in a single process, the cache and the store agree.

use std::time::Duration;

use domain::audit::Origin;
use domain::ports::{Clock, CredentialStore as _};
use domain::{FullKey, KeyId};
use proptest::prelude::*;
use verifier::VerifierSettings;

use crate::world::World;

#[derive(Clone, Copy, Debug)]
enum Step {
    Create { lives_seconds: Option<u64> },
    Verify { key: usize },
    Revoke { key: usize },
    Rotate { key: usize, overlap_seconds: u64 },
    Leak { key: usize },
    Wait { seconds: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        prop::option::of(1_u64..5).prop_map(|lives_seconds| Step::Create { lives_seconds }),
        (0_usize..8).prop_map(|key| Step::Verify { key }),
        (0_usize..8).prop_map(|key| Step::Verify { key }),
        (0_usize..8).prop_map(|key| Step::Revoke { key }),
        (0_usize..8, 0_u64..4).prop_map(|(key, overlap_seconds)| Step::Rotate { key, overlap_seconds }),
        (0_usize..8).prop_map(|key| Step::Leak { key }),
        (1_u64..3).prop_map(|seconds| Step::Wait { seconds }),
    ]
}

async fn run_history(steps: Vec<Step>) {
    let world = World::new();
    // A cache so small that it also evicts keys because it is full.
    let here = world.single(VerifierSettings { keys_max: 3, unknown_max: 3, ..VerifierSettings::default() });
    let mut keys: Vec<(KeyId, FullKey)> = Vec::new();
    for step in steps {
        let pick = |key: usize| keys.get(key % keys.len().max(1));
        match step {
            Step::Create { lives_seconds } => {
                let expires_at = lives_seconds.map(|seconds| world.clock.now().plus(Duration::from_secs(seconds)));
                let created = here.create_until(expires_at).await;
                keys.push((created.id, created.full_key));
            }
            Step::Verify { key } => {
                if let Some((_, full_key)) = pick(key) {
                    here.is_good(full_key).await;
                }
            }
            Step::Revoke { key } => {
                if let Some((id, _)) = pick(key) {
                    here.keys.revoke(&world.owner, *id, &Origin::SERVICE).await.unwrap();
                }
            }
            Step::Rotate { key, overlap_seconds } => {
                let Some(id) = pick(key).map(|(id, _)| *id) else { continue };
                if let Ok(rotated) = here.rotate(id, Duration::from_secs(overlap_seconds)).await {
                    keys.push((rotated.id, rotated.full_key));
                }
            }
            Step::Leak { key } => {
                if let Some((_, full_key)) = pick(key) {
                    here.keys.report_leaks(&[full_key.expose()], &Origin::SERVICE).await.unwrap();
                }
            }
            Step::Wait { seconds } => world.clock.advance(Duration::from_secs(seconds)),
        }
        for (id, full_key) in &keys {
            let stored = world.store.find_by_digest(&full_key.digest()).await.unwrap();
            let is_good = stored.is_some_and(|key| key.is_good(world.clock.now()));
            assert_eq!(here.is_good(full_key).await, is_good, "{id} after {step:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_cache_agrees_with_the_store(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(run_history(steps));
    }
}
