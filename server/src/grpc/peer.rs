//! The peer of a connection.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The peer of a connection, in the extensions of every request on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer {
    /// The number of the connection, unique within the server.
    pub connection: u64,
    /// The address of the peer, if the network has addresses.
    pub address: Option<SocketAddr>,
}

impl Peer {
    /// The address for rate limits: the IPv4 address, or the /64 network of an IPv6 address, because one
    /// subscriber usually has all 2^64 addresses of it.
    #[must_use]
    pub fn network_address(&self) -> Option<IpAddr> {
        Some(match self.address?.ip().to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                IpAddr::V6(Ipv6Addr::from(network))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network_address(address: &str) -> String {
        let peer = Peer { connection: 1, address: Some(address.parse().unwrap()) };
        peer.network_address().unwrap().to_string()
    }

    #[test]
    fn network_address_is_an_ipv4_address_or_an_ipv6_64_network() {
        assert_eq!(network_address("192.0.2.7:4000"), "192.0.2.7");
        assert_eq!(
            network_address("[::ffff:192.0.2.7]:4000"),
            "192.0.2.7",
            "the same machine over both families"
        );
        assert_eq!(network_address("[2001:db8:1:2:3:4:5:6]:4000"), "2001:db8:1:2::");
        assert_eq!(network_address("[2001:db8:1:2:ffff::1]:80"), "2001:db8:1:2::");
        assert_eq!(Peer { connection: 1, address: None }.network_address(), None);
    }
}
