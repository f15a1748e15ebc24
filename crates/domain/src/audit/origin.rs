use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::later_name::LaterName;
use crate::ports::Entropy;
use crate::webhooks::OwnerNumber;
use crate::{AuditId, KeyId, OwnerId, OwnerKind, SessionId, SubscriptionId, Timestamp};

const ID_TOKEN: &str = "id_token";
const OPERATOR_TOKEN: &str = "operator_token";
const SERVICE: &str = "service";

/// The longest name of an operator that is kept, in characters.
pub const OPERATOR_NAME_LENGTH_MAX: usize = 100;

/// The author of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A user.
    User(OwnerId),
    /// The operator, by the name of the token.
    Operator(String),
    /// Gatepost.
    Service,
}

/// The proof of the actor's identity. Its text form is `id_token`, `operator_token`, `service`, or the id of the key or
/// the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By an ID token.
    IdToken,
    /// By this API key.
    ApiKey(KeyId),
    /// By this session.
    Session(SessionId),
    /// By an operator token, which has the actor's name.
    OperatorToken,
    /// The service acts without a call.
    Service,
    /// By means of a later version.
    Later(LaterName),
}

/// The string is not the text form of [`Means`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a means of proof")]
pub struct InvalidMeans;

/// The id of a request: visible ASCII, at most [`RequestId::LENGTH_MAX`] characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

/// The source of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The actor.
    pub actor: Actor,
    /// The proof of the actor's identity.
    pub means: Means,
    /// The request.
    pub request: Option<RequestId>,
    /// The address of the client.
    pub address: Option<IpAddr>,
}

/// The cause of a change of the store. A store records it in the transaction of the change, or not at all without a
/// change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The id of the first event. It has the time of the change.
    pub id: AuditId,
    /// The source of the change.
    pub origin: Origin,
}

impl RequestId {
    /// The longest id, in characters.
    pub const LENGTH_MAX: usize = 64;

    /// The id; `None` if `text` is not valid.
    pub fn new(text: &str) -> Option<Self> {
        let is_valid = (1..=Self::LENGTH_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_valid.then(|| Self(text.to_owned()))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Origin {
    /// The service without a call.
    pub const SERVICE: Self = Self { actor: Actor::Service, means: Means::Service, request: None, address: None };

    /// A user, without a request. For tests and tools.
    pub fn of_user(user: &OwnerId, means: Means) -> Self {
        Self { actor: Actor::User(user.clone()), means, request: None, address: None }
    }

    /// The member of this organization who acts; `None` if the owner is a user, or the actor is not a user.
    pub fn member_for(&self, owner: &OwnerId) -> Option<OwnerId> {
        match &self.actor {
            Actor::User(user) if owner.kind() == OwnerKind::Organization && user.kind() == OwnerKind::User => {
                Some(user.clone())
            }
            Actor::User(_) | Actor::Operator(_) | Actor::Service => None,
        }
    }

    /// Whether the host acts, or its support: with an operator token, or by the session of an operator.
    pub fn is_by_host(&self) -> bool {
        matches!(self.actor, Actor::Operator(_))
    }

    /// The operator with a token of this name, without a request.
    pub fn of_operator(name: &str) -> Self {
        let name = name.chars().take(OPERATOR_NAME_LENGTH_MAX).collect();
        Self { actor: Actor::Operator(name), means: Means::OperatorToken, request: None, address: None }
    }
}

impl Means {
    /// The means that a store has under this text; `None` if no version writes such a string.
    pub fn of_stored(text: &str) -> Option<Self> {
        text.parse().ok().or_else(|| LaterName::new(text).map(Self::Later))
    }
}

impl Cause {
    /// The cause of a change at `at`.
    pub fn new(origin: &Origin, at: Timestamp, entropy: &dyn Entropy) -> Self {
        Self { id: AuditId::mint(at, entropy), origin: origin.clone() }
    }

    /// The cause of a change of this subscription by the service.
    pub fn of_service(at: Timestamp, subscription: SubscriptionId) -> Self {
        Self { id: AuditId::of_service(at, subscription.as_bytes()), origin: Origin::SERVICE }
    }

    /// The cause of a notice at `at` that this key expires soon.
    pub(crate) fn of_notice(at: Timestamp, key: KeyId) -> Self {
        Self { id: AuditId::of_service(at, key.as_bytes()), origin: Origin::SERVICE }
    }

    /// The cause of a notice at `at` about this owner.
    pub(crate) fn of_notice_to(owner: &OwnerId, at: Timestamp) -> Self {
        let mut object = [0; 16];
        object[8..].copy_from_slice(&OwnerNumber::of(owner).number().to_be_bytes());
        Self { id: AuditId::of_service(at, &object), origin: Origin::SERVICE }
    }
}

impl fmt::Display for Means {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdToken => formatter.write_str(ID_TOKEN),
            Self::ApiKey(id) => write!(formatter, "{id}"),
            Self::Session(id) => write!(formatter, "{id}"),
            Self::OperatorToken => formatter.write_str(OPERATOR_TOKEN),
            Self::Service => formatter.write_str(SERVICE),
            Self::Later(name) => formatter.write_str(name.as_str()),
        }
    }
}

impl FromStr for Means {
    type Err = InvalidMeans;

    fn from_str(text: &str) -> Result<Self, InvalidMeans> {
        let of_credential = || text.parse().map(Self::ApiKey).or_else(|_| text.parse().map(Self::Session));
        match text {
            ID_TOKEN => Ok(Self::IdToken),
            OPERATOR_TOKEN => Ok(Self::OperatorToken),
            SERVICE => Ok(Self::Service),
            _ => of_credential().map_err(|_| InvalidMeans),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_read_what_they_write_and_nothing_else() {
        let (key, session) = (KeyId::from_bytes([7; 16]), SessionId::from_bytes([7; 16]));
        for means in [Means::IdToken, Means::ApiKey(key), Means::Session(session), Means::OperatorToken, Means::Service]
        {
            assert_eq!(means.to_string().parse(), Ok(means));
        }
        for wrong in ["", "key", "sub_01h455vb4pex5vsknk084sn02q", "ID_TOKEN"] {
            assert_eq!(wrong.parse::<Means>(), Err(InvalidMeans), "{wrong:?}");
        }
    }

    #[test]
    fn a_request_id_is_short_and_visible() {
        let longest = "a".repeat(RequestId::LENGTH_MAX);
        assert_eq!(RequestId::new(&longest).unwrap().as_str(), longest);
        for wrong in ["", " ", "a b", "é", "a\n", &format!("{longest}a")] {
            assert_eq!(RequestId::new(wrong), None, "{wrong:?}");
        }
    }
}
