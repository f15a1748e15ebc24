use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;

/// The service manager that started this process, if it waits until the service says that it is ready (`Type=notify` of
/// systemd; see `sd_notify(3)`).
#[derive(Debug, Default)]
pub struct ServiceManager {
    /// The value of `NOTIFY_SOCKET`.
    socket: Option<OsString>,
}

impl ServiceManager {
    /// The manager that listens at this socket: a path, or a name of Linux behind `@`.
    pub const fn at(socket: Option<OsString>) -> Self {
        Self { socket }
    }

    /// Says that the service answers requests.
    pub fn ready(&self) {
        self.tell("READY=1");
    }

    /// Says that the service stops.
    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    fn tell(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        let told = address(socket).and_then(|to| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &to));
        if let Err(error) = told {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, state, "cannot tell the service manager, which may end the process");
        }
    }
}

fn address(socket: &OsString) -> io::Result<SocketAddr> {
    match socket.as_bytes() {
        #[cfg(target_os = "linux")]
        [b'@', name @ ..] => <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name),
        _ => SocketAddr::from_pathname(Path::new(socket)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(listener: &UnixDatagram) -> String {
        let mut buffer = [0; 64];
        let length = listener.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    }

    #[test]
    fn the_manager_is_told_at_a_path_and_at_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = OsString::from(format!("@gatepost-test-{}", std::process::id()));
        for socket in [path.into_os_string(), name] {
            let listener = UnixDatagram::bind_addr(&address(&socket).unwrap()).unwrap();
            let manager = ServiceManager::at(Some(socket));
            manager.ready();
            manager.stopping();
            assert_eq!([received(&listener), received(&listener)], ["READY=1", "STOPPING=1"]);
        }
    }

    #[test]
    fn nobody_need_listen() {
        ServiceManager::default().ready();
        ServiceManager::at(Some("/nowhere/notify".into())).ready();
    }
}
