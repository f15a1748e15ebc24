use std::io;
use std::net::TcpListener;
use std::time::Duration;

/// How long connections that are being opened may take to arrive: a few round trips.
pub(crate) const ARRIVAL_MAX: Duration = Duration::from_millis(250);

/// In how many steps this time passes.
pub(crate) const ARRIVAL_STEPS: u32 = 50;

/// Makes the kernel ignore requests for new connections. Connections that are being opened still arrive.
///
/// A listener that simply closes resets the connections that wait in its queue, with clients that have already sent
/// their requests. An ignored client tries again after a second, and is then refused, or reaches the next process. See
/// decision 59.
#[cfg(target_os = "linux")]
pub(crate) fn ignore_new(listener: &TcpListener) -> io::Result<()> {
    use socket2::{SockFilter, SockRef};

    const LOAD_BYTE: u16 = 0x30;
    const JUMP_IF_ANY_BIT: u16 = 0x45;
    const RETURN: u16 = 0x06;
    const FLAGS_OFFSET: u32 = 13;
    const SYN: u32 = 0x02;
    SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS_OFFSET),
        SockFilter::new(JUMP_IF_ANY_BIT, 0, 1, SYN),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ])
}

/// Other systems have no such filter: a connection that arrives as the listener closes is reset.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ignore_new(_: &TcpListener) -> io::Result<()> {
    Ok(())
}
