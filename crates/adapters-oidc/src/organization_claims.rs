use std::borrow::Cow;
use std::fmt;

use domain::OwnerId;
use domain::organizations::{Identity, Memberships, OrganizationRoles, UnreadableMemberships};
use serde_json::{Map, Value};

/// A place in an ID token: a JSON pointer (RFC 6901).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimPointer(String);

/// The claims of ID tokens that name the organizations of their users and the roles there, and the rights of the roles.
/// See decision 123.
#[derive(Clone, Debug, Default)]
pub struct OrganizationClaims {
    /// The organizations; `None` means that there are none.
    pub organizations: Option<ClaimPointer>,
    /// The roles; `None` means that members have none.
    pub roles: Option<ClaimPointer>,
    /// The rights of the roles.
    pub rights: OrganizationRoles,
}

impl ClaimPointer {
    /// The values that [`ClaimPointer::parse`] accepts.
    pub const ALLOWED: &str =
        "a JSON pointer (RFC 6901) such as /org_id or /o/id, in which ~1 is a slash and ~0 a tilde";

    /// Parses a pointer to a claim. The empty pointer, which is valid, names no claim.
    pub fn parse(text: &str) -> Option<Self> {
        let is_escaped = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        (text.starts_with('/') && is_escaped).then(|| Self(text.to_owned()))
    }

    /// The value in this place; `None` if there is none, or `null`.
    fn find<'a>(&self, claims: &'a Map<String, Value>) -> Option<&'a Value> {
        // The first part names a claim. `Value::pointer` walks below it.
        let (first, rest) =
            self.0[1..].split_once('/').map_or((&self.0[1..], ""), |(first, _)| (first, &self.0[1 + first.len()..]));
        let claim = claims.get(&first.replace("~1", "/").replace("~0", "~"))?;
        claim.pointer(rest).filter(|value| !value.is_null())
    }
}

impl fmt::Display for ClaimPointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl OrganizationClaims {
    /// The user of a verified token, with the organizations that its claims name.
    pub(crate) fn identify(&self, user: OwnerId, claims: &Map<String, Value>) -> Identity {
        let memberships = self.read(user.issuer(), claims);
        Identity { user, memberships }
    }

    fn read(&self, provider: &str, claims: &Map<String, Value>) -> Result<Memberships, UnreadableMemberships> {
        let at = |pointer: &Option<ClaimPointer>| pointer.as_ref().and_then(|pointer| pointer.find(claims));
        let organizations = at(&self.organizations).map_or(Ok(Vec::new()), names)?;
        if organizations.is_empty() {
            return Ok(Memberships::default());
        }
        let roles = at(&self.roles).map_or(Ok(Vec::new()), |claim| roles(claim, &organizations))?;
        let roles: Vec<&str> = roles.iter().map(AsRef::as_ref).collect();
        Memberships::new(provider, &organizations, &roles, &self.rights)
    }
}

/// The roles in a claim. An object may say for each role the organizations that grant it, as that of ZITADEL does: the
/// role then counts there, and an organization of another member grants nothing here.
fn roles<'a>(claim: &'a Value, organizations: &[&str]) -> Result<Vec<Cow<'a, str>>, UnreadableMemberships> {
    match claim {
        Value::Object(granted) if granted.values().any(Value::is_object) => {
            let mut roles = Vec::new();
            for (role, by) in granted {
                let by = by.as_object().ok_or(UnreadableMemberships)?;
                roles.extend(
                    organizations.iter().filter(|id| by.contains_key(**id)).map(|id| format!("{id}:{role}").into()),
                );
            }
            Ok(roles)
        }
        plain => Ok(names(plain)?.into_iter().map(Cow::Borrowed).collect()),
    }
}

/// The names in a claim: a string, a list of strings, or the keys of an object.
fn names(claim: &Value) -> Result<Vec<&str>, UnreadableMemberships> {
    match claim {
        Value::String(name) => Ok(vec![name.as_str()]),
        Value::Array(names) => names.iter().map(Value::as_str).collect::<Option<_>>().ok_or(UnreadableMemberships),
        Value::Object(members) => Ok(members.keys().map(String::as_str).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) => Err(UnreadableMemberships),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::sessions::Capability;
    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://id.example";

    type Read = Result<Memberships, UnreadableMemberships>;

    fn read(organizations: &str, roles: &str, claims: &Value) -> Read {
        let rights = "admin=keys+webhooks, org:admin=keys+webhooks, *=webhooks:read".parse().unwrap();
        let claimed = OrganizationClaims {
            organizations: ClaimPointer::parse(organizations),
            roles: ClaimPointer::parse(roles),
            rights,
        };
        claimed.identify(OwnerId::new(ISSUER, "alice").unwrap(), claims.as_object().unwrap()).memberships
    }

    /// Empty for a user who is not a member.
    fn held(read: &Read, id: &str) -> BTreeSet<Capability> {
        let organization = OwnerId::organization(ISSUER, id).unwrap();
        read.as_ref().unwrap().capabilities(&organization).cloned().unwrap_or_default()
    }

    fn admin() -> BTreeSet<Capability> {
        [Capability::Keys, Capability::Webhooks].into()
    }

    fn other() -> BTreeSet<Capability> {
        [Capability::WebhooksRead].into()
    }

    #[test]
    fn auth0_has_an_id() {
        let claims = json!({"org_id": "org_9ybsU1dN2dKfDkBi", "https://app.example/roles": ["admin"]});
        let read = read("/org_id", "/https:~1~1app.example~1roles", &claims);
        assert_eq!(held(&read, "org_9ybsU1dN2dKfDkBi"), admin());
    }

    #[test]
    fn clerk_has_an_object_with_an_id_and_a_role() {
        let claims = json!({"o": {"id": "org_2abc", "rol": "admin", "slg": "acme"}});
        assert_eq!(held(&read("/o/id", "/o/rol", &claims), "org_2abc"), admin());
    }

    #[test]
    fn workos_has_an_id_and_a_role() {
        let claims = json!({"org_id": "org_01HR", "role": "member", "permissions": ["admin"]});
        assert_eq!(held(&read("/org_id", "/role", &claims), "org_01HR"), other());
    }

    #[test]
    fn keycloak_has_an_object_whose_keys_are_aliases() {
        let claims = json!({"organization": {"acme": {"id": "42c3"}, "globex": {}}});
        let read = read("/organization", "", &claims);
        let held = ["acme", "globex", "id"].map(|id| held(&read, id));
        assert_eq!(held, [other(), other(), BTreeSet::new()]);
    }

    #[test]
    fn phase_two_has_an_active_organization() {
        let claims = json!({"active_organization": {"id": "5af9", "name": "acme", "role": ["admin", "view-members"]}});
        assert_eq!(held(&read("/active_organization/id", "/active_organization/role", &claims), "5af9"), admin());
    }

    #[test]
    fn logto_has_a_list_and_roles_that_name_their_organization() {
        let claims = json!({"organizations": ["o1", "o2"], "organization_roles": ["o1:admin", "o2:member"]});
        let read = read("/organizations", "/organization_roles", &claims);
        assert_eq!((held(&read, "o1"), held(&read, "o2")), (admin(), other()));
    }

    #[test]
    fn zitadel_has_the_owner_of_the_user_and_an_object_of_roles() {
        for (roles, expected) in [
            (json!({"admin": {"1789": "acme.example"}}), admin()),
            (json!({"admin": {"1789": "acme.example", "2": "b.example"}, "viewer": {"2": "b.example"}}), admin()),
            (json!({"admin": {"2": "b.example"}, "viewer": {"1789": "acme.example"}}), other()),
            (json!({"admin": {}}), other()),
        ] {
            let claims = json!({
                "urn:zitadel:iam:user:resourceowner:id": "1789",
                "urn:zitadel:iam:org:project:roles": roles,
            });
            let read = read("/urn:zitadel:iam:user:resourceowner:id", "/urn:zitadel:iam:org:project:roles", &claims);
            assert_eq!(held(&read, "1789"), expected, "{claims}");
        }
    }

    #[test]
    fn a_user_without_the_claim_belongs_to_no_organization() {
        for claims in [json!({}), json!({"org": null}), json!({"org": []}), json!({"org": {}}), json!({"ORG": "acme"})]
        {
            assert_eq!(read("/org", "/roles", &claims), Ok(Memberships::default()), "{claims}");
        }
        assert_eq!(read("", "", &json!({"org": "acme"})), Ok(Memberships::default()), "without the setting");
    }

    #[test]
    fn other_forms_are_unreadable() {
        for org in
            [json!(1), json!(true), json!([["acme"]]), json!(["acme", 1]), json!(""), json!("a\0"), json!({"": 1})]
        {
            assert_eq!(read("/org", "", &json!({"org": org})), Err(UnreadableMemberships), "{org}");
        }
        let roles = |roles: Value| read("/org", "/roles", &json!({"org": "acme", "roles": roles}));
        for wrong in [json!(1), json!([1]), json!(false), json!({"admin": {"acme": 1}, "viewer": 1})] {
            assert_eq!(roles(wrong.clone()), Err(UnreadableMemberships), "{wrong}");
        }
        assert_eq!(held(&roles(json!(null)), "acme"), other());
    }

    #[test]
    fn pointers_are_those_of_rfc_6901() {
        let claims = json!({"a/b": {"m~n": "x"}, "": "y", "o": {"": "z"}, "list": ["acme"]});
        let find = |text: &str| ClaimPointer::parse(text).unwrap().find(claims.as_object().unwrap()).cloned();
        for (pointer, value) in [("/a~1b/m~0n", "x"), ("/", "y"), ("/o/", "z"), ("/list/0", "acme")] {
            assert_eq!(find(pointer), Some(json!(value)), "{pointer}");
        }
        for absent in ["/a", "/a~1b/x", "/list/1", "/o/id", "/list/00"] {
            assert_eq!(find(absent), None, "{absent}");
        }
        for wrong in ["", "org_id", "org/id", "/a~2", "/a~", "#/a"] {
            assert_eq!(ClaimPointer::parse(wrong), None, "{wrong:?}");
        }
    }
}
