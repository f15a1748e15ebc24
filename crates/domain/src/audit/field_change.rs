use super::later_name::LaterName;

/// A field that can change and is not secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditField {
    /// The label of a key.
    Label,
    /// The scopes of a key.
    Scopes,
    /// When a key, an old signing secret or a client certificate ends.
    ExpiresAt,
    /// The names of the metadata, without the values.
    Metadata,
    /// How often a key may be used.
    RateLimit,
    /// The key that replaces a key.
    Successor,
    /// Where webhooks are sent: scheme, host and port. Receivers put secrets into the path and the query.
    Url,
    /// The event types of a subscription.
    Events,
    /// Which events a subscription receives by their content: only whether there is a filter, because it may have values
    /// of the owner's customers.
    Filter,
    /// The name of a subscription.
    Description,
    /// The names of the headers that a subscription adds, without the values.
    Headers,
    /// The kind of a subscription's authentication.
    Auth,
    /// The most deliveries of a subscription in a second.
    MaxPerSecond,
    /// The rule of a subscription's order, if it has one.
    OnExhausted,
    /// The fingerprint of a subscription's client certificate.
    ClientCertificate,
    /// Which signatures the webhooks of a subscription carry, if not those of the default.
    Signing,
    /// Whether a key or a subscription is enabled, and if a subscription is not, who disabled it.
    Status,
    /// Whether the attempts of a subscription succeed: `healthy`, or `failing` and why.
    Health,
    /// The name of a consumer.
    Consumer,
    /// The number of the last event before a consumer.
    Position,
    /// How many active keys a user has.
    ActiveKeys,
    /// How many deliveries were made due.
    Deliveries,
    /// The role of a session.
    Role,
    /// Which lines the log has.
    LogFilter,
    /// The name of an owner.
    Name,
    /// The e-mail address of an owner.
    Email,
    /// The most active keys of an owner.
    MaxActiveKeys,
    /// The most subscriptions of an owner.
    MaxSubscriptions,
    /// How often each key of an owner may be used.
    KeyRateLimit,
    /// How often an owner may call.
    RequestRateLimit,
    /// Why an owner is suspended.
    Reason,
    /// When an owner is suspended.
    SuspendsAt,
    /// The name of an entry of the catalogue.
    EventType,
    /// The number of the schema of an event type.
    SchemaVersion,
    /// What happens to events that break their schema.
    Validation,
    /// Who sees an event type.
    Visibility,
    /// A field of a later version.
    Later(LaterName),
}

impl AuditField {
    /// Every field of this version.
    pub const ALL: [Self; 36] = [
        Self::Label,
        Self::Scopes,
        Self::ExpiresAt,
        Self::Metadata,
        Self::RateLimit,
        Self::Successor,
        Self::Url,
        Self::Events,
        Self::Filter,
        Self::Description,
        Self::Headers,
        Self::Auth,
        Self::MaxPerSecond,
        Self::OnExhausted,
        Self::ClientCertificate,
        Self::Signing,
        Self::Status,
        Self::Health,
        Self::Consumer,
        Self::Position,
        Self::ActiveKeys,
        Self::Deliveries,
        Self::Role,
        Self::LogFilter,
        Self::Name,
        Self::Email,
        Self::MaxActiveKeys,
        Self::MaxSubscriptions,
        Self::KeyRateLimit,
        Self::RequestRateLimit,
        Self::Reason,
        Self::SuspendsAt,
        Self::EventType,
        Self::SchemaVersion,
        Self::Validation,
        Self::Visibility,
    ];

    /// The name that the API and the stores use.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Later(name) => name.as_str(),
            Self::Label => "label",
            Self::Scopes => "scopes",
            Self::ExpiresAt => "expiresAt",
            Self::Metadata => "metadata",
            Self::RateLimit => "rateLimit",
            Self::Successor => "successor",
            Self::Url => "url",
            Self::Events => "events",
            Self::Filter => "filter",
            Self::Description => "description",
            Self::Headers => "headers",
            Self::Auth => "auth",
            Self::MaxPerSecond => "maxPerSecond",
            Self::OnExhausted => "onExhausted",
            Self::ClientCertificate => "clientCertificate",
            Self::Signing => "signing",
            Self::Status => "status",
            Self::Health => "health",
            Self::Consumer => "consumer",
            Self::Position => "position",
            Self::ActiveKeys => "activeKeys",
            Self::Deliveries => "deliveries",
            Self::Role => "role",
            Self::LogFilter => "logFilter",
            Self::Name => "name",
            Self::Email => "email",
            Self::MaxActiveKeys => "maxActiveKeys",
            Self::MaxSubscriptions => "maxSubscriptions",
            Self::KeyRateLimit => "keyRateLimit",
            Self::RequestRateLimit => "requestRateLimit",
            Self::Reason => "reason",
            Self::SuspendsAt => "suspendsAt",
            Self::EventType => "eventType",
            Self::SchemaVersion => "schemaVersion",
            Self::Validation => "validation",
            Self::Visibility => "visibility",
        }
    }

    /// The field with this name; `None` if the name is unknown.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == name)
    }

    /// The field that a store has under this name; `None` if no version writes such a name.
    pub fn of_stored(name: &str) -> Option<Self> {
        Self::parse(name).or_else(|| LaterName::new(name).map(Self::Later))
    }
}

/// One field before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field.
    pub field: AuditField,
    /// The value before; `None` if there was none.
    pub before: Option<String>,
    /// The value after; `None` if there is none.
    pub after: Option<String>,
}

impl FieldChange {
    /// The longest value that is kept, in characters. With at most [`AuditField::ALL`] fields, an event is small.
    pub const LENGTH_MAX: usize = 256;

    /// The change of a field; `None` if both values are the same. Values that are too long are cut.
    pub(super) fn between(field: AuditField, before: Option<String>, after: Option<String>) -> Option<Self> {
        let changed = before != after;
        changed.then(|| Self::of(field, before, after))
    }

    /// The change of a field from one value to the other. Values that are too long are cut.
    pub(super) fn of(field: AuditField, before: Option<String>, after: Option<String>) -> Self {
        Self { field, before: before.map(cut), after: after.map(cut) }
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(FieldChange::LENGTH_MAX) {
        // Room for the ellipsis.
        let last = text[..end].char_indices().next_back().map_or(0, |(start, _)| start);
        text.truncate(last);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_names() {
        for field in AuditField::ALL {
            assert_eq!(AuditField::parse(field.as_str()), Some(field));
        }
        assert_eq!(AuditField::parse("secret"), None);
    }

    #[test]
    fn a_long_value_is_cut_at_a_character() {
        let kept = "é".repeat(FieldChange::LENGTH_MAX);
        assert_eq!(cut(kept.clone()), kept);
        let cut = cut(format!("{kept}é"));
        assert_eq!(cut.chars().count(), FieldChange::LENGTH_MAX);
        assert!(cut.ends_with("é…"));
        assert_eq!(FieldChange::between(AuditField::Url, Some("a".into()), Some("a".into())), None);
    }
}
