use super::owner_record::OwnerRecord;
use crate::OwnerId;

/// The most active keys, and the most subscriptions, that [`OwnerCounts`] count.
pub const OWNER_COUNT_MAX: u32 = 1_000;

/// What an owner is found by. Searches go on in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoundBy {
    /// The owner is suspended.
    Suspension,
    /// The id: the [`OwnerId::subject`].
    Id,
    /// The name.
    Name,
    /// The e-mail address.
    Email,
    /// What lists show of a key.
    Key,
}

/// The place of an owner in the order of [`OwnerStore::list`](crate::ports::OwnerStore::list): every text by its bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerPlace {
    /// What the owner is found by.
    pub by: FoundBy,
    /// The folded name or address, or the [`ApiKey::prefix`](crate::ApiKey::prefix) of the key; otherwise empty.
    pub text: String,
    /// The [`OwnerId::subject`].
    pub subject: String,
    /// The [`OwnerId::issuer`].
    pub issuer: String,
}

impl OwnerPlace {
    /// The place of this owner, found by `by` with this text.
    pub fn of(owner: &OwnerId, by: FoundBy, text: impl Into<String>) -> Self {
        Self { by, text: text.into(), subject: owner.subject().to_owned(), issuer: owner.issuer().to_owned() }
    }
}

/// An owner in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOwner {
    /// The place in the list.
    pub place: OwnerPlace,
    /// The owner.
    pub owner: OwnerId,
    /// What the host has set.
    pub record: OwnerRecord,
}

/// What an owner has: each at most [`OWNER_COUNT_MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnerCounts {
    /// Active keys.
    pub active_keys: u32,
    /// Enabled subscriptions.
    pub enabled_subscriptions: u32,
    /// Enabled subscriptions that failed at their last attempt.
    pub failing_subscriptions: u32,
}

/// An owner in a list, with what the owner has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOwner {
    /// The owner.
    pub found: FoundOwner,
    /// What the owner has.
    pub counts: OwnerCounts,
}

/// One page of a list of owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerPage {
    /// The owners, in the order of their places.
    pub owners: Vec<ListedOwner>,
    /// Where the next page begins; `None` if this is the last page. A page may be short or even empty without being the
    /// last: a search for rare owners stops after some time.
    pub next: Option<OwnerPlace>,
}
