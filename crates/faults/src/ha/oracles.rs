//! The promises that must hold after a fault, and their verdicts.

use std::time::Duration;

use super::maximum::Judgement;
use crate::ledger::Outcome;

/// How soon writes must work on every instance, after the first commit on a new primary, or after the end of a fault.
pub(super) const RESUMED_WITHIN: Duration = Duration::from_secs(10);

/// The observations of one strike, or of several strikes of one fault.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    pub(super) outcome: Outcome,
    /// Accepted events, and how many of them did not arrive.
    pub(super) events: usize,
    pub(super) events_missing: usize,
    pub(super) maximum: Judgement,
    /// How many active keys a user had at the end, at most, over the allowed ones.
    pub(super) keys_over: usize,
    /// Questions about revoked keys that were answered with a refusal, and with 503.
    pub(super) refused: u64,
    pub(super) unknown: u64,
    pub(super) promotions: usize,
    /// How long after a promotion the first commit of another client succeeded on the new primary, at most.
    pub(super) commits_after: Duration,
    /// How long after that commit, or after the end of the fault, writes worked on every instance, at most. `None` if
    /// they did not work again.
    pub(super) resumed_after: Option<Duration>,
}

impl Evidence {
    /// Adds the evidence of another strike.
    pub(super) fn add(&mut self, other: Self) {
        self.outcome.add(other.outcome);
        self.events += other.events;
        self.events_missing += other.events_missing;
        self.maximum.judged += other.maximum.judged;
        self.maximum.over += other.maximum.over;
        self.maximum.under += other.maximum.under;
        self.keys_over += other.keys_over;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.promotions += other.promotions;
        self.commits_after = self.commits_after.max(other.commits_after);
        self.resumed_after = self.resumed_after.zip(other.resumed_after).map(|(one, two)| one.max(two));
    }
}

/// The answer of one oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) promise: &'static str,
    pub(super) is_kept: bool,
    pub(super) figure: String,
}

/// Asks every oracle.
pub(super) fn verdicts(evidence: &Evidence) -> [Verdict; 7] {
    [
        nothing_lost(evidence),
        every_event_arrives(evidence),
        order_kept(evidence),
        maximum_exact(evidence),
        revoked_refused(evidence),
        good_accepted(evidence),
        writes_resume(evidence),
    ]
}

/// A run without an acknowledgement breaks the promise.
fn nothing_lost(Evidence { outcome, .. }: &Evidence) -> Verdict {
    Verdict {
        promise: "nothing acknowledged is lost",
        is_kept: outcome.lost == 0 && outcome.acknowledged > 0,
        figure: format!("{} acknowledged, {} lost", outcome.acknowledged, outcome.lost),
    }
}

fn every_event_arrives(Evidence { events, events_missing, outcome, .. }: &Evidence) -> Verdict {
    Verdict {
        promise: "every accepted event arrives",
        is_kept: *events_missing == 0 && *events > 0,
        figure: format!("{events} accepted, {events_missing} missing, {} delivered again", outcome.repeated),
    }
}

fn order_kept(Evidence { outcome, .. }: &Evidence) -> Verdict {
    let (numbered, too_early) = (outcome.counts.numbered, outcome.counts.too_early);
    Verdict {
        promise: "deliveries with an order keep it",
        is_kept: too_early == 0 && numbered > 0,
        figure: format!("{numbered} arrived, {too_early} before the number below theirs"),
    }
}

fn maximum_exact(Evidence { maximum: Judgement { judged, over, under }, keys_over, .. }: &Evidence) -> Verdict {
    Verdict {
        promise: "the maximum of keys is exact",
        is_kept: *over == 0 && *under == 0 && *keys_over == 0 && *judged > 0,
        figure: format!(
            "{judged} judged, {over} created over it, {under} refused under it, {keys_over} too many at the end"
        ),
    }
}

fn revoked_refused(Evidence { outcome, refused, unknown, .. }: &Evidence) -> Verdict {
    let (good, good_for) = (outcome.counts.revoked_good, outcome.counts.revoked_good_for);
    Verdict {
        promise: "a revoked key is refused",
        is_kept: good == 0 && *refused > 0,
        figure: format!(
            "{refused} refused, {unknown} answered 503, {good} good after 6 s; good for {:.2} s at most",
            good_for.as_secs_f64()
        ),
    }
}

fn good_accepted(Evidence { outcome, .. }: &Evidence) -> Verdict {
    let good_refused = outcome.counts.good_refused;
    Verdict {
        promise: "a good key is not refused as bad",
        is_kept: good_refused == 0,
        figure: format!("{good_refused} refused, {} calls answered 503", outcome.counts.refused),
    }
}

fn writes_resume(Evidence { resumed_after, commits_after, promotions, .. }: &Evidence) -> Verdict {
    let figure =
        resumed_after.map_or_else(|| "never".to_owned(), |after| format!("after {:.2} s", after.as_secs_f64()));
    Verdict {
        promise: "writes resume within 10 s",
        is_kept: resumed_after.is_some_and(|after| after <= RESUMED_WITHIN),
        figure: format!(
            "{figure}; {promotions} new primaries, first commit there after {:.2} s",
            commits_after.as_secs_f64()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Counts;

    fn honest() -> Evidence {
        let counts = Counts { numbered: 4, ..Counts::default() };
        Evidence {
            outcome: Outcome { acknowledged: 10, counts, ..Outcome::default() },
            events: 5,
            maximum: Judgement { judged: 3, ..Judgement::default() },
            refused: 7,
            resumed_after: Some(Duration::from_secs(4)),
            ..Evidence::default()
        }
    }

    fn broken(lie: impl FnOnce(&mut Evidence)) -> Vec<&'static str> {
        let mut evidence = honest();
        lie(&mut evidence);
        verdicts(&evidence).into_iter().filter(|verdict| !verdict.is_kept).map(|verdict| verdict.promise).collect()
    }

    #[test]
    fn each_oracle_finds_its_own_lie_and_no_other() {
        assert_eq!(broken(|_| ()), [""; 0]);
        assert_eq!(broken(|evidence| evidence.outcome.lost = 1), ["nothing acknowledged is lost"]);
        assert_eq!(broken(|evidence| evidence.events_missing = 1), ["every accepted event arrives"]);
        assert_eq!(broken(|evidence| evidence.maximum.over = 1), ["the maximum of keys is exact"]);
        assert_eq!(broken(|evidence| evidence.maximum.under = 1), ["the maximum of keys is exact"]);
        assert_eq!(broken(|evidence| evidence.keys_over = 1), ["the maximum of keys is exact"]);
        assert_eq!(broken(|evidence| evidence.outcome.counts.revoked_good = 1), ["a revoked key is refused"]);
        assert_eq!(broken(|evidence| evidence.outcome.counts.good_refused = 1), ["a good key is not refused as bad"]);
        let order = ["deliveries with an order keep it"];
        assert_eq!(broken(|evidence| evidence.outcome.counts.too_early = 1), order);
        assert_eq!(broken(|evidence| evidence.outcome.counts.numbered = 0), order);
        assert_eq!(broken(|evidence| evidence.resumed_after = None), ["writes resume within 10 s"]);
        let late = Some(RESUMED_WITHIN + Duration::from_millis(1));
        assert_eq!(broken(|evidence| evidence.resumed_after = late), ["writes resume within 10 s"]);
    }

    /// A load without calls must not look like a promise that is kept.
    #[test]
    fn no_evidence_proves_nothing() {
        let kept: Vec<_> = verdicts(&Evidence::default()).into_iter().filter(|verdict| verdict.is_kept).collect();
        assert_eq!(
            kept.iter().map(|verdict| verdict.promise).collect::<Vec<_>>(),
            ["a good key is not refused as bad"]
        );
    }

    #[test]
    fn one_broken_strike_breaks_the_row() {
        let mut row = honest();
        row.add(Evidence { resumed_after: None, ..honest() });
        row.add(honest());
        assert_eq!(row.resumed_after, None);
        assert_eq!(row.events, 15);
    }
}
