use diesel::QueryableByName;
use diesel::prelude::{AsChangeset, Identifiable, Insertable, Queryable, Selectable};
use diesel::sql_types::{BigInt, Nullable};
use domain::catalogue::{
    Deprecation, EntryDescription, EntryTitle, EventTypeEntry, EventTypeSettings, JsonText, PayloadValidation,
    Visibility,
};
use domain::ports::StoreError;
use domain::webhooks::EventType;
use serde_json::value::RawValue;

use crate::StoredInstant;
use crate::place::Place;
use crate::schema::event_types;

/// What [`PutEntryRequest::admit`](domain::ports::PutEntryRequest::admit) decides by. The parameter is the name.
pub const COUNT_ENTRIES: &str = "SELECT count(*) AS count, coalesce(max(revision), 0) AS last,
    (SELECT revision FROM event_types WHERE name = $1) AS stored FROM event_types";

/// The largest revision.
pub const LAST_REVISION: &str = "SELECT coalesce(max(revision), 0) AS last FROM event_types";

/// The answer of [`COUNT_ENTRIES`].
#[derive(QueryableByName)]
pub struct CountsRow {
    /// How many entries there are.
    #[diesel(sql_type = BigInt)]
    pub count: i64,
    /// The largest revision.
    #[diesel(sql_type = BigInt)]
    pub last: i64,
    /// The revision of the entry with this name.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub stored: Option<i64>,
}

/// The answer of [`LAST_REVISION`].
#[derive(QueryableByName)]
pub struct LastRevisionRow {
    /// The largest revision.
    #[diesel(sql_type = BigInt)]
    pub last: i64,
}

/// A row of `event_types`. The values of a stored row are not checked yet.
#[derive(AsChangeset, Identifiable, Insertable, Queryable, Selectable)]
#[diesel(table_name = event_types, primary_key(name), treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct EventTypeRow {
    name: String,
    title: String,
    pub(crate) description: String,
    pub(crate) schema: Option<String>,
    pub(crate) examples: String,
    validation: String,
    visibility: String,
    deprecated_since: Option<StoredInstant>,
    replacement: Option<String>,
    archived: bool,
    version: i64,
    updated_at: StoredInstant,
    revision: i64,
}

/// The entries of these rows, sorted by the bytes of their names.
///
/// # Errors
///
/// [`StoreError::Corrupt`] names the first row with a value that the schema does not promise.
pub fn entries_of(rows: Vec<EventTypeRow>) -> Result<Vec<EventTypeEntry>, StoreError> {
    let mut entries = rows.into_iter().map(EventTypeEntry::try_from).collect::<Result<Vec<_>, _>>()?;
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}

impl CountsRow {
    /// The revision of the entry, the number of entries, and the largest revision.
    pub fn counts(&self) -> (Option<u64>, u64, u64) {
        let number = |stored: i64| u64::try_from(stored).unwrap_or_default();
        (self.stored.map(number), number(self.count), number(self.last))
    }
}

impl From<&EventTypeEntry> for EventTypeRow {
    fn from(entry: &EventTypeEntry) -> Self {
        let EventTypeSettings { title, description, schema, examples, validation, visibility, deprecated } =
            &entry.settings;
        let examples: Vec<&str> = examples.iter().map(JsonText::as_str).collect();
        Self {
            name: entry.name.to_string(),
            title: title.as_str().to_owned(),
            description: description.as_str().to_owned(),
            schema: schema.as_ref().map(|schema| schema.as_str().to_owned()),
            examples: format!("[{}]", examples.join(",")),
            validation: validation.as_str().to_owned(),
            visibility: visibility.as_str().to_owned(),
            deprecated_since: deprecated.as_ref().map(|deprecated| deprecated.since.into()),
            replacement: deprecated.as_ref().and_then(|deprecated| Some(deprecated.replacement.as_ref()?.to_string())),
            archived: entry.archived,
            version: entry.version.into(),
            updated_at: entry.updated_at.into(),
            revision: i64::try_from(entry.revision).unwrap_or(i64::MAX),
        }
    }
}

impl TryFrom<EventTypeRow> for EventTypeEntry {
    type Error = StoreError;

    fn try_from(row: EventTypeRow) -> Result<Self, StoreError> {
        let place = Place { table: "event_types", row: &row.name };
        let event_type = |column, text: &str| place.value(column, EventType::parse(text).ok());
        let replacement = row.replacement.map(|name| event_type("replacement", &name)).transpose()?;
        let since = place.optional_instant("deprecated_since", row.deprecated_since)?;
        let deprecated = match (since, replacement) {
            (Some(since), replacement) => Some(Deprecation { since, replacement }),
            (None, None) => None,
            (None, Some(_)) => return place.value("replacement", None),
        };
        let examples: Vec<&RawValue> = place.value("examples", serde_json::from_str(&row.examples).ok())?;
        let settings = EventTypeSettings {
            title: place.value("title", EntryTitle::parse(&row.title).ok())?,
            description: place.value("description", EntryDescription::parse(&row.description).ok())?,
            schema: row.schema.map(JsonText::of_stored),
            examples: examples.into_iter().map(|example| JsonText::of_stored(example.get().to_owned())).collect(),
            validation: place.value("validation", PayloadValidation::parse(&row.validation))?,
            visibility: place.value("visibility", Visibility::parse(&row.visibility))?,
            deprecated,
        };
        Ok(Self {
            name: event_type("name", &row.name)?,
            settings,
            archived: row.archived,
            version: place.number("version", row.version)?,
            updated_at: place.instant("updated_at", row.updated_at)?,
            revision: place.number("revision", row.revision)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    fn row() -> EventTypeRow {
        EventTypeRow {
            name: "invoice.paid".into(),
            title: "Paid".into(),
            description: String::new(),
            schema: Some(r#"{"minimum": 1.00}"#.into()),
            examples: r#"[1.00,{"a": "]"}]"#.into(),
            validation: "warn".into(),
            visibility: "hidden".into(),
            deprecated_since: Some(Timestamp::MIN.into()),
            replacement: Some("invoice.settled".into()),
            archived: false,
            version: 2,
            updated_at: Timestamp::MAX.into(),
            revision: 7,
        }
    }

    fn corrupt_column(change: impl Fn(&mut EventTypeRow)) -> Option<&'static str> {
        let mut row = row();
        change(&mut row);
        match EventTypeEntry::try_from(row) {
            Err(StoreError::Corrupt { table: "event_types", column, .. }) => Some(column),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        assert_eq!(corrupt_column(|_| ()), None);
        assert_eq!(corrupt_column(|row| row.name = "a b".into()), Some("name"));
        assert_eq!(corrupt_column(|row| row.title = "\n".into()), Some("title"));
        assert_eq!(corrupt_column(|row| row.description = "<b>".into()), Some("description"));
        assert_eq!(corrupt_column(|row| row.examples = "[".into()), Some("examples"));
        assert_eq!(corrupt_column(|row| row.validation = "Off".into()), Some("validation"));
        assert_eq!(corrupt_column(|row| row.visibility = String::new()), Some("visibility"));
        assert_eq!(corrupt_column(|row| row.replacement = Some(String::new())), Some("replacement"));
        assert_eq!(corrupt_column(|row| row.deprecated_since = None), Some("replacement"));
        assert_eq!(corrupt_column(|row| row.version = -1), Some("version"));
        assert_eq!(corrupt_column(|row| row.revision = -1), Some("revision"));
    }

    #[test]
    fn json_comes_back_byte_for_byte() {
        let entry = EventTypeEntry::try_from(row()).unwrap();
        let examples: Vec<&str> = entry.settings.examples.iter().map(JsonText::as_str).collect();
        assert_eq!(examples, ["1.00", r#"{"a": "]"}"#]);
        let again = EventTypeRow::from(&entry);
        assert_eq!((again.examples, again.schema), (row().examples, row().schema));
    }
}
