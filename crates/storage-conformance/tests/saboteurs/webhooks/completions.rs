use std::time::Duration;

use domain::ports::{ClaimId, Completion, DeliveryQueue};
use domain::webhooks::{
    AnswerHeaders, AttemptRecord, ClaimEnd, FailureReason, NextStep, PauseLengths, SubscriptionChange,
    SubscriptionStatus,
};
use domain::{SubscriptionId, Timestamp};

use super::fault::Fault;
use super::store::{Saboteur, whole_second};

/// Completions and their effects, wrong for some faults.
impl Saboteur {
    pub(crate) fn said(&self, completion: &Completion, first: SubscriptionId) -> Completion {
        let mut said = completion.clone();
        match (self.fault, &mut said.end) {
            (Fault::LosesMilliseconds, end) => lose_milliseconds(end),
            (Fault::CutsExcerpts, end) => {
                if let Some(attempt) = attempt_of(end) {
                    attempt.excerpt.truncate(1_024);
                }
            }
            (Fault::LosesHeaders, end) => {
                if let Some(attempt) = attempt_of(end) {
                    attempt.headers = AnswerHeaders::default();
                }
            }
            (Fault::ForgetsFencing, _) => said.claim = self.holder(&said),
            (Fault::CountsWhatIsGivenBack, ClaimEnd::GivenBack { at, due_at }) => {
                said.end = ClaimEnd::CutOff { at: *at, retry_at: *due_at };
            }
            (Fault::UncountsUnrecorded, ClaimEnd::CutOff { at, retry_at }) => {
                said.end = ClaimEnd::GivenBack { at: *at, due_at: *retry_at };
            }
            (Fault::EndsAsDelivered, ClaimEnd::Failed { attempt, retry_at: None, .. }) => {
                said.end = ClaimEnd::Delivered(attempt.clone());
            }
            (Fault::RetriesAtOnce, ClaimEnd::Failed { attempt, retry_at: Some(retry_at), .. }) => {
                *retry_at = attempt.ended_at();
            }
            (Fault::IgnoresRetryAfter, ClaimEnd::Failed { retry_after, .. }) => *retry_after = None,
            (Fault::CountsOurFaults, ClaimEnd::GivenBack { at, due_at }) => {
                let (attempt, pauses) = (failed_at(*at), PauseLengths::default());
                said.end = ClaimEnd::Failed { attempt, retry_after: None, retry_at: Some(*due_at), pauses };
            }
            (Fault::NeverStops, ClaimEnd::Stopped(end)) => said.end = ClaimEnd::clone(end),
            (Fault::ReportsToTheFirstLane, _) => said.subscription = first,
            _ => {}
        }
        said
    }

    pub(crate) fn holder(&self, completion: &Completion) -> ClaimId {
        self.memo().claims.get(&completion.delivery).map_or(completion.claim, |(claim, _)| *claim)
    }

    pub(crate) fn is_refused(&self, completion: &Completion) -> bool {
        let until = self.memo().claims.get(&completion.delivery).map(|(_, until)| *until);
        self.is(Fault::RefusesLateCompletions) && until.is_some_and(|until| until <= completion.end.ended_at())
    }

    /// Reads the breakers, and writes them a moment later.
    pub(crate) async fn lose_reports(&self, completions: &[Completion]) {
        let Some(first) = completions.first() else { return };
        let mut breaker = self.memo().breakers.get(&first.subscription).copied().unwrap_or_default();
        for one in completions {
            let _ = one.end.report().and_then(|report| breaker.record(report));
        }
        self.gap().await;
        self.memo().breakers.insert(first.subscription, breaker);
    }

    /// The later effects of a completion.
    pub(crate) async fn afterwards(&self, completion: &Completion, held: bool) {
        let id = completion.subscription;
        let Some((subscription, health)) = self.stored(id).await else { return };
        match self.fault {
            Fault::KeepsPauses => {
                let until = health.breaker.pause.map(|pause| pause.until);
                self.memo().pauses.extend(until.map(|until| (id, until)));
            }
            Fault::NeverDisables if !subscription.status.is_enabled() => {
                let change = SubscriptionChange { enabled: Some(true), ..SubscriptionChange::default() };
                self.put_change(id, change, completion.end.ended_at()).await;
            }
            Fault::OverrulesTheOwner if subscription.status == SubscriptionStatus::DisabledByOwner => {
                self.memo().gone.extend(matches!(completion.end, ClaimEnd::Gone(_)).then_some(id));
            }
            Fault::ShowsTheLastRecorded => {
                let shown = completion.end.attempt().cloned().map(AttemptRecord::brief);
                self.memo().last_attempts.extend(shown.map(|attempt| (id, attempt)));
            }
            Fault::RecordsAgain if !held => {
                let mut again = completion.clone();
                if let Some(attempt) = attempt_of(&mut again.end) {
                    attempt.number += 100;
                }
                self.inner.complete(&[again]).await.expect("never fails");
            }
            _ => {}
        }
        if !matches!(completion.end.next_step(), NextStep::End(_)) {
            self.memo().asleep.remove(&id);
        }
    }
}

fn attempt_of(end: &mut ClaimEnd) -> Option<&mut AttemptRecord> {
    match end {
        ClaimEnd::Delivered(attempt) | ClaimEnd::Failed { attempt, .. } | ClaimEnd::Gone(attempt) => Some(attempt),
        ClaimEnd::CutOff { .. } | ClaimEnd::GivenBack { .. } | ClaimEnd::Expired { .. } => None,
        ClaimEnd::Stopped(end) => attempt_of(end),
    }
}

fn lose_milliseconds(end: &mut ClaimEnd) {
    match end {
        ClaimEnd::CutOff { at, .. } | ClaimEnd::GivenBack { at, .. } | ClaimEnd::Expired { at } => {
            *at = whole_second(*at);
        }
        ClaimEnd::Delivered(attempt) | ClaimEnd::Failed { attempt, .. } | ClaimEnd::Gone(attempt) => {
            attempt.started_at = whole_second(attempt.started_at);
        }
        ClaimEnd::Stopped(end) => lose_milliseconds(end),
    }
}

fn failed_at(at: Timestamp) -> AttemptRecord {
    AttemptRecord {
        number: 1,
        started_at: at,
        duration: Duration::ZERO,
        failure: Some(FailureReason::Connect),
        status: None,
        headers: AnswerHeaders::default(),
        excerpt: Vec::new(),
    }
}
