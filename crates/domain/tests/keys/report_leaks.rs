use domain::audit::Origin;
use domain::ports::{ChangeFeed, CredentialChanges, CredentialStore as _, FeedPosition};
use domain::{LEAKS_MAX, ReportLeaksError};

use crate::desk::{DAY, Desk, user};
use crate::failing_store::keys_over_a_failing_store;

#[test]
fn every_leaked_key_is_revoked_whoever_owns_it() {
    let desk = Desk::new();
    let (alices, bobs) = (desk.create(&user("alice"), None).unwrap(), desk.create(&user("bob"), None).unwrap());
    let kept = desk.create(&user("bob"), None).unwrap();
    let (leaked_at, twice) = (desk.now(), bobs.full_key.expose());
    let tokens = [twice, "svc_live_unknown", "not a key", alices.full_key.expose(), twice];
    for _ in 0..2 {
        let reported = pollster::block_on(desk.keys.report_leaks(&tokens, &Origin::SERVICE)).unwrap();
        let ids: Vec<_> = reported.iter().map(|key| key.as_ref().map(|key| key.id)).collect();
        assert_eq!(ids, [Some(bobs.id), None, None, Some(alices.id), Some(bobs.id)]);
        assert!(reported.iter().flatten().all(|key| key.revoked_at == Some(leaked_at)));
        desk.clock.advance(DAY);
    }
    assert!(
        pollster::block_on(desk.store.find_by_digest(&kept.full_key.digest())).unwrap().unwrap().is_good(desk.now())
    );

    let start = FeedPosition::new("0");
    let changes = |max| pollster::block_on(desk.store.changes_since(Some(&start), max)).unwrap().changes;
    let CredentialChanges::Of(digests) = changes(4) else { panic!("the feed must list the changes") };
    assert_eq!(digests.len(), 4, "each report is in the feed: one that is made again may be needed again");
    for key in [&alices, &bobs] {
        assert!(digests.contains(&key.full_key.digest()));
    }
    assert_eq!(changes(3), CredentialChanges::OfAny);
}

#[test]
fn a_report_is_bounded() {
    let desk = Desk::new();
    assert_eq!(pollster::block_on(desk.keys.report_leaks(&[], &Origin::SERVICE)).unwrap(), []);
    assert_eq!(
        pollster::block_on(desk.keys.report_leaks(&["x"; LEAKS_MAX], &Origin::SERVICE)).unwrap(),
        vec![None; LEAKS_MAX]
    );
    let refused = pollster::block_on(desk.keys.report_leaks(&["x"; LEAKS_MAX + 1], &Origin::SERVICE));
    assert!(matches!(refused, Err(ReportLeaksError::TooMany)), "{refused:?}");
}

#[test]
fn a_key_with_a_wrong_check_never_reaches_the_store() {
    let desk = Desk::new();
    let created = desk.create(&user("alice"), None).unwrap();
    let full_key = created.full_key.expose();
    let last = if full_key.ends_with('0') { "1" } else { "0" };
    let mistyped = [&full_key[..full_key.len() - 1], last].concat();
    let reported = pollster::block_on(keys_over_a_failing_store().report_leaks(&[&mistyped], &Origin::SERVICE));
    assert_eq!(reported.unwrap(), [None]);
}
