//! Operational events, on the memory store.

use std::sync::Arc;
use std::time::Duration;

use domain::announcements::{Announcements, OPERATOR_EVENTS_PER_HOUR};
use domain::audit::{AuditAction, AuditEvent, AuditFilter, Cause, Origin};
use domain::memory::{MemoryAuditLog, MemoryKeyStore, SeededEntropy};
use domain::ports::{
    ActiveLimit, AuditDescriber, AuditLog, AuditReader, InsertKeyRequest, KeyStore as _, ListEventsRequest,
    OperatorLog, Retained, Retention as _,
};
use domain::webhooks::{
    CertificateFacts, ClientCertificate, EventFilter, HealthTurn, OperatorWebhook, OptionsChange, SigningSecret,
    SubscribedEvents, SubscriptionChange,
};
use domain::{ApiKey, CredentialDigest, KeyId, Label, ListView, OwnerId, Scopes, SubscriptionId, Timestamp};
use pollster::block_on;

use crate::desk::{DAY, Desk, SECOND};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER_SECRET: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const THIRD_SECRET: &str = "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

/// Shows the reader of a description.
struct Brief;

impl AuditDescriber for Brief {
    fn describe(&self, event: &AuditEvent, reader: AuditReader) -> String {
        format!(r#"{{"action":"{}","reader":"{reader:?}"}}"#, event.action.as_str())
    }
}

/// A desk with an audit log and keys.
struct Office {
    desk: Desk,
    audit: MemoryAuditLog,
    keys: Arc<MemoryKeyStore>,
    entropy: SeededEntropy,
}

impl Office {
    fn new() -> Self {
        let audit = MemoryAuditLog::default();
        let keys = Arc::new(MemoryKeyStore::default().writing_to(audit.clone()));
        Self { desk: Desk::new(), audit, keys, entropy: SeededEntropy::new(9) }
    }

    /// The same with the operator's webhook for all events of the service.
    fn with_operator() -> (Self, OperatorWebhook) {
        let office = Self::new();
        let operator = office.operator(&["gatepost.*"]);
        block_on(office.desk.webhooks.keep_operator_webhook(Some(&operator))).unwrap();
        (office, operator)
    }

    fn operator(&self, names: &[&str]) -> OperatorWebhook {
        OperatorWebhook {
            url: self.desk.webhooks.parse_target("https://ops.example/hook").unwrap(),
            events: SubscribedEvents::parse(names.iter().copied()).unwrap(),
            secret: SigningSecret::parse(SECRET).unwrap(),
        }
    }

    fn announcements(&self, operator: Option<&OperatorWebhook>) -> Announcements {
        let ports = (Arc::new(self.audit.clone()) as _, Arc::clone(&self.keys) as _);
        Announcements::new(self.desk.webhooks.clone(), ports, Arc::new(Brief), operator)
    }

    fn cause(&self) -> Cause {
        Cause::new(&Origin::SERVICE, self.desk.now(), &self.entropy)
    }

    fn record(&self, event: &AuditEvent) {
        block_on(self.audit.record_new(std::slice::from_ref(event))).unwrap();
    }

    /// Revocations of `count` keys of this user.
    fn revoke(&self, owner: &OwnerId, count: usize) {
        let keys = (0..count).map(|_| (owner.clone(), KeyId::mint(self.desk.now(), &self.entropy)));
        for event in self.cause().keys_revoked(keys) {
            self.record(&event);
        }
    }

    fn subscribe(&self, names: &[&str]) -> SubscriptionId {
        self.desk.create_from(self.desk.request(names)).unwrap().subscription.id
    }

    /// The subscriptions and payloads of the due deliveries.
    fn delivered(&self) -> Vec<(SubscriptionId, String)> {
        let lanes = self.desk.claim();
        self.desk.complete(&lanes, None);
        let payload = |payload: &domain::webhooks::Payload| String::from_utf8(payload.bytes().to_vec()).unwrap();
        let of = |lane: &domain::ports::ClaimedLane| {
            lane.deliveries.iter().map(|one| (lane.subscription, payload(&one.payload))).collect::<Vec<_>>()
        };
        lanes.iter().flat_map(of).collect()
    }

    fn published(&self) -> usize {
        let request = ListEventsRequest { filter: EventFilter::default(), before: None, max: 10_000 };
        let page = block_on(self.desk.store.list_events(&request)).unwrap();
        page.events.len()
    }

    fn put_key(&self, created_at: Timestamp, expires_at: Timestamp, replaced_by: Option<KeyId>) -> KeyId {
        let id = KeyId::mint(created_at, &self.entropy);
        let key = ApiKey {
            id,
            owner: self.desk.alice.clone(),
            label: Label::parse("CI").unwrap(),
            prefix: "svc_live_a1B...".to_owned(),
            created_at,
            last_used_at: None,
            expires_at: Some(expires_at),
            revoked_at: None,
            scopes: Scopes::default(),
            replaced_by,
            created_by: None,
            settings: domain::KeySettings::default(),
        };
        let mut digest = [0; 32];
        digest[..16].copy_from_slice(id.as_bytes());
        let (limit, view) = (ActiveLimit { max: 100, at: created_at }, ListView { at: created_at, ended_max: 0 });
        let digest = CredentialDigest::from_bytes(digest);
        let request = InsertKeyRequest { key, digest, limit, view, cause: self.cause() };
        block_on(self.keys.insert_within(&request)).unwrap();
        id
    }

    /// The keys that expire soon, with the times of their notices.
    fn notices(&self) -> Vec<(String, Timestamp)> {
        self.noted(AuditAction::KeyExpiring)
    }

    /// The targets of the events with this action, and their times.
    fn noted(&self, action: AuditAction) -> Vec<(String, Timestamp)> {
        let filter = AuditFilter { action: Some(action), ..AuditFilter::default() };
        let page = block_on(self.audit.list(&filter, None, 100)).unwrap();
        page.events.iter().rev().map(|event| (event.target.to_string(), event.at())).collect()
    }
}

fn announce_all(announcements: &Announcements) {
    while block_on(announcements.announce()).unwrap() > 0 {}
}

#[test]
fn the_owner_and_the_operator_are_told_as_each_may_know() {
    let (office, operator) = Office::with_operator();
    let asks = office.subscribe(&["gatepost.key.*"]);
    office.subscribe(&["*", "gatepost.subscription.*"]);
    office.revoke(&office.desk.alice, 1);
    announce_all(&office.announcements(Some(&operator)));
    let mut delivered = office.delivered();
    delivered.sort();
    let start = format!(r#"{{"type":"gatepost.key.revoked","timestamp":"{}","data":"#, office.desk.now());
    let told = |reader| format!(r#"{start}{{"action":"key.revoked","reader":"{reader}"}}}}"#);
    let expected = [(OperatorWebhook::subscription_id(), told("Operator")), (asks, told("Owner"))];
    assert_eq!(delivered, expected, "`*` does not ask for events of the service");
}

#[test]
fn nothing_is_stored_for_users_who_do_not_ask() {
    let office = Office::new();
    office.subscribe(&["*"]);
    office.revoke(&office.desk.alice, 3);
    office.revoke(&office.desk.bob, 3);
    announce_all(&office.announcements(None));
    assert_eq!(office.published(), 0);
    office.revoke(&office.desk.alice, 1);
    announce_all(&office.announcements(Some(&office.operator(&["gatepost.subscription.*"]))));
    assert_eq!(office.published(), 0, "the operator does not ask for keys");
    office.desk.disable(office.subscribe(&["gatepost.key.*"]));
    office.revoke(&office.desk.alice, 1);
    announce_all(&office.announcements(None));
    assert_eq!(office.published(), 0, "a disabled subscription does not ask");
}

#[test]
fn a_batch_that_is_announced_again_is_published_once() {
    let (office, operator) = Office::with_operator();
    office.subscribe(&["gatepost.key.*"]);
    office.revoke(&office.desk.alice, 7);
    let before = block_on(office.audit.list_unannounced(100)).unwrap();
    announce_all(&office.announcements(Some(&operator)));
    assert_eq!(office.published(), 14);
    // A process that died before it marked the batch.
    block_on(office.audit.purge(Retained::AuditEvents, Timestamp::MAX, 100)).unwrap();
    for event in &before {
        office.record(event);
    }
    office.desk.clock.advance(DAY);
    announce_all(&office.announcements(Some(&operator)));
    assert_eq!((office.published(), office.delivered().len()), (14, 14));
}

#[test]
fn a_subscription_hears_nothing_of_itself() {
    let (office, operator) = Office::with_operator();
    let (failing, other) = (office.subscribe(&["gatepost.*"]), office.subscribe(&["gatepost.subscription.failing"]));
    let turned = |id, owner: &OwnerId| {
        Cause::of_service(office.desk.now(), id).subscription_turned(id, owner, HealthTurn::Failing(None))
    };
    office.record(&turned(failing, &office.desk.alice));
    office.record(&turned(OperatorWebhook::subscription_id(), &OwnerId::of_operator()));
    announce_all(&office.announcements(Some(&operator)));
    let mut told: Vec<SubscriptionId> = office.delivered().into_iter().map(|(id, _)| id).collect();
    told.sort();
    assert_eq!(told, [OperatorWebhook::subscription_id(), other]);
}

#[test]
fn a_user_in_a_loop_does_not_flood_the_operator() {
    let (office, operator) = Office::with_operator();
    let announcements = office.announcements(Some(&operator));
    office.revoke(&office.desk.alice, OPERATOR_EVENTS_PER_HOUR + 500);
    office.revoke(&office.desk.bob, 1);
    announce_all(&announcements);
    let told = office.delivered();
    let omitted = told.iter().filter(|(_, payload)| payload.contains("\"gatepost.events.omitted\"")).count();
    assert_eq!((told.len(), omitted), (OPERATOR_EVENTS_PER_HOUR + 2, 1));
    office.desk.clock.advance(Duration::from_hours(1));
    office.revoke(&office.desk.alice, 1);
    announce_all(&announcements);
    assert_eq!(office.delivered().len(), 1, "the next hour starts again");
}

#[test]
fn the_operators_subscription_follows_the_configuration() {
    let office = Office::new();
    let (owner, id) = (OwnerId::of_operator(), OperatorWebhook::subscription_id());
    let found =
        || block_on(office.desk.webhooks.find_subscription(&owner, id)).unwrap().map(|found| found.subscription);
    let keep = |wanted: Option<&OperatorWebhook>| {
        block_on(office.desk.webhooks.keep_operator_webhook(wanted)).unwrap();
        found()
    };
    let secrets = || office.desk.secrets_of(id);
    assert_eq!(keep(None), None, "nothing is stored before it is configured");
    let first = office.operator(&["gatepost.*"]);
    let created = keep(Some(&first)).unwrap();
    assert_eq!((created.url.as_str(), secrets().len()), ("https://ops.example/hook", 1));
    assert_eq!(keep(Some(&first)).unwrap(), created, "a restart changes nothing");
    assert_eq!(secrets().len(), 1, "and keeps the secret");
    let url = office.desk.webhooks.parse_target("https://ops.example/other").unwrap();
    let moved = OperatorWebhook { url, secret: SigningSecret::parse(OTHER_SECRET).unwrap(), ..first.clone() };
    office.desk.clock.advance(SECOND);
    assert_eq!(keep(Some(&moved)).unwrap().url.as_str(), "https://ops.example/other");
    assert_eq!(secrets(), [OTHER_SECRET, SECRET], "both sign for a day");
    let again = OperatorWebhook { secret: SigningSecret::parse(THIRD_SECRET).unwrap(), ..moved };
    keep(Some(&again));
    assert_eq!(secrets(), [THIRD_SECRET, OTHER_SECRET], "a second change within the day ends the first secret");
    let off = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
    block_on(office.desk.webhooks.change_subscription(&owner, id, &off, &Origin::SERVICE)).unwrap();
    assert!(keep(Some(&again)).unwrap().status.is_enabled(), "a start enables it");
    assert!(!keep(None).unwrap().status.is_enabled(), "without a URL it is disabled");
}

#[test]
fn keys_have_a_notice_seven_days_and_one_day_before_they_expire() {
    let office = Office::new();
    let start = office.desk.now();
    let long = office.put_key(start, start.plus(8 * DAY), None);
    let short = office.put_key(start, start.plus(3 * DAY), None);
    office.put_key(start, start.plus(8 * DAY), Some(long));
    office.put_key(start, start.plus(DAY), None);
    let (one, other) = (office.announcements(None), office.announcements(None));
    let mut last = [None, None];
    let mut hours = |hours: u32| {
        for _ in 0..hours {
            office.desk.clock.advance(Duration::from_hours(1));
            for (place, instance) in last.iter_mut().zip([&one, &other]) {
                *place = Some(block_on(instance.note_expiring_keys(*place)).unwrap());
            }
        }
        office.notices()
    };
    assert_eq!(hours(23), []);
    let week_before = (long.to_string(), start.plus(DAY));
    assert_eq!(hours(1), std::slice::from_ref(&week_before));
    let mut expected = vec![week_before, (short.to_string(), start.plus(2 * DAY))];
    assert_eq!(hours(24), expected);
    expected.push((long.to_string(), start.plus(7 * DAY)));
    assert_eq!(hours(24 * 10), expected, "each notice is given once");
}

#[test]
fn a_notice_is_given_late_by_a_day_at_most() {
    let office = Office::new();
    let start = office.desk.now();
    office.put_key(start, start.plus(8 * DAY), None);
    let late = office.put_key(start, start.plus(8 * DAY).plus(SECOND), None);
    office.desk.clock.advance(2 * DAY);
    let first = block_on(office.announcements(None).note_expiring_keys(None)).unwrap();
    assert_eq!(first, office.desk.now());
    assert_eq!(office.notices(), [(late.to_string(), start.plus(DAY).plus(SECOND))]);
}

/// Gives the subscription a certificate that expires then, now.
fn set_certificate(office: &Office, id: SubscriptionId, expires_at: Timestamp) {
    let facts = CertificateFacts { subject: "CN=a".to_owned(), expires_at, fingerprint: [7; 32] };
    let certificate = domain::Patch::Set(ClientCertificate::new(facts, "chain", "key"));
    let options = office.desk.webhooks.seal_options(id, OptionsChange { certificate, ..OptionsChange::default() });
    let change = SubscriptionChange { options, ..SubscriptionChange::default() };
    block_on(office.desk.webhooks.change_subscription(&office.desk.alice, id, &change, &Origin::SERVICE)).unwrap();
}

fn certificate_notices(office: &Office) -> Vec<(String, Timestamp)> {
    office.noted(AuditAction::SubscriptionCertificateExpiring)
}

#[test]
fn a_certificate_is_announced_30_days_7_days_and_a_day_before_its_end_once() {
    let office = Office::new();
    let start = office.desk.now();
    let day = |number: u32| start.plus(DAY * number);
    let (id, late, off) = (office.subscribe(&["a"]), office.subscribe(&["a"]), office.subscribe(&["a"]));
    set_certificate(&office, id, day(40));
    set_certificate(&office, late, day(20));
    set_certificate(&office, off, day(40));
    office.desk.disable(off);
    // Two instances.
    let instances = [office.announcements(None), office.announcements(None)];
    for _ in 0..41 * 4 {
        for instance in &instances {
            let last = block_on(instance.note_expiring_certificates(None)).unwrap();
            assert!(last.is_some(), "a step has a page");
            assert_eq!(block_on(instance.note_expiring_certificates(last)).unwrap(), None, "the last page is empty");
        }
        office.desk.clock.advance(DAY / 4);
    }
    let (id, late) = (id.to_string(), late.to_string());
    let due = [(&id, 10), (&late, 13), (&late, 19), (&id, 33), (&id, 39)];
    assert_eq!(certificate_notices(&office), due.map(|(id, number)| (id.clone(), day(number))));
}

#[test]
fn a_notice_of_a_certificate_is_a_day_late_at_most_and_not_of_one_that_was_replaced() {
    let office = Office::new();
    let start = office.desk.now();
    let (id, replaced) = (office.subscribe(&["a"]), office.subscribe(&["a"]));
    for id in [id, replaced] {
        set_certificate(&office, id, start.plus(DAY * 10));
    }
    let announcements = office.announcements(None);
    office.desk.clock.advance(DAY * 4);
    block_on(announcements.note_expiring_certificates(None)).unwrap();
    assert_eq!(certificate_notices(&office), [], "the notice of the third day is too old");
    office.desk.clock.advance((DAY * 6).saturating_sub(Duration::from_millis(1)));
    set_certificate(&office, replaced, start.plus(DAY * 100));
    block_on(announcements.note_expiring_certificates(None)).unwrap();
    assert_eq!(certificate_notices(&office), [(id.to_string(), start.plus(DAY * 9))]);
    office.subscribe(&["gatepost.subscription.certificate_expiring"]);
    announce_all(&announcements);
    assert_eq!(office.delivered().len(), 1);
}
