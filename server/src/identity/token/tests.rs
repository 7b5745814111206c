//! The form of tokens is pinned by what another implementation computed:
//!
//! ```python
//! import base64, hashlib, hmac
//! key, table = bytes(range(32)), bytes(range(50, 66))
//!
//! def token(prefix, domain, claim):
//!     mac = hmac.new(key, domain + claim, hashlib.sha256).digest()
//!     return prefix + base64.urlsafe_b64encode(claim + mac).decode().rstrip("=")
//!
//! token("pls_", b"parlor seat token v1", table + bytes([3]) + (258).to_bytes(4, "big"))
//! token("plv_", b"parlor spectator token v1", table + (7).to_bytes(4, "big"))
//! ```

use super::*;

const SEAT_TOKEN: &str = "pls_MjM0NTY3ODk6Ozw9Pj9AQQMAAAECOSJ0BPUivSFiU2WwGEQIN_yc2M39-tlyKO4yM-mX5oM";
const SPECTATOR_TOKEN: &str = "plv_MjM0NTY3ODk6Ozw9Pj9AQQAAAAdTDFn4BvOd8a30b-01kSf67zxd6I8REe5J8DaOf8EXMw";

fn server() -> ServerKey {
    ServerKey::from_bytes(std::array::from_fn(|i| i as u8))
}

fn table() -> TableId {
    TableId::from_bytes(std::array::from_fn(|i| 50 + i as u8))
}

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

#[test]
fn tokens_are_pinned() {
    let token = server().seat_token(table(), seat(3), Generation(258));
    assert_eq!(token.reveal(), SEAT_TOKEN);
    let token = server().spectator_token(table(), Generation(7));
    assert_eq!(token.reveal(), SPECTATOR_TOKEN);
}

#[test]
fn a_token_names_what_it_is_for() {
    let pass = server().open_seat(SEAT_TOKEN).unwrap();
    assert_eq!((pass.table(), pass.seat()), (table(), seat(3)));
    let claim = pass.admit(Generation(258)).unwrap();
    assert_eq!((claim.table, claim.seat), (table(), seat(3)));

    let pass = server().open_spectator(SPECTATOR_TOKEN).unwrap();
    assert_eq!(pass.table(), table());
    assert_eq!(pass.admit(Generation(7)).unwrap().table, table());
}

#[test]
fn every_seat_table_and_generation_has_its_own_token() {
    let other_table = TableId::from_bytes([0; 16]);
    let mut tokens = std::collections::HashSet::new();
    for table in [table(), other_table] {
        for generation in [Generation::FIRST, Generation(1), Generation(u32::MAX)] {
            for seat in Seat::all(6) {
                let token = server().seat_token(table, seat, generation);
                let pass = server().open_seat(token.reveal()).unwrap();
                assert_eq!((pass.table, pass.seat, pass.generation), (table, seat, generation));
                assert!(tokens.insert(token.reveal().clone()));
            }
            let token = server().spectator_token(table, generation);
            let pass = server().open_spectator(token.reveal()).unwrap();
            assert_eq!((pass.table, pass.generation), (table, generation));
            assert!(tokens.insert(token.reveal().clone()));
        }
    }
}

#[test]
fn older_and_unknown_tokens_are_told_apart() {
    let seat = server().open_seat(SEAT_TOKEN).unwrap();
    let spectator = server().open_spectator(SPECTATOR_TOKEN).unwrap();
    let (s, v) = (TokenKind::Seat, TokenKind::Spectator);
    assert_eq!(seat.admit(Generation(259)), Err(TokenRefused::Reissued(s)));
    assert_eq!(seat.admit(Generation(257)), Err(TokenRefused::Wrong(s)));
    assert_eq!(spectator.admit(Generation(8)), Err(TokenRefused::Reissued(v)));
    assert_eq!(spectator.admit(Generation(6)), Err(TokenRefused::Wrong(v)));
}

/// Changes each character of the token in turn; none of the results may open.
fn no_change_opens(token: &str, opens: impl Fn(&str) -> Result<(), TokenRefused>) {
    assert_eq!(opens(token), Ok(()));
    for at in 0..token.len() {
        for with in ["A", "b", "-", "=", "!"] {
            let mut changed = token.to_owned();
            changed.replace_range(at..=at, with);
            if changed != token {
                assert!(opens(&changed).is_err(), "{at} {with}");
            }
        }
    }
}

#[test]
fn a_changed_token_is_wrong() {
    no_change_opens(SEAT_TOKEN, |token| server().open_seat(token).map(drop));
    no_change_opens(SPECTATOR_TOKEN, |token| server().open_spectator(token).map(drop));
    let mut raised = SEAT_TOKEN.to_owned();
    raised.replace_range(30..31, "9");
    assert_eq!(server().open_seat(&raised), Err(TokenRefused::Wrong(TokenKind::Seat)));
}

#[test]
fn another_servers_token_is_wrong() {
    let other = ServerKey::from_bytes([9; 32]);
    assert_eq!(other.open_seat(SEAT_TOKEN), Err(TokenRefused::Wrong(TokenKind::Seat)));
    assert_eq!(other.open_spectator(SPECTATOR_TOKEN), Err(TokenRefused::Wrong(TokenKind::Spectator)));
}

#[test]
fn what_is_no_token_is_malformed_and_another_credential_is_named() {
    let long = format!("pls_{}", "A".repeat(1 << 20));
    let cut = &SEAT_TOKEN[..SEAT_TOKEN.len() - 1];
    for text in ["", "pls_", "pls", "hello", "äöü", cut, &long] {
        assert_eq!(server().open_seat(text), Err(TokenRefused::Malformed(TokenKind::Seat)));
    }
    let named = |text: &str| server().open_seat(text).unwrap_err().to_string();
    assert_eq!(
        named(SPECTATOR_TOKEN),
        "that is a spectator token, and a seat token is needed here: send the one that begins with pls_"
    );
    assert!(named("plr_abc").starts_with("that is an API key"));
    assert!(server().open_spectator(SEAT_TOKEN).unwrap_err().to_string().starts_with("that is a seat token"));
}

#[test]
fn a_seat_token_with_another_prefix_is_not_a_spectator_token() {
    let renamed = SEAT_TOKEN.replace("pls_", "plv_");
    assert!(server().open_spectator(&renamed).is_err());
}

#[test]
fn refusals_and_passes_do_not_repeat_the_token() {
    let secret = &SEAT_TOKEN[40..];
    let pass = server().open_seat(SEAT_TOKEN).unwrap();
    let refused = ServerKey::from_bytes([9; 32]).open_seat(SEAT_TOKEN).unwrap_err();
    let token = server().seat_token(table(), seat(3), Generation(258));
    let shown = format!("{pass:?} {refused} {refused:?} {token:?}");
    assert!(!shown.contains(secret), "{shown}");
}

#[test]
fn generations_grow_and_end() {
    assert_eq!(Generation::FIRST.next(), Some(Generation(1)));
    assert_eq!(Generation(u32::MAX).next(), None);
}
