use std::time::Duration;

use domain::ports::{ClaimId, Completion, DeliveryQueue, NextStep};
use domain::webhooks::{AttemptRecord, DeliveryEnd, FailureReason, Report, SubscriptionStatus, Verdict};
use domain::{SubscriptionId, Timestamp};

use crate::fault::Fault;
use crate::store::{Saboteur, whole_second};

/// What becomes of completions, wrong if it is the fault.
impl Saboteur {
    pub(crate) fn said(&self, completion: &Completion, first: SubscriptionId) -> Completion {
        let mut said = completion.clone();
        match (self.fault, said.next, said.verdict) {
            (Fault::LosesMilliseconds, ..) => {
                said.ended_at = whole_second(said.ended_at);
                said.attempt.iter_mut().for_each(|attempt| attempt.started_at = whole_second(attempt.started_at));
            }
            (Fault::CutsExcerpts, ..) => said.attempt.iter_mut().for_each(|attempt| attempt.excerpt.truncate(1_024)),
            (Fault::ForgetsFencing, ..) => said.claim = self.holder(&said),
            (Fault::CountsWhatIsGivenBack, NextStep::GiveBack(at), _) => said.next = NextStep::Retry(at),
            (Fault::UncountsUnrecorded, NextStep::Retry(at), _) if said.attempt.is_none() => {
                said.next = NextStep::GiveBack(at);
            }
            (Fault::EndsAsDelivered, NextStep::End(_), _) => said.next = NextStep::End(DeliveryEnd::Delivered),
            (Fault::RetriesAtOnce, NextStep::Retry(_), _) => said.next = NextStep::Retry(said.ended_at),
            (Fault::IgnoresRetryAfter, _, Verdict::Failed { reason, .. }) => {
                said.verdict = Verdict::Failed { reason, retry_after: None };
            }
            (Fault::CountsOurFaults, _, Verdict::NotCharged) => {
                said.verdict = Verdict::Failed { reason: FailureReason::Connect, retry_after: None };
                said.attempt = Some(record_at(said.ended_at, 1));
            }
            (Fault::ReportsToTheFirstLane, ..) => said.subscription = first,
            _ => {}
        }
        said
    }

    pub(crate) fn holder(&self, completion: &Completion) -> ClaimId {
        self.memo().claims.get(&completion.delivery).map_or(completion.claim, |(claim, _)| *claim)
    }

    pub(crate) fn is_refused(&self, completion: &Completion) -> bool {
        let until = self.memo().claims.get(&completion.delivery).map(|(_, until)| *until);
        self.is(Fault::RefusesLateCompletions) && until.is_some_and(|until| until <= completion.ended_at)
    }

    /// Reads the breakers, and writes them a moment later.
    pub(crate) async fn lose_reports(&self, completions: &[Completion]) {
        let Some(first) = completions.first() else { return };
        let mut breaker = self.memo().breakers.get(&first.subscription).copied().unwrap_or_default();
        for one in completions {
            let started_at = one.attempt.as_ref().map_or(one.ended_at, |attempt| attempt.started_at);
            let _ = breaker.record(Report { started_at, ended_at: one.ended_at, verdict: one.verdict });
        }
        self.gap().await;
        self.memo().breakers.insert(first.subscription, breaker);
    }

    /// What a completion leaves behind for later calls.
    pub(crate) async fn afterwards(&self, completion: &Completion, held: bool) {
        let id = completion.subscription;
        let Some((subscription, health)) = self.stored(id).await else { return };
        match self.fault {
            Fault::KeepsPauses => {
                let until = health.breaker.pause.map(|pause| pause.until);
                self.memo().pauses.extend(until.map(|until| (id, until)));
            }
            Fault::NeverDisables if !subscription.status.is_enabled() => {
                self.switch(&subscription, true, completion.ended_at).await;
            }
            Fault::OverrulesTheOwner if subscription.status == SubscriptionStatus::DisabledByOwner => {
                self.memo().gone.extend((completion.verdict == Verdict::Gone).then_some(id));
            }
            Fault::ShowsTheLastRecorded => {
                let shown = completion.attempt.clone().map(|one| AttemptRecord { excerpt: Vec::new(), ..one });
                self.memo().last_attempts.extend(shown.map(|attempt| (id, attempt)));
            }
            Fault::RecordsAgain if !held => {
                let mut again = completion.clone();
                again.attempt.iter_mut().for_each(|attempt| attempt.number += 100);
                self.inner.complete(&[again]).await.expect("never fails");
            }
            _ => {}
        }
        if !matches!(completion.next, NextStep::End(_)) {
            self.memo().asleep.remove(&id);
        }
    }
}

fn record_at(at: Timestamp, number: u32) -> AttemptRecord {
    let failure = Some(FailureReason::Connect);
    AttemptRecord { number, started_at: at, duration: Duration::ZERO, failure, status: None, excerpt: Vec::new() }
}
