use std::borrow::Cow;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::channel::{Channel, Http1, Http2};

/// How long an idle connection is kept. Less than the 5 s after which common servers close theirs, so that a request
/// rarely meets a connection that is being closed.
const IDLE_MAX: Duration = Duration::from_secs(4);
/// How often connections that have been idle for too long are closed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// How often a caller without a place looks for a connection that has become idle.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// All open connections. A connection serves one attempt at a time, or several over HTTP/2, and is kept for the next one.
/// When all places are taken, the connection that has been idle for the longest time gives its place to a new one. See
/// decision 53.
#[derive(Clone)]
pub(crate) struct OpenConnections(Arc<Shared>);

struct Shared {
    places: Arc<Semaphore>,
    idle_per_peer_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    peers: HashMap<Box<str>, Connections>,
    last_id: u64,
    is_swept: bool,
}

/// The connections to one peer that can take an attempt.
#[derive(Default)]
struct Connections {
    /// Idle ones. The newest is last.
    http1: Vec<Idle>,
    /// Idle ones, and ones in use.
    http2: Vec<Multiplexed>,
}

struct Idle {
    channel: Http1,
    since: Instant,
}

struct Multiplexed {
    id: u64,
    channel: Http2,
    attempts: usize,
    /// When the last attempt ended.
    since: Instant,
}

/// Connections to equal peers can replace each other: the origin of a URL and, with a client certificate, its identity.
pub(crate) type Peer<'a> = Cow<'a, str>;

/// A connection that an attempt uses.
pub(crate) struct Lease<'a> {
    connections: &'a OpenConnections,
    peer: Peer<'a>,
    /// `None` once the connection is given back.
    channel: Option<Channel>,
    /// The [`Multiplexed::id`] of a connection over HTTP/2.
    id: Option<u64>,
}

impl OpenConnections {
    /// At most `max` connections. At most `idle_per_peer_max` of them to each peer are kept idle.
    pub(crate) fn new(max: usize, idle_per_peer_max: usize) -> Self {
        let places = Arc::new(Semaphore::new(max));
        Self(Arc::new(Shared { places, idle_per_peer_max, state: Mutex::default() }))
    }

    /// A place for one more connection; `None` if there is none until `by`.
    pub(crate) async fn place(&self, by: Instant) -> Option<OwnedSemaphorePermit> {
        let mut place = pin!(Arc::clone(&self.0.places).acquire_owned());
        let mut look = pin!(sleep(Duration::ZERO));
        loop {
            tokio::select! {
                biased;
                place = &mut place => return place.ok(),
                () = sleep_until(by) => return None,
                () = &mut look => {
                    self.0.lock().close_the_longest_idle();
                    look.set(sleep(LOOK_INTERVAL));
                }
            }
        }
    }

    /// A kept connection to this peer that can take an attempt now; `None` if none can.
    pub(crate) fn take<'a>(&'a self, peer: &Peer<'a>) -> Option<Lease<'a>> {
        let mut state = self.0.lock();
        let connections = state.peers.get_mut(&**peer)?;
        let (channel, id) = connections.next(Instant::now())?;
        Some(Lease { connections: self, peer: peer.clone(), channel: Some(channel), id })
    }

    /// The use of a new connection. Over HTTP/2, others can use it from now on.
    pub(crate) fn add<'a>(&'a self, peer: Peer<'a>, channel: Channel) -> Lease<'a> {
        let id = match &channel {
            Channel::Http1(_) => None,
            Channel::Http2(channel) => Some(self.share(&peer, channel.clone())),
        };
        Lease { connections: self, peer, channel: Some(channel), id }
    }

    /// Makes a connection in use known to other attempts, and returns its id.
    fn share(&self, peer: &str, channel: Http2) -> u64 {
        let mut state = self.0.lock();
        state.last_id += 1;
        let id = state.last_id;
        state.of(peer).http2.push(Multiplexed { id, channel, attempts: 1, since: Instant::now() });
        self.sweep(&mut state);
        id
    }

    fn keep(&self, peer: &str, channel: Http1) {
        let mut state = self.0.lock();
        let idle = &mut state.of(peer).http1;
        if idle.len() < self.0.idle_per_peer_max {
            idle.push(Idle { channel, since: Instant::now() });
        }
        self.sweep(&mut state);
    }

    /// Keeps a connection once its exchange has ended, which may be never: a receiver can answer before it has read the
    /// request, and then stop reading.
    async fn keep_when_ready(self, peer: Box<str>, mut channel: Http1) {
        if timeout(IDLE_MAX, channel.ready()).await.unwrap_or(false) {
            self.keep(&peer, channel);
        } else {
            channel.break_off();
        }
    }

    /// Closes connections that have been idle for too long, until no connection is left.
    fn sweep(&self, state: &mut State) {
        if std::mem::replace(&mut state.is_swept, true) {
            return;
        }
        let shared = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            while let Some(()) = sweep_once(&shared) {
                sleep(SWEEP_INTERVAL).await;
            }
        });
    }
}

/// `None` when it has closed the last connection.
fn sweep_once(shared: &Weak<Shared>) -> Option<()> {
    let shared = shared.upgrade()?;
    let mut state = shared.lock();
    let now = Instant::now();
    state.peers.retain(|_, connections| connections.retain_fresh(now));
    state.is_swept = !state.peers.is_empty();
    state.is_swept.then_some(())
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn of(&mut self, peer: &str) -> &mut Connections {
        // An entry would copy the name each time, and most attempts find it.
        if !self.peers.contains_key(peer) {
            self.peers.insert(peer.into(), Connections::default());
        }
        self.peers.get_mut(peer).expect("it is there now")
    }

    fn close_the_longest_idle(&mut self) {
        let now = Instant::now();
        self.peers.retain(|_, connections| connections.retain_fresh(now));
        let oldest = self.peers.values_mut().min_by_key(|connections| connections.idle_since());
        if let Some(connections) = oldest {
            connections.close_the_longest_idle();
        }
    }
}

impl Idle {
    fn is_fresh(&self, now: Instant) -> bool {
        !self.channel.is_closed() && now < self.since + IDLE_MAX
    }
}

impl Connections {
    /// A connection that can take an attempt, and its id over HTTP/2.
    fn next(&mut self, now: Instant) -> Option<(Channel, Option<u64>)> {
        let has_room = |one: &&mut Multiplexed| !one.channel.is_closed() && one.attempts < one.channel.streams_max();
        if let Some(one) = self.http2.iter_mut().find(has_room) {
            one.attempts += 1;
            return Some((Channel::Http2(one.channel.clone()), Some(one.id)));
        }
        std::iter::from_fn(|| self.http1.pop())
            .find(|idle| idle.is_fresh(now))
            .map(|idle| (Channel::Http1(idle.channel), None))
    }

    /// Drops connections that are closed or have been idle for too long. Returns whether any are left.
    fn retain_fresh(&mut self, now: Instant) -> bool {
        self.http1.retain(|idle| idle.is_fresh(now));
        self.http2.retain(|one| one.attempts > 0 || (!one.channel.is_closed() && now < one.since + IDLE_MAX));
        !self.http1.is_empty() || !self.http2.is_empty()
    }

    /// Since when the longest idle connection has been idle. Connections in use come last.
    fn idle_since(&self) -> (bool, Option<Instant>) {
        let http2 = self.http2.iter().filter(|one| one.attempts == 0).map(|one| one.since);
        let oldest = self.http1.first().map(|idle| idle.since).into_iter().chain(http2).min();
        (oldest.is_none(), oldest)
    }

    fn close_the_longest_idle(&mut self) {
        let (_, Some(oldest)) = self.idle_since() else { return };
        if self.http1.first().is_some_and(|idle| idle.since == oldest) {
            self.http1.remove(0);
        } else {
            self.http2.retain(|one| one.attempts > 0 || one.since != oldest);
        }
    }
}

impl Lease<'_> {
    /// The connection.
    pub(crate) fn channel(&mut self) -> &mut Channel {
        self.channel.as_mut().expect("a lease has its connection until it ends")
    }

    /// Gives the connection back after an answer. If the answer is not read to its end, the connection closes anyway.
    pub(crate) fn keep(mut self) {
        let Some(Channel::Http1(channel)) = self.channel.take() else { return };
        if channel.is_ready() {
            self.connections.keep(&self.peer, channel);
        } else {
            tokio::spawn(self.connections.clone().keep_when_ready((&*self.peer).into(), channel));
        }
    }
}

/// Without [`Lease::keep`], a connection over HTTP/1 closes, because its attempt did not end in order.
impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let Some(Channel::Http1(channel)) = &self.channel {
            channel.break_off();
        }
        let Some(id) = self.id else { return };
        let mut state = self.connections.0.lock();
        let Some(connections) = state.peers.get_mut(&*self.peer) else { return };
        if let Some(one) = connections.http2.iter_mut().find(|one| one.id == id) {
            one.attempts -= 1;
            one.since = Instant::now();
        }
    }
}
