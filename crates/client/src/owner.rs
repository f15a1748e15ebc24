use std::fmt;

use serde::Serialize;

/// The owner of a key, or the receiver of an event. A user and an organization with the same id are separate owners.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Owner {
    /// A user, by the `sub` of the user's ID tokens.
    #[serde(rename = "userId")]
    User(String),
    /// An organization, by its id at the identity provider.
    #[serde(rename = "organizationId")]
    Organization(String),
}

impl Owner {
    /// The id of the user; `None` if the owner is an organization.
    pub fn user_id(&self) -> Option<&str> {
        match self {
            Self::User(id) => Some(id),
            Self::Organization(_) => None,
        }
    }

    /// The id of the organization; `None` if the owner is a user.
    pub fn organization_id(&self) -> Option<&str> {
        match self {
            Self::User(_) => None,
            Self::Organization(id) => Some(id),
        }
    }
}

/// `user alice`, or `organization acme`.
impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(id) => write!(formatter, "user {id}"),
            Self::Organization(id) => write!(formatter, "organization {id}"),
        }
    }
}
