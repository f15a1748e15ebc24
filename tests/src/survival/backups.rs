use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tempfile::TempDir;
use throwaway_postgres::Cluster;
use tokio::task::{JoinSet, spawn_blocking};

use crate::harness::{Setup, Storage, User, eventually, on_both_databases, run_gatepost};

on_both_databases!(a_backup_made_under_load_has_what_was_answered);

const WRITERS: usize = 4;
const ANSWERS_BEFORE_THE_BACKUP: usize = 40;

/// Every key that was answered before the backup is good after the restore, even a key that was revoked since: the page
/// about backups warns of that.
async fn a_backup_made_under_load_has_what_was_answered(storage: Storage) {
    let setup = Setup::serve(&storage).await.with("API_KEYS_MAX_ACTIVE", "10000");
    let mut gatepost = setup.clone().start().await;
    let created = Arc::new(Mutex::new(Vec::new()));
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        writers.spawn(create_until_cut_off(gatepost.user(&format!("writer {writer}")), Arc::clone(&created)));
    }
    let enough = async || Some(created.lock().unwrap().clone()).filter(|keys| keys.len() >= ANSWERS_BEFORE_THE_BACKUP);
    let before: Vec<(User, String, String)> = eventually("enough keys", enough).await;
    let folder = TempDir::new().unwrap();
    run("backup", &folder, &storage).await;
    let (user, id, revoked) = &before[0];
    let request = user.request("DELETE").json(&json!({ "keyId": id }));
    assert_eq!(user.try_send(&request).await.unwrap().status, 200);
    assert_eq!(gatepost.whoami(revoked).await.status, 401);
    gatepost.kill().await;
    writers.join_all().await;
    let elsewhere = match storage.server() {
        None => Storage::sqlite(),
        Some((cluster, _)) => Storage::postgres_in(cluster.clone()).await,
    };
    run("restore", &folder, &elsewhere).await;
    let restored = setup.twin().on(&elsewhere).start().await;
    for (_, id, full_key) in &before {
        assert_eq!(restored.whoami(full_key).await.status, 200, "{id}");
    }
}

async fn create_until_cut_off(user: User, created: Arc<Mutex<Vec<(User, String, String)>>>) {
    for number in 0.. {
        let request = user.request("POST").json(&json!({ "label": format!("key {number}") }));
        let Ok(answer) = user.try_send(&request).await else { return };
        let answer = answer.json();
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        created.lock().unwrap().push((user.clone(), text("keyId"), text("key")));
    }
}

/// Runs `gatepost backup` or `gatepost restore`, and for Postgres the command that it names instead.
async fn run(command: &'static str, folder: &TempDir, storage: &Storage) {
    let (folder, settings, binaries) = (folder.path().to_owned(), storage.settings(), binaries_of(storage));
    let work = move || {
        let output = run_gatepost(&folder, &[command, "copy of all"], &settings);
        let Some(binaries) = binaries else {
            assert!(output.status.success(), "{output:?}");
            return;
        };
        let said = String::from_utf8(output.stderr).unwrap();
        let to_run = said.split_once("run: ").expect("what to run").1;
        paste(to_run, &folder, &settings, &binaries);
    };
    spawn_blocking(work).await.unwrap();
}

fn binaries_of(storage: &Storage) -> Option<std::path::PathBuf> {
    let folder = |(cluster, _): (&Cluster, _)| cluster.binaries().path("pg_dump").parent().map(Path::to_owned);
    storage.server().and_then(folder)
}

fn paste(line: &str, folder: &Path, settings: &[(&str, String)], binaries: &Path) {
    let path = format!("{}:/usr/bin:/bin", binaries.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("PATH", path).envs(settings.iter().cloned());
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
}
