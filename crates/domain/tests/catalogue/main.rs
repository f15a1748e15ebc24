//! The use cases of the catalogue of event types on the memory store. A schema of these tests is a word that every payload
//! must contain; a schema breaks the one before unless it begins with it.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use domain::Timestamp;
use domain::audit::{AuditAction, AuditFilter, Origin};
use domain::catalogue::{
    ArchiveEventTypeError, Catalogue, EntryChange, EntryDescription, EntryTitle, EventTypeEntry, EventTypeSettings,
    ImportEventTypes, ImportEventTypesError, JsonText, PayloadValidation, PublicationRefusal, PutEventType,
    PutEventTypeError, UncataloguedTypes, WantedEventType, WantedSettings, Warning, Written,
};
use domain::memory::{ManualClock, MemoryAuditLog, MemoryEventTypes, SeededEntropy};
use domain::ports::{
    AuditLog, EntryPut, EventTypes, InvalidPayloadSchema, PayloadSchema, PayloadSchemas, PutEntryRequest, SchemaBreak,
    SchemaFault, StoreError,
};
use domain::webhooks::EventType;
use pollster::block_on;

#[derive(Default)]
struct Words {
    compiled: AtomicU32,
}

struct Word(String);

#[async_trait]
impl PayloadSchemas for Words {
    async fn compile(&self, schema: &str) -> Result<Arc<dyn PayloadSchema>, InvalidPayloadSchema> {
        self.compiled.fetch_add(1, Ordering::Relaxed);
        if schema.is_empty() { Err(InvalidPayloadSchema("is empty".into())) } else { Ok(Arc::new(Word(schema.into()))) }
    }

    fn first_break(&self, before: &str, after: &str) -> Option<SchemaBreak> {
        (!after.starts_with(before)).then(|| SchemaBreak { pointer: "#".into(), change: "another word".into() })
    }

    fn are_same(&self, one: &str, other: &str) -> bool {
        one.trim() == other.trim()
    }
}

impl PayloadSchema for Word {
    fn faults(&self, json: &str) -> Vec<SchemaFault> {
        if json.contains(&self.0) { Vec::new() } else { vec![fault()] }
    }
}

fn fault() -> SchemaFault {
    SchemaFault { pointer: String::new(), keyword: "word".into(), message: "must have the word".into() }
}

/// A store that fails, counts its reads, and lets other calls be faster.
#[derive(Default)]
struct Watched {
    store: MemoryEventTypes,
    reads: AtomicU32,
    overtakes: AtomicU32,
    fails: AtomicU32,
}

impl Watched {
    fn read(&self) -> Result<(), StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        if self.fails.load(Ordering::Relaxed) > 0 { Err(StoreError::Unavailable("away".into())) } else { Ok(()) }
    }
}

#[async_trait]
impl EventTypes for Watched {
    async fn list(&self) -> Result<Vec<EventTypeEntry>, StoreError> {
        self.read()?;
        self.store.list().await
    }

    async fn find(&self, name: &EventType) -> Result<Option<EventTypeEntry>, StoreError> {
        self.store.find(name).await
    }

    async fn put(&self, request: &PutEntryRequest) -> Result<EntryPut, StoreError> {
        let is_overtaken = |left: u32| left.checked_sub(1);
        if self.overtakes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_overtaken).is_ok() {
            return Ok(EntryPut::Overtaken);
        }
        self.store.put(request).await
    }

    async fn last_revision(&self) -> Result<u64, StoreError> {
        self.read()?;
        self.store.last_revision().await
    }
}

struct Desk {
    store: Arc<Watched>,
    schemas: Arc<Words>,
    audit: MemoryAuditLog,
    catalogue: Catalogue,
}

impl Desk {
    fn new(uncatalogued: UncataloguedTypes) -> Self {
        let audit = MemoryAuditLog::default();
        let store = MemoryEventTypes::default().writing_to(audit.clone());
        let (store, schemas) = (Arc::new(Watched { store, ..Watched::default() }), Arc::new(Words::default()));
        let catalogue = catalogue(&store, &schemas, uncatalogued);
        Self { store, schemas, audit, catalogue }
    }

    fn put(&self, name: &str, schema: Option<&str>, validation: PayloadValidation) -> Written {
        self.try_put(name, schema, validation, false).unwrap()
    }

    fn try_put(
        &self,
        name: &str,
        schema: Option<&str>,
        validation: PayloadValidation,
        force: bool,
    ) -> Result<Written, PutEventTypeError> {
        let schema = schema.map(|schema| JsonText::of_schema(schema).unwrap());
        let settings = EventTypeSettings { schema, validation, ..EventTypeSettings::default() };
        block_on(self.catalogue.put(&PutEventType { name: name_of(name), settings, force }, &Origin::SERVICE))
    }

    fn entry(&self, name: &str) -> Option<EventTypeEntry> {
        block_on(self.catalogue.find(&name_of(name))).unwrap()
    }

    fn archive(&self, name: &str) -> Result<Written, ArchiveEventTypeError> {
        block_on(self.catalogue.archive(&name_of(name), &Origin::SERVICE))
    }

    fn check(&self, events: &[(&str, &str)]) -> Result<Vec<Warning>, PublicationRefusal> {
        check(&self.catalogue, events)
    }

    /// Imports types with these names and schemas. Returns the changes, each with the name.
    fn import(
        &self,
        types: &[(&str, Option<&str>)],
        with: impl Fn(ImportEventTypes) -> ImportEventTypes,
    ) -> Result<Vec<String>, ImportEventTypesError> {
        let types = types.iter().map(|(name, schema)| wanted(name, *schema)).collect();
        let import = with(ImportEventTypes { types, prune: false, force: false, dry_run: false });
        let changes = block_on(self.catalogue.import(import, &Origin::SERVICE))?;
        Ok(changes.into_iter().map(|one| format!("{} {}", one.change.as_str(), one.name)).collect())
    }
}

fn wanted(name: &str, schema: Option<&str>) -> WantedEventType {
    let schema = schema.map(|schema| JsonText::of_schema(schema).unwrap());
    let settings = WantedSettings::All(EventTypeSettings { schema, ..EventTypeSettings::default() });
    WantedEventType { name: name_of(name), settings }
}

fn described(name: &str, title: &str, schema: &str, is_deprecated: bool) -> WantedEventType {
    let settings = WantedSettings::Described {
        title: EntryTitle::parse(title).unwrap(),
        description: EntryDescription::default(),
        schema: Some(JsonText::of_schema(schema).unwrap()),
        examples: Vec::new(),
        is_deprecated,
    };
    WantedEventType { name: name_of(name), settings }
}

fn catalogue(store: &Arc<Watched>, schemas: &Arc<Words>, uncatalogued: UncataloguedTypes) -> Catalogue {
    let now = Timestamp::parse_rfc3339("2026-11-21T01:42:03.120Z").unwrap();
    let (clock, entropy) = (Arc::new(ManualClock::new(now)), Arc::new(SeededEntropy::new(7)));
    Catalogue::new(Arc::clone(store) as _, Arc::clone(schemas) as _, clock, entropy, uncatalogued)
}

fn check(catalogue: &Catalogue, events: &[(&str, &str)]) -> Result<Vec<Warning>, PublicationRefusal> {
    let events: Vec<(EventType, &str)> = events.iter().map(|(name, data)| (name_of(name), *data)).collect();
    block_on(catalogue.check(events.iter().map(|(name, data)| (name, *data))))
}

fn name_of(text: &str) -> EventType {
    EventType::parse(text).unwrap()
}

#[test]
fn the_version_rises_with_the_schema_only() {
    use PayloadValidation::{Enforce, Off, Warn};
    let desk = Desk::new(UncataloguedTypes::Open);
    let versions = [
        (None, Off, 1, true),
        (None, Off, 1, false),
        (Some("a"), Warn, 2, true),
        (Some("a"), Enforce, 2, true),
        (Some("a"), Enforce, 2, false),
        (Some("ab"), Enforce, 3, true),
        (None, Off, 4, true),
    ];
    for (schema, validation, version, changed) in versions {
        let written = desk.try_put("invoice.paid", schema, validation, true).unwrap();
        assert_eq!((written.entry.version, written.changed), (version, changed), "{schema:?} {validation:?}");
    }
    assert_eq!(desk.archive("invoice.paid").unwrap().entry.version, 4);
    let filter = AuditFilter { action: Some(AuditAction::EventTypeChanged), ..AuditFilter::default() };
    let logged = block_on(desk.audit.list(&filter, None, 50)).unwrap().events.len();
    assert_eq!(logged, 6, "calls that change nothing are not logged");
}

#[test]
fn a_change_that_breaks_needs_force() {
    let desk = Desk::new(UncataloguedTypes::Open);
    desk.put("a", Some("word"), PayloadValidation::Enforce);
    let refused = desk.try_put("a", Some("other"), PayloadValidation::Enforce, false).unwrap_err();
    assert_eq!(refused.to_string(), "#: another word");
    assert!(desk.check(&[("a", "a word")]).unwrap().is_empty(), "a refused change changes nothing");
    desk.try_put("a", Some("other"), PayloadValidation::Enforce, true).unwrap();
    assert!(desk.check(&[("a", "a word")]).is_err());
    desk.put("b", None, PayloadValidation::Off);
    desk.put("b", Some("new"), PayloadValidation::Off);
    let refused = desk.try_put("b", None, PayloadValidation::Off, false).unwrap_err();
    assert_eq!(refused.to_string(), "#: the schema is removed");
    desk.try_put("b", None, PayloadValidation::Off, true).unwrap();
}

#[test]
fn a_schema_compiles_and_its_examples_follow_it() {
    let desk = Desk::new(UncataloguedTypes::Open);
    assert!(matches!(desk.try_put("a", Some(""), PayloadValidation::Off, true), Err(PutEventTypeError::Schema(_))));
    for validation in [PayloadValidation::Warn, PayloadValidation::Enforce] {
        let refused = desk.try_put("a", None, validation, true).unwrap_err();
        assert!(matches!(refused, PutEventTypeError::SchemaMissing(missing) if missing == validation), "{refused}");
    }
    let example = |text| JsonText::of_example(text).unwrap();
    let examples = vec![example("\"word\""), example("\"other\"")];
    let schema = Some(JsonText::of_schema("word").unwrap());
    let settings = EventTypeSettings { schema, examples, ..EventTypeSettings::default() };
    let put = PutEventType { name: name_of("a"), settings, force: true };
    let refused = block_on(desk.catalogue.put(&put, &Origin::SERVICE)).unwrap_err();
    assert!(matches!(refused, PutEventTypeError::Example { index: 1, .. }), "{refused}");
    assert_eq!(block_on(desk.catalogue.list()).unwrap(), []);
}

#[test]
fn publications_follow_the_catalogue() {
    let desk = Desk::new(UncataloguedTypes::Open);
    desk.put("off", Some("word"), PayloadValidation::Off);
    desk.put("warn", Some("word"), PayloadValidation::Warn);
    desk.put("enforce", Some("word"), PayloadValidation::Enforce);
    let warned = desk.check(&[("unknown", "1"), ("off", "1"), ("warn", "a word"), ("warn", "1")]).unwrap();
    assert_eq!(warned, [Warning { index: 3, faults: vec![fault()] }]);
    let refused = desk.check(&[("warn", "1"), ("enforce", "word"), ("enforce", "1")]).unwrap_err();
    assert!(matches!(refused, PublicationRefusal::Invalid { index: 2, .. }), "{refused}");
    desk.archive("enforce").unwrap();
    assert_eq!(desk.check(&[("enforce", "1")]).unwrap(), [], "an archived type is not checked");
    desk.put("enforce", Some("word"), PayloadValidation::Enforce);
    assert!(desk.check(&[("enforce", "1")]).is_err(), "it is used again");
}

#[test]
fn a_closed_catalogue_refuses_other_types() {
    let desk = Desk::new(UncataloguedTypes::Closed);
    let refused = desk.check(&[("a", "1")]).unwrap_err();
    assert!(matches!(refused, PublicationRefusal::UnknownType { index: 0 }), "{refused}");
    desk.put("a", None, PayloadValidation::Off);
    assert_eq!(desk.check(&[("a", "1")]).unwrap(), []);
    desk.archive("a").unwrap();
    let refused = desk.check(&[("a", "1")]).unwrap_err();
    assert!(matches!(refused, PublicationRefusal::UnknownType { index: 0 }), "{refused}");
    assert!(matches!(desk.archive("b"), Err(ArchiveEventTypeError::NotFound)));
}

/// An empty catalogue is read once, and then publications do not touch the store.
#[test]
fn who_has_no_catalogue_reads_nothing() {
    let desk = Desk::new(UncataloguedTypes::Open);
    for _ in 0..3 {
        assert_eq!(desk.check(&[("a", "1")]).unwrap(), []);
    }
    assert_eq!(desk.store.reads.load(Ordering::Relaxed), 1);
}

#[test]
fn other_processes_follow_and_compile_what_is_new() {
    let desk = Desk::new(UncataloguedTypes::Open);
    desk.put("a", Some("word"), PayloadValidation::Enforce);
    let other = catalogue(&desk.store, &desk.schemas, UncataloguedTypes::Open);
    assert!(check(&other, &[("a", "1")]).is_err(), "the first publication reads the catalogue");
    desk.put("b", Some("word"), PayloadValidation::Enforce);
    assert!(check(&other, &[("b", "1")]).is_ok());
    let before = desk.schemas.compiled.load(Ordering::Relaxed);
    block_on(other.follow()).unwrap();
    assert!(check(&other, &[("b", "1")]).is_err());
    block_on(other.follow()).unwrap();
    assert_eq!(desk.schemas.compiled.load(Ordering::Relaxed) - before, 1, "only the schema that is new");
    desk.store.fails.store(1, Ordering::Relaxed);
    block_on(other.follow()).unwrap_err();
    assert!(check(&other, &[("b", "1")]).is_err(), "what was read last counts");
}

#[test]
fn nothing_is_accepted_unread() {
    let desk = Desk::new(UncataloguedTypes::Open);
    desk.store.fails.store(1, Ordering::Relaxed);
    let refused = desk.check(&[("a", "1")]).unwrap_err();
    assert!(matches!(refused, PublicationRefusal::Store(_)), "{refused}");
    desk.store.fails.store(0, Ordering::Relaxed);
    assert_eq!(desk.check(&[("a", "1")]).unwrap(), []);
}

#[test]
fn an_overtaken_change_is_tried_again() {
    let desk = Desk::new(UncataloguedTypes::Open);
    desk.store.overtakes.store(7, Ordering::Relaxed);
    assert!(desk.put("a", None, PayloadValidation::Off).changed);
    desk.store.overtakes.store(8, Ordering::Relaxed);
    let refused = desk.try_put("a", Some("x"), PayloadValidation::Off, false).unwrap_err();
    assert!(matches!(refused, PutEventTypeError::Overtaken));
}

#[test]
fn an_import_says_what_it_changes_and_changes_it_once() {
    let desk = Desk::new(UncataloguedTypes::Open);
    desk.put("a", Some("x"), PayloadValidation::Off);
    desk.put("b", None, PayloadValidation::Off);
    desk.put("old", None, PayloadValidation::Off);
    desk.archive("old").unwrap();
    let types = [("a", Some("xy")), ("c", None), ("old", None)];
    let expected = ["changed a", "created c", "changed old", "archived b"];
    let dry = desk.import(&types, |import| ImportEventTypes { prune: true, dry_run: true, ..import }).unwrap();
    assert_eq!((dry.as_slice(), desk.entry("c")), (&expected.map(String::from)[..], None), "nothing is stored");
    let changes = desk.import(&types, |import| ImportEventTypes { prune: true, ..import }).unwrap();
    assert_eq!(changes, expected);
    let [a, b, old] = ["a", "b", "old"].map(|name| desk.entry(name).unwrap());
    assert_eq!((a.version, b.archived, old.archived), (2, true, false));
    assert_eq!(desk.import(&types, |import| ImportEventTypes { prune: true, ..import }).unwrap(), [""; 0]);
    assert_eq!(desk.import(&[("a", Some(" xy "))], |import| import).unwrap(), [""; 0], "the same JSON");
}

#[test]
fn an_import_with_one_wrong_type_changes_nothing() {
    let desk = Desk::new(UncataloguedTypes::Open);
    desk.put("a", Some("x"), PayloadValidation::Off);
    let index = |types: &[(&str, Option<&str>)]| match desk.import(types, |import| import).unwrap_err() {
        ImportEventTypesError::Type { index, source } => (index, source.to_string()),
        other => panic!("{other}"),
    };
    assert_eq!(index(&[("b", None), ("c", Some(""))]), (1, "is empty".to_owned()));
    assert_eq!(index(&[("b", None), ("a", Some("y"))]), (1, "#: another word".to_owned()));
    let many: Vec<String> = (0..1_000).map(|number| format!("n{number}")).collect();
    let many: Vec<(&str, Option<&str>)> = many.iter().map(|name| (name.as_str(), None)).collect();
    assert_eq!(index(&many).0, 999, "the catalogue has one type already");
    assert_eq!((desk.entry("b"), desk.entry("n0")), (None, None));
    let forced = desk.import(&[("a", Some("y"))], |import| ImportEventTypes { force: true, ..import });
    assert_eq!(forced.unwrap(), ["changed a"]);
}

#[test]
fn an_import_of_a_document_keeps_what_the_document_cannot_say() {
    let desk = Desk::new(UncataloguedTypes::Open);
    desk.put("a", Some("x"), PayloadValidation::Enforce);
    let import = |one| ImportEventTypes { types: vec![one], prune: false, force: false, dry_run: false };
    let run = |one| block_on(desk.catalogue.import(import(one), &Origin::SERVICE)).unwrap();
    let changes = run(described("a", "A title", "x", true));
    assert_eq!(changes[0].change, EntryChange::Changed);
    let entry = desk.entry("a").unwrap();
    assert_eq!((entry.settings.validation, entry.settings.title.as_str()), (PayloadValidation::Enforce, "A title"));
    assert!(entry.settings.deprecated.is_some());
    assert_eq!(run(described("a", "A title", "x", true)), [], "the time of the deprecation stays");
    assert_eq!(run(described("a", "A title", "x", false)).len(), 1);
    assert!(desk.entry("a").unwrap().settings.deprecated.is_none());
}
