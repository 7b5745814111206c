//! systemd readiness notifications (`Type=notify`).

use std::{
    env,
    ffi::OsStr,
    io,
    os::{
        linux::net::SocketAddrExt,
        unix::{
            ffi::OsStrExt,
            net::{SocketAddr, UnixDatagram},
        },
    },
};

/// The server accepts calls.
pub(super) const READY: &str = "READY=1";
/// The server is shutting down.
pub(super) const STOPPING: &str = "STOPPING=1";

/// Notifies systemd, if it started this process.
pub(super) fn notify(state: &str) {
    let Some(socket) = env::var_os("NOTIFY_SOCKET") else { return };
    if let Err(error) = send(&socket, state) {
        tracing::warn!(%error, "systemd could not be notified of {state}");
    }
}

fn send(socket: &OsStr, state: &str) -> io::Result<()> {
    let name = socket.as_bytes();
    let address = match name.strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_and_abstract_sockets_are_notified() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let abstract_name = format!("parlor-notify-{}", std::process::id());
        let sockets = [
            (UnixDatagram::bind(&path).unwrap(), path.into_os_string()),
            (
                UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap(),
                format!("@{abstract_name}").into(),
            ),
        ];
        for (socket, name) in sockets {
            send(&name, READY).unwrap();
            let mut received = [0; 16];
            let length = socket.recv(&mut received).unwrap();
            assert_eq!(&received[..length], b"READY=1");
        }
        assert!(send(OsStr::new("/nowhere/notify"), READY).is_err());
    }
}
