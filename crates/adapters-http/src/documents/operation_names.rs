use utoipa::openapi::OpenApi;

use crate::documents::calls_for_owners::operations_of;

/// The tag of each path: the first prefix that fits.
const TAGS: [(&str, &str); 18] = [
    ("/.well-known/", "Webhook subscriptions"),
    ("/api/api-keys", "API keys"),
    ("/api/audit", "Audit log"),
    ("/api/command-line-client", "Sessions"),
    ("/api/event-types", "Event types"),
    ("/api/operator/", "Operator"),
    ("/api/session", "Sessions"),
    ("/api/webhooks/deliveries", "Deliveries"),
    ("/api/webhooks/failures", "Deliveries"),
    ("/api/webhooks/outcomes", "Deliveries"),
    ("/api/webhooks/", "Webhook subscriptions"),
    ("/api/whoami", "Credentials"),
    ("/console/", "Sessions"),
    ("/forward-auth", "Gateways"),
    ("/healthz", "Health"),
    ("/livez", "Health"),
    ("/readyz", "Health"),
    ("/", "Documentation"),
];

/// Gives each operation its tag, and the name of its function in camel case.
pub(crate) fn name_operations(document: &mut OpenApi) {
    for (path, item) in &mut document.paths.paths {
        let tag = TAGS.into_iter().find(|(prefix, _)| path.starts_with(prefix)).map(|(_, tag)| vec![tag.to_owned()]);
        for (_, operation) in operations_of(item) {
            operation.tags.clone_from(&tag);
            operation.operation_id = operation.operation_id.as_deref().map(camel_case);
        }
    }
}

fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (letter, rest) = part.split_at(1);
        name + &letter.to_uppercase() + rest
    })
}
