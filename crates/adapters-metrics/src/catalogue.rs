/// Metrics that belong together: they have one name, and differ in their labels.
#[derive(Debug)]
pub struct Family {
    /// The name, by which dashboards and alerts find it. A counter's name ends in `_total`.
    pub name: &'static str,
    /// Its type in both formats.
    pub kind: Kind,
    /// The names of its labels, in the order of the values.
    pub labels: &'static [&'static str],
    /// The explanation for operators.
    pub help: &'static str,
}

/// The type of the metrics of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only rises, and begins at 0 when the process starts.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Durations, counted by ranges, in seconds.
    Histogram,
}

impl Kind {
    /// The name of the kind in both formats.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

macro_rules! catalogue {
    ($($constant:ident = $kind:ident $name:literal [$($label:literal),*] $help:literal;)*) => {
        $(pub(crate) const $constant: Family =
            Family { name: $name, kind: Kind::$kind, labels: &[$($label),*], help: $help };)*

        /// Every family, in the order in which they are shown.
        pub const CATALOGUE: &[Family] = &[$($constant),*];
    };
}

catalogue! {
    BUILD_INFO = Gauge "gatepost_build_info" ["version", "commit"]
        "1; the labels say what is running.";
    CPU_SECONDS = Counter "process_cpu_seconds_total" []
        "Processor time of the process.";
    START_TIME = Gauge "process_start_time_seconds" []
        "When the process started, in seconds since 1970.";
    RESIDENT_BYTES = Gauge "process_resident_memory_bytes" []
        "Memory of the process that is in RAM.";
    VIRTUAL_BYTES = Gauge "process_virtual_memory_bytes" []
        "Address space of the process.";
    OPEN_FILES = Gauge "process_open_fds" []
        "Files and sockets that the process has open.";
    MAX_FILES = Gauge "process_max_fds" []
        "The limit on open files and sockets.";
    REQUEST_DURATION = Histogram "http_server_request_duration_seconds" ["method", "route", "status"]
        "From the head of a request to the head of its answer. `route` is a template, and `unmatched` for paths without \
         one; status 499 is a client that left before the answer.";
    VERIFICATIONS = Counter "gatepost_verifications_total" ["result"]
        "API keys that were presented: `good`, `refused`, or `failed` because the database did not answer.";
    KEY_CACHE_ENTRIES = Gauge "gatepost_key_cache_entries" ["kind"]
        "Digests in memory: of `good` keys, and `unknown` ones, which have no good key.";
    KEY_CACHE_HITS = Counter "gatepost_key_cache_hits_total" []
        "Verifications that memory answered.";
    KEY_CACHE_MISSES = Counter "gatepost_key_cache_misses_total" []
        "Verifications that asked the database.";
    KEY_CACHE_EVICTIONS = Counter "gatepost_key_cache_evictions_total" ["reason"]
        "Good keys that left memory: `changed` by a revocation, a rotation or a reset, or `full` to make room.";
    CHANGE_FEED_AGE = Gauge "gatepost_change_feed_age_seconds" []
        "Age of the last successful read of the change feed, which limits how long a key that another instance revoked \
         stays good here. Only on Postgres.";
    EVENTS_PUBLISHED = Counter "gatepost_events_published_total" ["result"]
        "Events that the host application published: `accepted`, `duplicate`, `conflict` with another event of the same \
         id, or `failed` because the database did not answer.";
    EVENTS_INVALID = Counter "gatepost_events_invalid_total" ["type", "result"]
        "Events that break the schema of their type in the catalogue, by type: accepted with a warning (`warned`), or \
         `refused`. A call stops at the first event that is refused.";
    ATTEMPTS = Counter "gatepost_attempts_total" ["outcome"]
        "Attempts to deliver a webhook: `delivered`, `failed` by the receiver, `not_charged` because Gatepost could not \
         make the attempt, or `cut_off` by a shutdown.";
    ATTEMPT_DURATION = Histogram "gatepost_attempt_duration_seconds" []
        "How long attempts took that a receiver answered or failed.";
    FIRST_ATTEMPT_DELAY = Histogram "gatepost_first_attempt_delay_seconds" []
        "From the publication of an event to the start of the first attempt of each delivery.";
    DELIVERIES_WAITING = Gauge "gatepost_deliveries_waiting" []
        "Deliveries that have not ended, on all instances together. Counted up to 100,000, which also \
         means more.";
    OLDEST_DUE_AGE = Gauge "gatepost_oldest_due_age_seconds" []
        "How long the oldest delivery has been due that no instance has claimed, in lanes that may deliver; 0 without \
         one. Looked for in the 1,000 lanes that have waited longest.";
    LANES = Gauge "gatepost_lanes" ["state"]
        "Lanes, the queues of subscriptions: `open`, `paused` after failures of the receiver, or `closed` with the \
         subscription. Of the first 100,000.";
    SUBSCRIPTIONS = Gauge "gatepost_subscriptions" ["state"]
        "Subscriptions: `enabled`, or why they are disabled (`owner`, `gone`, `only_failures`, `order_stopped`, `key_leaked`). Of the \
         first 100,000.";
    SESSIONS = Gauge "gatepost_sessions_active" []
        "Browsers that are signed in, on all instances together. Of the first 100,000 sessions.";
    STORE_READING_AGE = Gauge "gatepost_store_reading_age_seconds" []
        "Age of the last successful reading of what only the database knows: the metrics of waiting deliveries, lanes, \
         subscriptions and snapshots are this old.";
    DATABASE_CONNECTIONS = Gauge "gatepost_database_connections" ["pool", "state"]
        "Connections to the database by pool: `used`, `idle`, and calls that are `waiting` for one.";
    DATABASE_WAIT = Histogram "gatepost_database_wait_seconds" ["pool"]
        "How long calls waited for a connection.";
    OLDEST_SNAPSHOT_AGE = Gauge "gatepost_database_oldest_snapshot_age_seconds" []
        "Age of the oldest transaction in the database that keeps old versions of rows, of whatever program; 0 without \
         one. Only on Postgres.";
    SQLITE_WAL_BYTES = Gauge "gatepost_sqlite_wal_bytes" []
        "Size of the write-ahead log beside the database file. Only on SQLite.";
    DATA_FREE_BYTES = Gauge "gatepost_data_free_bytes" []
        "Free space on the disk of the database file, for the user of this process. Only on SQLite.";
    LAST_BACKUP = Gauge "gatepost_last_backup_time_seconds" []
        "When the last `gatepost backup` that succeeded began, in seconds since 1970; 0 before the first. Only on SQLite.";
    CERTIFICATE_EXPIRY = Gauge "gatepost_certificate_expiry_time_seconds" []
        "When the TLS certificate in use expires, or the first of its chain, in seconds since 1970. Only with `TLS_CERT`.";
    CLOCK_OFFSET = Gauge "gatepost_clock_offset_seconds" ["clock"]
        "How far a clock is ahead of the time by which the instances go: that of this `machine`, or of a database server after \
         the first, such as `server_2`.";
    IDENTITY_KEYS_AGE = Gauge "gatepost_identity_keys_age_seconds" []
        "Age of the identity provider's keys that ID tokens are checked with. Missing until the first fetch succeeds.";
    AUDIT_EVENTS = Counter "gatepost_audit_events_total" ["action"]
        "Events that this instance has written to the audit log, by what was done.";
    SPANS = Counter "gatepost_spans_total" ["result"]
        "Spans of traces: `exported` to the collector, or `dropped` because the collector is away or refuses them.";
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The row of `docs/operations/monitoring.md`.
    fn row(family: &Family) -> String {
        let labels: Vec<String> = family.labels.iter().map(|label| format!("`{label}`")).collect();
        let labels = if labels.is_empty() { "–".to_owned() } else { labels.join(", ") };
        format!("| `{}` | {} | {labels} | {} |", family.name, family.kind.name(), family.help)
    }

    #[test]
    fn the_page_has_the_whole_catalogue() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations/monitoring.md");
        let page = fs::read_to_string(page).unwrap();
        let table: Vec<String> = CATALOGUE.iter().map(row).collect();
        let table = table.join("\n");
        assert!(page.contains(&table), "docs/operations/monitoring.md must have these rows:\n{table}");
    }

    #[test]
    fn names_follow_the_customs_of_prometheus() {
        for family in CATALOGUE {
            assert_eq!(family.name.ends_with("_total"), family.kind == Kind::Counter, "{}", family.name);
            let is_timed = family.kind != Kind::Histogram || family.name.ends_with("_seconds");
            assert!(is_timed && family.help.ends_with('.'), "{}", family.name);
        }
    }
}
