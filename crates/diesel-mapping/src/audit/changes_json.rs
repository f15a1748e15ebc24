use domain::audit::{AuditField, FieldChange};
use serde::{Deserialize, Serialize};

/// A field before and after a change, as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredChange {
    field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

/// The JSON of these changes.
pub(super) fn changes_json(changes: &[FieldChange]) -> String {
    let stored = changes.iter().map(|change| StoredChange {
        field: change.field.as_str().to_owned(),
        before: change.before.clone(),
        after: change.after.clone(),
    });
    let stored: Vec<StoredChange> = stored.collect();
    serde_json::to_string(&stored).unwrap_or_else(|_| "[]".to_owned())
}

/// The changes of this JSON; `None` if [`changes_json`] does not write such JSON.
pub(super) fn changes_of(json: &str) -> Option<Vec<FieldChange>> {
    let stored: Vec<StoredChange> = serde_json::from_str(json).ok()?;
    let change = |stored: StoredChange| {
        let field = AuditField::of_stored(&stored.field)?;
        Some(FieldChange { field, before: stored.before, after: stored.after })
    };
    stored.into_iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        let changes = vec![
            FieldChange { field: AuditField::Label, before: None, after: Some("\"é\n".into()) },
            FieldChange { field: AuditField::Status, before: Some("a".into()), after: None },
        ];
        assert_eq!(changes_of(&changes_json(&changes)), Some(changes));
        assert_eq!(changes_json(&[]), "[]");
        for wrong in ["", "{}", "[{}]", r#"[{"field":"a b"}]"#] {
            assert_eq!(changes_of(wrong), None, "{wrong:?}");
        }
    }
}
