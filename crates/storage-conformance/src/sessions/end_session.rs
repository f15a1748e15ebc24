//! Ending sessions: one, and all of an owner.

use std::collections::HashSet;
use std::sync::Arc;

use crate::SessionPorts;
use domain::{CredentialDigest, OwnerId, SessionId};

use super::sample::{
    NO_MAXIMUM, Sample, digests, end, end_all, expect_gone, expect_stored, find, idle_max, list, open, open_all,
};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Ending a session returns its digest, and deletes the session: it is not found, not listed, and its id and digest are
/// free. The owner's other sessions stay. A second end finds no session.
pub async fn an_ended_session_is_gone(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let samples =
        [Sample::opened(&owner, at(1)), Sample::opened(&owner, at(2)), Sample::of(&owner).seen(at(-idle_max()))];
    open_all(&*store, &samples).await;
    for ended in [&samples[0], &samples[2]] {
        let answer = end(&*store, &owner, ended.id()).await;
        assert_eq!(answer, Some(ended.digest), "the end of a session must answer with its digest");
        assert_eq!(end(&*store, &owner, ended.id()).await, None, "an ended session must not be found again");
        expect_gone(&*store, std::slice::from_ref(ended), "an ended session must be gone").await;
    }
    expect_stored(&*store, &samples[1..2], "the owner's other sessions must stay").await;
    assert_eq!(list(&*store, &owner, at(2)).await, [samples[1].session.clone()], "an ended session must not be listed");
    open(&*store, &samples[0], NO_MAXIMUM).await;
}

/// Another user's session is not ended, and the answer is the same as for an id that does not exist.
pub async fn another_users_session_stays(store: Arc<dyn SessionPorts>) {
    let sample = Sample::of(&user("alice"));
    open_all(&*store, &[sample.clone(), Sample::of(&user("mallory"))]).await;
    assert_eq!(end(&*store, &user("mallory"), sample.id()).await, None, "another user's session must not be found");
    let unknown = Sample::of(&user("alice")).id();
    assert_eq!(end(&*store, &user("alice"), unknown).await, None, "an unknown session must not be found");
    assert_eq!(end_all(&*store, &user("mallory"), None).await.len(), 1, "all sessions are those of one user");
    expect_stored(&*store, &[sample], "another user's session must stay as it is").await;
}

/// Of parallel ends of one session, one returns the digest.
pub async fn parallel_ends_name_the_session_once(store: Arc<dyn SessionPorts>) {
    for round in 0..5 {
        let sample = Sample::of(&user(&format!("round {round}")));
        open_all(&*store, std::slice::from_ref(&sample)).await;
        let calls = (0..16).map(|_| -> Call<Option<CredentialDigest>> {
            let (store, sample) = (Arc::clone(&store), sample.clone());
            Box::pin(async move { end(&*store, &sample.session.owner, sample.id()).await })
        });
        let named: Vec<CredentialDigest> = all_at_once(calls.collect()).await.into_iter().flatten().collect();
        assert_eq!(named, [sample.digest], "parallel ends must name the session once");
    }
}

/// All sessions of a user end, including expired and idle ones, except for the kept one. Other users' sessions stay,
/// and so does a kept session of another user.
pub async fn all_sessions_of_a_user_end_but_the_kept(store: Arc<dyn SessionPorts>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let theirs = [Sample::of(&alice), Sample::of(&alice).seen(at(-idle_max())), Sample::of(&alice), Sample::of(&alice)];
    let others = [Sample::of(&bob), Sample::of(&bob)];
    open_all(&*store, &theirs).await;
    open_all(&*store, &others).await;
    let ended = end_all(&*store, &alice, Some(theirs[0].id())).await;
    assert_eq!(ended, digests(&theirs[1..]), "all sessions but the kept one must be named");
    expect_gone(&*store, &theirs[1..], "all sessions but the kept one must be gone").await;
    expect_stored(&*store, &theirs[..1], "the kept session must stay as it is").await;
    let ended = end_all(&*store, &alice, Some(others[0].id())).await;
    assert_eq!(ended, digests(&theirs[..1]), "a kept session of another user keeps nothing");
    assert!(end_all(&*store, &alice, None).await.is_empty(), "a second end of all must find nothing");
    expect_stored(&*store, &others, "other users' sessions must stay").await;
}

/// Parallel ends of all sessions, and of one, together name each session once.
pub async fn parallel_ends_of_all_name_each_session_once(store: Arc<dyn SessionPorts>) {
    for round in 0..5 {
        let owner = user(&format!("round {round}"));
        let samples: Vec<Sample> = (0..12).map(|_| Sample::of(&owner)).collect();
        open_all(&*store, &samples).await;
        let one = samples.iter().map(|sample| ending(&store, &owner, Some(sample.id())));
        let all = (0..8).map(|_| ending(&store, &owner, None));
        let named: Vec<_> = all_at_once(one.chain(all).collect()).await.into_iter().flatten().collect();
        let distinct: HashSet<CredentialDigest> = named.iter().copied().collect();
        assert_eq!((named.len(), distinct), (12, digests(&samples)), "parallel ends must name each session once");
    }
}

/// A visit opens a session and then ends its link. An end of all sessions during the visit has ended the link before the
/// visit did, or it ends the session.
pub async fn an_end_of_all_misses_no_visit(store: Arc<dyn SessionPorts>) {
    for round in 0..20 {
        let owner = user(&format!("round {round}"));
        let links: Vec<Sample> = (0..6).map(|_| Sample::of(&owner).into_link()).collect();
        let sessions: Vec<Sample> = links.iter().map(|_| Sample::of(&owner)).collect();
        open_all(&*store, &links).await;
        let visits = links.iter().zip(&sessions).map(|(link, session)| -> Call<HashSet<CredentialDigest>> {
            let (store, link, session) = (Arc::clone(&store), link.clone(), session.clone());
            Box::pin(async move {
                open(&*store, &session, NO_MAXIMUM).await;
                end(&*store, &link.session.owner, link.id()).await.into_iter().collect()
            })
        });
        let answers = all_at_once(visits.chain([ending(&store, &owner, None)]).collect()).await;
        for (session, spent) in sessions.iter().zip(&answers).filter(|(_, spent)| !spent.is_empty()) {
            let missed = find(&*store, session).await;
            assert_eq!(missed, None, "an end of all sessions must end the session of each visit: {spent:?}");
        }
    }
}

/// Ends one session, or all.
fn ending(store: &Arc<dyn SessionPorts>, owner: &OwnerId, id: Option<SessionId>) -> Call<HashSet<CredentialDigest>> {
    let (store, owner) = (Arc::clone(store), owner.clone());
    Box::pin(async move {
        match id {
            Some(id) => end(&*store, &owner, id).await.into_iter().collect(),
            None => end_all(&*store, &owner, None).await,
        }
    })
}
