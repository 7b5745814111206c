//! ViewerCredential is at the other end of a connection.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The other end of a connection, known to every request on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer {
    /// The number of the connection, of which each server has one only once.
    pub connection: u64,
    /// Where it comes from, if the network says so.
    pub address: Option<SocketAddr>,
}

impl Peer {
    /// The part of the address that one household or machine has for itself: whoever has an IPv6 address has 2^64 of
    /// them, so they count as one.
    #[must_use]
    pub fn household(&self) -> Option<IpAddr> {
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

    fn household(address: &str) -> String {
        let peer = Peer { connection: 1, address: Some(address.parse().unwrap()) };
        peer.household().unwrap().to_string()
    }

    #[test]
    fn a_household_is_an_address_or_an_ipv6_network() {
        assert_eq!(household("192.0.2.7:4000"), "192.0.2.7");
        assert_eq!(household("[::ffff:192.0.2.7]:4000"), "192.0.2.7", "the same machine over both families");
        assert_eq!(household("[2001:db8:1:2:3:4:5:6]:4000"), "2001:db8:1:2::");
        assert_eq!(household("[2001:db8:1:2:ffff::1]:80"), "2001:db8:1:2::");
        assert_eq!(Peer { connection: 1, address: None }.household(), None);
    }
}
