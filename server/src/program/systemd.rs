//! Telling systemd, where it started us, that the server is up or goes down (`Type=notify`).

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

/// The server takes calls.
pub(super) const READY: &str = "READY=1";
/// The server goes down.
pub(super) const STOPPING: &str = "STOPPING=1";

/// Tells systemd, if it wants to know.
pub(super) fn notify(state: &str) {
    let Some(socket) = env::var_os("NOTIFY_SOCKET") else { return };
    if let Err(error) = send(&socket, state) {
        tracing::warn!(%error, "systemd could not be told {state}");
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
    fn both_kinds_of_socket_are_told() {
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
            let mut told = [0; 16];
            let length = socket.recv(&mut told).unwrap();
            assert_eq!(&told[..length], b"READY=1");
        }
        assert!(send(OsStr::new("/nowhere/notify"), READY).is_err());
    }
}
