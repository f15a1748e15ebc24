use super::later_name::{LaterName, named_or_later};

named_or_later! {
    /// A field that can change and is not secret.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum AuditField {
        /// The label of a key.
        Label = "label",
        /// The scopes of a key.
        Scopes = "scopes",
        /// The end of a key, an old signing secret or a client certificate.
        ExpiresAt = "expiresAt",
        /// The names of the metadata, without the values.
        Metadata = "metadata",
        /// The rate limit of a key.
        RateLimit = "rateLimit",
        /// The key that replaces a key.
        Successor = "successor",
        /// The scheme, host and port of a subscription's URL. Receivers put secrets into the path and the query.
        Url = "url",
        /// The event types of a subscription.
        Events = "events",
        /// Whether a subscription has a filter. The filter itself may have values of the owner's customers.
        Filter = "filter",
        /// The name of a subscription.
        Description = "description",
        /// The names of the headers that a subscription adds, without the values.
        Headers = "headers",
        /// The kind of a subscription's authentication.
        Auth = "auth",
        /// The most deliveries of a subscription in a second.
        MaxPerSecond = "maxPerSecond",
        /// The rule of a subscription's order, if it has one.
        OnExhausted = "onExhausted",
        /// The fingerprint of a subscription's client certificate.
        ClientCertificate = "clientCertificate",
        /// The kind of a subscription's signatures, unless it is the default.
        Signing = "signing",
        /// Whether a key or a subscription is enabled, and if a subscription is not, who disabled it.
        Status = "status",
        /// Whether the attempts of a subscription succeed: `healthy`, or `failing` and why.
        Health = "health",
        /// The name of a consumer.
        Consumer = "consumer",
        /// The number of the last event before a consumer.
        Position = "position",
        /// The number of active keys of a user.
        ActiveKeys = "activeKeys",
        /// The number of deliveries that were made due.
        Deliveries = "deliveries",
        /// The role of a session.
        Role = "role",
        /// The filter of the log's lines.
        LogFilter = "logFilter",
        /// The name of an owner.
        Name = "name",
        /// The e-mail address of an owner.
        Email = "email",
        /// The most active keys of an owner.
        MaxActiveKeys = "maxActiveKeys",
        /// The most subscriptions of an owner.
        MaxSubscriptions = "maxSubscriptions",
        /// The rate limit of each key of an owner.
        KeyRateLimit = "keyRateLimit",
        /// The rate limit of an owner's calls.
        RequestRateLimit = "requestRateLimit",
        /// Why an owner is suspended.
        Reason = "reason",
        /// The time of an owner's suspension.
        SuspendsAt = "suspendsAt",
        /// The name of an entry of the catalogue.
        EventType = "eventType",
        /// The number of the schema of an event type.
        SchemaVersion = "schemaVersion",
        /// The validation of events against their schema.
        Validation = "validation",
        /// The visibility of an event type.
        Visibility = "visibility",
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
