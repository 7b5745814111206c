//! Credentials as text: seat tokens, spectator tokens, API keys, agent keys, and the ids in requests.

use std::ops::Range;

use parlor_fair::{TableId, TournamentId};
use parlor_proto::v1;
use parlor_server::grpc::convert;
use parlor_server::identity::{Generation, KeyHash, Owner, Scope};

use crate::callers::{API_KEYS, CALLERS, server_key};

/// Generations of the tokens in the corpus. Without the server key nobody makes others.
const GENERATIONS: Range<u32> = 0..4;

pub(crate) fn run(input: &[u8]) {
    agent_key(input);
    let Ok(text) = std::str::from_utf8(input) else { return };
    let key = server_key();
    // A token has one text: another one would be a credential that nobody issued.
    if let Ok(token) = key.verify_seat_token(text) {
        let issued = |generation| key.seat_token(token.table(), token.seat(), generation).reveal() == text;
        assert!(GENERATIONS.map(Generation).any(issued), "{text}");
    }
    if let Ok(token) = key.verify_spectator_token(text) {
        let issued = |generation| key.spectator_token(token.table(), generation).reveal() == text;
        assert!(GENERATIONS.map(Generation).any(issued), "{text}");
    }
    let _caller = API_KEYS.identify(Some(text));
    if let Ok(hash) = KeyHash::try_from(text.to_owned()) {
        assert_eq!(hash.to_string(), text.to_ascii_lowercase());
    }
    if let Ok(owner) = text.parse::<Owner>() {
        assert_eq!(owner.as_str(), text);
    }
    let _scope = text.parse::<Scope>();
    if let Ok(id) = text.parse::<TableId>() {
        assert_eq!(id.to_string().parse(), Ok(id));
    }
    if let Ok(id) = text.parse::<TournamentId>() {
        assert_eq!(id.to_string().parse(), Ok(id));
    }
}

/// Says hello as an agent with this key.
fn agent_key(key: &[u8]) {
    let hello = v1::AgentHello {
        name: "ada".to_owned(),
        agent_key: key.to_vec(),
        games: vec!["gap".to_owned()],
        max_tables: 1,
        ..Default::default()
    };
    for caller in CALLERS.iter() {
        let request = v1::ConnectRequest { hello: Some(hello.clone()), items: Vec::new() };
        if let Ok((arrival, _)) = convert::hello(request, caller) {
            // The key itself is not kept.
            assert!(arrival.identity.key.is_none_or(|hash| hash.as_slice() != key));
        }
    }
}
