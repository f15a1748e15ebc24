use std::collections::HashMap;
use std::mem;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context;
use std::time::Duration;

use ipnet::IpNet;
use tokio::time::Instant;

use crate::connections::open_files::connections_within_open_files;
use crate::connections::place::Place;
use crate::limits::keyed_limiter::network_of;
use crate::{HttpLimits, HttpSettings};

/// Of this number of waiting connections, one gives way at a time. More than one, so that a flood of new connections
/// does not search all places for each.
const GIVE_WAY_SHARE: usize = 64;
/// How often the log reports that connections give way.
const REPORT_INTERVAL: Duration = Duration::from_mins(1);

/// The open connections of all workers.
///
/// At the maximum, the connections that have made the server wait longest give way to new ones: idle ones, those that
/// send a request slowly, and those that do not read an answer. A connection whose request is being answered stays.
pub(crate) struct OpenConnections {
    max: usize,
    per_address_max: usize,
    /// Addresses that have no limit, because many clients share them.
    trusted_proxies: Vec<IpNet>,
    started: Instant,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    next_id: u64,
    open: HashMap<u64, Arc<Place>>,
    by_address: HashMap<IpAddr, usize>,
    report: Report,
}

/// The events since the last log line.
#[derive(Default)]
struct Report {
    gave_way: usize,
    refused: usize,
    written_at: Option<Instant>,
}

impl OpenConnections {
    pub(crate) fn new(settings: &HttpSettings) -> Arc<Self> {
        let HttpLimits { connections_max, connections_per_address_max, .. } = settings.limits;
        let max = connections_within_open_files(connections_max);
        if max < connections_max {
            tracing::warn!(
                max_connections = max,
                configured = connections_max,
                "the limit on open files is too low for MAX_CONNECTIONS, using a lower maximum"
            );
        }
        Arc::new(Self {
            max,
            per_address_max: connections_per_address_max.min(max),
            trusted_proxies: settings.trusted_proxies.clone(),
            started: Instant::now(),
            places: Mutex::default(),
        })
    }

    /// A place for a new connection. Others give way to it if necessary; `None` when all of them are busy.
    pub(crate) fn enter(self: &Arc<Self>, peer: Option<IpAddr>) -> Option<Seat> {
        let address = peer.filter(|peer| !self.is_trusted_proxy(*peer)).map(network_of);
        let mut places = self.places();
        let of_address = address.and_then(|address| places.by_address.get(&address)).copied().unwrap_or_default();
        let has_room = (of_address < self.per_address_max || places.make_room(address))
            && (places.open.len() < self.max || places.make_room(None));
        places.write_report(has_room);
        has_room.then(|| self.add(&mut places, address))
    }

    fn add(self: &Arc<Self>, places: &mut Places, address: Option<IpAddr>) -> Seat {
        let (id, place) = (places.next_id, Arc::new(Place::new(address, self.started)));
        places.next_id += 1;
        places.open.insert(id, Arc::clone(&place));
        if let Some(address) = address {
            *places.by_address.entry(address).or_default() += 1;
        }
        Seat { connections: Arc::clone(self), id, place, is_busy: false }
    }

    fn is_trusted_proxy(&self, peer: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|network| network.contains(&peer.to_canonical()))
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    /// Makes the connections that have waited longest give way: of this address, or of all. Returns whether there are
    /// any.
    fn make_room(&mut self, address: Option<IpAddr>) -> bool {
        let is_candidate = |place: &Place| address.is_none() || place.address == address;
        let candidates = self.open.iter().filter(|(_, place)| is_candidate(place));
        let mut waiting: Vec<(u64, u64)> =
            candidates.filter_map(|(id, place)| Some((place.waiting_since()?, *id))).collect();
        if waiting.is_empty() {
            return false;
        }
        let last = (waiting.len() - 1) / GIVE_WAY_SHARE;
        waiting.select_nth_unstable(last);
        for (_, id) in &waiting[..=last] {
            if let Some(place) = self.remove(*id) {
                place.close();
            }
        }
        self.report.gave_way += last + 1;
        true
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Place>> {
        let place = self.open.remove(&id)?;
        let address = place.address?;
        if let Some(count) = self.by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
        Some(place)
    }

    fn write_report(&mut self, has_room: bool) {
        let Report { gave_way, refused, written_at } = &mut self.report;
        *refused += usize::from(!has_room);
        let is_due = written_at.is_none_or(|at| at.elapsed() >= REPORT_INTERVAL);
        if *gave_way + *refused > 0 && is_due {
            let open = self.open.len();
            tracing::warn!(open, gave_way, refused, "at the maximum of connections, the oldest idle ones give way");
            (*gave_way, *refused, *written_at) = (0, 0, Some(Instant::now()));
        }
    }
}

/// The place of one connection among the open ones, until it is dropped.
pub(crate) struct Seat {
    connections: Arc<OpenConnections>,
    id: u64,
    place: Arc<Place>,
    is_busy: bool,
}

impl Seat {
    /// Notes that the server waits for the client: for a request, or until the client reads.
    pub(super) fn set_waiting(&mut self) {
        if mem::take(&mut self.is_busy) {
            self.place.set_waiting();
        }
    }

    /// Notes that the client waits for the server.
    pub(super) fn set_busy(&mut self) {
        self.is_busy = true;
        self.place.set_busy();
    }

    /// Whether the connection must close. If not, the task is woken when it must.
    pub(super) fn poll_closed(&self, context: &mut Context<'_>) -> bool {
        self.place.poll_closed(context)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.connections.places().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use tokio::time::advance;

    use super::*;

    fn connections(max: usize, per_address_max: usize) -> Arc<OpenConnections> {
        let mut settings =
            HttpSettings { trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()], ..HttpSettings::default() };
        settings.limits.connections_max = max;
        settings.limits.connections_per_address_max = per_address_max;
        OpenConnections::new(&settings)
    }

    async fn enter(connections: &Arc<OpenConnections>, peer: &str) -> Option<Seat> {
        advance(Duration::from_millis(1)).await;
        connections.enter(Some(peer.parse().unwrap()))
    }

    fn is_closed(seat: &Seat) -> bool {
        seat.poll_closed(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test(start_paused = true)]
    async fn the_one_that_waits_longest_gives_way() {
        let connections = connections(3, 3);
        let mut first = enter(&connections, "192.0.2.1").await.unwrap();
        let mut second = enter(&connections, "192.0.2.2").await.unwrap();
        let third = enter(&connections, "192.0.2.3").await.unwrap();
        first.set_busy();
        second.set_busy();
        advance(Duration::from_millis(1)).await;
        second.set_waiting();
        let fourth = enter(&connections, "192.0.2.4").await.unwrap();
        assert_eq!([&first, &second, &third, &fourth].map(is_closed), [false, false, true, false]);
        let fifth = enter(&connections, "192.0.2.5").await.unwrap();
        assert_eq!([&first, &second, &fourth, &fifth].map(is_closed), [false, true, false, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn busy_ones_stay() {
        let connections = connections(2, 2);
        let mut seats =
            [enter(&connections, "192.0.2.1").await.unwrap(), enter(&connections, "192.0.2.2").await.unwrap()];
        seats.iter_mut().for_each(Seat::set_busy);
        assert!(enter(&connections, "192.0.2.3").await.is_none());
        drop(seats);
        assert!(enter(&connections, "192.0.2.3").await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_at_its_limit_makes_room_by_itself() {
        let connections = connections(9, 2);
        let others = enter(&connections, "192.0.2.9").await.unwrap();
        let first = enter(&connections, "2001:db8::1").await.unwrap();
        let second = enter(&connections, "2001:db8::2").await.unwrap();
        let third = enter(&connections, "2001:db8::3").await.unwrap();
        assert_eq!([&others, &first, &second, &third].map(is_closed), [false, true, false, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn trusted_proxies_have_no_limit_of_their_own() {
        let connections = connections(9, 1);
        let first = enter(&connections, "10.0.0.1").await.unwrap();
        let _second = enter(&connections, "10.0.0.1").await.unwrap();
        assert!(!is_closed(&first));
    }

    #[tokio::test(start_paused = true)]
    async fn what_has_left_is_forgotten() {
        let connections = connections(1, 1);
        for _ in 0..3 {
            let first = enter(&connections, "192.0.2.1").await;
            let second = enter(&connections, "192.0.2.2").await;
            drop((first, second));
        }
        let places = connections.places();
        assert!(places.open.is_empty() && places.by_address.is_empty());
    }
}
