use std::collections::{BTreeMap, BTreeSet};

use super::organization_roles::OrganizationRoles;
use crate::OwnerId;
use crate::sessions::Capability;

/// The most organizations of one user that are read.
pub const ORGANIZATIONS_MAX: usize = 200;

/// The most bytes that the ids of organizations have together in a session, so that its row stays small. 200 ids of 40
/// bytes fit.
const SESSION_IDS_BYTES_MAX: usize = 8 * 1024;

/// The organizations of a user, or the finding that the claims about them cannot be read.
pub type ReadMemberships = Result<Memberships, UnreadableMemberships>;

/// The user of an ID token, and the memberships that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The user.
    pub user: OwnerId,
    /// The organizations that the user belongs to. A call that names none does not need them.
    pub memberships: ReadMemberships,
}

/// The claims about organizations have another form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the claims about organizations cannot be read")]
pub struct UnreadableMemberships;

/// The organizations of a user, each with the user's capabilities there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memberships(BTreeMap<OwnerId, BTreeSet<Capability>>);

/// The owner of a call that names no organization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultOwner {
    /// The user's.
    #[default]
    User,
    /// The organization's, if the user belongs to exactly one.
    Organization,
}

impl Memberships {
    /// The memberships of a user of this provider in these organizations, with these roles.
    ///
    /// A role counts in every organization if there is only one. If there are several, a role counts in the
    /// organization that it begins with, before a colon: `acme:admin`. See decision 123.
    ///
    /// # Errors
    ///
    /// When there are more than [`ORGANIZATIONS_MAX`], or one of the ids is not valid.
    pub fn new(provider: &str, organizations: &[&str], roles: &[&str], rights: &OrganizationRoles) -> ReadMemberships {
        if organizations.len() > ORGANIZATIONS_MAX {
            return Err(UnreadableMemberships);
        }
        let is_only = organizations.iter().all(|id| *id == organizations[0]);
        let capabilities = |id: &str| {
            let prefix = format!("{id}:");
            let named = roles.iter().filter_map(|role| role.strip_prefix(&*prefix));
            rights.capabilities(named.chain(roles.iter().copied().filter(|_| is_only)))
        };
        Self::of_ids(provider, organizations.iter().map(|id| (*id, capabilities(id))))
    }

    /// The memberships that [`Memberships::by_id`] lists.
    ///
    /// # Errors
    ///
    /// When one of the ids is not valid.
    pub fn of_ids<Id: AsRef<str>>(
        provider: &str,
        held: impl IntoIterator<Item = (Id, BTreeSet<Capability>)>,
    ) -> ReadMemberships {
        let membership = |(id, capabilities): (Id, _)| {
            let organization = OwnerId::organization(provider, id.as_ref()).map_err(|_| UnreadableMemberships)?;
            Ok((organization, capabilities))
        };
        held.into_iter().map(membership).collect::<Result<_, _>>().map(Self)
    }

    /// The ids of the organizations, each with the user's capabilities there.
    pub fn by_id(&self) -> impl Iterator<Item = (&str, &BTreeSet<Capability>)> {
        self.0.iter().map(|(organization, capabilities)| (organization.subject(), capabilities))
    }

    /// Whether the user belongs to no organization.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The memberships, if their ids are short enough for a session.
    ///
    /// # Errors
    ///
    /// When the ids have more than 8 KiB together.
    pub fn for_session(self) -> ReadMemberships {
        let bytes: usize = self.by_id().map(|(id, _)| id.len()).sum();
        if bytes <= SESSION_IDS_BYTES_MAX { Ok(self) } else { Err(UnreadableMemberships) }
    }

    /// The user's capabilities in this organization; `None` if the user does not belong to it.
    pub fn capabilities(&self, organization: &OwnerId) -> Option<&BTreeSet<Capability>> {
        self.0.get(organization)
    }

    /// The organization, if there is exactly one.
    pub fn only(&self) -> Option<&OwnerId> {
        self.0.keys().next().filter(|_| self.0.len() == 1)
    }
}

impl From<OwnerId> for Identity {
    /// A user without organizations.
    fn from(user: OwnerId) -> Self {
        Self { user, memberships: Ok(Memberships::default()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROVIDER: &str = "https://id.example";

    fn held(organizations: &[&str], roles: &[&str], id: &str) -> Option<BTreeSet<Capability>> {
        let rights = "admin=keys+webhooks, *=webhooks:read".parse().unwrap();
        let memberships = Memberships::new(PROVIDER, organizations, roles, &rights).unwrap();
        memberships.capabilities(&OwnerId::organization(PROVIDER, id).unwrap()).cloned()
    }

    #[test]
    fn a_member_of_one_organization_has_the_roles_there() {
        let all = Some([Capability::Keys, Capability::Webhooks].into());
        assert_eq!(held(&["acme"], &["admin"], "acme"), all);
        assert_eq!(held(&["acme", "acme"], &["admin"], "acme"), all);
        assert_eq!(held(&["acme"], &["acme:admin"], "acme"), all);
        assert_eq!(held(&["acme"], &[], "acme"), Some([Capability::WebhooksRead].into()));
        assert_eq!(held(&["acme"], &["admin"], "globex"), None);
        assert_eq!(held(&[], &["admin"], "acme"), None);
    }

    #[test]
    fn a_role_without_an_organization_counts_in_none_of_several() {
        let (all, least) =
            (Some([Capability::Keys, Capability::Webhooks].into()), Some([Capability::WebhooksRead].into()));
        for (role, in_acme, in_globex) in [
            ("admin", &least, &least),
            ("acme:admin", &all, &least),
            ("globex:admin", &least, &all),
            ("acm:admin", &least, &least),
        ] {
            let organizations = ["acme", "globex"];
            assert_eq!(held(&organizations, &[role], "acme"), *in_acme, "{role}");
            assert_eq!(held(&organizations, &[role], "globex"), *in_globex, "{role}");
        }
    }

    #[test]
    fn too_many_and_invalid_organizations_are_unreadable() {
        let read = |ids: &[&str]| Memberships::new(PROVIDER, ids, &[], &OrganizationRoles::default());
        let ids: Vec<String> = (0..=ORGANIZATIONS_MAX).map(|n| format!("org_{n}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        assert!(read(&ids[1..]).is_ok());
        for wrong in [&*ids, &[""], &["acme", "a\nb"], &[&*"a".repeat(256)]] {
            assert_eq!(read(wrong), Err(UnreadableMemberships), "{wrong:?}");
        }
        let long: Vec<String> = (0..33).map(|n| format!("{n:0>255}")).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        assert_eq!(read(&long).unwrap().for_session(), Err(UnreadableMemberships));
        assert_eq!(read(&long[1..]).unwrap().for_session(), read(&long[1..]));
        let only = read(&["acme"]).unwrap();
        assert_eq!(only.only().and_then(OwnerId::organization_id), Some("acme"));
        assert_eq!((read(&[]).unwrap().only(), read(&["acme", "globex"]).unwrap().only()), (None, None));
    }
}
