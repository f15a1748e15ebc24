use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use crate::sessions::Capability;

/// Stands for every role that is not named, and for members without a role.
const OTHERS: &str = "*";

/// The capabilities of each role of a member in the organization. Its text form is `admin=keys+webhooks, *=keys:read`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationRoles(BTreeMap<String, BTreeSet<Capability>>);

/// The string is not the text form of [`OrganizationRoles`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a list of roles and their capabilities")]
pub struct InvalidOrganizationRoles;

impl OrganizationRoles {
    /// The capabilities of a member with these roles: those of all named roles or, if none of them is named, those of
    /// `*`; none without `*`.
    pub fn capabilities<'a>(&self, roles: impl Iterator<Item = &'a str>) -> BTreeSet<Capability> {
        let named: Vec<_> = roles.filter(|role| *role != OTHERS).filter_map(|role| self.0.get(role)).collect();
        let others = self.0.get(OTHERS).into_iter().filter(|_| named.is_empty());
        named.iter().copied().chain(others).flatten().copied().collect()
    }
}

/// Every member sees everything, without the right to change it.
impl Default for OrganizationRoles {
    fn default() -> Self {
        Self(BTreeMap::from([(OTHERS.to_owned(), BTreeSet::from([Capability::KeysRead, Capability::WebhooksRead]))]))
    }
}

impl fmt::Display for OrganizationRoles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (role, held)) in self.0.iter().enumerate() {
            let held: Vec<&str> = held.iter().map(|capability| capability.name()).collect();
            write!(formatter, "{}{role}={}", if index == 0 { "" } else { ", " }, held.join("+"))?;
        }
        Ok(())
    }
}

impl FromStr for OrganizationRoles {
    type Err = InvalidOrganizationRoles;

    fn from_str(text: &str) -> Result<Self, InvalidOrganizationRoles> {
        let mut roles = BTreeMap::new();
        for one in text.split(',') {
            let (role, held) = one.trim().rsplit_once('=').ok_or(InvalidOrganizationRoles)?;
            let held: Option<BTreeSet<_>> = held.split('+').map(Capability::of_name).collect();
            let is_role = !role.is_empty() && role.trim() == role && !role.chars().any(char::is_control);
            let held = held.filter(|_| is_role).ok_or(InvalidOrganizationRoles)?;
            if roles.insert(role.to_owned(), held).is_some() {
                return Err(InvalidOrganizationRoles);
            }
        }
        Ok(Self(roles))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_roles_add_up_and_others_get_the_rest() {
        use Capability::{Keys, KeysRead, Webhooks, WebhooksRead};
        let roles: OrganizationRoles = "admin=keys+webhooks, dev=webhooks+keys:read, *=keys:read".parse().unwrap();
        let held =
            |names: &[&str]| -> Vec<Capability> { roles.capabilities(names.iter().copied()).into_iter().collect() };
        assert_eq!(held(&["admin"]), [Keys, Webhooks]);
        assert_eq!(held(&["dev", "admin"]), [Keys, KeysRead, Webhooks]);
        assert_eq!(held(&["dev", "guest"]), [KeysRead, Webhooks]);
        for others in [&[][..], &["guest"], &["*"], &["Admin"]] {
            assert_eq!(held(others), [KeysRead], "{others:?}");
        }
        let without_others: OrganizationRoles = "admin=keys".parse().unwrap();
        assert!(without_others.capabilities(["guest", "*"].into_iter()).is_empty());
        let least: Vec<_> = OrganizationRoles::default().capabilities([].into_iter()).into_iter().collect();
        assert_eq!(least, [KeysRead, WebhooksRead]);
    }

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for text in ["admin=keys+webhooks, dev=keys:read+webhooks", "org:a=b=keys", "*=keys"] {
            let roles: OrganizationRoles = text.parse().unwrap();
            assert_eq!(roles.to_string().parse(), Ok(roles), "{text}");
        }
        for wrong in
            ["", "admin", "admin=", "=keys", "admin=all", "a=keys,", "a=keys,a=webhooks", "a =keys", "a\n=keys"]
        {
            assert_eq!(wrong.parse::<OrganizationRoles>(), Err(InvalidOrganizationRoles), "{wrong:?}");
        }
    }
}
