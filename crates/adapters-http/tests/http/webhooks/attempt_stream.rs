//! `/api/webhooks/deliveries/stream`: attempts as they end.

use std::time::Duration;

use domain::sessions::SESSION_ROLE_AGE_MAX;
use insta::assert_snapshot;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::doubles::identity_of;
use crate::server::{Server, Setup, read_to_end, read_until};
use crate::sessions::browser::{SAME_ORIGIN, session_of_member};
use crate::transcript::{ALICE, AMY, BOB, Request, Transcript, by_host, request, sent};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::{publish, subscribed};

fn stream(query: &str) -> Request {
    request(&format!("GET /api/webhooks/deliveries/stream{query}")).header(ALICE)
}

/// An open stream, read up to its greeting.
pub(crate) async fn open(server: &Server, request: Request) -> TcpStream {
    let mut connection = server.begin(&request.to_http()).await;
    let greeting = read_until(&mut connection, "retry: 3000\n\n").await;
    assert!(greeting.starts_with("HTTP/1.1 200") && greeting.contains("text/event-stream"), "{greeting}");
    connection
}

/// The lines of the next event of a stream, without the framing of the chunks.
async fn next_event(connection: &mut TcpStream) -> String {
    let text = read_until(connection, "}}\n\n").await;
    let lines = text.lines().filter(|line| line.contains(": "));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_attempt_is_told_once_as_it_ends() {
    let server = Server::start();
    subscribed(&server, r#"["a"]"#).await;
    publish(&server, 1).await;
    server.dispatch(Receiver::Fails).await;
    server.clock.advance(Duration::from_secs(1));
    let mut connection = open(&server, stream("")).await;
    server.clock.advance(Duration::from_secs(4));
    server.dispatch(Receiver::Fails).await;
    let second = next_event(&mut connection).await;
    server.clock.advance(Duration::from_secs(5));
    server.dispatch(Receiver::Accepts).await;
    let third = next_event(&mut connection).await;
    assert_snapshot!(format!("{second}\n\n{third}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_connects_again_goes_on_where_it_was() {
    let server = Server::start();
    subscribed(&server, r#"["a"]"#).await;
    publish(&server, 1).await;
    let mut connection = open(&server, stream("")).await;
    let mut ids = Vec::new();
    server.clock.advance(Duration::from_secs(1));
    for attempt in 1..=3 {
        server.dispatch(Receiver::Fails).await;
        let event = next_event(&mut connection).await;
        assert!(event.contains(&format!(r#""number":{attempt}"#)), "{event}");
        ids.push(event.split("id: ").nth(1).unwrap().lines().next().unwrap().to_owned());
        server.clock.advance(Duration::from_secs(5));
    }
    drop(connection);
    for (seen, next) in [(0, 2), (1, 3)] {
        let again = stream("").header(("last-event-id", &ids[seen]));
        let mut connection = open(&server, again).await;
        let event = next_event(&mut connection).await;
        assert!(event.contains(&format!(r#""number":{next}"#)), "after {seen}: {event}");
    }
    let empty = stream("").header(("last-event-id", ""));
    open(&server, empty).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_tells_of_one_user_and_one_subscription() {
    let server = Server::start();
    let first = subscribed(&server, r#"["a"]"#).await;
    subscribed(&server, r#"["a"]"#).await;
    let mut connection = open(&server, stream(&format!("?subscriptionId={first}"))).await;
    let mut others = open(&server, request("GET /api/webhooks/deliveries/stream").header(BOB)).await;
    publish(&server, 1).await;
    server.clock.advance(Duration::from_secs(1));
    assert_eq!(server.dispatch(Receiver::Accepts).await, 2);
    assert!(next_event(&mut connection).await.contains(&first));
    server.stop.cancel();
    let rest = read_to_end(&mut connection).await;
    assert!(!rest.contains("event: attempt"), "{rest}");
    assert!(!read_to_end(&mut others).await.contains("event: attempt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_request_is_refused_before_the_stream_begins() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let others = subscribed(&server, r#"["a"]"#).await;
    let queries = ["?subscriptionId=x", "?subscription=x", "?subscriptionId=sub_00000000000000000000000000"];
    transcript.send_each(&server, queries.map(stream)).await;
    for id in ["x", "AgcHBwcHBwcHBwcHBwcHBwc"] {
        transcript.send(&server, stream("").header(("last-event-id", id))).await;
    }
    let of_others = format!("GET /api/webhooks/deliveries/stream?subscriptionId={others}");
    transcript.send(&server, request(&of_others).header(BOB)).await;
    transcript.send(&server, request("POST /api/webhooks/deliveries/stream").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_bounded_and_make_room_when_they_end() {
    let server = Server::with(|setup| setup.settings.limits.event_streams_per_user_max = 1);
    let mut transcript = Transcript::default();
    let first = open(&server, stream("")).await;
    transcript.send(&server, stream("")).await;
    assert_snapshot!(transcript.text());
    open(&server, request("GET /api/webhooks/deliveries/stream").header(BOB)).await;
    // A reset, so that the next read or write of the server fails.
    first.set_zero_linger().unwrap();
    drop(first);
    assert_has_room(&server, Duration::from_secs(20)).await;
}

async fn assert_has_room(server: &Server, patience: Duration) {
    let unknown = stream("?subscriptionId=sub_00000000000000000000000000");
    let has_room = async {
        while unknown.send(server).await.verdict() != "404 subscription_not_found" {
            tokio::task::yield_now().await;
        }
    };
    timeout(patience, has_room).await.expect("the place is free again");
}

/// The client closes in the ordinary way, while the server has no event to send.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_makes_room_when_its_client_closes_the_connection() {
    let mut setup = Setup::default();
    setup.settings.limits.event_streams_per_user_max = 1;
    setup.settings.limits.event_stream_keep_alive = Duration::from_hours(1);
    let server = setup.start();
    let mut connection = open(&server, stream("")).await;
    // With bytes left to read, closing would reset the connection.
    read_until(&mut connection, "\r\n").await;
    drop(connection);
    assert_has_room(&server, Duration::from_secs(10)).await;
}

/// The deadline of requests does not apply to streams.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_outlives_the_deadline_and_ends_with_the_service() {
    let server = Server::with(|setup| setup.settings.limits.request_deadline = Duration::from_millis(50));
    subscribed(&server, r#"["a"]"#).await;
    let mut connection = open(&server, stream("")).await;
    for _ in 0..2 {
        publish(&server, 1).await;
        server.clock.advance(Duration::from_secs(1));
        server.dispatch(Receiver::Accepts).await;
        next_event(&mut connection).await;
    }
    server.stop.cancel();
    let rest = read_to_end(&mut connection).await;
    assert!(rest.ends_with("0\r\n\r\n"), "ended in order: {rest:?}");
    server.ended.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_keep_a_quiet_stream_open() {
    let server = Server::with(|setup| setup.settings.limits.event_stream_keep_alive = Duration::from_millis(1));
    let mut connection = open(&server, stream("")).await;
    for _ in 0..2 {
        read_until(&mut connection, ": keep-alive\n\n").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_credential() {
    let server = Server::start();
    let create = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#);
    let key = create.send(&server).await;
    let of_key = request("GET /api/webhooks/deliveries/stream").header(("x-api-key", key.field("key")));
    let mut connection = open(&server, of_key).await;
    let revoke = request("DELETE /api/api-keys").header(ALICE);
    let revoked = revoke.json(&format!(r#"{{"keyId":"{}"}}"#, key.field("keyId"))).send(&server).await;
    assert_eq!(revoked.status, 200);
    assert!(read_to_end(&mut connection).await.ends_with("0\r\n\r\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_for_an_organization_ends_with_the_role_and_one_for_the_user_goes_on() {
    let server = Server::start();
    let amy = session_of_member(&server, identity_of("amy").unwrap()).await;
    let stream = |query: &str| {
        let line = format!("GET /api/webhooks/deliveries/stream{query}");
        request(&line).header(SAME_ORIGIN).header(("cookie", &amy))
    };
    let (mut of_acme, mut own) = (open(&server, stream("?organization=acme")).await, open(&server, stream("")).await);
    server.clock.advance(SESSION_ROLE_AGE_MAX);
    assert!(read_to_end(&mut of_acme).await.ends_with("0\r\n\r\n"));
    let more = timeout(Duration::from_secs(2), own.read_u8()).await;
    assert!(!matches!(more, Ok(Err(_))), "{more:?}");
}

/// An ID token stays valid, and the session of a member is not the session of the organization.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_when_its_owner_or_its_member_is_suspended() {
    let server = Server::start();
    let amy = session_of_member(&server, identity_of("amy").unwrap()).await;
    let session = [SAME_ORIGIN, ("cookie", &amy)];
    let by_token = [AMY];
    let mut of_hosts = Vec::new();
    for (query, headers, suspended) in [
        ("", &[ALICE][..], "users/alice"),
        ("?organization=acme", &by_token, "organizations/acme"),
        ("?organization=acme", &by_token, "users/amy"),
        ("?organization=acme", &session, "organizations/acme"),
    ] {
        let with = |stream: Request, header: &(&str, &str)| stream.header(*header);
        let line = format!("GET /api/webhooks/deliveries/stream{query}");
        let mut own = open(&server, headers.iter().fold(request(&line), with)).await;
        of_hosts.push(open(&server, by_host(&format!("GET {suspended}/deliveries/stream"))).await);
        let set_state = by_host(&format!("PUT {suspended}/state"));
        sent(&server, set_state.clone().json(r#"{"state":"suspended","reason":"unpaid"}"#)).await;
        assert!(read_to_end(&mut own).await.ends_with("0\r\n\r\n"), "{suspended}");
        sent(&server, set_state.json(r#"{"state":"active"}"#)).await;
    }
    for of_host in &mut of_hosts {
        let end = timeout(Duration::from_millis(500), read_to_end(of_host)).await;
        assert!(end.is_err(), "the host sees the attempts of suspended owners: {end:?}");
    }
}
