//! Reads the options of a subscription, in requests that create one, change one or test a URL.

use std::collections::BTreeMap;

use domain::Patch;
use domain::webhooks::{
    AuthKind, Authentication, ClientCertificate, ClientCredentials, DeliveryRate, HeaderName, HeaderValue,
    InvalidAuthentication, InvalidOptions, OnExhausted, OptionsChange, Webhooks,
};
use serde_json::{Map, Value};
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{Number, ToSchema};

use crate::bodies::fields::Fields;
use crate::bodies::unknown_members::shown;
use crate::errors::field_fault::{FieldFault, Together};
use crate::errors::refusals::of_options;

pub(crate) const HEADERS: &str = "headers";
pub(crate) const AUTH: &str = "auth";
pub(crate) const MAX_PER_SECOND: &str = "maxPerSecond";
pub(crate) const CLIENT_CERTIFICATE: &str = "clientCertificate";

/// A bearer token, in the header `authorization`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `options` reads")]
pub(crate) struct BearerAuth {
    /// Always `bearer`.
    #[schema(example = "bearer")]
    r#type: String,
    /// The token: visible ASCII characters, without spaces.
    #[schema(example = "0f1e2d3c")]
    token: String,
}

/// A user name and a password, in the header `authorization`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `options` reads")]
pub(crate) struct BasicAuth {
    /// Always `basic`.
    #[schema(example = "basic")]
    r#type: String,
    /// The user name: ASCII, without control characters and colons.
    #[schema(example = "gatepost")]
    username: String,
    /// The password: ASCII, without control characters; may be empty.
    #[schema(example = "open sesame")]
    password: String,
}

/// A header with a credential.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `options` reads")]
pub(crate) struct HeaderAuth {
    /// Always `header`.
    #[schema(example = "header")]
    r#type: String,
    /// The name of the header: one that `headers` may have, or `authorization`.
    #[schema(example = "x-api-key")]
    name: String,
    /// The value of the header.
    #[schema(example = "0f1e2d3c")]
    value: String,
}

/// An access token, in the header `authorization`. The service requests it by the client credentials grant (RFC 6749), keeps
/// it until it expires, and requests another one if the receiver answers 401.
#[derive(ToSchema)]
#[schema(as = OAuth2Auth)]
#[expect(dead_code, reason = "describes what `options` reads")]
pub(crate) struct OAuth2Auth {
    /// Always `oauth2`.
    #[schema(example = "oauth2")]
    r#type: String,
    /// The token endpoint: a URL that webhooks may be sent to.
    #[schema(rename = "tokenUrl", example = "https://id.example.com/oauth/token")]
    token_url: String,
    /// The client, which authenticates at the endpoint with HTTP Basic.
    #[schema(rename = "clientId", example = "gatepost")]
    client_id: String,
    /// The secret of the client.
    #[schema(rename = "clientSecret", example = "0f1e2d3c")]
    client_secret: String,
    /// The requested scopes, separated by spaces.
    #[schema(example = "hooks:write")]
    scope: Option<String>,
    /// The API that the token is for, at providers that require it.
    #[schema(example = "https://hooks.example.com/")]
    audience: Option<String>,
}

/// The certificate with which the service authenticates in the TLS handshake, and its private key: ECDSA (P-256, P-384,
/// P-521), Ed25519, or RSA of 2,048 to 8,192 bits. Chain and key have at most 12,288 bytes together.
#[derive(ToSchema)]
#[schema(as = ClientCertificate)]
#[expect(dead_code, reason = "describes what `options` reads")]
pub(crate) struct ClientCertificatePem {
    /// One to ten certificates in PEM: the client's certificate, and then the certificates of its issuers.
    #[schema(example = "-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n")]
    chain: String,
    /// The private key of the first certificate in PEM (PKCS #8, SEC 1 or PKCS #1), not encrypted.
    #[schema(example = "-----BEGIN PRIVATE KEY-----\nMIGH...\n-----END PRIVATE KEY-----\n")]
    key: String,
}

/// The options of a new subscription.
pub(crate) fn options(fields: &Fields, webhooks: &Webhooks) -> Result<OptionsChange, Vec<FieldFault>> {
    let (options, rate) = (request_options(fields, webhooks), max_per_second(fields)).together()?;
    Ok(OptionsChange { max_per_second: rate.map_or(Patch::Keep, Patch::Set), ..options })
}

/// The headers, the authentication and the client certificate of a new subscription, or of a test. `null` counts as absent.
pub(crate) fn request_options(fields: &Fields, webhooks: &Webhooks) -> Result<OptionsChange, Vec<FieldFault>> {
    let headers = headers(fields, || Err(FieldFault::new(HEADERS, "must have strings as values")));
    let read = (headers, auth(fields, webhooks), certificate(fields, webhooks));
    read.together().map(|(headers, auth, certificate)| OptionsChange {
        headers,
        auth: auth.map_or(Patch::Keep, Patch::Set),
        certificate: certificate.map_or(Patch::Keep, Patch::Set),
        ..OptionsChange::default()
    })
}

/// A change of the options. `null` removes all headers, one of them, the authentication, the client certificate, or the rate.
pub(crate) fn options_change(fields: &Fields, webhooks: &Webhooks) -> Result<OptionsChange, Vec<FieldFault>> {
    let headers = headers(fields, || Ok(None));
    let certificate = certificate(fields, webhooks);
    let read = (headers, auth(fields, webhooks), max_per_second(fields), certificate, on_exhausted(fields));
    let (headers, auth, rate, certificate, on_exhausted) = read.together()?;
    Ok(OptionsChange {
        replaces_headers: fields.is_null(HEADERS),
        headers,
        auth: fields.patch(AUTH, auth),
        max_per_second: fields.patch(MAX_PER_SECOND, rate),
        certificate: fields.patch(CLIENT_CERTIFICATE, certificate),
        on_exhausted,
    })
}

fn max_per_second(fields: &Fields) -> Result<Option<DeliveryRate>, FieldFault> {
    let number = fields.optional_float(MAX_PER_SECOND)?;
    number.map(|number| DeliveryRate::new(number).map_err(|error| FieldFault::of(MAX_PER_SECOND, error))).transpose()
}

/// The order of a new subscription; `None` without one.
pub(crate) fn order(fields: &Fields) -> Result<Option<OnExhausted>, FieldFault> {
    let on_exhausted = on_exhausted(fields)?;
    match fields.optional_text("ordering")? {
        Some("subscription") => Ok(Some(on_exhausted.unwrap_or(OnExhausted::Skip))),
        None | Some("none") if on_exhausted.is_some() => Err(of_options(InvalidOptions::NotOrdered)),
        None | Some("none") => Ok(None),
        Some(_) => Err(FieldFault::new("ordering", "must be none or subscription")),
    }
}

/// The rule of an order; `None` if the request has none.
fn on_exhausted(fields: &Fields) -> Result<Option<OnExhausted>, FieldFault> {
    fields.parsed("onExhausted", |text| OnExhausted::from_code(text).ok_or("must be skip or stop"))
}

/// The faults name the broken rule, and never quote a value.
fn headers(
    fields: &Fields,
    of_null: fn() -> Result<Option<HeaderValue>, FieldFault>,
) -> Result<BTreeMap<HeaderName, Option<HeaderValue>>, FieldFault> {
    let Some(object) = fields.optional_object(HEADERS)? else { return Ok(BTreeMap::new()) };
    if object.len() > OptionsChange::HEADERS_MAX {
        return Err(of_options(InvalidOptions::TooMany));
    }
    let mut headers = BTreeMap::new();
    for (name, value) in object {
        let name = HeaderName::parse(name).map_err(|error| FieldFault::of(HEADERS, error))?;
        let value = match value {
            Value::String(text) => Some(HeaderValue::parse(text).map_err(|error| FieldFault::of(HEADERS, error))?),
            Value::Null => of_null()?,
            _ => return Err(FieldFault::new(HEADERS, "must have strings as values")),
        };
        if headers.insert(name, value).is_some() {
            return Err(FieldFault::new(HEADERS, "must have each name once, in upper or lower case"));
        }
    }
    Ok(headers)
}

/// The faults name the broken rule, and never quote a value.
fn auth(fields: &Fields, webhooks: &Webhooks) -> Result<Option<Authentication>, FieldFault> {
    let read = fields.optional_object(AUTH)?.map(|object| authentication(object, webhooks));
    read.transpose().map_err(|fault| fault.inside(AUTH))
}

fn authentication(object: &Map<String, Value>, webhooks: &Webhooks) -> Result<Authentication, FieldFault> {
    let text = |name: &'static str| text_of(object, name);
    let optional = |name: &'static str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => text(name).map(Some),
    };
    let kind = AuthKind::parse(text("type")?);
    let kind = kind.ok_or_else(|| FieldFault::new("type", "must be bearer, basic, header or oauth2"))?;
    let known: &[&str] = match kind {
        AuthKind::Bearer => &["type", "token"],
        AuthKind::Basic => &["type", "username", "password"],
        AuthKind::Header => &["type", "name", "value"],
        AuthKind::OAuth2 => &["type", "tokenUrl", "clientId", "clientSecret", "scope", "audience"],
    };
    refuse_unknown(object, known)?;
    let auth = match kind {
        AuthKind::Bearer => Authentication::bearer(text("token")?),
        AuthKind::Basic => Authentication::basic(text("username")?, text("password")?),
        AuthKind::Header => Authentication::header(text("name")?, text("value")?),
        AuthKind::OAuth2 => {
            let (token_url, client) = (text("tokenUrl")?, (text("clientId")?, text("clientSecret")?));
            let (scope, audience) = (optional("scope")?, optional("audience")?);
            let token_url = webhooks.parse_target(token_url).map_err(InvalidAuthentication::from);
            let new = |token_url| ClientCredentials::new(token_url, client, scope, audience);
            let client = token_url.and_then(|token_url| new(token_url).map_err(InvalidAuthentication::from));
            client.map(|client| Authentication::oauth2(&client))
        }
    };
    auth.map_err(|error| FieldFault::of(error.part(), error))
}

/// The faults name the broken rule, and never quote a value.
fn certificate(fields: &Fields, webhooks: &Webhooks) -> Result<Option<ClientCertificate>, FieldFault> {
    let Some(object) = fields.optional_object(CLIENT_CERTIFICATE)? else { return Ok(None) };
    let inside = |fault: FieldFault| fault.inside(CLIENT_CERTIFICATE);
    refuse_unknown(object, &["chain", "key"]).map_err(inside)?;
    let text = |name: &'static str| text_of(object, name).map_err(inside);
    webhooks.read_certificate(text("chain")?, text("key")?).map(Some).map_err(|error| match error.part() {
        Some(part) => inside(FieldFault::of(part, error)),
        None => FieldFault::of(CLIENT_CERTIFICATE, error),
    })
}

fn text_of<'a>(object: &'a Map<String, Value>, name: &'static str) -> Result<&'a str, FieldFault> {
    match object.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(FieldFault::new(name, "must be a string")),
        None => Err(FieldFault::new(name, "is required")),
    }
}

fn refuse_unknown(object: &Map<String, Value>, known: &[&str]) -> Result<(), FieldFault> {
    let unknown = object.keys().find(|name| !known.contains(&name.as_str()));
    let fault = |name: &String| FieldFault::new(shown(name), format!("is unknown; known are {}", known.join(", ")));
    unknown.map_or(Ok(()), |name| Err(fault(name)))
}

/// The schema of the headers of a new subscription.
pub(crate) fn headers_schema() -> Schema {
    let description = "Headers that the service adds to each request: at most 16, 8 KiB together, with values of \
         visible ASCII. The values are secret: no answer has them. Names that the service sets, that frame a request or \
         that receivers trust are refused: `authorization` (use `auth`), `content-*`, `cookie`, `host`, `user-agent`, \
         `webhook-*`, `x-forwarded*` and others; `_` counts as `-`. A header that `auth` sets is refused, too. Upper and \
         lower case are the same.";
    headers_of(SchemaType::new(Type::String), description)
}

/// The schema of a change of headers.
pub(crate) fn headers_change_schema() -> Schema {
    let description = "The headers to set, and with `null` those to remove. Others stay. `null` in place of the object \
         removes all. All headers after the change must be within the limits of a new subscription.";
    headers_of(SchemaType::from_iter([Type::String, Type::Null]), description)
}

fn headers_of(values: SchemaType, description: &str) -> Schema {
    let value = ObjectBuilder::new().schema_type(values).max_length(Some(HeaderValue::LENGTH_MAX));
    let value = value.pattern(Some(HeaderValue::PATTERN)).build();
    let name = ObjectBuilder::new().schema_type(Type::String).pattern(Some(HeaderName::PATTERN)).build();
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .description(Some(description))
        .property_names(Some(name))
        .max_properties(Some(OptionsChange::HEADERS_MAX))
        .additional_properties(Some(AdditionalProperties::from(Schema::Object(value))))
        .build()
        .into()
}

/// The schema of a rate.
pub(crate) fn max_per_second_schema() -> Schema {
    let description = "The most deliveries in a second, over all instances of the service, retries included: 0.1 (one in \
         ten seconds) to 1,000, rounded to three decimal places. `null`: as many as the receiver takes.";
    let [min, max] = [DeliveryRate::MIN, DeliveryRate::MAX].map(|limit| Some(Number::Float(limit.per_second())));
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Number, Type::Null]))
        .description(Some(description))
        .minimum(min)
        .maximum(max)
        .examples([5])
        .build()
        .into()
}

/// The schema of a client certificate.
pub(crate) fn client_certificate_schema() -> Schema {
    let null: RefOr<Schema> = ObjectBuilder::new().schema_type(Type::Null).build().into();
    let description = "The certificate with which the service authenticates at a receiver that asks for one (mTLS). The key \
         is in no answer. Requires a URL with https. `null`: none.";
    let given = OneOfBuilder::new().item(Ref::from_schema_name("ClientCertificate"));
    given.item(null).description(Some(description)).build().into()
}

/// The schema of an authentication.
pub(crate) fn auth_schema() -> Schema {
    let kinds = ["BearerAuth", "BasicAuth", "HeaderAuth", "OAuth2Auth"];
    let kinds = kinds.into_iter().fold(OneOfBuilder::new(), |one_of, kind| one_of.item(Ref::from_schema_name(kind)));
    let null: RefOr<Schema> = ObjectBuilder::new().schema_type(Type::Null).build().into();
    let description = "The authentication of each request. Its secrets are in no answer. `null`: none.";
    kinds.item(null).description(Some(description)).build().into()
}
