//! The key that opens the console while `gatepost dev` runs.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;

use crate::open::open_in_browser;
use crate::output::remark;

/// The line that opens the console.
pub(crate) const KEY: &str = "o";
/// The time between two looks whether the process is in the foreground again.
const BACKGROUND_PAUSE: Duration = Duration::from_secs(1);

/// Whether a person can type to this process: standard input is a terminal, and the process is in its foreground.
pub fn has_keyboard() -> bool {
    io::stdin().is_terminal() && is_in_foreground()
}

/// Opens the URL at each line `o` on standard input, until the input or the process ends.
pub fn open_at_key(url: String) {
    thread::spawn(move || {
        while let Ok(Some(line)) = next_line() {
            if line.trim() == KEY && !open_in_browser(&url) {
                remark(&format!("no browser opens here; the console is at {url}"));
            }
        }
    });
}

/// The next line; `None` at the end of the input. The system stops a process that reads from its terminal in the
/// background, so the process reads only available input, and only in the foreground.
fn next_line() -> io::Result<Option<String>> {
    let input = io::stdin();
    poll(&mut [PollFd::new(&input, PollFlags::IN)], None)?;
    while !is_in_foreground() {
        thread::sleep(BACKGROUND_PAUSE);
    }
    let mut line = String::new();
    Ok((input.read_line(&mut line)? > 0).then_some(line))
}

fn is_in_foreground() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}
