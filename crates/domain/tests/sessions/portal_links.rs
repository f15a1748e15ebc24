use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use domain::audit::{AuditFilter, Origin};
use domain::memory::{ManualClock, MemoryAuditLog, MemorySessionStore, SeededEntropy};
use domain::ports::{AuditLog as _, CredentialStore as _, SessionStore as _, SessionStores};
use domain::sessions::{
    BegunVisit, Capability, CreateLinkError, CreatedLink, PORTAL_LINK_MAX, PORTAL_LINKS_MAX, PortalLinks, ReturnUrl,
    SESSION_LIFETIME, SessionRole, Sessions, UseLinkError, VISIT_MIN, Visit,
};
use domain::{CredentialDigest, OwnerId, SealingKeys, Timestamp};
use pollster::block_on;

const MILLISECOND: Duration = Duration::from_millis(1);

struct Desk {
    log: MemoryAuditLog,
    store: Arc<MemorySessionStore>,
    clock: Arc<ManualClock>,
    sessions: Sessions,
    links: PortalLinks,
}

fn desk() -> Desk {
    let clock = Arc::new(ManualClock::new(Timestamp::from_unix_millis(1_795_225_323_120).unwrap()));
    let log = MemoryAuditLog::default();
    let store = Arc::new(MemorySessionStore::default().writing_to(log.clone()));
    let sessions = sessions(&store, &clock, 1);
    Desk { log, store, clock, links: PortalLinks::new(sessions.clone(), keys(1)), sessions }
}

fn sessions(store: &Arc<MemorySessionStore>, clock: &Arc<ManualClock>, seed: u64) -> Sessions {
    Sessions::new(SessionStores::of(store), Arc::new(()), clock.clone(), Arc::new(SeededEntropy::new(seed)))
}

fn keys(byte: u8) -> Arc<SealingKeys> {
    Arc::new(SealingKeys::new(vec![[byte; 32].into()]).unwrap())
}

fn alice() -> OwnerId {
    OwnerId::new("https://id.example", "alice").unwrap()
}

fn visit(lifetime: Duration) -> Visit {
    let capabilities = [Capability::Keys, Capability::WebhooksRead].into();
    let return_url = ReturnUrl::parse("https://app.example/settings").ok();
    Visit { user: alice(), capabilities, lifetime, return_url }
}

impl Desk {
    fn create(&self) -> CreatedLink {
        block_on(self.links.create(&visit(VISIT_MIN), &Origin::SERVICE)).unwrap()
    }

    fn begin(&self, code: &str) -> Result<BegunVisit, UseLinkError> {
        block_on(self.links.begin_visit(code, None, (None, None), None))
    }

    fn is_spent(&self, code: &str) -> bool {
        matches!(self.begin(code), Err(UseLinkError::Spent))
    }
}

#[test]
fn a_link_becomes_a_session_with_its_rights_once() {
    let desk = desk();
    let link = desk.create();
    let begun = desk.begin(&link.code).unwrap();
    let session = begun.opened.session;
    assert_eq!((&session.owner, &begun.visit), (&alice(), &visit(VISIT_MIN)));
    assert_eq!(session.role, SessionRole::Visitor([Capability::Keys, Capability::WebhooksRead].into()));
    assert_eq!(session.expires_at.since(session.created_at), VISIT_MIN);
    let digest = CredentialDigest::of_presented(begun.opened.secret.expose()).unwrap();
    assert_eq!(block_on(desk.store.find_by_digest(&digest)).unwrap(), Some(session));
    assert!(desk.is_spent(&link.code), "a second time");
}

/// Whatever comes first, the session of the visit has ended, or the link works no more.
#[test]
fn a_visit_during_the_end_of_all_sessions_is_refused_or_ended() {
    for _ in 0..2_000 {
        let (desk, gate) = (desk(), Barrier::new(2));
        let code = desk.create().code;
        thread::scope(|scope| {
            scope.spawn(|| {
                gate.wait();
                drop(desk.begin(&code));
            });
            gate.wait();
            block_on(desk.sessions.end_all(&alice(), None, &Origin::SERVICE)).unwrap();
        });
        assert_eq!(block_on(desk.sessions.list(&alice())).unwrap(), []);
    }
}

#[test]
fn a_visit_that_loses_its_link_to_another_browser_ends_no_session() {
    for _ in 0..500 {
        let (desk, gate) = (desk(), Barrier::new(2));
        let browsers = [desk.begin(&desk.create().code).unwrap(), desk.begin(&desk.create().code).unwrap()];
        let code = desk.create().code;
        thread::scope(|scope| {
            for browser in &browsers {
                scope.spawn(|| {
                    gate.wait();
                    let presented = Some(browser.opened.secret.expose());
                    let begun = block_on(desk.links.begin_visit(&code, presented, (None, None), None));
                    let left = block_on(desk.sessions.list(&alice())).unwrap();
                    let is_left = left.iter().any(|session| session.id == browser.opened.session.id);
                    assert_eq!(is_left, begun.is_err());
                });
            }
        });
        assert_eq!(block_on(desk.sessions.list(&alice())).unwrap().len(), 2, "the visit, and the session of the other");
    }
}

#[test]
fn a_link_works_for_five_minutes() {
    let desk = desk();
    let (in_time, late) = (desk.create(), desk.create());
    assert_eq!(in_time.expires_at.since(Timestamp::from_unix_millis(1_795_225_323_120).unwrap()), PORTAL_LINK_MAX);
    desk.clock.advance(PORTAL_LINK_MAX.saturating_sub(MILLISECOND));
    assert!(desk.begin(&in_time.code).is_ok());
    desk.clock.advance(MILLISECOND);
    assert!(desk.is_spent(&late.code));
}

#[test]
fn only_whole_codes_of_this_service_work() {
    let desk = desk();
    let (one, other) = (desk.create(), desk.create());
    let parts = |link: &CreatedLink| link.code.split_once('.').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let ((secret, content), (_, foreign)) = (parts(&one), parts(&other));
    for wrong in ["", ".", &secret, &format!("{secret}."), &format!(".{content}"), &format!("{secret}.{foreign}")] {
        assert!(desk.is_spent(wrong), "{wrong}");
    }
    let elsewhere = PortalLinks::new(sessions(&desk.store, &desk.clock, 2), keys(2));
    assert!(matches!(block_on(elsewhere.begin_visit(&one.code, None, (None, None), None)), Err(UseLinkError::Spent)));
    assert!(desk.begin(&one.code).is_ok(), "a failed attempt does not spend the link");
}

/// So the user's log names the maker, and the events are in the user's shard and end with the user.
#[test]
fn each_event_of_a_link_belongs_to_its_user() {
    let desk = desk();
    let link = desk.create();
    desk.begin(&link.code).unwrap();
    let events = block_on(desk.log.list(&AuditFilter::default(), None, 10)).unwrap().events;
    assert!(events.iter().all(|event| event.owner == alice()), "{events:?}");
    assert_eq!(events.len(), 3, "the link, the session of the visit, and the end of the link");
}

#[test]
fn links_do_not_end_sessions_and_are_not_listed() {
    let desk = desk();
    let session = desk.begin(&desk.create().code).unwrap().opened.session;
    let oldest = desk.create();
    for _ in 0..PORTAL_LINKS_MAX {
        desk.clock.advance(MILLISECOND);
        desk.create();
    }
    assert!(desk.is_spent(&oldest.code), "one more than the maximum ends the first");
    assert_eq!(block_on(desk.store.list(&alice(), session.created_at)).unwrap(), [session]);
}

#[test]
fn a_visit_lasts_a_minute_to_a_week() {
    let desk = desk();
    for lifetime in [VISIT_MIN, SESSION_LIFETIME] {
        assert!(block_on(desk.links.create(&visit(lifetime), &Origin::SERVICE)).is_ok());
    }
    for lifetime in [Duration::ZERO, VISIT_MIN.saturating_sub(MILLISECOND), SESSION_LIFETIME + MILLISECOND] {
        let refused = block_on(desk.links.create(&visit(lifetime), &Origin::SERVICE));
        assert!(matches!(refused, Err(CreateLinkError::LifetimeOutOfRange)), "{lifetime:?}");
    }
}
