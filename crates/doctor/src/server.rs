use std::error::Error;

use crate::finding::{Finding, chain};

/// The state of a Postgres server, and the needs of the configuration.
#[derive(Clone, Debug)]
pub struct DatabaseServer {
    /// The name of the database.
    pub database: String,
    /// The role of the connections.
    pub role: String,
    /// How many connections the role may open, at most.
    pub connections_max: u64,
    /// Open connections of other programs.
    pub connections_of_others: u64,
    /// Instances on this database, this one included.
    pub instances: u64,
    /// How many shards the server has.
    pub shards: u64,
    /// `DATABASE_POOL_SIZE`: connections for each shard.
    pub pool_size: u64,
    /// The connections that an instance opens in addition to each pool.
    pub beside_pool: u64,
    /// The setting of the same name.
    pub fsync: bool,
    /// The setting of the same name.
    pub full_page_writes: bool,
    /// The setting of the same name.
    pub synchronous_commit: String,
    /// The setting of the same name.
    pub synchronous_standby_names: String,
    /// Standbys that are connected.
    pub standbys: u64,
    /// Whether it tells its timeline, by which a former primary is recognized.
    pub tells_timeline: bool,
}

/// Checks the settings of a Postgres server.
pub fn check_server(server: &DatabaseServer) -> Vec<Finding> {
    let found = [pools(server), unsafe_setting(server), durability(server), standbys(server), timeline(server)];
    found.into_iter().flatten().collect()
}

fn finding(what: String, why: &'static str, cure: String) -> Finding {
    Finding { check: "database server", what, why, cure }
}

fn pools(server: &DatabaseServer) -> Option<Finding> {
    let DatabaseServer { connections_max, connections_of_others, instances, shards, pool_size, beside_pool, .. } =
        server;
    let room = connections_max.saturating_sub(*connections_of_others);
    let needed = instances * shards * (pool_size + beside_pool);
    if needed <= room {
        return None;
    }
    let fitting = (room / (instances * shards)).saturating_sub(*beside_pool);
    let cure = if fitting > 0 {
        format!("set `DATABASE_POOL_SIZE={fitting}` for each instance, or raise max_connections of the server")
    } else {
        format!(
            "`psql \"$DATABASE_URL\" -c 'ALTER SYSTEM SET max_connections = {}'` and restart the server",
            needed * 2
        )
    };
    Some(finding(
        format!(
            "{instances} instances with DATABASE_POOL_SIZE={pool_size}{} open {needed} connections, and {room} are free",
            if *shards > 1 { format!(" for each of {shards} shards") } else { String::new() }
        ),
        "under load, calls fail with 503 while the server refuses connections",
        cure,
    ))
}

/// One of several servers does not answer. `shards` says which ones it has.
pub fn stopped_server(error: &dyn Error, shards: &str, command: &str) -> Finding {
    finding(
        format!("it does not answer, and it has {shards}: {}", chain(error)),
        "calls of the users in these shards fail with 503, and so do lists of all users",
        format!("start the server, or correct its place in DATABASE_URL: `{command}` asks it"),
    )
}

/// Deliveries have ended and are in the queue. `search_path` is the schema of their shard, if there are several.
pub fn ended_in_queue(count: u64, search_path: Option<&str>) -> Finding {
    let schema = search_path.map_or_else(String::new, |schema| format!("-c 'SET search_path = {schema}' "));
    finding(
        format!("deliveries that have ended are still queued: {count}"),
        "their webhooks are sent again, and their day of the log is kept",
        format!(
            "`psql \"$DATABASE_URL\" {schema}-c 'DELETE FROM webhook_due USING webhook_deliveries AS ended WHERE \
             webhook_due.subscription_id = ended.subscription_id AND webhook_due.delivery_id = ended.id'`"
        ),
    )
}

/// Deliveries that have ended and are in the queue could not be counted.
pub fn ended_uncounted(error: &dyn Error) -> Finding {
    finding(
        format!("deliveries that have ended and are still queued could not be counted: {}", chain(error)),
        "such deliveries are sent again; the count takes longer with a long queue",
        "run `gatepost doctor` again when fewer webhooks wait".to_owned(),
    )
}

/// Without these settings, Postgres promises no data after a crash of the machine, not only the loss of the last
/// commits.
fn unsafe_setting(server: &DatabaseServer) -> Option<Finding> {
    let off: Vec<&str> = [("fsync", server.fsync), ("full_page_writes", server.full_page_writes)]
        .into_iter()
        .filter_map(|(name, is_on)| (!is_on).then_some(name))
        .collect();
    let sql = |name: &&str| format!("-c 'ALTER SYSTEM SET {name} = on'");
    let commands: Vec<_> = off.iter().map(sql).collect();
    (!off.is_empty()).then(|| {
        finding(
            format!("{} of the server is off: a crash of its machine can destroy the database", off.join(" and ")),
            "all keys, subscriptions and events can be lost, or be damaged without a sign",
            format!("`psql \"$DATABASE_URL\" {} -c 'SELECT pg_reload_conf()'`, as a superuser", commands.join(" ")),
        )
    })
}

/// Revocations are promised to survive a crash. `local` waits for no standby.
fn durability(server: &DatabaseServer) -> Option<Finding> {
    let DatabaseServer { database, role, synchronous_commit, synchronous_standby_names, .. } = server;
    let loses = match synchronous_commit.as_str() {
        "off" => "a crash of the server",
        "local" if !synchronous_standby_names.is_empty() => "a failover",
        "remote_write" if !synchronous_standby_names.is_empty() => "a crash of two machines",
        _ => return None,
    };
    let sql = format!("ALTER ROLE \"{role}\" IN DATABASE \"{database}\" SET synchronous_commit = on");
    Some(finding(
        format!("synchronous_commit is {synchronous_commit}: {loses} loses changes that were answered"),
        "a revoked key is good again, and an accepted event is never delivered",
        format!("`psql \"$DATABASE_URL\" -c '{sql}'`, and restart the instances"),
    ))
}

fn standbys(server: &DatabaseServer) -> Option<Finding> {
    let names = &server.synchronous_standby_names;
    (!names.is_empty() && server.standbys == 0).then(|| {
        finding(
            format!("synchronous_standby_names is {names:?}, and no standby is connected"),
            "each commit waits for a standby, so nothing can be created, revoked or published",
            "start the standby; or, if it is lost, `psql \"$DATABASE_URL\" -c \"ALTER SYSTEM SET \
             synchronous_standby_names = ''\" -c 'SELECT pg_reload_conf()'`"
                .to_owned(),
        )
    })
}

fn timeline(server: &DatabaseServer) -> Option<Finding> {
    let sql = "GRANT EXECUTE ON FUNCTION pg_control_system(), pg_control_checkpoint(), pg_control_recovery()";
    (!server.tells_timeline).then(|| {
        finding(
            "the server does not tell its timeline, by which a former primary is recognized".to_owned(),
            "after a failover, a revoked key stays good where an instance still reaches a former primary that runs on",
            format!(
                "`psql \"$DATABASE_URL\" -c '{sql} TO \"{}\"'`, as a superuser, and restart the instances. If the server \
                 lacks a function, make sure that its failover stops the former primary",
                server.role
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> DatabaseServer {
        DatabaseServer {
            database: "gatepost".to_owned(),
            role: "app".to_owned(),
            connections_max: 97,
            connections_of_others: 22,
            instances: 3,
            shards: 1,
            pool_size: 16,
            beside_pool: 9,
            fsync: true,
            full_page_writes: true,
            synchronous_commit: "on".to_owned(),
            synchronous_standby_names: String::new(),
            standbys: 0,
            tells_timeline: true,
        }
    }

    #[test]
    fn pools_must_fit_beside_other_programs() {
        assert_eq!(check_server(&server()), []);
        let found = check_server(&DatabaseServer { connections_of_others: 23, ..server() });
        assert!(found.len() == 1 && found[0].what.contains("open 75 connections, and 74 are free"), "{found:?}");
        assert!(found[0].cure.contains("`DATABASE_POOL_SIZE=15`"), "{found:?}");
        let found = check_server(&DatabaseServer { connections_max: 40, ..server() });
        assert!(found[0].cure.contains("max_connections = 150"), "a pool of one is too large: {found:?}");
        let found = check_server(&DatabaseServer { shards: 2, connections_max: 97 + 22, ..server() });
        assert!(found[0].what.contains("DATABASE_POOL_SIZE=16 for each of 2 shards open 150"), "{found:?}");
        assert!(found[0].cure.contains("`DATABASE_POOL_SIZE=7`"), "{found:?}");
    }

    #[test]
    fn a_server_that_may_lose_its_files_is_found_once() {
        for (fsync, full_page_writes, named) in [(false, true, "fsync of"), (true, false, "full_page_writes of")] {
            let found = check_server(&DatabaseServer { fsync, full_page_writes, ..server() });
            assert!(found.len() == 1 && found[0].what.starts_with(named), "{found:?}");
        }
        let found = check_server(&DatabaseServer { fsync: false, full_page_writes: false, ..server() });
        assert!(found.len() == 1 && found[0].what.starts_with("fsync and full_page_writes of"), "{found:?}");
        assert!(found[0].cure.contains("SET fsync = on' -c 'ALTER SYSTEM SET full_page_writes = on'"), "{found:?}");
    }

    #[test]
    fn a_server_that_does_not_tell_its_timeline_is_found() {
        let found = check_server(&DatabaseServer { tells_timeline: false, ..server() });
        assert!(found.len() == 1 && found[0].what.contains("does not tell its timeline"), "{found:?}");
        assert!(found[0].cure.contains("pg_control_checkpoint()") && found[0].cure.contains("\"app\""), "{found:?}");
    }

    #[test]
    fn a_commit_waits_for_the_disk_and_for_the_standbys_that_are_named() {
        let commit = |synchronous_commit: &str, names: &str, standbys| DatabaseServer {
            synchronous_commit: synchronous_commit.to_owned(),
            synchronous_standby_names: names.to_owned(),
            standbys,
            ..server()
        };
        for (level, names, standbys, found) in [
            ("on", "", 0, 0),
            ("remote_apply", "s1", 1, 0),
            ("local", "", 0, 0),
            ("off", "", 0, 1),
            ("local", "s1", 1, 1),
            ("remote_write", "s1", 1, 1),
            ("on", "s1", 0, 1),
            ("off", "s1", 0, 2),
        ] {
            assert_eq!(check_server(&commit(level, names, standbys)).len(), found, "{level} {names:?} {standbys}");
        }
    }
}
