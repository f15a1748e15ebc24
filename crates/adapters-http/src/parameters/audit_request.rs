use domain::audit::{Actor, AuditAction, AuditFilter};
use domain::{AuditId, OwnerId};

use crate::errors::field_fault::FieldFault;
use crate::parameters::path::user_at;
use crate::parameters::query::Parameters;

/// The request for a list of the audit log.
pub(crate) struct AuditRequest {
    pub(crate) filter: AuditFilter,
    pub(crate) before: Option<AuditId>,
    pub(crate) limit: u32,
    /// The form of all events; `None` for one page.
    pub(crate) form: Option<ExportForm>,
}

/// The form of an export of the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportForm {
    /// JSON Lines, which has no registered type.
    JsonLines,
    /// Comma-separated values (RFC 4180), with names in the first line.
    Csv,
}

/// The formats of a list by their names. `json` has pages.
pub(crate) const FORMATS: [(&str, Option<ExportForm>); 3] =
    [("json", None), ("jsonl", Some(ExportForm::JsonLines)), ("csv", Some(ExportForm::Csv))];

impl AuditRequest {
    /// Reads the parameters. Users of the operator API are users of `issuer`.
    pub(crate) fn read(parameters: &Parameters, issuer: &str) -> Result<Self, FieldFault> {
        let form_of = |name: &str| FORMATS.into_iter().find(|(known, _)| *known == name).map(|(_, form)| form);
        let form = parameters.read("format", form_of, "must be json, jsonl or csv")?.flatten();
        let (filter, before, limit) = (filter(parameters, issuer)?, parameters.cursor()?, parameters.limit()?);
        if form.is_some() && parameters.text("limit").is_some() {
            return Err(FieldFault::new("limit", "must not be given with this format, which has no pages"));
        }
        Ok(Self { filter, before, limit, form })
    }
}

fn filter(parameters: &Parameters, issuer: &str) -> Result<AuditFilter, FieldFault> {
    let actor = |text: &str| actor_of(text, issuer);
    Ok(AuditFilter {
        owner: parameters.owner(issuer)?,
        actor: parameters.read(
            "actor",
            actor,
            "must be user:USER_ID, organization:ORGANIZATION_ID, operator:NAME or service",
        )?,
        action: parameters.read("action", AuditAction::parse, "must be an action, such as key.revoked")?,
        target: parameters.id(
            "target",
            "must be the id of a key, a subscription, a delivery, a session or an event, or a word such as keys",
        )?,
        since: parameters.time("since")?,
        until: parameters.time("until")?,
    })
}

fn actor_of(text: &str, issuer: &str) -> Option<Actor> {
    match text.split_once(':') {
        Some(("user", user_id)) => user_at(issuer, user_id).ok().map(Actor::User),
        Some(("organization", id)) => OwnerId::organization(issuer, id).ok().map(Actor::User),
        Some(("operator", name)) => Some(Actor::Operator(name.to_owned())),
        None if text == "service" => Some(Actor::Service),
        _ => None,
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    const ISSUER: &str = "https://id.example";

    const PARAMETERS: [&str; 10] =
        ["userId", "organizationId", "actor", "action", "target", "since", "until", "cursor", "limit", "format"];

    fn parse(query: &str) -> Result<AuditRequest, String> {
        let parameters = Parameters::parse(query, &PARAMETERS);
        parameters.and_then(|parameters| AuditRequest::read(&parameters, ISSUER)).map_err(|fault| fault.to_string())
    }

    #[test]
    fn reads_each_filter() {
        let request = parse("userId=alice&actor=operator:desk:1&action=key.revoked&target=keys&format=jsonl").unwrap();
        assert_eq!(request.filter.owner, OwnerId::new(ISSUER, "alice").ok());
        assert_eq!(request.filter.actor, Some(Actor::Operator("desk:1".into())));
        assert_eq!(request.filter.action, Some(AuditAction::KeyRevoked));
        assert_eq!(request.form, Some(ExportForm::JsonLines));
        assert_eq!(parse("organizationId=acme").unwrap().filter.owner, OwnerId::organization(ISSUER, "acme").ok());
        assert_eq!(parse("actor=user:bob").unwrap().filter.actor, OwnerId::new(ISSUER, "bob").ok().map(Actor::User));
        let acme = OwnerId::organization(ISSUER, "acme").ok().map(Actor::User);
        assert_eq!(parse("actor=organization:acme").unwrap().filter.actor, acme);
        assert_eq!(parse("actor=service").unwrap().filter.actor, Some(Actor::Service));
        assert_eq!((parse("").unwrap().limit, parse("").unwrap().form), (50, None));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for wrong in [
            "actor=alice",
            "actor=user:",
            "actor=organization:",
            "actor=services",
            "action=key",
            "target=alice",
            "format=xml",
            "format=csv&limit=5",
            "format=jsonl&limit=5",
            "userId=",
            "organizationId=",
            "userId=alice&organizationId=acme",
            "owner=alice",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
