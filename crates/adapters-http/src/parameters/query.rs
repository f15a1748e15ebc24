use std::fmt::Display;
use std::str::FromStr;

use actix_web::HttpRequest;
use actix_web::web::Query;
use domain::{OwnerId, Timestamp};

use crate::errors::field_fault::FieldFault;
use crate::parameters::cursor::Cursor;
use crate::parameters::path::{NOT_UTF8, any_owner_at, decodes_to_utf8};
use crate::state::State;

/// How many items a page has when the client does not set `limit`.
pub(crate) const PAGE_SIZE_DEFAULT: u32 = 50;
/// The most items of a page.
pub(crate) const PAGE_SIZE_MAX: u32 = 200;
/// The parameter that names the organization for which a call is made. It is in the query because a proxy that drops a
/// header would make the call one of the user.
pub(crate) const ORGANIZATION: &str = "organization";

/// The parameters of a query. An unknown parameter is refused, because with a mistyped filter the answer would show too
/// much. A repeated parameter is refused too.
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// The parameters of this request. Only names in the document are known.
    pub(crate) fn of(request: &HttpRequest) -> Result<Self, FieldFault> {
        Self::parse(request.query_string(), State::of(request).known_names.parameters_of(request))
    }

    /// Parses a query that may contain the `known` parameters.
    pub(crate) fn parse<Known: AsRef<str>>(query: &str, known: &[Known]) -> Result<Self, FieldFault> {
        let fault = |detail: String| FieldFault::new("query", detail);
        if !decodes_to_utf8(query) {
            return Err(fault(NOT_UTF8.into()));
        }
        let pairs = pairs_of(query)?;
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        let mut parameters: Vec<(String, String)> = Vec::new();
        for (name, value) in pairs {
            if !known.contains(&&*name) {
                return Err(fault(match &*known {
                    [] => "must be empty".into(),
                    known => format!("may only contain {}", known.join(", ")),
                }));
            }
            if parameters.iter().any(|(other, _)| *other == name) {
                return Err(FieldFault::new(name, "must not be repeated"));
            }
            parameters.push((name, value));
        }
        Ok(Self(parameters))
    }

    /// Reads a parameter with `read`; `None` when the parameter is absent. `detail` is the rule for the parameter.
    pub(crate) fn read<T>(
        &self,
        field: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
        detail: &'static str,
    ) -> Result<Option<T>, FieldFault> {
        let Some(text) = self.text(field) else {
            return Ok(None);
        };
        read(text).map(Some).ok_or(FieldFault::new(field, detail))
    }

    /// Parses a parameter; `None` when the parameter is absent.
    pub(crate) fn parse_with<T, E: Display>(
        &self,
        field: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, FieldFault> {
        let parsed = self.text(field).map(parse).transpose();
        parsed.map_err(|error| FieldFault::of(field, error))
    }

    /// The owner in `userId` or `organizationId`, at this issuer.
    pub(crate) fn owner(&self, issuer: &str) -> Result<Option<OwnerId>, FieldFault> {
        any_owner_at(issuer, self.text("userId"), self.text("organizationId"))
    }

    /// The id in a parameter.
    pub(crate) fn id<T: FromStr>(&self, field: &'static str, detail: &'static str) -> Result<Option<T>, FieldFault> {
        self.read(field, |text| text.parse().ok(), detail)
    }

    /// The time in a parameter.
    pub(crate) fn time(&self, field: &'static str) -> Result<Option<Timestamp>, FieldFault> {
        self.text(field).map(|text| parse_time(field, text)).transpose()
    }

    /// The position in `cursor`, where the previous page ended.
    pub(crate) fn cursor<T: Cursor>(&self) -> Result<Option<T>, FieldFault> {
        self.read("cursor", T::from_cursor, "must be a cursor from an earlier answer of this call")
    }

    /// The number of items in `limit`, or the default.
    pub(crate) fn limit(&self) -> Result<u32, FieldFault> {
        let read = |text: &str| text.parse().ok().filter(|limit| (1..=PAGE_SIZE_MAX).contains(limit));
        Ok(self.read("limit", read, "must be a whole number from 1 to 200")?.unwrap_or(PAGE_SIZE_DEFAULT))
    }

    pub(crate) fn text(&self, field: &'static str) -> Option<&str> {
        self.0.iter().find(|(name, _)| *name == field).map(|(_, value)| value.as_str())
    }
}

/// The names and values of a query, in their order.
pub(crate) fn pairs_of(query: &str) -> Result<Vec<(String, String)>, FieldFault> {
    let pairs = Query::<Vec<(String, String)>>::from_query(query);
    pairs.map(Query::into_inner).map_err(|_| FieldFault::new("query", "must be form-encoded"))
}

/// The organization that the query names.
pub(crate) fn organization_in(request: &HttpRequest) -> Result<Option<String>, FieldFault> {
    let pairs = pairs_of(request.query_string())?;
    let mut named = pairs.into_iter().filter(|(name, _)| name == ORGANIZATION).map(|(_, id)| id);
    match (named.next(), named.next()) {
        (named, None) => Ok(named),
        (_, Some(_)) => Err(FieldFault::new(ORGANIZATION, "must not be repeated")),
    }
}

/// Parses the date and time in a field of a body or in a parameter of a query.
pub(crate) fn parse_time(field: &'static str, text: &str) -> Result<Timestamp, FieldFault> {
    let detail = "must be a date and time like 2027-01-31T12:00:00Z (RFC 3339)";
    Timestamp::parse_rfc3339(text).ok_or(FieldFault::new(field, detail))
}

#[cfg(test)]
mod tests {
    use domain::SubscriptionId;

    use super::*;

    fn limit(query: &str) -> Result<u32, String> {
        let parameters = Parameters::parse(query, &["limit", "cursor"]);
        parameters.and_then(|parameters| parameters.limit()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn a_limit_has_a_default_and_bounds() {
        assert_eq!(limit(""), Ok(50));
        assert_eq!(limit("limit=1"), Ok(1));
        assert_eq!(limit("limit=200"), Ok(200));
        for wrong in ["limit=0", "limit=201", "limit=", "limit=-1", "limit=1.5", "limit=ten", "limit=99999999999"] {
            assert_eq!(limit(wrong), Err("limit must be a whole number from 1 to 200".into()), "{wrong}");
        }
    }

    #[test]
    fn refuses_unknown_and_repeated_parameters() {
        assert_eq!(limit("limt=1"), Err("query may only contain limit, cursor".into()));
        assert_eq!(limit("limit=1&limit=1"), Err("limit must not be repeated".into()));
    }

    #[test]
    fn a_cursor_is_one_of_the_list() {
        let read = |query: &str| Parameters::parse(query, &["cursor"]).unwrap().cursor::<SubscriptionId>();
        let id = SubscriptionId::from_bytes([7; 16]);
        assert_eq!(read("").unwrap(), None);
        assert_eq!(read(&format!("cursor={}", id.to_cursor())).unwrap(), Some(id));
        assert!(read("cursor=").is_err());
        assert!(read("cursor=nonsense").is_err());
    }
}
