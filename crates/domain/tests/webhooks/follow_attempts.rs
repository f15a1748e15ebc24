use domain::ports::{AttemptCursor, ClaimedLane, LoggedAttempt};
use domain::webhooks::{AttemptFollower, FOLLOWED_AT_ONCE_MAX};
use domain::{OwnerId, SubscriptionId};
use pollster::block_on;

use crate::desk::{Desk, MILLISECOND, SECOND};

fn follow(desk: &Desk, owner: &OwnerId, of: Option<SubscriptionId>, resume: Option<AttemptCursor>) -> AttemptFollower {
    block_on(desk.webhooks.follow_attempts(owner, of, resume)).unwrap().unwrap()
}

fn returned(follower: &mut AttemptFollower) -> Vec<AttemptCursor> {
    block_on(follower.read_new()).unwrap().iter().map(LoggedAttempt::cursor).collect()
}

/// All attempts, and how many reads returned them.
fn returned_in_reads(follower: &mut AttemptFollower) -> (Vec<AttemptCursor>, usize) {
    let (mut all, mut reads) = (Vec::new(), 0);
    loop {
        let new = returned(follower);
        if new.is_empty() {
            return (all, reads);
        }
        all.extend(new);
        reads += 1;
    }
}

#[test]
fn attempts_from_now_on_are_returned_once_each() {
    let desk = Desk::new();
    desk.subscribe();
    desk.publish("1", None).unwrap();
    desk.dispatch(Some(SECOND));
    desk.clock.advance(SECOND);
    let mut follower = follow(&desk, &desk.alice, None, None);
    let mut others = follow(&desk, &desk.bob, None, None);
    assert_eq!(returned(&mut follower), [], "earlier attempts are not returned");
    desk.dispatch(Some(SECOND));
    assert_eq!(returned(&mut follower).len(), 1);
    assert_eq!(returned(&mut follower), []);
    desk.clock.advance(SECOND);
    desk.dispatch(Some(SECOND));
    assert_eq!(returned(&mut follower).iter().map(|one| one.number).collect::<Vec<_>>(), [3]);
    assert_eq!(returned(&mut others), []);
}

/// The lanes of two subscriptions, claimed, with one event each.
fn two_lanes(desk: &Desk) -> (Vec<ClaimedLane>, Vec<ClaimedLane>) {
    let (first, _) = (desk.subscribe(), desk.subscribe());
    desk.publish("1", None).unwrap();
    desk.claim().into_iter().partition(|lane| lane.subscription == first)
}

/// An attempt may be stored after others that ended later: another instance commits more slowly.
#[test]
fn an_attempt_that_is_stored_late_is_returned() {
    for (seconds, is_returned) in [(9, true), (11, false)] {
        let desk = Desk::new();
        let mut follower = follow(&desk, &desk.alice, None, None);
        let (late_lane, early_lane) = two_lanes(&desk);
        let ended_at = desk.now();
        desk.clock.advance(SECOND * seconds);
        desk.complete(&early_lane, None);
        assert_eq!(returned(&mut follower).len(), 1);
        desk.complete_at(&late_lane, ended_at);
        assert_eq!(returned(&mut follower).len(), usize::from(is_returned), "{seconds}");
        assert_eq!(returned(&mut follower), []);
    }
}

/// An attempt ends before the follower begins, and another instance commits it later.
#[test]
fn an_attempt_that_is_stored_after_the_beginning_is_returned() {
    for (seconds, is_returned) in [(9, true), (11, false)] {
        let desk = Desk::new();
        let (late_lane, early_lane) = two_lanes(&desk);
        desk.complete(&early_lane, None);
        let ended_at = desk.now();
        desk.clock.advance(SECOND * seconds);
        let mut follower = follow(&desk, &desk.alice, None, None);
        assert_eq!(returned(&mut follower), [], "earlier attempts are not returned");
        desk.complete_at(&late_lane, ended_at);
        assert_eq!(returned(&mut follower).len(), usize::from(is_returned), "{seconds}");
        assert_eq!(returned(&mut follower), []);
    }
}

#[test]
fn a_follower_goes_on_after_a_place_but_not_for_longer_than_an_hour() {
    let desk = Desk::new();
    desk.subscribe();
    desk.publish("1", None).unwrap();
    let mut follower = follow(&desk, &desk.alice, None, None);
    for _ in 0..3 {
        desk.dispatch(Some(SECOND));
        desk.clock.advance(SECOND);
    }
    let all = returned(&mut follower);
    assert_eq!(all.len(), 3);
    let resumed = |place: AttemptCursor| returned(&mut follow(&desk, &desk.alice, None, Some(place)));
    assert_eq!(resumed(all[0]), all[1..]);
    assert_eq!(resumed(all[2]), []);
    desk.clock.advance(SECOND * 3_598);
    assert_eq!(resumed(all[0]), all[1..]);
    desk.clock.advance(MILLISECOND);
    assert_eq!(resumed(all[0]), all[2..], "the second ended more than an hour ago");
}

#[test]
fn one_subscription_is_followed_and_no_one_elses() {
    let desk = Desk::new();
    let (first, second) = (desk.subscribe(), desk.subscribe());
    desk.publish("1", None).unwrap();
    let mut follower = follow(&desk, &desk.alice, Some(first), None);
    assert_eq!(desk.dispatch(None), 2);
    assert_eq!(returned(&mut follower).len(), 1);
    assert_eq!(returned(&mut follow(&desk, &desk.alice, Some(second), None)).len(), 1);
    assert!(block_on(desk.webhooks.follow_attempts(&desk.bob, Some(first), None)).unwrap().is_none());
}

/// There are more attempts than a follower remembers. Each read has a limit, and all attempts are returned once.
#[test]
fn a_flood_is_returned_in_pieces() {
    let desk = Desk::new();
    desk.subscribe();
    let mut follower = follow(&desk, &desk.alice, None, None);
    let mut count = 0;
    for _ in 0..5 {
        let events = (0..500).map(|_| desk.event("1", None)).collect();
        count += block_on(desk.webhooks.publish(events, None)).unwrap().accepted.len();
        desk.clock.advance(MILLISECOND);
    }
    assert_eq!(desk.dispatch(None), count);
    let (mut all, reads) = returned_in_reads(&mut follower);
    assert_eq!((all.len(), reads), (count, count / FOLLOWED_AT_ONCE_MAX as usize));
    all.dedup();
    assert_eq!(all.len(), count);
    assert!(all.is_sorted());
}
