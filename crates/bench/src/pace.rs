//! The duration of forward-auth at half of the capacity, and the cost of idle connections.

use std::io::{ErrorKind, Read, Write};
use std::mem;
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tokio::time::Instant;

use crate::connection::Connection;
use crate::contest::{Contestant, alternate, bare};
use crate::floor::Floor;
use crate::hammer::{answer_length, hammer_for, hammer_once};
use crate::process::pin;
use crate::store::stores;
use crate::subject::Subject;
use crate::table::{median, milliseconds, print, quantile};

/// The core of the server, and the core of the load.
const CORES: [usize; 2] = [0, 1];
const CONNECTIONS: u32 = 32;
const CAPACITY: Duration = Duration::from_secs(3);
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(4);
/// A longer pass of the load over its connections means that another process has its core.
const PASS_MAX: Duration = Duration::from_micros(500);
const SHARES: [f64; 4] = [0.5, 0.99, 0.999, 1.0];
const IDLE_CONNECTIONS: u32 = 2_000;
/// Long enough for the work after a load to end.
const REST: Duration = Duration::from_secs(3);

/// The bare framework, and each database with the default log and with a quiet one.
pub(crate) async fn measure() -> anyhow::Result<()> {
    let stores = stores().await?;
    let mut subjects = Vec::new();
    for store in &stores {
        for (name, log) in [("", "info"), (", LOG=warn", "warn")] {
            let mut subject = Subject::new(&**store, 1).await?;
            subject.gatepost.set("LOG", log);
            subjects.push((format!("{}{name}", store.name()), subject));
        }
    }
    pin(CORES[0])?;
    for (_, subject) in &mut subjects {
        subject.gatepost.start().await?;
    }
    let floor = Floor::start().await?;
    pin(CORES[1])?;
    measure_waits(&floor, &subjects).await?;
    floor.usage().pause()?;
    let mut rows = Vec::new();
    for (name, subject) in &subjects {
        rows.push([vec![name.clone()], memory_of(subject).await?].concat());
    }
    let title = format!("Resident memory, and that of each of {IDLE_CONNECTIONS} idle connections after one answer");
    print(&title, &["database", "after the load", "with idle connections", "each"], &rows);
    Ok(())
}

/// Calls the bare framework and each subject in turn at the same rate.
async fn measure_waits(floor: &Floor, subjects: &[(String, Subject)]) -> anyhow::Result<()> {
    let (_, first) = subjects.first().context("no database")?;
    let (address, requests) = (first.gatepost.address(), first.forward_auth());
    let mut contestants = vec![bare(floor, "bare", address, &requests, 0).await?];
    for (name, subject) in subjects {
        hammer_once(subject.gatepost.address(), &requests).await?;
        contestants.push(Contestant::of(&subject.gatepost, name.clone(), requests.clone(), 0)?);
    }
    let rate = hammer_for(address, &requests, CAPACITY).await?.rate() / 2.0;
    for contestant in &contestants {
        contestant.usage.pause()?;
    }
    let rounds =
        alternate(&contestants, ROUNDS, async |contestant: &Contestant| call_at(contestant, rate).await).await?;
    report(&contestants, &rounds, rate);
    Ok(())
}

fn report(contestants: &[Contestant], rounds: &[Vec<Round>], rate: f64) {
    let row = |(contestant, rounds): (&Contestant, &Vec<Round>)| {
        let median_of = |value: &dyn Fn(&Round) -> f64| median(&rounds.iter().map(value).collect::<Vec<_>>());
        let [middle, most, nearly_all, all] =
            [0, 1, 2, 3].map(|share| format!("{:.2} ms", median_of(&|round| round.waits[share])));
        let stood = format!("{:.1} %", median_of(&|round| round.stood) * 100.0);
        vec![contestant.name.clone(), middle, format!("**{most}**"), nearly_all, all, stood]
    };
    let rows: Vec<Vec<String>> = contestants.iter().zip(rounds).map(row).collect();
    let title = format!(
        "Forward-auth of one key {rate:.0} times a second, half of the capacity on SQLite, the server on one core, the \
         load on the other, medians of {ROUNDS} alternated rounds (bar: 99 % within 1 ms)"
    );
    print(&title, &["what", "median", "99 %", "99.9 %", "worst", "the load stood still"], &rows);
}

/// The memory after the load, and with idle connections.
async fn memory_of(subject: &Subject) -> anyhow::Result<Vec<String>> {
    let usage = subject.gatepost.usage()?;
    usage.resume().await?;
    tokio::time::sleep(REST).await;
    let (after, _) = usage.resident_kib()?;
    let mut idle = Vec::new();
    for _ in 0..IDLE_CONNECTIONS {
        let mut connection = Connection::open(subject.gatepost.address()).await?;
        connection.succeed(&subject.forward_auth().of_key(0)).await?;
        idle.push(connection);
    }
    let (with_idle, _) = usage.resident_kib()?;
    usage.pause()?;
    let mib = |kib: u64| format!("{:.1} MiB", f64::from(u32::try_from(kib).unwrap_or(u32::MAX)) / 1024.0);
    let each = with_idle.saturating_sub(after) * 1024 / u64::from(IDLE_CONNECTIONS);
    Ok(vec![mib(after), mib(with_idle), format!("{each} bytes")])
}

/// One of the connections of a steady load.
struct Caller {
    stream: TcpStream,
    /// When the next call begins; if it is in the past, when the call in progress should have begun.
    due: Instant,
    /// How much of the answer has come. `None` if no call is in progress.
    received: Option<usize>,
    /// The call has waited for the load, which stood still, and does not count.
    is_spoilt: bool,
}

/// The result of a steady load.
struct Round {
    /// The milliseconds from when a call was due to its answer, for each of [`SHARES`], without the calls that waited for
    /// the load.
    waits: [f64; 4],
    /// The share of the time in which the load stood still.
    stood: f64,
}

/// Calls at this rate. The load never sleeps: it has a core, and timers are too coarse. Calls during which another
/// process takes the core do not count.
async fn call_at(contestant: &Contestant, rate: f64) -> anyhow::Result<Round> {
    let request = contestant.requests.of_key(0);
    let length = answer_length(contestant.address, &contestant.requests).await?;
    let period = Duration::from_secs_f64(f64::from(CONNECTIONS) / rate);
    let began = Instant::now();
    let mut callers = Vec::new();
    for number in 0..CONNECTIONS {
        let stream = TcpStream::connect(contestant.address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        callers.push(Caller { stream, due: began + period * number / CONNECTIONS, received: None, is_spoilt: false });
    }
    let (mut waits, mut ended, mut answer) = (Vec::new(), Vec::new(), vec![0; length + 1]);
    let (mut stood, mut pass_began) = (Duration::ZERO, Instant::now());
    while began.elapsed() < ROUND {
        ended.clear();
        for caller in &mut callers {
            ended.extend(caller.proceed(&request, &mut answer, period)?.map(milliseconds));
        }
        let pass = pass_began.elapsed();
        pass_began += pass;
        if pass <= PASS_MAX {
            waits.append(&mut ended);
        } else {
            stood += pass;
            for caller in &mut callers {
                caller.is_spoilt |= caller.received.is_some() || caller.due <= pass_began;
            }
        }
    }
    let waits = SHARES.map(|share| quantile(&waits, share));
    Ok(Round { waits, stood: stood.div_duration_f64(ROUND) })
}

impl Caller {
    /// Begins a due call, or reads available bytes of the answer. Returns the duration of a call that ended and counts.
    /// `answer` has room for one byte more than the answer.
    fn proceed(&mut self, request: &[u8], answer: &mut [u8], period: Duration) -> anyhow::Result<Option<Duration>> {
        let Some(received) = self.received else {
            if self.due <= Instant::now() {
                self.stream.write_all(request)?;
                self.received = Some(0);
            }
            return Ok(None);
        };
        let length = answer.len() - 1;
        match self.stream.read(answer) {
            Ok(0) => bail!("the connection was closed"),
            Ok(count) if received + count < length => {
                self.received = Some(received + count);
                Ok(None)
            }
            Ok(count) => {
                ensure!(received + count == length, "an unexpected answer");
                let took = self.due.elapsed();
                self.due += period;
                self.received = None;
                Ok((!mem::take(&mut self.is_spoilt)).then_some(took))
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
