//! The cost of the metrics, of traces and of the console: the same requests without them, and with each of them.

use std::net::TcpListener;

use crate::contest::{Contestant, compete};
use crate::floor::Floor;
use crate::hammer::{Requests, hammer_once};
use crate::process::pin;
use crate::store::Sqlite;
use crate::subject::Subject;
use crate::webhooks::publication;

/// The core of the servers, and the core of the load.
const CORES: [usize; 2] = [0, 1];

/// Verifications, which are traced only on request, and publications, of which one in a hundred is traced.
pub(crate) async fn measure() -> anyhow::Result<()> {
    pin(CORES[1])?;
    let collector = Floor::start().await?;
    let metrics = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    let endpoint = format!("http://{}", collector.address);
    let settings = [
        ("plain", None),
        ("plain again", None),
        ("metrics on", Some(("METRICS_LISTEN", metrics))),
        ("traces at 0.01", Some(("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint))),
        ("console off", Some(("CONSOLE", "false".to_owned()))),
    ];
    pin(CORES[0])?;
    let mut subjects = Vec::new();
    for (name, setting) in settings {
        let mut subject = Subject::new(&Sqlite, 1).await?;
        subject.gatepost.set("DISPATCH", "false");
        if let Some((setting, value)) = &setting {
            subject.gatepost.set(setting, value);
        }
        subject.gatepost.start().await?;
        subjects.push((name, subject));
    }
    pin(CORES[1])?;
    let event = Requests::new(&String::from_utf8(publication("nobody", 1))?, 1).accepted();
    let mut contestants = Vec::new();
    let (forward_auth, introspection) = (subjects[0].1.forward_auth(), subjects[0].1.introspect());
    for (kind, requests) in [("forward-auth", forward_auth), ("introspection", introspection), ("publishing", event)] {
        let floor = contestants.len();
        for (name, subject) in &subjects {
            hammer_once(subject.gatepost.address(), &requests).await?;
            let name = format!("{kind}, {name}");
            contestants.push(Contestant::of(&subject.gatepost, name, requests.clone(), floor)?);
        }
    }
    for (_, subject) in &subjects {
        subject.gatepost.usage()?.pause()?;
    }
    compete("Metrics, traces and the console (the floor: metrics and traces off, the console on)", &contestants).await
}
