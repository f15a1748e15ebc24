//! How long forward-auth takes at half of the capacity, and what idle connections cost.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{bail, ensure};
use tokio::time::Instant;

use crate::connection::Connection;
use crate::hammer::{answer_length, hammer_for, hammer_once};
use crate::process::pin;
use crate::store::{Store, stores};
use crate::subject::Subject;
use crate::table::{median, milliseconds, print, quantile};

/// The core of the server, and the core of the load.
const CORES: [usize; 2] = [0, 1];
const CONNECTIONS: u32 = 32;
const CAPACITY: Duration = Duration::from_secs(4);
const ROUND: Duration = Duration::from_secs(10);
const IDLE_CONNECTIONS: u32 = 2_000;
/// Long enough for the work after a load to end.
const REST: Duration = Duration::from_secs(3);

pub(crate) async fn measure() -> anyhow::Result<()> {
    let (mut waits, mut memory) = (Vec::new(), Vec::new());
    for store in &stores().await? {
        let (waited, resident) = measure_on(&**store).await?;
        waits.push([vec![store.name().to_owned()], waited].concat());
        memory.push([vec![store.name().to_owned()], resident].concat());
    }
    print(
        "Forward-auth of one key at half of the capacity, the server on one core, the load on the other (bar: 99 % within 1 ms)",
        &["database", "capacity", "at", "median", "99 %", "99.9 %", "worst"],
        &waits,
    );
    print(
        &format!("Resident memory, and that of each of {IDLE_CONNECTIONS} idle connections after one answer"),
        &["database", "at rest", "after the load", "with idle connections", "each"],
        &memory,
    );
    Ok(())
}

async fn measure_on(store: &dyn Store) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let mut subject = Subject::new(store, 1).await?;
    pin(CORES[0])?;
    subject.gatepost.start().await?;
    pin(CORES[1])?;
    let (address, requests) = (subject.gatepost.address(), subject.forward_auth());
    hammer_once(address, &requests).await?;
    let resident = || anyhow::Ok(subject.gatepost.usage()?.resident_kib()?.0);
    tokio::time::sleep(REST).await;
    let at_rest = resident()?;

    let capacity = hammer_for(address, &requests, CAPACITY).await?.rate();
    let length = answer_length(address, &requests).await?;
    let waits = call_at(address, &requests.of_key(0), length, capacity / 2.0)?;
    tokio::time::sleep(REST).await;
    let after = resident()?;
    let mut idle = Vec::new();
    for _ in 0..IDLE_CONNECTIONS {
        let mut connection = Connection::open(address).await?;
        connection.succeed(&requests.of_key(0)).await?;
        idle.push(connection);
    }
    let with_idle = resident()?;
    let at = |share: f64| format!("{:.2} ms", quantile(&waits, share));
    let waited = vec![
        format!("{capacity:.0}/s"),
        format!("{:.0}/s", capacity / 2.0),
        format!("{:.2} ms", median(&waits)),
        format!("**{}**", at(0.99)),
        at(0.999),
        at(1.0),
    ];
    let mib = |kib: u64| format!("{:.1} MiB", f64::from(u32::try_from(kib).unwrap_or(u32::MAX)) / 1024.0);
    let each = with_idle.saturating_sub(after) * 1024 / u64::from(IDLE_CONNECTIONS);
    Ok((waited, vec![mib(at_rest), mib(after), mib(with_idle), format!("{each} bytes")]))
}

/// One of the connections of a steady load.
struct Caller {
    stream: TcpStream,
    /// When the next call begins; if it is in the past, when the call in progress should have begun.
    due: Instant,
    /// How much of the answer has come. `None` if no call is in progress.
    received: Option<usize>,
}

/// Calls at this rate, and returns the milliseconds from when each call was due. The load never sleeps: it has a core, and
/// timers are too coarse.
fn call_at(address: SocketAddr, request: &[u8], length: usize, rate: f64) -> anyhow::Result<Vec<f64>> {
    let period = Duration::from_secs_f64(f64::from(CONNECTIONS) / rate);
    let began = Instant::now();
    let mut callers = Vec::new();
    for number in 0..CONNECTIONS {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        callers.push(Caller { stream, due: began + period * number / CONNECTIONS, received: None });
    }
    let (mut waits, mut answer) = (Vec::new(), vec![0; length + 1]);
    while began.elapsed() < ROUND {
        for caller in &mut callers {
            let Some(received) = caller.received else {
                if caller.due <= Instant::now() {
                    caller.stream.write_all(request)?;
                    caller.received = Some(0);
                }
                continue;
            };
            match caller.stream.read(&mut answer) {
                Ok(0) => bail!("the connection was closed"),
                Ok(count) if received + count < length => caller.received = Some(received + count),
                Ok(count) => {
                    ensure!(received + count == length, "an unexpected answer");
                    waits.push(milliseconds(caller.due.elapsed()));
                    caller.due += period;
                    caller.received = None;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(waits)
}
