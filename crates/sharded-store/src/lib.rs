//! Composes several stores, the shards, behind the ports of one. See decision 96.
//!
//! - **An owner is in one shard**, by the owner's [`Home`](domain::Home). A call for an owner is one call of that
//!   shard, with all of its promises: the exact maximum, and one transaction for a change and its events.
//! - **Ids name the shard.** Ids of keys, sessions and subscriptions carry the home of their owner, and digests of keys
//!   and sessions name its shard. For an id that carries none, and for a digest that the named shard does not have, all
//!   shards look concurrently.
//! - **No transaction spans shards.** A call for owners in several shards is one call for each shard.
//! - **A shard that does not answer** fails the calls of its owners, and the lists of all owners. Claims, purges,
//!   counts and look-ups in other shards continue without it, and it returns without an operator.

mod audit;
mod fan_out;
mod keys;
mod look_ups;
mod owners;
mod pages;
mod sessions;
mod shard;
mod store;
mod system;
mod webhooks;

pub use store::ShardedStore;
