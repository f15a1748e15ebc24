use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Of the files that the process may have open, the share for connections of clients. The rest is for the database and for
/// receivers.
const CONNECTIONS_SHARE_PERCENT: u64 = 75;

/// How many connections the limit on open files allows, at most `wanted`. Raises the soft limit as far as needed and
/// allowed: many systems start a process with a soft limit of 1,024 and a far higher hard limit.
pub(crate) fn connections_within_open_files(wanted: usize) -> usize {
    let needed = (wanted as u64).saturating_mul(100).div_ceil(CONNECTIONS_SHARE_PERCENT);
    raise_to(needed);
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(connections_of(files)).map_or(wanted, |allowed| allowed.min(wanted))
}

fn connections_of(files: u64) -> u64 {
    (u128::from(files) * u128::from(CONNECTIONS_SHARE_PERCENT) / 100).try_into().unwrap_or(u64::MAX)
}

fn raise_to(needed: u64) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < needed) {
        let raised = maximum.map_or(needed, |maximum| maximum.min(needed));
        // Where the system refuses, the lower limit holds.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_is_raised_and_respected() {
        let maximum = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
        let low = Rlimit { current: Some(200), maximum: getrlimit(Resource::Nofile).maximum };
        setrlimit(Resource::Nofile, low).unwrap();
        assert_eq!(connections_within_open_files(100), 100);
        assert_eq!(getrlimit(Resource::Nofile).current, Some(200), "200 are enough");
        assert_eq!(connections_within_open_files(300), 300);
        assert_eq!(getrlimit(Resource::Nofile).current, Some(400));
        assert_eq!(connections_within_open_files(usize::MAX) as u64, connections_of(maximum).min(usize::MAX as u64));
    }
}
