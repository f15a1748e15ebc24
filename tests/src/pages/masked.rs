use serde_json::{Map, Value};

/// An answer without the values that differ from run to run: ids, keys, secrets and times become the names of their
/// kinds.
pub(super) fn masked(answer: &Value) -> Value {
    match answer {
        Value::String(text) => Value::String(masked_text(text)),
        Value::Number(number) if number.as_u64().is_some_and(|number| number > 1_000_000_000) => "a time".into(),
        Value::Array(items) => items.iter().map(masked).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), masked(value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// The same of a line: word by word.
pub(super) fn masked_text(line: &str) -> String {
    line.split(' ').map(|word| kind(word).map_or_else(|| word.to_owned(), str::to_owned)).collect::<Vec<_>>().join(" ")
}

fn kind(word: &str) -> Option<&str> {
    const ID_LENGTH: usize = 26;
    if word.starts_with("svc_live_") {
        return Some(if word.ends_with("...") { "the start of a key" } else { "a key" });
    }
    if word.starts_with("whsec_") {
        return Some("a secret");
    }
    if word.starts_with("whpk_") {
        return Some("a public key");
    }
    let is_time = word.len() == "2026-11-21T06:19:46.311Z".len() && word.starts_with("20") && word.ends_with('Z');
    let id =
        word.split_once('_').filter(|(_, id)| id.len() == ID_LENGTH && id.bytes().all(|b| b.is_ascii_alphanumeric()));
    if is_time { Some("a time") } else { id.map(|(prefix, _)| prefix) }
}

#[test]
fn kinds_are_told_apart() {
    let key_id = "key_01m801qeszeejsb365rncbnpn5";
    assert_eq!(masked_text(&format!("good: {key_id} of alice")), "good: key of alice");
    assert_ne!(masked_text(key_id), masked_text("sub_01m801qeszeejsb365rncbnpn5"));
    assert_eq!(masked_text("2026-11-21T06:19:46.311Z"), "a time");
    assert_eq!(masked_text("whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="), "a public key");
    assert_eq!(masked_text("orders:read"), "orders:read");
}
