//! `gatepost login` and the profiles that it writes.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::Shell;
use super::login::with_home;
use crate::harness::{Gatepost, Storage, complaint, free_address, succeeded};
use crate::webhooks::host::{OPERATOR_TOKEN, setup};

/// A machine with a user, far from the instance.
async fn away(storage: &Storage) -> (Gatepost, Shell, String) {
    let gatepost = setup(storage).await.start().await;
    let (shell, url) = with_home(&gatepost);
    (gatepost, shell.with("LISTEN", &free_address().to_string()), url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_is_used_until_the_logout() {
    let storage = Storage::sqlite();
    let (gatepost, shell, url) = away(&storage).await;
    let (key, _) = gatepost.user("alice").created("CLI").await;
    let output = shell.feed(&format!("login {url} --api-key"), &format!("{key}\n"));
    assert!(output.status.success() && !complaint(&output).contains(&key), "{output:?}");
    let file = shell.folder.join("home/.config/gatepost/profiles/default");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(shell.succeeds("webhooks list"), "no subscriptions");

    // A second credential is added, and a second profile is another place.
    succeeded(&shell.feed(&format!("login {url} --id-token"), &gatepost.provider().token("alice")));
    assert!(shell.succeeds("keys list").contains("CLI"));
    succeeded(&shell.feed(&format!("login {url} --operator-token --profile support"), OPERATOR_TOKEN));
    assert!(shell.succeeds("keys list --user alice --profile support").contains("CLI"));
    let support = shell.with("GATEPOST_PROFILE", "support");
    assert!(support.succeeds("audit --user alice").contains("key.created"));

    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let open = shell.run("keys list");
    assert_eq!(open.status.code(), Some(78));
    assert!(complaint(&open).contains("chmod 600") && !complaint(&open).contains(&key), "{open:?}");
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    shell.succeeds("logout");
    assert!(!file.exists());
    let gone = shell.run("keys list --profile default");
    assert!(gone.status.code() == Some(78) && complaint(&gone).contains("no profile is called default"), "{gone:?}");
    assert!(support.run("keys list --user alice").status.success(), "the other profile stays");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_gatepost_does_not_accept_is_not_saved() {
    let storage = Storage::sqlite();
    let (_gatepost, shell, url) = away(&storage).await;
    for kind in ["--api-key", "--id-token", "--operator-token"] {
        let output = shell.feed(&format!("login {url} {kind}"), "swordfish-swordfish-swordfish-swordfish");
        assert_eq!(output.status.code(), Some(3), "{kind}: {output:?}");
        assert!(!complaint(&output).contains("fish"), "{output:?}");
    }
    let nowhere = format!("login http://{} --api-key", free_address());
    assert_eq!(shell.feed(&nowhere, "svc_live_1").status.code(), Some(5));
    assert_eq!(shell.feed(&format!("login {url}"), "svc_live_1").status.code(), Some(2), "the kind is required");
    assert_eq!(shell.feed(&format!("login {url} --api-key"), "").status.code(), Some(1), "nothing is piped");
    assert!(!shell.folder.join("home/.config").exists());
}

/// A credential is sent only to the URL that it was given with.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_profile_and_the_environment_are_not_mixed() {
    let storage = Storage::sqlite();
    let (gatepost, shell, url) = away(&storage).await;
    succeeded(&shell.feed(&format!("login {url} --id-token"), &gatepost.provider().token("alice")));
    shell.succeeds("keys list");
    let elsewhere = format!("http://{}", free_address());
    let output = shell.with("GATEPOST_URL", &elsewhere).run("keys list");
    assert!(output.status.code() == Some(78) && complaint(&output).contains("GATEPOST_ID_TOKEN"), "{output:?}");
    let local = shell.with("GATEPOST_API_KEY", "svc_live_1").run("webhooks list");
    assert_eq!(local.status.code(), Some(5), "the key goes to this machine's configuration: {local:?}");
    let named = shell.with("GATEPOST_URL", &elsewhere).with("GATEPOST_ID_TOKEN", "a.b.c");
    named.succeeds("keys list --profile default");
    let own = shell.run("keys list --user alice --profile local");
    assert_eq!(own.status.code(), Some(5), "{own:?}");
    let reserved = shell.feed(&format!("login {url} --api-key --profile local"), "svc_live_1");
    assert!(!reserved.status.success() && complaint(&reserved).contains("local"), "{reserved:?}");
    assert_eq!(shell.run("keys list --profile ../x").status.code(), Some(2));
}
