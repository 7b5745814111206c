//! Addresses without a listener.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// A loopback address on which nothing listens: its port was free a moment ago.
///
/// # Panics
/// If no port is free.
pub fn unused_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("the address of a bound listener")
}
