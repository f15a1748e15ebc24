use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use domain::ports::{InvalidLogFilter, LogFilters};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::{EnvFilter, Layer};

use crate::log_filter::LogFilter;

/// Chooses the lines of the log, and can choose others while the process runs.
///
/// The log library asks once for each place in the code that writes lines, and remembers the answer until the filter
/// changes. So a line does not pay for the lock.
#[derive(Clone)]
pub struct LogSwitch(Arc<RwLock<Chosen>>);

struct Chosen {
    text: String,
    filter: EnvFilter,
}

impl LogSwitch {
    pub(crate) fn new(filter: &LogFilter) -> Self {
        Self(Arc::new(RwLock::new(Chosen::of(filter))))
    }

    /// Writes the lines that this filter chooses from now on.
    pub fn apply(&self, filter: &LogFilter) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Chosen::of(filter);
        tracing::callsite::rebuild_interest_cache();
    }

    fn chosen(&self) -> RwLockReadGuard<'_, Chosen> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chosen {
    fn of(filter: &LogFilter) -> Self {
        Self { text: filter.as_str().to_owned(), filter: filter.to_env_filter() }
    }
}

impl LogFilters for LogSwitch {
    fn present(&self) -> String {
        self.chosen().text.clone()
    }

    fn parse(&self, filter: &str) -> Result<Box<dyn FnOnce() + Send>, InvalidLogFilter> {
        let filter = LogFilter::parse(filter).ok_or(InvalidLogFilter(LogFilter::ALLOWED))?;
        let switch = self.clone();
        Ok(Box::new(move || switch.apply(&filter)))
    }
}

impl<S: Subscriber> Layer<S> for LogSwitch {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        <EnvFilter as Layer<S>>::register_callsite(&self.chosen().filter, metadata)
    }

    fn enabled(&self, metadata: &Metadata<'_>, context: Context<'_, S>) -> bool {
        <EnvFilter as Layer<S>>::enabled(&self.chosen().filter, metadata, context)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        <EnvFilter as Layer<S>>::max_level_hint(&self.chosen().filter)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Mutex;

    use tracing_subscriber::prelude::*;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_running_program_writes_other_lines_as_soon_as_they_are_chosen() {
        let (written, switch) = (Written::default(), LogSwitch::new(&LogFilter::default()));
        let output = written.clone();
        let layer = tracing_subscriber::fmt::layer().with_writer(move || output.clone());
        let subscriber = tracing_subscriber::registry().with(switch.clone()).with(layer);
        let write = |word| tracing::debug!("{word}");
        tracing::subscriber::with_default(subscriber, || {
            write("hidden");
            switch.apply(&LogFilter::parse("debug").unwrap());
            write("shown");
            switch.apply(&LogFilter::parse("warn").unwrap());
            write("hidden again");
            switch.parse("warn,adapters_system=debug").unwrap()();
            write("shown again");
            assert!(switch.parse("wran").is_err());
        });
        assert_eq!(switch.present(), "warn,adapters_system=debug");
        let lines = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        assert!(lines.contains("shown\n") && lines.contains("shown again") && !lines.contains("hidden"), "{lines}");
    }
}
