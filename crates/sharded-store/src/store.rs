use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domain::ports::{ChangeFeed, Retained, Store};
use domain::{Home, OwnerId};

use crate::shard::Shard;

/// Several stores, each with a part of the owners, as one.
pub struct ShardedStore {
    pub(crate) shards: Vec<Arc<Shard>>,
    /// The first shard of the next call that visits one shard after the other.
    turn: AtomicUsize,
    /// The shard that deleted data last, for each kind of data.
    pub(crate) purging: [AtomicUsize; Retained::ALL.len()],
    /// Whether the schema of each shard was read or migrated, or the attempt failed.
    pub(crate) schema_was_tried: AtomicBool,
}

impl ShardedStore {
    /// The composition of these stores. Their number and their order must never change, because they determine the
    /// shard of an owner.
    pub fn new(shards: impl IntoIterator<Item = Store>) -> Self {
        let shards = shards.into_iter().enumerate().map(|(number, store)| Shard::new(number, store));
        Self {
            shards: shards.collect(),
            turn: AtomicUsize::new(0),
            purging: Default::default(),
            schema_was_tried: AtomicBool::new(false),
        }
    }

    /// All ports of the stores, composed.
    pub fn composed(shards: impl IntoIterator<Item = Store>) -> Store {
        let composed = Arc::new(Self::new(shards));
        Store { changes: composed.feeds(), ..Store::single(&composed) }
    }

    /// The feed of each shard, in their order.
    fn feeds(&self) -> Vec<Arc<dyn ChangeFeed>> {
        self.shards.iter().flat_map(|shard| shard.store.changes.clone()).collect()
    }

    /// The shard of this owner.
    pub(crate) fn of(&self, owner: &OwnerId) -> &Arc<Shard> {
        self.at(Home::of(owner))
    }

    /// The shard of this home.
    pub(crate) fn at(&self, home: Home) -> &Arc<Shard> {
        &self.shards[home.shard(self.shards.len())]
    }

    /// The shards in which something with an id of this home can be: one, or all if the id carries no home.
    pub(crate) fn near(&self, home: Option<Home>) -> &[Arc<Shard>] {
        match home {
            Some(home) => std::slice::from_ref(self.at(home)),
            None => &self.shards,
        }
    }

    /// The shards that answer, each time with another one first.
    pub(crate) fn in_turn(&self) -> impl Iterator<Item = &Arc<Shard>> {
        self.starting_at(self.turn.fetch_add(1, Ordering::Relaxed) % self.shards.len())
    }

    /// The shards that answer, this one first.
    pub(crate) fn starting_at(&self, first: usize) -> impl Iterator<Item = &Arc<Shard>> {
        let (before, from) = self.shards.split_at(first);
        from.iter().chain(before).filter(|shard| shard.answers())
    }
}
