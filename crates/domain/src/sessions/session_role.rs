use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::capability::Capability;
use crate::WebhookAccess;

const USER: &str = "user";
const OPERATOR: &str = "operator";
const VISITOR: &str = "visitor";
const LINK: &str = "link";

/// The role of a session. Its text form is `user`, `operator`, `link`, or `visitor` and the names of its capabilities,
/// separated by spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionRole {
    /// All rights of the user who signed in.
    User,
    /// The same, and the rights of operators.
    Operator,
    /// A part of the rights of a user whom the host application has sent.
    Visitor(BTreeSet<Capability>),
    /// No rights: the session is an unused portal link.
    Link,
}

/// The string is not the text form of a [`SessionRole`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the role of a session")]
pub struct InvalidSessionRole;

impl SessionRole {
    /// Whether the session has this right to the things of its owner.
    pub fn may(&self, wanted: Capability) -> bool {
        match self {
            Self::User | Self::Operator => true,
            Self::Visitor(held) => wanted.is_in(held),
            Self::Link => false,
        }
    }

    /// The session's access to webhooks.
    pub fn webhooks(&self) -> Option<WebhookAccess> {
        Capability::webhooks_of(|wanted| self.may(wanted))
    }

    /// Whether the secret of the session signs its holder in.
    pub fn signs_in(&self) -> bool {
        *self != Self::Link
    }

    /// Whether the host application has sent the person.
    pub fn is_visitor(&self) -> bool {
        matches!(self, Self::Visitor(_))
    }

    /// Whether the session has the rights of operators.
    pub fn is_operator(&self) -> bool {
        *self == Self::Operator
    }
}

impl fmt::Display for SessionRole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User => formatter.write_str(USER),
            Self::Operator => formatter.write_str(OPERATOR),
            Self::Link => formatter.write_str(LINK),
            Self::Visitor(held) => {
                formatter.write_str(VISITOR)?;
                held.iter().try_for_each(|capability| write!(formatter, " {}", capability.name()))
            }
        }
    }
}

impl FromStr for SessionRole {
    type Err = InvalidSessionRole;

    fn from_str(text: &str) -> Result<Self, InvalidSessionRole> {
        let mut words = text.split(' ');
        match (words.next(), text) {
            (_, USER) => Ok(Self::User),
            (_, OPERATOR) => Ok(Self::Operator),
            (_, LINK) => Ok(Self::Link),
            (Some(VISITOR), _) => {
                words.map(Capability::of_name).collect::<Option<_>>().map(Self::Visitor).ok_or(InvalidSessionRole)
            }
            _ => Err(InvalidSessionRole),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visitor(held: &[Capability]) -> SessionRole {
        SessionRole::Visitor(held.iter().copied().collect())
    }

    #[test]
    fn users_and_operators_may_do_everything_and_visitors_what_they_hold() {
        use Capability::{Keys, KeysRead, Webhooks, WebhooksRead};
        let table = [
            (SessionRole::User, [true, true, true, true]),
            (SessionRole::Operator, [true, true, true, true]),
            (SessionRole::Link, [false, false, false, false]),
            (visitor(&[]), [false, false, false, false]),
            (visitor(&[Keys]), [true, true, false, false]),
            (visitor(&[KeysRead]), [false, true, false, false]),
            (visitor(&[Webhooks]), [false, false, true, true]),
            (visitor(&[KeysRead, WebhooksRead]), [false, true, false, true]),
        ];
        for (role, allowed) in table {
            assert_eq!([Keys, KeysRead, Webhooks, WebhooksRead].map(|wanted| role.may(wanted)), allowed, "{role}");
            let access = [(Webhooks, WebhookAccess::Write), (WebhooksRead, WebhookAccess::Read)];
            let most = access.into_iter().find(|(wanted, _)| role.may(*wanted)).map(|(_, access)| access);
            assert_eq!(role.webhooks(), most, "{role}");
            assert_eq!(role.is_operator(), role == SessionRole::Operator, "{role}");
            assert_eq!(role.signs_in(), role != SessionRole::Link, "{role}");
        }
    }

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        let roles =
            [SessionRole::User, SessionRole::Operator, SessionRole::Link, visitor(&[]), visitor(&Capability::ALL)];
        for role in roles {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        assert_eq!(visitor(&Capability::ALL).to_string(), "visitor keys keys:read webhooks webhooks:read");
        for wrong in
            ["", " ", "User", "user ", "user keys", "operator keys", "link keys", "visitor ", "visitor admin", "keys"]
        {
            assert_eq!(wrong.parse::<SessionRole>(), Err(InvalidSessionRole), "{wrong:?}");
        }
    }
}
