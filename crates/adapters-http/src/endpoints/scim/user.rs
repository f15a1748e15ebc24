use domain::{OwnerId, OwnerRecord, OwnerText};
use percent_encoding::utf8_percent_encode;
use serde_json::{Value, json};

use super::attributes::SCHEMA;
use super::{USERS, meta};
use crate::ScimSubject;
use crate::callers::operator::OperatorCall;
use crate::parameters::path::RESERVED;

/// A user whom SCIM knows.
pub(super) struct User {
    pub(super) owner: OwnerId,
    record: OwnerRecord,
}

impl User {
    /// The user with this record. SCIM gives every user a name, so an owner with neither a name nor an address is unknown to
    /// SCIM: the provider has never created the user, or has deleted the user.
    pub(super) fn known(owner: OwnerId, record: OwnerRecord) -> Option<Self> {
        (record.name.is_some() || record.email.is_some()).then_some(Self { owner, record })
    }

    /// The `userName`.
    pub(super) fn name(&self, by: ScimSubject) -> &str {
        let email = self.record.email.as_ref().filter(|_| by == ScimSubject::ExternalId);
        email.map_or(self.owner.subject(), OwnerText::as_str)
    }

    /// Where the user is found, behind the URL of the service.
    pub(super) fn path(&self) -> String {
        format!("{USERS}/{}", utf8_percent_encode(self.owner.subject(), RESERVED))
    }

    /// The user as a resource.
    pub(super) fn shown(&self, call: &OperatorCall, by: ScimSubject) -> Value {
        let Self { owner, record } = self;
        let name = record.name.as_ref().map_or(self.name(by), OwnerText::as_str);
        let mut user = json!({
            "schemas": [SCHEMA],
            "id": owner.subject(),
            "userName": self.name(by),
            "displayName": name,
            "name": {"formatted": name},
            // Without the host's suspension: the provider would see a change that it has not made.
            "active": record.suspension.as_ref().is_none_or(|suspension| !suspension.by.has_provider()),
            "meta": meta(call, "User", &self.path()),
        });
        if by == ScimSubject::ExternalId {
            user["externalId"] = json!(owner.subject());
        }
        if let Some(email) = &record.email {
            user["emails"] = json!([{"value": email.as_str(), "type": "work", "primary": true}]);
        }
        user
    }
}
