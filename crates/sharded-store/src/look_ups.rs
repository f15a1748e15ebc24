//! Look-ups of keys and sessions by their digests.

use std::collections::HashSet;
use std::sync::Arc;

use domain::ports::{CredentialStore, Found, LookedUp, StoredCredential};
use domain::{CredentialDigest, Home};
use futures_util::future::join_all;

use crate::ShardedStore;
use crate::fan_out::{in_part, to_its_end};
use crate::shard::Shard;

impl ShardedStore {
    /// Looks in the shards that the digests name: a digest that was minted for this store is in that shard, or in none.
    /// Missing ones may come from elsewhere, so the other shards look for them, concurrently. See decision 102.
    pub(crate) async fn find_in_shards<Stored: StoredCredential>(
        &self,
        digests: &[CredentialDigest],
        store_of: impl Fn(&Shard) -> &Arc<dyn CredentialStore<Stored>>,
    ) -> Found<Stored> {
        let call = |shard: &Shard, part: Vec<CredentialDigest>| {
            let store = Arc::clone(store_of(shard));
            async move {
                let found = store.find_by_digests(&part).await;
                let Found { stored, suspended, rates, failure } = found;
                let looked_up = |(digest, stored)| {
                    let (is_suspended, rates) = (suspended.contains(&digest), rates.get(&digest).copied());
                    LookedUp { digest, stored, is_suspended, rates: rates.unwrap_or_default() }
                };
                failure.map_or_else(|| Ok(stored.into_iter().map(looked_up).collect::<Vec<_>>()), Err)
            }
        };
        let named = self.dealt(digests, |shard, digest| self.named_by(digest).number == shard.number);
        let answers = join_all(named.map(|(shard, part)| shard.look_up(call(shard, part)))).await;
        let (mut found, mut failure) = (Vec::new(), None);
        for answer in answers {
            match answer {
                Ok(part) => found.extend(part),
                Err(error) => failure = Some(error),
            }
        }
        let known: HashSet<CredentialDigest> = found.iter().map(|one: &LookedUp<Stored>| one.digest).collect();
        let left: Vec<CredentialDigest> = digests.iter().filter(|digest| !known.contains(digest)).copied().collect();
        let others = self.dealt(&left, |shard, digest| self.named_by(digest).number != shard.number);
        let others = others.map(|(shard, part)| shard.look_up(to_its_end(call(shard, part))));
        let (elsewhere, error) = in_part(left.len(), others).await;
        let is_complete = elsewhere.len() >= left.len();
        found.extend(elsewhere);
        Found { failure: error.or(failure).filter(|_| !is_complete), ..found.into_iter().collect() }
    }

    fn named_by(&self, digest: &CredentialDigest) -> &Arc<Shard> {
        self.at(Home::of_digest(digest))
    }

    /// The shards that get some of these digests, each with its digests.
    fn dealt(
        &self,
        digests: &[CredentialDigest],
        gets: impl Fn(&Shard, &CredentialDigest) -> bool,
    ) -> impl Iterator<Item = (&Arc<Shard>, Vec<CredentialDigest>)> {
        self.shards.iter().filter_map(move |shard| {
            let part: Vec<_> = digests.iter().filter(|digest| gets(shard, digest)).copied().collect();
            (!part.is_empty()).then_some((shard, part))
        })
    }
}
