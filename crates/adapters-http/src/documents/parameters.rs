use domain::{DeliveryId, EventId, KeyId, SessionId, SubscriptionId};
use utoipa::Modify;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{OpenApi, RefOr};

use crate::documents::values::id_pattern;

/// Adds the patterns of ids to the parameters of calls, because the attribute `path` accepts only literals.
pub(crate) struct IdParameters;

impl Modify for IdParameters {
    fn modify(&self, document: &mut OpenApi) {
        for (path, item) in &mut document.paths.paths {
            let operations = [&mut item.get, &mut item.post, &mut item.patch, &mut item.delete];
            let parameters = operations.into_iter().flatten().flat_map(parameters_of);
            parameters.for_each(|parameter| add_pattern(path, parameter));
        }
    }
}

fn parameters_of(operation: &mut Operation) -> impl Iterator<Item = &mut Parameter> {
    operation.parameters.iter_mut().flatten().filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    })
}

fn add_pattern(path: &str, parameter: &mut Parameter) {
    if let (Some(prefix), Some(RefOr::T(Schema::Object(text)))) =
        (prefix_of(path, &parameter.name), &mut parameter.schema)
    {
        text.pattern = Some(id_pattern(prefix));
    }
}

/// The prefix of the ids in this parameter; `None` if it is not an id of this service.
fn prefix_of(path: &str, parameter: &str) -> Option<&'static str> {
    match parameter {
        "keyId" => Some(KeyId::PREFIX),
        "subscriptionId" => Some(SubscriptionId::PREFIX),
        "id" if path.contains("/sessions/") => Some(SessionId::PREFIX),
        "id" if path.contains("/deliveries/") => Some(DeliveryId::PREFIX),
        "id" if path.contains("/subscriptions/") => Some(SubscriptionId::PREFIX),
        "id" if path.contains("/events/") => Some(EventId::PREFIX),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use crate::openapi::openapi_json;

    /// Parameters in paths that are not ids of this service.
    const OTHERS: [&str; 4] = ["code", "file", "tail", "userId"];

    #[test]
    fn every_id_in_a_path_has_a_pattern() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let operations = document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
        let parameters = operations.filter_map(|(_, operation)| operation["parameters"].as_array()).flatten();
        let in_paths: Vec<&Value> = parameters.filter(|parameter| parameter["in"] == "path").collect();
        assert!(in_paths.len() > 10, "{in_paths:?}");
        let others = in_paths.iter().filter(|parameter| parameter["schema"]["pattern"].is_null());
        let others: BTreeSet<&str> = others.map(|parameter| parameter["name"].as_str().unwrap()).collect();
        assert_eq!(others, BTreeSet::from(OTHERS));
    }
}
