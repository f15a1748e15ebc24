//! Look-ups of keys and sessions by their digests.

use std::collections::HashSet;
use std::sync::Arc;

use domain::ports::StoreError;
use domain::{CredentialDigest, Home};
use futures_util::future::join_all;

use crate::ShardedStore;
use crate::fan_out::{first, in_part, to_its_end};
use crate::shard::Shard;

/// What was found of some digests, and the error that says that more may be in a shard that failed.
pub(crate) type InPart<T> = (Vec<(CredentialDigest, T)>, Option<StoreError>);

impl ShardedStore {
    /// Looks in the shard that the digest names: what was minted for this store is there, or nowhere. What it does not have
    /// may be from elsewhere, so the others look for it, side by side. See decision 102.
    pub(crate) async fn find_one<T, Answer>(
        &self,
        digest: &CredentialDigest,
        call: impl Fn(&Arc<Shard>) -> Answer,
    ) -> Result<Option<T>, StoreError>
    where
        T: Send + 'static,
        Answer: Future<Output = Result<Option<T>, StoreError>> + Send + 'static,
    {
        let named = self.named_by(digest);
        let answer = named.part(call(named)).await;
        if let Ok(Some(_)) = answer {
            return answer;
        }
        let others = self.shards.iter().filter(|shard| shard.number != named.number);
        // What no other shard has may be in the one that failed.
        first(others, |shard| to_its_end(call(shard))).await?.map_or(answer, |found| Ok(Some(found)))
    }

    /// The same for many digests. Each shard looks once for those that name it, and once for those that the others do
    /// not have.
    pub(crate) async fn find_many<T, Answer>(
        &self,
        digests: &[CredentialDigest],
        call: impl Fn(&Arc<Shard>, Vec<CredentialDigest>) -> Answer,
    ) -> InPart<T>
    where
        T: Send + 'static,
        Answer: Future<Output = Result<Vec<(CredentialDigest, T)>, StoreError>> + Send + 'static,
    {
        let named = self.dealt(digests, |shard, digest| self.named_by(digest).number == shard.number);
        let answers = join_all(named.map(|(shard, part)| shard.part(call(shard, part)))).await;
        let (mut found, mut failure) = (Vec::new(), None);
        for answer in answers {
            match answer {
                Ok(part) => found.extend(part),
                Err(error) => failure = Some(error),
            }
        }
        let known: HashSet<CredentialDigest> = found.iter().map(|(digest, _)| *digest).collect();
        let left: Vec<CredentialDigest> = digests.iter().filter(|digest| !known.contains(digest)).copied().collect();
        let others = self.dealt(&left, |shard, digest| self.named_by(digest).number != shard.number);
        let others = others.map(|(shard, part)| shard.part(to_its_end(call(shard, part))));
        let (elsewhere, error) = in_part(left.len(), others).await;
        let is_complete = elsewhere.len() >= left.len();
        found.extend(elsewhere);
        (found, error.or(failure).filter(|_| !is_complete))
    }

    fn named_by(&self, digest: &CredentialDigest) -> &Arc<Shard> {
        self.at(Home::of_digest(digest))
    }

    /// The shards that get some of these digests, each with those that it gets.
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
