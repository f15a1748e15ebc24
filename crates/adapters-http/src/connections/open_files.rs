use std::fs;

/// Of the files that the process may have open, the share for connections. The rest is for the database and for
/// receivers.
const CONNECTIONS_SHARE_PERCENT: usize = 75;

/// How many connections the limit on open files leaves room for; `None` where the limit is unknown.
pub(crate) fn connections_within_open_files() -> Option<usize> {
    soft_limit(&fs::read_to_string("/proc/self/limits").ok()?).map(|files| files / 100 * CONNECTIONS_SHARE_PERCENT)
}

/// The soft limit in the text of `/proc/self/limits`.
fn soft_limit(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_soft_limit() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(soft_limit(limits), Some(1_024));
        assert_eq!(soft_limit("Max open files            unlimited            unlimited            files"), None);
    }
}
