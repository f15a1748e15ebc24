use std::collections::BTreeSet;

use crate::WebhookAccess;
use crate::named::named;

named! {
    /// A right of a session that a portal link has opened, or of a member of an organization.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Capability: name, of_name {
        /// Creates, rotates and revokes the user's API keys, and lists them.
        Keys = "keys",
        /// Lists the user's API keys.
        KeysRead = "keys:read",
        /// Changes the user's subscriptions, sends, retries and cancels deliveries, and shows both.
        Webhooks = "webhooks",
        /// Shows the user's subscriptions and deliveries.
        WebhooksRead = "webhooks:read",
    }
}

impl Capability {
    /// The capability that a call with this access to webhooks needs.
    pub const fn for_webhooks(access: WebhookAccess) -> Self {
        match access {
            WebhookAccess::Read => Self::WebhooksRead,
            WebhookAccess::Consume | WebhookAccess::Write => Self::Webhooks,
        }
    }

    /// The most access to webhooks by these capabilities, or `None`.
    pub fn webhooks_of(may: impl Fn(Self) -> bool) -> Option<WebhookAccess> {
        [WebhookAccess::Write, WebhookAccess::Read].into_iter().find(|access| may(Self::for_webhooks(*access)))
    }

    /// Whether one of the `held` capabilities includes this one.
    pub fn is_in(self, held: &BTreeSet<Self>) -> bool {
        held.iter().any(|capability| capability.includes(self))
    }

    /// Whether a session with this capability also has `other`. Changing includes reading.
    pub fn includes(self, other: Self) -> bool {
        self == other || matches!((self, other), (Self::Keys, Self::KeysRead) | (Self::Webhooks, Self::WebhooksRead))
    }
}
