//! Shells complete names that only Gatepost or the folder of profiles knows.

use std::fs;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::time::Instant;

use super::Shell;
use crate::harness::{Gatepost, gatepost_binary, succeeded};
use crate::webhooks::receiver::{Behaviour, Receiver};

/// The limit of a call is 30 s.
const MUCH_LESS_THAN_A_CALL: Duration = Duration::from_secs(15);

/// The completions of the last of these words.
fn complete(shell: &Shell, words: &str) -> String {
    shell.succeeds(&format!("completions -- {words}"))
}

/// The same, where names exist. They are searched for 1.5 s, which a busy machine may need.
fn offers(shell: &Shell, words: &str) -> String {
    (0..20).map(|_| complete(shell, words)).find(|offered| !offered.is_empty()).unwrap_or_default()
}

/// A user with a good key and a revoked one, and the ids of both.
async fn dev() -> (Gatepost, Shell, String, String) {
    let (gatepost, shell) = Shell::dev().await;
    let [good, revoked] = ["deploy", "old"].map(|label| {
        let created = shell.json(&format!("keys create {label} --user alice"));
        created["keyId"].as_str().unwrap().to_owned()
    });
    shell.succeeds(&format!("keys revoke {revoked} --user alice --yes"));
    (gatepost, shell, good, revoked)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ids_and_profiles_are_offered_with_what_they_stand_for() {
    let (gatepost, shell, key, revoked) = dev().await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let created = shell.json(&format!("webhooks create {} --event * --user alice", receiver.url()));
    let subscription = created["subscription"]["id"].as_str().unwrap();
    let offered = offers(&shell, "keys revoke --user alice ");
    assert!(offered == format!("{key}\tdeploy") && !offered.contains(&revoked), "{offered}");
    assert_eq!(offers(&shell, &format!("keys rotate --user alice {}", &key[..12])), offered);
    assert_eq!(complete(&shell, "keys rotate --user alice key_9"), "");
    let offered = offers(&shell, "webhooks deliveries --user alice --subscription ");
    assert_eq!(offered, format!("{subscription}\t{}", receiver.url()));
    assert_eq!(complete(&shell, "webhooks show --user bob "), "", "bob has none");

    let home = shell.folder.join("home");
    fs::create_dir(&home).unwrap();
    let away = Shell { folder: "/".into(), environment: Vec::new() }.with("HOME", home.to_str().unwrap());
    let url = format!("http://{}", gatepost.address());
    let token = shell.succeeds("token --user alice");
    succeeded(&away.feed(&format!("login {url} --id-token --profile work"), &token));
    assert_eq!(offers(&away, "keys list --profile w"), format!("work\t{url}"));
    assert_eq!(offers(&away, "--profile=lo"), "--profile=local\tthis machine's configuration");
    assert_eq!(offers(&away, "--profile work keys show "), format!("{key}\tdeploy"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_found_in_time_is_not_offered() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let shell = Shell { folder: "/".into(), environment: Vec::new() };
    let waiting = shell.with("GATEPOST_URL", &url).with("GATEPOST_ID_TOKEN", "a.b.c");
    let wrong = shell.with("GATEPOST_URL", "nowhere").with("GATEPOST_PROFILE", "../x");
    for (shell, words) in [
        (&waiting, "keys revoke "),
        (&wrong, "webhooks show "),
        (&wrong, "--profile "),
        (&shell, "keys revoke "),
        (&shell, "keys frobnicate "),
    ] {
        let began = Instant::now();
        let output = shell.run(&format!("completions -- {words}"));
        assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
        assert!(began.elapsed() < MUCH_LESS_THAN_A_CALL, "{words}: {:?}", began.elapsed());
    }
}

/// A real shell, with the script that the binary prints.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bash_completes_names_and_words() {
    let (_gatepost, shell, key, _) = dev().await;
    let second = shell.json("keys create $(reboot) --user alice")["keyId"].as_str().unwrap().to_owned();
    std::os::unix::fs::symlink(gatepost_binary(), shell.folder.join("gatepost")).unwrap();
    let offered_in_bash = |words: &str, kind: u8| {
        let script = format!(
            "source <(gatepost completions bash); COMP_WORDS=(gatepost {words}); COMP_TYPE={kind}
             COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _gatepost_names gatepost \"${{COMP_WORDS[COMP_CWORD]}}\" \
             \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", &script]).current_dir(&shell.folder).env_clear().stdin(Stdio::null());
        bash.envs(shell.environment.iter().cloned());
        bash.env("PATH", format!("{}:/usr/bin:/bin", shell.folder.display()));
        let mut answers = (0..20).map(|_| succeeded(&bash.output().unwrap()));
        answers.find(|offered| !offered.trim().is_empty()).unwrap_or_default()
    };
    assert_eq!(offered_in_bash("keys revoke --user alice ''", b'\t'), format!("{second}\n{key}"));
    let listed = offered_in_bash("keys revoke --user alice ''", b'?');
    assert_eq!(listed, format!("{second}  ($(reboot))\n{key}  (deploy)"));
    let one = offered_in_bash(&format!("keys revoke --user = alice {key}"), b'?');
    assert_eq!(one, key, "one is put into the line as it is");
    assert_eq!(offered_in_bash("keys revo", b'\t'), "revoke");
}
