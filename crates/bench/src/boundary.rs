//! The cost of an answer at the boundary: the server alone on one core, the load on another, against the bare
//! framework.

use crate::contest::{Contestant, bare, compete};
use crate::floor::Floor;
use crate::hammer::{Requests, hammer_once};
use crate::process::pin;
use crate::store::Sqlite;
use crate::subject::Subject;

const LIVE: &str = "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n";
/// The core of the servers, and the core of the load.
const CORES: [usize; 2] = [0, 1];

/// An empty answer, forward-auth and introspection of one hot key, with the default log and with a quiet one.
pub(crate) async fn measure() -> anyhow::Result<()> {
    let mut loud = Subject::new(&Sqlite, 1).await?;
    let mut quiet = Subject::new(&Sqlite, 1).await?;
    quiet.gatepost.set("LOG", "warn");
    // The processes that this program starts keep to its core.
    pin(CORES[0])?;
    for subject in [&mut loud, &mut quiet] {
        subject.gatepost.start().await?;
    }
    let floor = Floor::start().await?;
    pin(CORES[1])?;
    let (address, live) = (loud.gatepost.address(), Requests::new(LIVE, 1));
    let kinds = [("nothing", live), ("forward-auth", loud.forward_auth()), ("introspection", loud.introspect())];
    let mut contestants = Vec::new();
    for (index, (kind, requests)) in kinds.iter().enumerate() {
        contestants.push(bare(&floor, &format!("bare, as long as {kind}"), address, requests, index).await?);
    }
    floor.usage().pause()?;
    for (name, subject) in [("", &loud), (", LOG=warn", &quiet)] {
        hammer_once(subject.gatepost.address(), &subject.forward_auth()).await?;
        subject.gatepost.usage()?.pause()?;
        for (floor, (kind, requests)) in kinds.iter().enumerate() {
            contestants.push(Contestant::of(&subject.gatepost, format!("{kind}{name}"), requests.clone(), floor)?);
        }
    }
    compete(
        "An answer, the server on one core (aims: 0.75 of the floor's processor time, 0.7 with a key)",
        &contestants,
    )
    .await
}
