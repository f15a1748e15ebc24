use domain::Timestamp;
use domain::webhooks::{
    AuthKind, DeliveryRate, DisabledBy, EventPattern, FoundSubscription, HealthState, OnExhausted, Pause,
    PayloadFilter, PublicKey, SealedOptions, SigningSecret, Subscription,
};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::records::attempt_record::AttemptRecord;
use crate::records::filter_schema::FilterSchema;

/// A webhook subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Subscription)]
pub(crate) struct SubscriptionRecord {
    /// Identifies the subscription.
    #[schema(example = "sub_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// `pull` if readers fetch the events. Absent if the service sends them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "pull")]
    r#type: Option<&'static str>,
    /// The URL that receives the webhooks, in normal form; `pull:` if readers fetch the events.
    #[schema(example = "https://example.com/hooks")]
    url: String,
    /// The API key that set the URL, when the subscription was created or later; absent if an ID token did. If this key
    /// is reported as leaked, the service disables the subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "key_01h455vb4pex5vsknk084sn02q")]
    url_set_by: Option<String>,
    /// The event types and patterns of the subscription.
    #[schema(example = json!(["invoice.*"]))]
    events: Vec<String>,
    /// Which of these events the subscription receives, by their content; absent if it receives all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<FilterSchema>, nullable = false)]
    filter: Option<Box<RawValue>>,
    /// The owner's description; may be empty.
    #[schema(example = "Invoices to the ledger")]
    description: String,
    /// Whether the subscription receives events.
    enabled: bool,
    /// Why the subscription is disabled: `owner` (the owner disabled it), `gone` (the receiver answered 410),
    /// `only_failures` (every attempt failed for five days), `order_stopped` (a delivery had no attempts left, and
    /// `onExhausted` is `stop`) or `key_leaked` (the API key that set the URL was reported as leaked). Absent while it is
    /// enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "key_leaked")]
    disabled_reason: Option<&'static str>,
    /// The headers that the subscription adds, without their values; absent if it adds none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    headers: Vec<SubscriptionHeader>,
    /// The authentication, without its secrets; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    auth: Option<SubscriptionAuth>,
    /// The maximum number of deliveries in a second, over all instances of the service. Absent without a maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 5)]
    max_per_second: Option<f64>,
    /// `subscription` if deliveries leave one after the other, in the order of publication. Absent without an order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "subscription")]
    ordering: Option<&'static str>,
    /// The rule for a delivery that has no attempts left: `skip` or `stop`. Absent without an order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "skip")]
    on_exhausted: Option<&'static str>,
    /// The client certificate, without its key; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_certificate: Option<SubscriptionCertificate>,
    /// Which signatures the webhooks carry: `hmac` (`v1`), `ed25519` (`v1a`) or `both`. Absent if all are `v1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ed25519")]
    signing: Option<&'static str>,
    /// The public keys that verify signatures `v1a`, newest first: two during the overlap of a rotation. Absent if all
    /// signatures are `v1`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="]))]
    public_keys: Vec<String>,
    /// When the subscription was created: UTC, with milliseconds.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    created_at: String,
    /// When the owner or the service last changed the subscription.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    updated_at: String,
    /// The member of the organization who created the subscription, by the `sub` at the identity provider; absent if the
    /// owner is a user, or no member created the subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    created_by: Option<String>,
    /// The health of the subscription. Only in lists, with `include=health`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    health: Option<HealthRecord>,
}

impl SubscriptionRecord {
    pub(crate) fn of(subscription: &Subscription, now: Timestamp) -> Self {
        let events = subscription.events.patterns().iter().map(EventPattern::to_string);
        let signing = &subscription.signing;
        let public_keys: Vec<String> = signing.public_keys_at(now).map(PublicKey::to_string).collect();
        Self {
            id: subscription.id.to_string(),
            r#type: subscription.url.is_pull().then_some("pull"),
            url: subscription.url.as_str().to_owned(),
            url_set_by: subscription.url_set_by.map(|key| key.to_string()),
            events: events.collect(),
            filter: subscription.filter.as_ref().and_then(json_of),
            description: subscription.description.to_string(),
            enabled: subscription.status.is_enabled(),
            disabled_reason: subscription.status.disabled_by().map(DisabledBy::code),
            headers: headers_of(&subscription.options),
            auth: auth_of(&subscription.options),
            max_per_second: subscription.options.max_per_second.map(DeliveryRate::per_second),
            ordering: subscription.options.order.map(|_| "subscription"),
            on_exhausted: subscription.options.order.map(OnExhausted::code),
            client_certificate: certificate_of(&subscription.options),
            signing: (!public_keys.is_empty()).then(|| signing.current.kind().as_str()),
            public_keys,
            created_at: subscription.created_at.to_string(),
            updated_at: subscription.updated_at.to_string(),
            created_by: subscription.created_by.as_ref().map(|member| member.subject().to_owned()),
            health: None,
        }
    }

    pub(crate) fn with_health(found: &FoundSubscription, now: Timestamp) -> Self {
        Self { health: Some(HealthRecord::of(found)), ..Self::of(&found.subscription, now) }
    }
}

/// A header that a subscription adds to its requests.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SubscriptionHeader {
    /// The name, in lower case.
    #[schema(example = "x-tenant")]
    name: String,
    /// When its value was set.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    set_at: String,
}

/// The authentication of the requests of a subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SubscriptionAuth {
    /// `bearer`, `basic`, `header` or `oauth2`.
    #[schema(example = "header")]
    r#type: &'static str,
    /// The name of the header; absent if it is `authorization` by the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "x-api-key")]
    name: Option<String>,
    /// When it was set.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    set_at: String,
}

/// The certificate with which the service authenticates at the receiver of a subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SubscriptionCertificate {
    /// The subject (RFC 4514), at most 256 characters of it.
    #[schema(example = "CN=gatepost,O=Example")]
    subject: String,
    /// When it expires.
    #[schema(format = DateTime, example = "2027-11-21T01:42:03.000Z")]
    expires_at: String,
    /// The SHA-256 of the certificate, in hexadecimal digits.
    #[schema(example = "aec1637bbea52d4e4d79582482946ddbb1315c271da6dfe560bd9e3ee0ba97cf")]
    fingerprint: String,
    /// When it was set.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    set_at: String,
}

fn headers_of(options: &SealedOptions) -> Vec<SubscriptionHeader> {
    let headers = options.headers.iter();
    headers
        .map(|(name, value)| SubscriptionHeader { name: name.to_string(), set_at: value.set_at.to_string() })
        .collect()
}

fn auth_of(options: &SealedOptions) -> Option<SubscriptionAuth> {
    options.auth.as_ref().map(|auth| SubscriptionAuth {
        r#type: auth.kind.as_str(),
        name: (auth.kind == AuthKind::Header).then(|| auth.name.to_string()),
        set_at: auth.value.set_at.to_string(),
    })
}

fn certificate_of(options: &SealedOptions) -> Option<SubscriptionCertificate> {
    options.certificate.as_ref().map(|certificate| SubscriptionCertificate {
        subject: certificate.facts.subject.clone(),
        expires_at: certificate.facts.expires_at.to_string(),
        fingerprint: certificate.facts.fingerprint_hex(),
        set_at: certificate.value.set_at.to_string(),
    })
}

/// The filter as it was written. Never `None`: a filter is JSON.
fn json_of(filter: &PayloadFilter) -> Option<Box<RawValue>> {
    RawValue::from_string(filter.as_str().to_owned()).ok()
}

/// A subscription and, if the service made one, its secret, which is shown only this once.
#[derive(Serialize, ToSchema)]
pub(crate) struct SubscriptionWithSecret {
    /// The subscription.
    subscription: SubscriptionRecord,
    /// The secret that signs the webhooks. There is no way to retrieve it later. Absent when the caller chose it, and with
    /// `ed25519`, which shares no secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")]
    secret: Option<String>,
}

impl SubscriptionWithSecret {
    pub(crate) fn of(subscription: &Subscription, secret: Option<&SigningSecret>, now: Timestamp) -> Self {
        let secret = secret.map(|secret| secret.expose().to_owned());
        Self { subscription: SubscriptionRecord::of(subscription, now), secret }
    }
}

/// The health of a subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionHealth)]
pub(crate) struct HealthRecord {
    /// `healthy`: no attempt has failed since the last success, or since the subscription was enabled. `failing`: the
    /// last attempt failed; deliveries continue. `paused`: too many attempts failed in a row, or the receiver asked for
    /// a pause; the service sends nothing for a while. `disabled`: the subscription receives no events.
    #[schema(example = "failing")]
    state: &'static str,
    /// The reason for the state. Disabled: the `disabledReason` of the subscription. Paused: `retry_after` when the receiver asked for the
    /// pause. Otherwise the `error` of the last attempt. `null` when healthy, and when the reason is no longer known.
    #[schema(required, example = "timeout")]
    reason: Option<&'static str>,
    /// When the current run of failures began; `null` when the last attempt succeeded.
    #[schema(format = DateTime, required)]
    failing_since: Option<String>,
    /// When the pause ends, and a delivery is tried again; `null` unless paused.
    #[schema(format = DateTime, required)]
    paused_until: Option<String>,
    /// How many deliveries wait or are being sent, counted up to 10,000.
    waiting: u32,
    /// The attempt that ended last; `null` before the first attempt.
    #[schema(required)]
    last_attempt: Option<AttemptRecord>,
}

impl HealthRecord {
    pub(crate) fn of(found: &FoundSubscription) -> Self {
        let health = &found.health;
        Self {
            state: found.state.as_str(),
            reason: found.state.reason(),
            failing_since: health.breaker.failing_since.map(|at| at.to_string()),
            paused_until: pause_of(found).map(|pause| pause.until.to_string()),
            waiting: health.waiting,
            last_attempt: health.last_attempt.as_ref().map(AttemptRecord::of),
        }
    }
}

/// The pause that has not ended.
fn pause_of(found: &FoundSubscription) -> Option<Pause> {
    found.health.breaker.pause.filter(|_| matches!(found.state, HealthState::Paused(_)))
}
