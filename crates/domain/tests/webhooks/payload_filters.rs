use std::collections::BTreeSet;

use domain::webhooks::{JsonDocument, PayloadFilter};

const VECTORS: &str = include_str!("../../../../clients/conformance/filters.json");

/// Each vector is decided, or refused at its place, as it says. No two have the same name.
#[test]
fn filters_decide_as_the_vectors_say() {
    let vectors = JsonDocument::parse(VECTORS).unwrap();
    let member = |number: usize, name: &str| vectors.text_at(&format!("/cases/{number}/{name}"));
    let mut names = BTreeSet::new();
    for number in (0..).take_while(|number| member(*number, "name").is_some()) {
        let name = member(number, "name").unwrap();
        let parsed = PayloadFilter::parse(member(number, "filter").unwrap());
        if let Some(place) = member(number, "error") {
            let refused = parsed.map(|filter| filter.as_str().to_owned()).map_err(|invalid| invalid.place);
            assert_eq!(refused, Err(place.trim_matches('"').to_owned()), "{name}");
        } else {
            let filter = parsed.unwrap_or_else(|invalid| panic!("{name}: {invalid}"));
            let event = JsonDocument::parse(member(number, "event").unwrap()).unwrap();
            let verdict = filter.decide(&event);
            assert_eq!(verdict.passes.to_string(), member(number, "passes").unwrap(), "{name}");
            assert_eq!(verdict.passes, filter.passes(&event), "{name}");
            if let Some(place) = member(number, "decidedBy") {
                assert_eq!(verdict.decided_by, place.trim_matches('"'), "{name}");
            }
            // What a store keeps is the same filter.
            assert_eq!(PayloadFilter::parse(filter.as_str()).unwrap(), filter, "{name}");
        }
        assert!(names.insert(name), "{name} is there twice");
    }
    assert!(names.len() >= 200, "{} vectors", names.len());
}

/// A filter whose walk would be too long lets the event pass, also within `not`, and ends its walk.
#[test]
fn an_event_that_needs_too_many_comparisons_passes() {
    let passes = |filter: &str, elements: usize| {
        let list = vec!["1"; elements].join(",");
        let event = format!(r#"{{"type":"a","timestamp":"","data":[{list}]}}"#);
        PayloadFilter::parse(filter).unwrap().passes(&JsonDocument::parse(&event).unwrap())
    };
    let leaf = r#"{"path":"/data/*","op":"eq","value":2}"#;
    let both = format!(r#"{{"any":[{leaf},{leaf}]}}"#);
    assert_eq!([passes(&both, 50_000), passes(&both, 50_001)], [false, true]);
    let neither = format!(r#"{{"all":[{{"not":{leaf}}},{{"not":{{"path":"/data","op":"exists"}}}}]}}"#);
    assert_eq!([passes(&neither, 99_999), passes(&neither, 100_000)], [false, true]);
    let in_many = format!(r#"{{"path":"/data/*","op":"in","value":[{}]}}"#, vec!["2"; 100].join(","));
    assert_eq!([passes(&in_many, 1_000), passes(&in_many, 1_001)], [false, true]);
}
