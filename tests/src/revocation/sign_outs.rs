use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::Instant;

use super::REFUSED_WITHIN;
use super::delays::Delays;
use super::fleet::{accepted_for, first_refusal};
use crate::harness::{Browser, Gatepost, Request, Setup, Storage, free_address};
use crate::sign_in::{SESSION, setup};

/// How many browsers sign in and out in parallel, and how often: 1,000 sessions.
const BATCH: usize = 20;
const BATCHES: usize = 50;

/// A sign-out on one instance reaches the other one as soon as a revocation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_instance_refuses_a_thousand_sessions_within_a_second() {
    let (provider, storage, public) = (Setup::dev().await.start().await, Storage::postgres().await, free_address());
    let setup = setup(&storage, &provider, public).await;
    let fleet = [setup.clone().at(public).start().await, setup.twin().start().await];
    let good = signed_in(&fleet, "somebody else").await;
    let mut delays = Vec::new();
    for batch in 0..BATCHES {
        let user = format!("user {batch}");
        let browsers = join_all((0..BATCH).map(|_| signed_in(&fleet, &user))).await;
        delays.extend(join_all(browsers.into_iter().map(|browser| sign_out_and_time(&fleet, browser))).await);
        for instance in &fleet {
            assert_eq!(instance.send(&question(&good)).await.status, 200, "another session goes on");
        }
    }
    let what = format!("refused by another instance, after {} sign-outs", BATCH * BATCHES);
    delays.into_iter().collect::<Delays>().expect(&what, 999, REFUSED_WITHIN);
}

/// A new session, which every instance has in memory.
async fn signed_in(fleet: &[Gatepost], user: &str) -> Browser {
    let mut browser = Browser::default();
    browser.sign_in(fleet[0].address(), &user.replace(' ', "+"), "/console/").await;
    for instance in fleet {
        assert_eq!(instance.send(&question(&browser)).await.status, 200);
    }
    browser
}

/// The session's user, as a page of the console reads it.
fn question(browser: &Browser) -> Request {
    let cookie = format!("{SESSION}={}", browser.cookie(SESSION).expect("is signed in"));
    Request::new("GET", "/api/session").header("cookie", &cookie)
}

/// The time from the answer to the sign-out on the first instance until the second one refuses the session. The first
/// one refuses it at once.
async fn sign_out_and_time([here, there]: &[Gatepost; 2], mut browser: Browser) -> Duration {
    let question = question(&browser);
    let refusal = tokio::spawn(first_refusal(there.address(), question.clone()));
    let ended = browser.send(here.address(), Request::new("DELETE", "/api/session")).await;
    let answered = Instant::now();
    assert_eq!(ended.status, 204, "{}", ended.text());
    assert_eq!(here.send(&question).await.status, 401, "at once where it was ended");
    let (at, status) = refusal.await.expect("the other instance refuses it");
    assert_eq!((status, there.send(&question).await.status), (401, 401), "refused, and it stays refused");
    accepted_for(at, answered)
}
