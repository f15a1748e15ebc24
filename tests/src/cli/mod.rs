//! The client's commands as a person and as a script meet them.

mod completions;
mod examples;
mod glances;
mod host_application;
mod login;
mod profiles;
mod pull;
mod scripts;
mod subscriptions;
mod terminal;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::harness::{Gatepost, Setup, feed_gatepost, gatepost_binary, succeeded};

/// A shell in the folder of a running instance, with an environment.
pub(crate) struct Shell {
    pub(crate) folder: PathBuf,
    pub(crate) environment: Vec<(String, String)>,
}

impl Shell {
    /// The commands find the instance by its URL.
    pub(crate) fn beside(gatepost: &Gatepost) -> Self {
        let url = format!("http://{}", gatepost.address());
        Self { folder: gatepost.folder(), environment: Vec::new() }.with("GATEPOST_URL", &url)
    }

    /// The commands find the instance by its configuration.
    pub(crate) fn in_the_folder_of(gatepost: &Gatepost) -> Self {
        let listen = gatepost.address().to_string();
        Self { folder: gatepost.folder(), environment: Vec::new() }.with("LISTEN", &listen)
    }

    /// A new `gatepost dev`, and a shell in its folder.
    pub(crate) async fn dev() -> (Gatepost, Self) {
        let gatepost = Setup::dev().await.start().await;
        let shell = Self::in_the_folder_of(&gatepost);
        (gatepost, shell)
    }

    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut environment = self.environment.clone();
        environment.retain(|(known, _)| known != name);
        environment.push((name.to_owned(), value.to_owned()));
        Self { folder: self.folder.clone(), environment }
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.feed(line, "")
    }

    /// Runs `gatepost` with these words.
    pub(crate) fn feed(&self, line: &str, input: &str) -> Output {
        self.words(&line.split(' ').collect::<Vec<_>>(), input)
    }

    /// The same with words that may have spaces.
    pub(crate) fn words(&self, words: &[&str], input: &str) -> Output {
        feed_gatepost(&self.folder, words, &self.environment, input)
    }

    pub(crate) fn publish(&self, user: &str, event_type: &str, data: &str) -> Output {
        self.words(&["events", "publish", "--user", user, "--type", event_type, "--data", data], "")
    }

    /// `gatepost` with these words, and without input.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(gatepost_binary());
        command.args(line.split(' ')).env_clear().envs(self.environment.iter().cloned()).current_dir(&self.folder);
        command.stdin(Stdio::null());
        command
    }

    #[track_caller]
    pub(crate) fn succeeds(&self, line: &str) -> String {
        succeeded(&self.run(line))
    }

    #[track_caller]
    pub(crate) fn json(&self, line: &str) -> Value {
        let printed = self.succeeds(&format!("{line} --json"));
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{line}: {error}: {printed}"))
    }

    /// The screen of a terminal of this width, and whether the command succeeded. When the terminal shows `question`,
    /// `typed` is typed into it.
    fn on_terminal(&self, columns: u16, line: &str, (question, typed): (&str, &str)) -> (String, bool) {
        let command = format!("stty cols {columns}; exec {} {line}", gatepost_binary().display());
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).current_dir(&self.folder).env_clear();
        script.env("PATH", "/usr/bin:/bin").envs(self.environment.iter().cloned());
        let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("apt-get install bsdutils");
        let (mut keyboard, mut screen) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let (mut shown, mut byte) = (Vec::new(), [0]);
        let mut is_typed = false;
        while screen.read(&mut byte).expect("reads the screen") > 0 {
            shown.push(byte[0]);
            if !is_typed && !question.is_empty() && shown.ends_with(question.as_bytes()) {
                keyboard.write_all(typed.as_bytes()).expect("types");
                is_typed = true;
            }
        }
        (String::from_utf8_lossy(&shown).replace('\r', ""), child.wait().expect("it ends").success())
    }
}
