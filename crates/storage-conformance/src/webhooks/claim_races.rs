//! Claims and completions in parallel.

use std::collections::HashMap;
use std::sync::Arc;

use domain::DeliveryId;
use domain::webhooks::{DeliveryState, NextStep};

use super::WebhookStore;
use super::calls::{calling, claiming};
use super::sample::{history, publish_many, subscribed, subscriber};
use super::work::{claim, complete, publish_and_claim};
use crate::racing::all_at_once;
use crate::sample::user;

/// Parallel claims divide the due deliveries: each delivery is in one claim, and together the claims take all.
pub async fn parallel_claims_share_out_what_is_due(store: Arc<dyn WebhookStore>) {
    for round in 0..4 {
        let owner = user(&format!("round {round}"));
        for _ in 0..3 {
            subscribed(&*store, &owner).await;
        }
        publish_many(&*store, &owner, 20, 0).await;
        let mut claimed: HashMap<DeliveryId, usize> = HashMap::new();
        for step in 0..10 {
            let held = all_at_once((0..8).map(|_| claiming(&store, 10 + step)).collect()).await;
            held.iter().flatten().for_each(|one| *claimed.entry(one.delivery.id).or_default() += 1);
        }
        assert!(claimed.values().all(|times| *times == 1), "no delivery may be in two claims at a time: {claimed:?}");
        let rest = claim(&*store, 30).await.len() + claim(&*store, 31).await.len() + claim(&*store, 32).await.len();
        assert_eq!(claimed.len() + rest, 60, "together the claims must get all that is due");
    }
}

/// Of parallel completions under one claim, one ends the claim.
pub async fn parallel_completions_of_a_claim_end_it_once(store: Arc<dyn WebhookStore>) {
    for round in 0..5 {
        let (owner, _) = subscriber(&*store, &format!("round {round}")).await;
        let held = publish_and_claim(&*store, &owner, 0).await;
        let calls = (0..8).map(|n| {
            let completion = if n % 2 == 0 { held.delivered(10 + n) } else { held.failed(10 + n, 1_000_000) };
            let next = completion.end.next_step();
            calling(&store, move |store| async move { (complete(&*store, &[completion]).await[0], next) })
        });
        let answers = all_at_once(calls.collect()).await;
        let ended: Vec<NextStep> = answers.iter().filter(|(held, _)| *held).map(|(_, next)| *next).collect();
        assert_eq!(ended.len(), 1, "of 8 parallel completions one must end the claim, got {answers:?}");
        let state = history(&*store, &owner, held.delivery.id).await.delivery.state;
        let is_over = matches!(state, DeliveryState::Ended { .. });
        assert_eq!(is_over, matches!(ended[0], NextStep::End(_)), "the one that ended it must be what is stored");
    }
}
