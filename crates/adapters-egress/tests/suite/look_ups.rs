//! The resolver of the system, with a name server of the test.

use std::time::Duration;

use adapters_egress::{ResolveError, Resolver as _, SystemResolver};
use domain::webhooks::{AttemptOutcome, FailureReason, HostName, OurFault, Verdict};
use futures_util::future::join_all;
use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout};

use crate::exchange::{Sending, failed, send};
use crate::name_server::{NameServer, resolver};
use crate::receiver::Receiver;

/// The number of hanging look-ups during the good one.
const MANY: usize = 200;

async fn look_up(resolver: &SystemResolver, name: &str) -> Result<Vec<std::net::IpAddr>, ResolveError> {
    resolver.resolve(&HostName::parse(name).unwrap(), Instant::now() + Duration::from_secs(10)).await
}

#[tokio::test]
async fn a_look_up_that_hangs_costs_only_its_own_attempt() {
    let name_server = NameServer::start().await;
    let receiver = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    let sending = Sending { resolver: name_server.resolver(), deadline: Duration::from_secs(30), ..Sending::default() };
    let sender = sending.sender();
    let port = receiver.port();
    let urls: Vec<String> = (0..MANY).map(|n| format!("http://hangs{n}.example:{port}/")).collect();
    let mut hanging = Box::pin(join_all(urls.iter().map(|url| send(&sender, url))));
    tokio::select! {
        _ = &mut hanging => panic!("they hang"),
        () = name_server.until_asked(2 * MANY) => {}
    }
    let good = format!("http://good.example:{port}/");
    let outcome = timeout(Duration::from_secs(10), send(&sender, &good)).await.expect("nothing holds it up");
    assert_eq!(outcome.verdict(), Verdict::Delivered);
    for outcome in hanging.await {
        assert_eq!(outcome, failed(FailureReason::Dns), "the server works, so the receivers are responsible");
    }
}

#[tokio::test]
async fn a_failure_is_the_receivers_only_while_the_resolver_works() {
    let works = NameServer::start().await;
    let out_of_order = NameServer::out_of_order().await;
    let ours = AttemptOutcome::NotCharged(OurFault::Resolver);
    let cases = [
        (&works, "missing.example", failed(FailureReason::Dns)),
        (&works, "hangs.example", failed(FailureReason::Dns)),
        (&works, "fails.example", failed(FailureReason::Dns)),
        (&out_of_order, "missing.example", failed(FailureReason::Dns)),
        (&out_of_order, "hangs.example", ours.clone()),
        (&out_of_order, "fails.example", ours.clone()),
    ];
    join_all(cases.into_iter().map(async |(name_server, name, outcome)| {
        let sending =
            Sending { resolver: name_server.resolver(), deadline: Duration::from_secs(15), ..Sending::default() };
        assert_eq!(sending.send(&format!("http://{name}:8080/")).await, outcome, "{name}");
    }))
    .await;
    let nobody = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let sending = Sending { resolver: resolver(vec![nobody]), ..Sending::default() };
    assert_eq!(sending.send("http://name.example:8080/").await, ours);
}

#[tokio::test]
async fn the_next_server_answers_for_one_that_fails_or_hangs() {
    let good = NameServer::start().await;
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let closed = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for first in [silent.local_addr().unwrap(), closed] {
        let found = look_up(&resolver(vec![first, good.address()]), "good.example").await;
        assert_eq!(found.unwrap(), [std::net::IpAddr::from([127, 0, 0, 1])]);
    }
}

#[tokio::test]
async fn a_long_answer_is_read_from_a_stream() {
    let name_server = NameServer::start().await;
    let found = look_up(&name_server.resolver(), "long.example").await;
    assert_eq!(found.unwrap(), [std::net::IpAddr::from([127, 0, 0, 1])]);
}

#[tokio::test]
async fn names_are_absolute_and_look_ups_are_shared_and_kept() {
    let name_server = NameServer::start().await;
    let resolver = name_server.resolver();
    let found = join_all((0..50).map(|_| look_up(&resolver, "Good.example"))).await;
    assert!(found.iter().all(Result::is_ok));
    assert!(look_up(&resolver, "good.example.").await.is_ok());
    assert_eq!(name_server.asked(), ["good.example."; 2], "one question for each family");
    assert!(matches!(look_up(&resolver, "no-such-name.invalid").await, Err(ResolveError::NoSuchName)));
    assert_eq!(name_server.asked().len(), 2, "no question is sent about a name that cannot exist");
}
