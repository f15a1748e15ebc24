use std::fmt;

/// A right of an operator token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorScope {
    /// Verify keys.
    Verify,
    /// Publish events.
    Publish,
    /// Read the data of users, revoke their keys and sessions, repeat failed deliveries, report leaked keys, make
    /// portal links, and read the audit log.
    Support,
    /// Make every change that an owner can make.
    Manage,
    /// Change the catalogue of event types.
    Catalogue,
    /// Say who may act, by SCIM.
    Scim,
    /// Every call, also those that later versions add.
    Admin,
}

impl OperatorScope {
    /// Every scope.
    pub const ALL: [Self; 7] =
        [Self::Verify, Self::Publish, Self::Support, Self::Manage, Self::Catalogue, Self::Scim, Self::Admin];

    /// The name in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Publish => "publish",
            Self::Support => "support",
            Self::Manage => "manage",
            Self::Catalogue => "catalogue",
            Self::Scim => "scim",
            Self::Admin => "admin",
        }
    }

    /// The scope with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

impl fmt::Display for OperatorScope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_have_names() {
        for scope in OperatorScope::ALL {
            assert_eq!(OperatorScope::parse(scope.as_str()), Some(scope));
        }
        for other in ["", "Verify", "verify ", "root"] {
            assert_eq!(OperatorScope::parse(other), None, "{other:?}");
        }
    }
}
