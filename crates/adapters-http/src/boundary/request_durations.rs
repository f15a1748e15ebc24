use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::Method;
use counters::{DurationFamily, OwnedHistogram};

/// The route of requests with a path that has none.
const UNMATCHED: &str = "unmatched";

/// Counts the durations of one worker's requests. The histograms are the worker's own, so that workers share no cache
/// line. Their number is bounded, because no client can choose a label: methods that HTTP does not define count as one,
/// and so do paths without a route.
pub(crate) struct WorkerDurations {
    family: Arc<DurationFamily<3>>,
    known: RefCell<Vec<Known>>,
}

/// The histogram of a method, a route and a status.
struct Known {
    method: &'static str,
    route: Box<str>,
    status: u16,
    histogram: OwnedHistogram,
}

impl WorkerDurations {
    pub(crate) fn new(family: &Arc<DurationFamily<3>>) -> Self {
        Self { family: Arc::clone(family), known: RefCell::default() }
    }

    /// Counts the duration of an answered request.
    pub(crate) fn count(&self, method: &Method, route: Option<&str>, status: u16, duration: Duration) {
        let (method, route) = (name_of(method), route.unwrap_or(UNMATCHED));
        let mut known = self.known.borrow_mut();
        let is_this = |known: &Known| known.status == status && *known.route == *route && known.method == method;
        let place = known.iter().position(is_this).unwrap_or_else(|| {
            let histogram = self.family.resolve([method, route, &status.to_string()]);
            known.push(Known { method, route: route.into(), status, histogram });
            known.len() - 1
        });
        known[place].histogram.observe(duration);
        // Frequent ones move to the front, where the next search finds them with few comparisons.
        known.swap(place, place / 2);
    }
}

/// The name of a method that HTTP defines. All others have one name, as OpenTelemetry requires.
fn name_of(method: &Method) -> &'static str {
    const DEFINED: [&str; 9] = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT"];
    DEFINED.into_iter().find(|defined| *defined == method.as_str()).unwrap_or("_OTHER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_choose_makes_no_histogram() {
        let family = Arc::new(DurationFamily::new(&[]));
        let workers = [WorkerDurations::new(&family), WorkerDurations::new(&family)];
        for (number, worker) in (0..100).zip(workers.iter().cycle()) {
            let method = Method::from_bytes(format!("CHOSEN{number}").as_bytes()).unwrap();
            worker.count(&method, None, 404, Duration::from_secs(1));
            worker.count(&Method::GET, Some("/api/whoami"), 200, Duration::from_secs(1));
            worker.count(&Method::GET, Some("/api/whoami"), 401, Duration::from_secs(1));
        }
        let read: Vec<_> = family.read().into_iter().map(|one| (one.labels, one.durations.counts)).collect();
        let labels = |labels: [&str; 3]| labels.map(Box::from);
        let expected = [
            (labels(["GET", "/api/whoami", "200"]), vec![100]),
            (labels(["GET", "/api/whoami", "401"]), vec![100]),
            (labels(["_OTHER", UNMATCHED, "404"]), vec![100]),
        ];
        assert_eq!(read, expected);
    }
}
