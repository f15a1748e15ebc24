//! Judges from the calls whether the maximum of active keys was exact.

use std::collections::HashMap;

use tokio::time::Instant;

/// One call for a user with counted keys.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) began: Instant,
    pub(super) ended: Instant,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A key was created; this is its id.
    Created(String),
    /// The call was refused because of the maximum.
    LimitReached,
    /// It is not known whether a key was created.
    MaybeCreated,
    /// This key was revoked.
    Revoked(String),
    /// It is not known whether this key was revoked.
    MaybeRevoked(String),
}

/// The judgement on the calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Judgement {
    /// Creations and refusals that were judged.
    pub(super) judged: usize,
    /// Keys that were created although the user had the maximum.
    pub(super) over: usize,
    /// Refusals although the user had fewer keys.
    pub(super) under: usize,
}

/// Judges each creation against the keys that certainly were active during all of it, and each refusal against the keys
/// that may have been active at some moment of it.
pub(super) fn judge(calls: &[Call], max: usize) -> Judgement {
    let lives = lives(calls);
    let count = |is_counted: &dyn Fn(&Life) -> bool| lives.iter().filter(|life| is_counted(life)).count();
    let mut judgement = Judgement::default();
    for call in calls {
        match call.kind {
            Kind::Created(_) => judgement.over += usize::from(count(&|life| life.is_certain_during(call)) >= max),
            Kind::LimitReached => judgement.under += usize::from(count(&|life| life.is_possible_during(call)) < max),
            Kind::MaybeCreated | Kind::Revoked(_) | Kind::MaybeRevoked(_) => continue,
        }
        judgement.judged += 1;
    }
    judgement
}

/// When a key was active, as far as its callers know.
struct Life {
    creation_began: Instant,
    /// When the creation was answered; `None` if it is not known whether there is a key.
    created: Option<Instant>,
    /// When a revocation was sent first, whether it was answered or not.
    revocation_began: Option<Instant>,
    /// When a revocation was answered first.
    revoked: Option<Instant>,
}

impl Life {
    /// Created before the call; no revocation was sent before the end of the call.
    fn is_certain_during(&self, call: &Call) -> bool {
        let is_revoked = self.revocation_began.is_some_and(|began| began < call.ended);
        self.created.is_some_and(|created| created < call.began) && !is_revoked
    }

    /// Sent before the end of the call, and not revoked before the call.
    fn is_possible_during(&self, call: &Call) -> bool {
        self.creation_began < call.ended && self.revoked.is_none_or(|revoked| revoked >= call.began)
    }
}

fn lives(calls: &[Call]) -> Vec<Life> {
    let (mut began, mut answered) = (HashMap::<&str, Instant>::new(), HashMap::<&str, Instant>::new());
    let earliest = |times: &mut HashMap<_, _>, id, time: Instant| {
        let known = times.entry(id).or_insert(time);
        *known = time.min(*known);
    };
    for call in calls {
        if let Kind::Revoked(id) | Kind::MaybeRevoked(id) = &call.kind {
            earliest(&mut began, id.as_str(), call.began);
        }
        if let Kind::Revoked(id) = &call.kind {
            earliest(&mut answered, id.as_str(), call.ended);
        }
    }
    let life = |call: &Call| match &call.kind {
        Kind::Created(id) => {
            let (revocation_began, revoked) = (began.get(&**id).copied(), answered.get(&**id).copied());
            Some(Life { creation_began: call.began, created: Some(call.ended), revocation_began, revoked })
        }
        Kind::MaybeCreated => {
            Some(Life { creation_began: call.began, created: None, revocation_began: None, revoked: None })
        }
        Kind::LimitReached | Kind::Revoked(_) | Kind::MaybeRevoked(_) => None,
    };
    calls.iter().filter_map(life).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A history of calls that last from one millisecond to another.
    fn history(calls: impl IntoIterator<Item = (u64, u64, Kind)>) -> Vec<Call> {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        calls.into_iter().map(|(began, ended, kind)| Call { began: at(began), ended: at(ended), kind }).collect()
    }

    fn created(id: &str) -> Kind {
        Kind::Created(id.to_owned())
    }

    #[test]
    fn an_honest_history_is_kept() {
        let calls = history([
            (0, 1, created("a")),
            (2, 3, created("b")),
            (4, 5, Kind::LimitReached),
            (6, 7, Kind::Revoked("a".into())),
            (8, 9, created("c")),
        ]);
        assert_eq!(judge(&calls, 2), Judgement { judged: 4, over: 0, under: 0 });
    }

    #[test]
    fn a_key_over_the_maximum_is_found() {
        let calls = history([(0, 1, created("a")), (2, 3, created("b"))]);
        assert_eq!(judge(&calls, 1).over, 1);
    }

    #[test]
    fn a_refusal_under_the_maximum_is_found() {
        let calls = history([(0, 1, created("a")), (2, 3, Kind::Revoked("a".into())), (4, 5, Kind::LimitReached)]);
        assert_eq!(judge(&calls, 1).under, 1);
    }

    #[test]
    fn what_overlaps_or_is_unknown_gets_the_benefit_of_the_doubt() {
        let overlapping = history([(0, 5, created("a")), (0, 5, created("b"))]);
        assert_eq!(judge(&overlapping, 1).over, 0);
        let revoked_meanwhile =
            history([(0, 1, created("a")), (2, 9, Kind::MaybeRevoked("a".into())), (3, 4, created("b"))]);
        assert_eq!(judge(&revoked_meanwhile, 1).over, 0);
        let unknown = history([(0, 1, Kind::MaybeCreated), (2, 3, Kind::LimitReached)]);
        assert_eq!(judge(&unknown, 1).under, 0);
    }
}
