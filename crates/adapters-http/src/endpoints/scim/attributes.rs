use domain::{OwnerChange, OwnerText, Patch};
use serde_json::{Map, Value};

use crate::ScimSubject;
use crate::errors::scim_fault::{ScimFault, ScimType};

/// The schema of users (RFC 7643, section 4.1).
pub(super) const SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:User";

/// The attributes of a user in a request. Attributes that are not kept are ignored. The names of attributes have no case
/// (RFC 7643, section 2.1).
#[derive(Debug, Default)]
pub(super) struct Attributes {
    user_name: Patch<String>,
    external_id: Patch<String>,
    display_name: Patch<String>,
    formatted: Patch<String>,
    given_name: Patch<String>,
    family_name: Patch<String>,
    email: Patch<String>,
    /// Whether the user may act.
    pub(super) active: Option<bool>,
    /// The first fault of the request. The attributes behind it are read too: a deactivation counts all the same.
    fault: Option<ScimFault>,
}

impl Attributes {
    /// The attributes of a whole user, who has no others.
    pub(super) fn of_resource(resource: &Map<String, Value>) -> Self {
        let (user_name, display_name, email) = (Patch::Reset, Patch::Reset, Patch::Reset);
        let mut attributes = Self { user_name, display_name, email, ..Self::default() };
        attributes.set_all(resource);
        let parts: Vec<&str> = [&attributes.given_name, &attributes.family_name]
            .into_iter()
            .filter_map(|part| Some(part.set()?.as_str()))
            .collect();
        if attributes.formatted.set().is_none() && !parts.is_empty() {
            attributes.formatted = Patch::Set(parts.join(" "));
        }
        attributes
    }

    /// The attributes that the operations of a PATCH leave (RFC 7644, section 3.5.2).
    pub(super) fn of_patch(body: &Map<String, Value>) -> Self {
        let syntax = |detail: &'static str| ScimFault::new(ScimType::InvalidSyntax, detail);
        let mut attributes = Self::default();
        let Some(operations) = member(body, "Operations").and_then(Value::as_array) else {
            return Self { fault: Some(syntax("Operations must be a list")), ..attributes };
        };
        for operation in operations {
            let done = operation.as_object().ok_or_else(|| syntax("an operation must be an object"));
            let done = done.and_then(|operation| attributes.apply(operation));
            attributes.note(done);
        }
        attributes
    }

    fn apply(&mut self, operation: &Map<String, Value>) -> Result<(), ScimFault> {
        let verb = member(operation, "op").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        // Some providers send an empty path for none.
        let path = member(operation, "path").and_then(Value::as_str).filter(|path| !path.trim().is_empty());
        match (verb.as_str(), path, member(operation, "value")) {
            ("add" | "replace", Some(path), Some(value)) => self.set(path, value)?,
            ("add" | "replace", None, Some(Value::Object(values))) => self.set_all(values),
            ("remove", Some(path), _) => self.set(path, &Value::Null)?,
            ("remove", None, _) => return Err(ScimFault::new(ScimType::NoTarget, "a removal must have a path")),
            _ => {
                let detail = "op must be add, replace or remove, and the first two must have a value";
                return Err(ScimFault::new(ScimType::InvalidSyntax, detail));
            }
        }
        Ok(())
    }

    fn set_all(&mut self, values: &Map<String, Value>) {
        for (name, value) in values {
            let done = self.set(name, value);
            self.note(done);
        }
    }

    fn note(&mut self, done: Result<(), ScimFault>) {
        self.fault = self.fault.take().or(done.err());
    }

    fn set(&mut self, path: &str, value: &Value) -> Result<(), ScimFault> {
        match &*plain(path) {
            "username" => self.user_name = text("userName", value)?,
            "externalid" => self.external_id = text("externalId", value)?,
            "displayname" => self.display_name = text("displayName", value)?,
            "name.formatted" => self.formatted = text("name.formatted", value)?,
            "name.givenname" => self.given_name = text("name.givenName", value)?,
            "name.familyname" => self.family_name = text("name.familyName", value)?,
            "name" => {
                let mut parts = value.as_object().into_iter().flatten();
                parts.try_for_each(|(part, value)| self.set(&format!("name.{part}"), value))?;
            }
            // The attributes of the schema, in a member with its name.
            schema if schema.eq_ignore_ascii_case(SCHEMA) => {
                if let Some(attributes) = value.as_object() {
                    self.set_all(attributes);
                }
            }
            "emails" => self.email = first_email(value)?,
            "emails[type eq \"work\"].value" | "emails[primary eq true].value" => self.email = text("emails", value)?,
            "active" => self.active = Some(flag(value)?),
            _ => {}
        }
        Ok(())
    }

    /// The new `userName`, if there is one. Every user has one.
    ///
    /// # Errors
    ///
    /// The first fault of the request.
    pub(super) fn user_name(&self) -> Result<Option<&str>, ScimFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        match &self.user_name {
            Patch::Set(name) => Ok(Some(name)),
            Patch::Keep => Ok(None),
            Patch::Reset => Err(ScimFault::new(ScimType::InvalidValue, "userName is required")),
        }
    }

    /// The subject that the request names.
    pub(super) fn subject(&self, by: ScimSubject) -> Option<&str> {
        let subject = match by {
            ScimSubject::ExternalId => &self.external_id,
            ScimSubject::UserName => &self.user_name,
        };
        subject.set().map(String::as_str)
    }

    /// The change of the record of a user who is called `user_name` now. Where the subject is another attribute, the
    /// `userName` is kept as the e-mail address, so that the provider finds the user by it.
    pub(super) fn change(&self, by: ScimSubject, user_name: &str) -> Result<OwnerChange, ScimFault> {
        let new_name = self.user_name()?;
        let name = match (&self.display_name, &self.formatted) {
            (Patch::Set(name), _) | (_, Patch::Set(name)) => Patch::Set(parsed("displayName", name)?),
            (Patch::Reset, _) => Patch::Set(parsed("displayName", new_name.unwrap_or(user_name))?),
            (Patch::Keep, _) => Patch::Keep,
        };
        let email = match (by, &self.email) {
            (ScimSubject::ExternalId, _) => match new_name {
                Some(name) => Patch::Set(parsed("userName", name)?),
                None => Patch::Keep,
            },
            (ScimSubject::UserName, Patch::Set(email)) => Patch::Set(parsed("emails", email)?),
            (ScimSubject::UserName, Patch::Reset) => Patch::Reset,
            (ScimSubject::UserName, Patch::Keep) => Patch::Keep,
        };
        Ok(OwnerChange { name, email, ..OwnerChange::default() })
    }
}

/// The `userName` or the `externalId` that a filter asks for.
pub(super) fn parse_filter(filter: &str) -> Result<(ScimSubject, String), ScimFault> {
    let parse = || {
        let (attribute, rest) = filter.trim().split_once(' ')?;
        let (operator, value) = rest.trim_start().split_once(' ')?;
        let attribute = match &*plain(attribute) {
            "username" => ScimSubject::UserName,
            "externalid" => ScimSubject::ExternalId,
            _ => return None,
        };
        let value = serde_json::from_str(value.trim()).ok()?;
        operator.eq_ignore_ascii_case("eq").then_some((attribute, value))
    };
    let detail = "the filter must be userName eq \"…\" or externalId eq \"…\"";
    parse().ok_or(ScimFault::new(ScimType::InvalidFilter, detail))
}

/// The path of an attribute in lower case, without the schema of users.
fn plain(path: &str) -> String {
    let path = path.trim().to_ascii_lowercase();
    let short = path.strip_prefix(&SCHEMA.to_ascii_lowercase()).and_then(|rest| rest.strip_prefix(':'));
    short.map(str::to_owned).unwrap_or(path)
}

/// A member whose name has no case.
fn member<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.iter().find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
}

fn text(name: &'static str, value: &Value) -> Result<Patch<String>, ScimFault> {
    match value {
        Value::Null => Ok(Patch::Reset),
        Value::String(text) if text.is_empty() => Ok(Patch::Reset),
        Value::String(text) => Ok(Patch::Set(text.clone())),
        _ => Err(ScimFault::new(ScimType::InvalidValue, format!("{name} must be a string"))),
    }
}

/// Entra sends the text `"False"`.
fn flag(value: &Value) -> Result<bool, ScimFault> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(ScimFault::new(ScimType::InvalidValue, "active must be true or false")),
    }
}

/// The primary address, or else the first one.
fn first_email(value: &Value) -> Result<Patch<String>, ScimFault> {
    let emails: Vec<&Map<String, Value>> = match value {
        Value::Null => Vec::new(),
        Value::Array(emails) => emails.iter().filter_map(Value::as_object).collect(),
        _ => return Err(ScimFault::new(ScimType::InvalidValue, "emails must be a list")),
    };
    let primary = emails.iter().find(|email| member(email, "primary") == Some(&Value::Bool(true)));
    let main = primary.or(emails.first()).and_then(|email| member(email, "value"));
    main.map_or(Ok(Patch::Reset), |value| text("emails", value))
}

fn parsed<const LENGTH_MAX: usize>(name: &'static str, text: &str) -> Result<OwnerText<LENGTH_MAX>, ScimFault> {
    OwnerText::parse(text).map_err(|error| ScimFault::new(ScimType::InvalidValue, format!("{name} {error}")))
}
