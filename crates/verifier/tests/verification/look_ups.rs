//! Look-ups of keys that are not in memory share reads of the store.

use domain::ports::{ReadinessCheck, StoreError};
use domain::{CredentialDigest, FullKey, Home};
use tokio::task::JoinHandle;
use verifier::VerifierSettings;

use crate::world::{Instance, World};

fn ask(instance: &Instance, presented: String) -> JoinHandle<Result<bool, StoreError>> {
    let verifier = instance.verifier.clone();
    tokio::spawn(async move { Ok(verifier.verify(&presented).await?.is_some()) })
}

/// Starts two calls, each with a separate read in progress.
async fn two_reads(instance: &Instance) -> [JoinHandle<Result<bool, StoreError>>; 2] {
    let first = ask(instance, "svc_live_first".to_owned());
    instance.link.arrived(1).await;
    let second = ask(instance, "svc_live_second".to_owned());
    instance.link.arrived(2).await;
    [first, second]
}

async fn settle() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

/// The number of reads of a single key, and the sizes of the reads of several keys.
fn reads(instance: &Instance) -> (usize, Vec<usize>) {
    (instance.link.finds(), instance.link.batches.lock().unwrap().clone())
}

#[tokio::test(start_paused = true)]
async fn calls_that_arrive_during_a_read_share_the_next_one() {
    let here = World::new().single(VerifierSettings::default());
    let good = here.create().await.full_key;
    here.link.gate.close();
    let first = two_reads(&here).await;
    let flood: Vec<_> = (2..1_500).map(|n| ask(&here, format!("svc_live_unknown-{n}"))).collect();
    let last = ask(&here, FullKey::expose(&good).to_owned());
    settle().await;
    assert_eq!(reads(&here), (2, vec![]), "at most two reads may run at a time");
    here.link.gate.open();
    assert!(last.await.unwrap().unwrap(), "a good key behind a flood must be found");
    for refused in first.into_iter().chain(flood) {
        assert!(!refused.await.unwrap().unwrap());
    }
    let (singles, mut batches) = reads(&here);
    batches.sort_unstable();
    assert_eq!((singles, batches), (2, vec![499, 1_000]), "two more reads must answer all other calls");
}

#[tokio::test(start_paused = true)]
async fn a_look_up_in_one_shard_waits_for_no_other() {
    let here = World::new().of_two_shards();
    let shard = |text: &str| Home::of_digest(&CredentialDigest::of_presented(text).unwrap()).shard(2);
    let unknown = |wanted| (0..).map(|n| format!("svc_live_unknown-{n}")).filter(move |text| shard(text) == wanted);
    here.link.gate.close();
    let mut calls = Vec::new();
    for (count, text) in (1..).zip(unknown(0).take(2)) {
        calls.push(ask(&here, text));
        here.link.arrived(count).await;
    }
    calls.extend(unknown(0).skip(2).take(3).map(|text| ask(&here, text)));
    settle().await;
    assert_eq!(reads(&here), (2, vec![]), "two reads in the first shard");
    calls.extend(unknown(1).take(1).map(|text| ask(&here, text)));
    settle().await;
    assert_eq!(reads(&here), (3, vec![]), "the second shard is read at once");
    here.link.gate.open();
    for call in calls {
        assert!(!call.await.unwrap().unwrap());
    }
    assert_eq!(reads(&here), (3, vec![3]), "the calls that waited in the first shard share a read");
}

#[tokio::test(start_paused = true)]
async fn the_number_of_waiting_calls_is_bounded() {
    let here = World::new().single(VerifierSettings { unknown_max: 20_000, ..VerifierSettings::default() });
    here.link.gate.close();
    let reading = two_reads(&here).await;
    let waiting: Vec<_> = (0..10_000).map(|n| ask(&here, format!("svc_live_waiting-{n}"))).collect();
    settle().await;
    let refused = ask(&here, "svc_live_one-too-many".to_owned()).await.unwrap();
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    here.link.gate.open();
    for answered in reading.into_iter().chain(waiting) {
        assert!(!answered.await.unwrap().unwrap());
    }
    assert!(!ask(&here, "svc_live_one-too-many".to_owned()).await.unwrap().unwrap(), "the queue must have room again");
}

#[tokio::test(start_paused = true)]
async fn a_read_whose_callers_are_gone_completes_and_frees_its_slot() {
    let here = World::new().single(VerifierSettings::default());
    here.link.gate.close();
    for call in two_reads(&here).await {
        call.abort();
    }
    let next = ask(&here, "svc_live_next".to_owned());
    settle().await;
    here.link.gate.open();
    assert!(!next.await.unwrap().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_is_unavailable_within_five_seconds() {
    let here = World::new().single(VerifierSettings::default());
    here.link.gate.close();
    let began = tokio::time::Instant::now();
    let calls: Vec<_> = (0..5).map(|n| ask(&here, format!("svc_live_{n}"))).collect();
    for call in calls {
        assert!(matches!(call.await.unwrap(), Err(StoreError::Unavailable(_))));
    }
    assert!(here.verifier.check().await.is_err(), "the readiness check must fail too");
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}
