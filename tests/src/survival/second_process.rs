use std::os::unix::fs::symlink;

use crate::harness::{Gatepost, Setup, Storage, run_gatepost};

/// A second process would not see the revocations of the first (decision 41).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_on_one_sqlite_file_is_refused_by_any_path() {
    let storage = Storage::sqlite();
    let folder = storage.files();
    let setup = Setup::serve(&storage).await;
    let mut first = setup.clone().start().await;
    symlink(folder, folder.join("linked")).unwrap();
    symlink(folder.join("gatepost.db"), folder.join("linked.db")).unwrap();
    for path in ["gatepost.db", "linked/./gatepost.db", "linked.db"] {
        let url = format!("sqlite://{}", folder.join(path).display());
        let (status, written) = setup.twin().with("DATABASE_URL", &url).start_refused().await;
        assert_eq!(status.code(), Some(1), "{path}: {written}");
        assert_names_the_holder(&written, &first);
    }
    let (key, _) = first.user("alice").created("still served").await;
    assert_eq!(first.whoami(&key).await.status, 200);

    first.kill().await;
    let second = setup.twin().start().await;
    assert_eq!(second.whoami(&key).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn migrations_of_a_file_that_is_served_are_listed_and_not_applied() {
    let storage = Storage::sqlite();
    let first = Setup::serve(&storage).await.start().await;
    let url = storage.url();
    let migrate = |arguments: &[&str]| run_gatepost(&first.folder(), arguments, &[("DATABASE_URL", &url)]);
    let refused = migrate(&["migrate"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert_names_the_holder(&String::from_utf8(refused.stderr).unwrap(), &first);
    let listed = migrate(&["migrate", "status"]);
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.starts_with("applied") && !listed.contains("pending"), "{listed}");
}

#[track_caller]
fn assert_names_the_holder(written: &str, holder: &Gatepost) {
    assert!(written.contains(&format!("process {} is using it", holder.process_id())), "{written}");
}
