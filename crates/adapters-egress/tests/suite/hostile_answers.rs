//! Hostile resolvers and hostile receivers, which lead from an allowed place to a refused one.

use std::time::Duration;

use domain::ports::WebhookSender as _;
use domain::webhooks::{AttemptOutcome, FailureReason, OurFault, Verdict};

use tokio::time::Instant;

use crate::canary::Canary;
use crate::exchange::{Sending, answered, attempt_with_headers, failed, send};
use crate::receiver::Receiver;
use crate::scripted_resolver::{Lookup, ScriptedResolver};

/// The deadline is 15 s. The clock is paused, so the times are exact.
#[tokio::test(start_paused = true)]
async fn a_refused_name_and_a_missing_one_get_the_same_answer_in_the_same_time() {
    for lookup in [
        Lookup::NoSuchName,
        Lookup::LateNoSuchName,
        Lookup::Unanswered,
        Lookup::Addresses(&[]),
        Lookup::Addresses(&["10.0.0.1"]),
        Lookup::Addresses(&["8.8.8.8", "127.0.0.1"]),
    ] {
        let resolver = ScriptedResolver::new(std::slice::from_ref(&lookup));
        let deadline = Duration::from_secs(15);
        let sender = Sending { allowed_networks: &[], resolver, deadline, ..Sending::default() }.sender();
        let start = Instant::now();
        assert_eq!(send(&sender, "https://name.example/").await, failed(FailureReason::Dns), "{lookup:?}");
        assert_eq!(start.elapsed(), deadline / 3, "{lookup:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_refused_address_in_an_answer_refuses_them_all() {
    let canary = Canary::everywhere().await;
    for addresses in [
        &["8.8.8.8", "127.0.0.1"],
        &["127.0.0.1", "8.8.8.8"],
        &["2606:4700::1111", "::1"],
        &["8.8.8.8", "::ffff:127.0.0.1"],
        &["1.1.1.1", "64:ff9b::7f00:1"],
    ] {
        let resolver = ScriptedResolver::new(&[Lookup::Addresses(addresses)]);
        let sending = Sending { allowed_networks: &[], resolver, ..Sending::default() };
        let outcome = sending.send(&format!("http://mixed.example:{}/", canary.port())).await;
        assert_eq!(outcome, failed(FailureReason::Dns), "{addresses:?}");
    }
    canary.assert_untouched().await;
}

#[tokio::test]
async fn a_name_that_turns_bad_is_refused_at_its_next_connection() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
    let canary = Canary::at(([127, 0, 0, 2], receiver.port()).into()).await;
    let script = [Lookup::Addresses(&["127.0.0.1"]), Lookup::Addresses(&["127.0.0.2"])];
    let resolver = ScriptedResolver::new(&script);
    let sender = Sending {
        allowed_networks: &["127.0.0.1/32"],
        resolver,
        deadline: Duration::from_secs(3),
        ..Sending::default()
    }
    .sender();
    let url = format!("http://rebind.example:{}/", receiver.port());
    assert_eq!(send(&sender, &url).await.verdict(), Verdict::Delivered);
    assert_eq!(send(&sender, &url).await, failed(FailureReason::Dns));
    canary.assert_untouched().await;
}

#[tokio::test]
async fn redirects_are_failures_and_lead_nowhere() {
    for status in [301, 302, 303, 307, 308] {
        let canary = Canary::at(([127, 0, 0, 2], 0).into()).await;
        for scheme in ["http", "https"] {
            let head = format!("HTTP/1.1 {status} Moved\r\ncontent-length: 0\r\n");
            let location = format!("location: {scheme}://127.0.0.2:{}/\r\n\r\n", canary.port());
            let receiver = Receiver::answering(head + &location).await;
            // The target of the redirect is allowed, and is not followed all the same.
            let outcome = Sending::default().sender().send(attempt_with_headers(&receiver.url())).await;
            let redirect = Verdict::Failed { reason: FailureReason::Redirect, retry_after: None };
            assert_eq!(outcome.verdict(), redirect, "{status}");
            assert_eq!(answered(outcome).status, status);
            assert_eq!(receiver.requests().len(), 1);
        }
        canary.assert_untouched().await;
    }
}

#[tokio::test]
async fn headers_that_point_elsewhere_lead_nowhere() {
    let canary = Canary::at(([127, 0, 0, 2], 0).into()).await;
    let there = format!("127.0.0.2:{}", canary.port());
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nalt-svc: h2=\"{there}\"; ma=3600\r\nrefresh: 0; url=http://{there}/\r\n\
         content-location: http://{there}/\r\nlink: <http://{there}/>; rel=preload\r\n\r\n"
    );
    let receiver = Receiver::answering(answer).await;
    let sender = Sending::default().sender();
    for _ in 0..3 {
        assert_eq!(send(&sender, &receiver.url()).await.verdict(), Verdict::Delivered);
    }
    canary.assert_untouched().await;
}

#[tokio::test]
async fn what_does_not_exist_is_charged_and_what_nobody_knows_is_not() {
    for (lookup, outcome) in [
        (Lookup::NoSuchName, failed(FailureReason::Dns)),
        (Lookup::Addresses(&[]), failed(FailureReason::Dns)),
        (Lookup::Unanswered, failed(FailureReason::Dns)),
        (Lookup::Unavailable, AttemptOutcome::NotCharged(OurFault::Resolver)),
        (Lookup::Hangs, AttemptOutcome::NotCharged(OurFault::Resolver)),
    ] {
        let resolver = ScriptedResolver::new(std::slice::from_ref(&lookup));
        let sending = Sending { resolver, ..Sending::impatient() };
        assert_eq!(sending.send("http://name.example:8080/").await, outcome, "{lookup:?}");
    }
}

#[tokio::test]
async fn localhost_means_loopback_where_that_is_allowed_and_asks_no_resolver() {
    let receiver = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    let resolver = ScriptedResolver::new(&[Lookup::NoSuchName]);
    let sending = Sending { resolver: resolver.clone(), ..Sending::default() };
    let outcome = sending.send(&format!("http://localhost:{}/", receiver.port())).await;
    assert_eq!(outcome.verdict(), Verdict::Delivered);
    assert_eq!(resolver.asked(), Vec::<String>::new());
    assert_eq!(receiver.requests()[0].header("host"), Some(format!("localhost:{}", receiver.port()).as_str()));
}
