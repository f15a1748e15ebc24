use std::cmp::Reverse;

use domain::ports::{ActiveLimit, KeysOf};
use domain::{
    ApiKey, CredentialDigest, KeyRotation, KeyUse, Label, ListView, OwnerId, OwnerKind, Rotated, RotationRefusal,
    Scopes, Timestamp, WebhookAccess,
};

use super::fault::Fault;
use super::store::{Row, Saboteur, State};

/// The decisions of the store that need no other data, each wrong if it is the fault.
impl Saboteur {
    pub(crate) fn as_written(&self, key: &ApiKey) -> ApiKey {
        let mut key = key.clone();
        match self.fault {
            Fault::LosesMilliseconds => {
                key.created_at = whole_second(key.created_at);
                key.last_used_at = key.last_used_at.map(whole_second);
                key.expires_at = key.expires_at.map(whole_second);
                key.revoked_at = key.revoked_at.map(whole_second);
            }
            Fault::ForgetsExpiry => key.expires_at = None,
            Fault::ForgetsScopes => key.scopes = Scopes::default(),
            Fault::ForgetsSuccessors => key.replaced_by = None,
            Fault::ForgetsSettings => key.settings = domain::KeySettings::default(),
            Fault::ForgetsCreators => key.created_by = None,
            Fault::CutsLabelsAt64 => {
                let start: String = key.label.as_str().chars().take(64).collect();
                key.label = Label::parse(&start).expect("the start of a label is one");
            }
            _ => {}
        }
        key
    }

    pub(crate) fn same_owner(&self, one: &OwnerId, other: &OwnerId) -> bool {
        let joined = |user: &OwnerId| format!("{}{}", user.issuer(), user.subject());
        match self.fault {
            Fault::IgnoresIssuers => one.subject() == other.subject(),
            Fault::IgnoresCase => one.subject().eq_ignore_ascii_case(other.subject()) && one.issuer() == other.issuer(),
            Fault::TrimsSubjects => one.subject().trim() == other.subject().trim() && one.issuer() == other.issuer(),
            Fault::JoinsIssuerAndSubject => joined(one) == joined(other),
            _ => one == other,
        }
    }

    pub(crate) fn is_revoked_with_all(
        &self,
        key: &ApiKey,
        of: &KeysOf,
        created_before: Timestamp,
        at: Timestamp,
    ) -> bool {
        let is_earlier = match self.fault {
            Fault::RevokesTheInstantOfCreation => key.created_at <= created_before,
            _ => key.created_at < created_before,
        };
        let has = of.has(&key.owner, key.created_by.as_ref());
        let is_theirs = match (self.fault, of) {
            (Fault::RevokesUsersOfOneSubject, KeysOf::Owner(owner)) => key.owner.subject() == owner.subject(),
            (Fault::RevokesWhatMembersOwn, KeysOf::Member(member)) => has || key.owner == *member,
            (Fault::TakesMembersForOwners, KeysOf::Member(member)) => key.owner == *member,
            _ => has,
        };
        let is_hidden = self.is(Fault::RevokesOnlyUnexpiredOfUsers) && key.has_ended(at);
        is_theirs && is_earlier && key.revoked_at.is_none() && !is_hidden
    }

    fn is_good(&self, key: &ApiKey, at: Timestamp) -> bool {
        let expired = |at| key.expires_at.is_some_and(|expires_at| expires_at <= at);
        match self.fault {
            Fault::CountsExpiredAtTheInstant => {
                key.revoked_at.is_none() && key.expires_at.is_none_or(|expires_at| expires_at >= at)
            }
            Fault::CountsRevoked => !expired(at),
            Fault::CountsRevokedAhead => !expired(at) && key.revoked_at.is_none_or(|revoked_at| revoked_at > at),
            Fault::CountsOnlyEnabled => key.is_good(at),
            _ => !key.has_ended(at),
        }
    }

    fn is_active(&self, key: &ApiKey, at: Timestamp) -> bool {
        self.is_good(key, at) && (self.is(Fault::CountsReplaced) || key.replaced_by.is_none())
    }

    pub(crate) fn list_of(&self, state: &State, owner: &OwnerId, view: ListView) -> Vec<ApiKey> {
        let keys = state.rows.iter().map(|row| row.key.clone());
        let keys = keys.filter(|key| self.is(Fault::ListsEverybody) || self.same_owner(&key.owner, owner));
        let keys = keys.filter(|key| !self.is(Fault::HidesReplaced) || !key.is_being_replaced(view.at));
        let (mut shown, mut ended): (Vec<_>, Vec<_>) = keys.partition(|key| self.is_good(key, view.at));
        ended.sort_by_key(|key| match self.fault {
            Fault::PicksEndedByCreation => Reverse((Some(key.created_at), key.id)),
            Fault::EndsByRevocationBeforeExpiry => Reverse((key.revoked_at.or(key.expires_at), key.id)),
            _ => Reverse((key.ended_at(view.at), key.id)),
        });
        if !self.is(Fault::ListsAllEnded) {
            ended.truncate(view.ended_max as usize);
        }
        shown.append(&mut ended);
        shown.sort_by_key(|key| Reverse((key.created_at, key.id)));
        match self.fault {
            Fault::ListsOldestFirst => shown.reverse(),
            Fault::BreaksTiesBackwards => shown.sort_by_key(|key| (Reverse(key.created_at), key.id)),
            Fault::ListsEndedMaxInAll => shown.truncate(view.ended_max as usize),
            _ => {}
        }
        shown
    }

    /// The digest that an answer names.
    pub(crate) fn answered(&self, digest: CredentialDigest) -> CredentialDigest {
        if self.is(Fault::AnswersWithAnotherDigest) { CredentialDigest::from_bytes([0; 32]) } else { digest }
    }

    /// Whether the row conflicts with this key.
    pub(crate) fn collides(&self, row: &Row, key: &ApiKey, digest: &CredentialDigest) -> bool {
        match self.fault {
            Fault::OverwritesStoredIds => row.digest == *digest,
            Fault::OverwritesStoredDigests => row.key.id == key.id,
            _ => row.key.id == key.id || row.digest == *digest,
        }
    }

    pub(crate) fn is_full(&self, state: &State, owner: &OwnerId, limit: ActiveLimit) -> bool {
        let counts = |row: &&Row| {
            let theirs = self.is(Fault::CountsEverybody) || self.same_owner(&row.key.owner, owner);
            let is_of_host = row.key.created_by.is_none() && row.key.owner.kind() == OwnerKind::Organization;
            let is_seen = !(is_of_host && self.is(Fault::CountsOnlyKeysOfMembers));
            theirs && is_seen && self.is_active(&row.key, limit.at)
        };
        let counted = state.rows.iter().filter(counts).count();
        match self.fault {
            Fault::ForgetsTheLimit => false,
            Fault::CountsOneTooFew => counted > limit.max as usize,
            _ => counted >= limit.max as usize,
        }
    }

    pub(crate) fn decide(
        &self,
        state: &State,
        owner: &OwnerId,
        rotation: &KeyRotation,
        key: &ApiKey,
    ) -> Result<Rotated, RotationRefusal> {
        let room = ActiveLimit { max: rotation.overlapping_max, at: rotation.at };
        if self.is(Fault::RotationNeedsRoom) && self.is_full(state, owner, room) {
            return Err(RotationRefusal::OverlapLimitReached);
        }
        let (mut asked, mut rotation) = (key.clone(), rotation.clone());
        match self.fault {
            Fault::RotatesEnded => (asked.expires_at, asked.revoked_at) = (None, None),
            Fault::RotatesAgain => asked.replaced_by = None,
            Fault::RotatesForAnybody => rotation.webhooks_max = Some(WebhookAccess::Write),
            _ => {}
        }
        let mut rotated = rotation.decide(&asked, self.overlapping(state, owner, rotation.at))?;
        match self.fault {
            Fault::RevokesDespiteOverlap => rotated.replaced.revoked_at = Some(rotation.at),
            Fault::ExtendsExpiry if !rotation.overlap.is_zero() => {
                rotated.replaced.expires_at = Some(rotation.at.plus(rotation.overlap));
            }
            _ => {}
        }
        Ok(rotated)
    }

    fn overlapping(&self, state: &State, owner: &OwnerId, at: Timestamp) -> u32 {
        let counts = |row: &&Row| {
            let theirs = self.is(Fault::CountsEverybodysOverlaps) || self.same_owner(&row.key.owner, owner);
            let over = self.is(Fault::CountsOverlapsThatAreOver) && row.key.replaced_by.is_some();
            theirs && (over || row.key.is_being_replaced(at))
        };
        let counted = state.rows.iter().filter(counts).count();
        if self.is(Fault::ForgetsTheOverlapLimit) { 0 } else { u32::try_from(counted).expect("a few rows") }
    }

    /// The batch as the fault sees it.
    pub(crate) fn uses_taken(&self, uses: &[KeyUse]) -> Vec<KeyUse> {
        match self.fault {
            Fault::TakesAThousandUses => uses[..uses.len().min(1_000)].to_vec(),
            Fault::LastInBatchCounts => {
                let is_last = |index: usize| uses[index + 1..].iter().all(|later| later.id != uses[index].id);
                (0..uses.len()).filter(|index| is_last(*index)).map(|index| uses[index]).collect()
            }
            _ => uses.to_vec(),
        }
    }

    pub(crate) fn note(&self, key: &mut ApiKey, at: Timestamp) {
        match self.fault {
            Fault::UsesMoveBack => key.last_used_at = Some(at),
            Fault::UsesSkipRevoked if key.revoked_at.is_some() => {}
            _ => key.last_used_at = key.last_used_at.max(Some(at)),
        }
        if self.is(Fault::UsesRevive) {
            key.revoked_at = None;
        }
    }

    pub(crate) fn is_past(&self, key: &ApiKey, before: Timestamp) -> bool {
        let ended_at = key.ended_at(before);
        match self.fault {
            Fault::PurgesTheBoundary => ended_at.is_some_and(|ended_at| ended_at <= before),
            Fault::PurgesOnlyRevoked => key.revoked_at.is_some_and(|revoked_at| revoked_at < before),
            Fault::PurgesByCreation => key.created_at < before,
            Fault::PurgesOnlyOneOwner => {
                key.owner.subject() == "alice" && ended_at.is_some_and(|ended_at| ended_at < before)
            }
            _ => ended_at.is_some_and(|ended_at| ended_at < before),
        }
    }
}

fn whole_second(at: Timestamp) -> Timestamp {
    let millis = at.unix_millis();
    Timestamp::from_unix_millis(millis - millis.rem_euclid(1_000)).unwrap_or(at)
}
