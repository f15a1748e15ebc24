use std::collections::BTreeMap;

use domain::audit::AuditAction;
use domain::webhooks::EventType;
use serde_json::{Value, json};

/// Adds the operational events to the document, as `webhooks` of `OpenAPI` 3.1, which `utoipa` does not have. `document` is
/// an indented JSON object. See decision 89.
pub(crate) fn with_operational_events(document: &str) -> String {
    let announced = AuditAction::ALL.into_iter().filter(|action| action.is_announced());
    let events: BTreeMap<String, Value> =
        announced.map(|action| (EventType::announcing(action).to_string(), operation(action))).collect();
    let events = serde_json::to_string_pretty(&events).expect("strings and maps serialize to JSON");
    let start = document.trim_end().trim_end_matches('}').trim_end();
    format!("{start},\n  \"webhooks\": {}\n}}", events.replace('\n', "\n  "))
}

fn operation(action: AuditAction) -> Value {
    let schema = json!({
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": { "const": EventType::announcing(action).as_str() },
            "timestamp": { "type": "string", "format": "date-time", "description": "When it happened" },
            "data": { "$ref": "#/components/schemas/AuditEvent" },
        },
    });
    json!({ "post": {
        "summary": summary(action),
        "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } },
        "responses": { "2XX": { "description": "The receiver has it" } },
    } })
}

fn summary(action: AuditAction) -> &'static str {
    match action {
        AuditAction::KeyCreated => "A key is created",
        AuditAction::KeyRotated => "A key gets a successor",
        AuditAction::KeyRevoked => "A key is revoked",
        AuditAction::KeyLeaked => "A key is revoked because it was reported as leaked",
        AuditAction::KeyExpiring => "A key expires in seven days or in one day",
        AuditAction::KeyLimitReached => "A user has as many active keys as a user may have",
        AuditAction::SubscriptionFailing => "The fifth attempt of a subscription in a row has failed",
        AuditAction::SubscriptionRecovered => "A failing subscription succeeds again, or is recovered by hand",
        AuditAction::SubscriptionCertificateExpiring => {
            "The client certificate of a subscription expires in 30 days, seven days or one day"
        }
        AuditAction::SubscriptionDisabled => "Gatepost disables a subscription",
        AuditAction::OwnerSuspended => "An owner is suspended",
        AuditAction::OwnerActivated => "A suspended owner is active again",
        AuditAction::OwnerSuspending => "An absent user is suspended in 14 days or in three days",
        AuditAction::OwnerErased => "Everything of an owner is erased",
        _ => "Not announced",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_announced_action_is_a_webhook_with_a_summary() {
        let document: Value =
            serde_json::from_str(&with_operational_events("{\n  \"openapi\": \"3.1.0\"\n}\n")).unwrap();
        let events = document["webhooks"].as_object().unwrap();
        assert_eq!((events.len(), &document["openapi"]), (14, &json!("3.1.0")));
        for (event_type, event) in events {
            let post = &event["post"];
            assert_ne!(post["summary"], "Not announced", "{event_type}");
            let schema = &post["requestBody"]["content"]["application/json"]["schema"];
            assert_eq!(schema["properties"]["type"]["const"], **event_type);
        }
    }
}
