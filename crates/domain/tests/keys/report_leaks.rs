use domain::ports::{ChangeFeed, KeyChange, KeyChangeKind, KeyStore, RecentChanges};
use domain::{LEAKS_MAX, ReportLeaksError};

use crate::desk::{DAY, Desk, is_unavailable, keys_over_a_failing_store, user};

#[test]
fn every_leaked_key_is_revoked_whoever_owns_it() {
    let desk = Desk::new();
    let (alices, bobs) = (desk.create(&user("alice"), None).unwrap(), desk.create(&user("bob"), None).unwrap());
    let kept = desk.create(&user("bob"), None).unwrap();
    let (leaked_at, twice) = (desk.now(), bobs.full_key.expose());
    let tokens = [twice, "svc_live_unknown", "not a key", alices.full_key.expose(), twice];
    for _ in 0..2 {
        let reported = pollster::block_on(desk.keys.report_leaks(&tokens)).unwrap();
        let ids: Vec<_> = reported.iter().map(|key| key.as_ref().map(|key| key.id)).collect();
        assert_eq!(ids, [Some(bobs.id), None, None, Some(alices.id), Some(bobs.id)]);
        assert!(reported.iter().flatten().all(|key| key.revoked_at == Some(leaked_at)));
        desk.clock.advance(DAY);
    }
    assert!(
        pollster::block_on(desk.store.find_by_digest(&kept.full_key.digest())).unwrap().unwrap().is_good(desk.now())
    );

    let changes = pollster::block_on(desk.store.changes_within(DAY, 2)).unwrap();
    let RecentChanges::All(changes) = changes else { panic!("{changes:?}") };
    assert_eq!(changes.len(), 2, "each is told once");
    for key in [&alices, &bobs] {
        let change = KeyChange { digest: key.full_key.digest(), kind: KeyChangeKind::Revoked };
        assert!(changes.contains(&change));
    }
    assert_eq!(pollster::block_on(desk.store.changes_within(DAY, 1)).unwrap(), RecentChanges::TooMany);
}

#[test]
fn a_report_is_bounded() {
    let desk = Desk::new();
    assert_eq!(pollster::block_on(desk.keys.report_leaks(&[])).unwrap(), []);
    assert_eq!(pollster::block_on(desk.keys.report_leaks(&["x"; LEAKS_MAX])).unwrap(), vec![None; LEAKS_MAX]);
    let refused = pollster::block_on(desk.keys.report_leaks(&["x"; LEAKS_MAX + 1]));
    assert!(matches!(refused, Err(ReportLeaksError::TooMany)), "{refused:?}");
}

#[test]
fn a_failing_store_is_told() {
    let refused = pollster::block_on(keys_over_a_failing_store().report_leaks(&["x"]));
    assert!(matches!(&refused, Err(ReportLeaksError::Store(error)) if is_unavailable(error)), "{refused:?}");
}
