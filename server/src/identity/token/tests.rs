//! Test vectors of the token format, computed by an independent implementation:
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
//! token("pli_", b"parlor invite v1", table + (9).to_bytes(4, "big"))
//! token("plo_", b"parlor owner token v1", table)
//! hmac.new(key, b"parlor guest v1" + b"192.0.2.7", hashlib.sha256).hexdigest()[:16]
//! ```

use super::*;

const SEAT_TOKEN: &str = "pls_MjM0NTY3ODk6Ozw9Pj9AQQMAAAECOSJ0BPUivSFiU2WwGEQIN_yc2M39-tlyKO4yM-mX5oM";
const SPECTATOR_TOKEN: &str = "plv_MjM0NTY3ODk6Ozw9Pj9AQQAAAAdTDFn4BvOd8a30b-01kSf67zxd6I8REe5J8DaOf8EXMw";
const INVITE: &str = "pli_MjM0NTY3ODk6Ozw9Pj9AQQAAAAkutwMGUhnQ9FZNJMej3SMsuHCDFYYCLmOI_Kis8PVoTA";
const OWNER_TOKEN: &str = "plo_MjM0NTY3ODk6Ozw9Pj9AQSyA3XCLfvwtWcNA0qdJMaUsebZWsPjbT-ynAXoFNP8y";

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
    assert_eq!(server().invite(table(), 9).reveal(), INVITE);
    assert_eq!(server().owner_token(table()).reveal(), OWNER_TOKEN);
    assert_eq!(server().guest_owner("192.0.2.7").as_str(), "guest-c165fb01223869a2");
}

#[test]
fn invites_and_owner_tokens_name_their_table_and_are_no_other_tokens() {
    let invite = server().verify_invite(INVITE).unwrap();
    assert_eq!((invite.table(), invite.number()), (table(), 9));
    assert_eq!(server().verify_owner_token(OWNER_TOKEN), Ok(table()));
    let other = ServerKey::from_bytes([1; 32]);
    assert_eq!(other.verify_invite(INVITE), Err(TokenError::Wrong(TokenKind::Invite)));
    assert_eq!(other.verify_owner_token(OWNER_TOKEN), Err(TokenError::Wrong(TokenKind::Owner)));
    // The claims of an invite and of a spectator token have the same form, but not the same MAC.
    let as_invite = SPECTATOR_TOKEN.replace("plv_", "pli_");
    assert_eq!(server().verify_invite(&as_invite), Err(TokenError::Wrong(TokenKind::Invite)));
    let wanted = TokenKind::Seat;
    let refused = server().verify_seat_token(INVITE).unwrap_err();
    assert_eq!(refused, TokenError::OtherKind { wanted, got: "an invite" });
}

#[test]
fn token_names_its_table_and_seat() {
    let pass = server().verify_seat_token(SEAT_TOKEN).unwrap();
    assert_eq!((pass.table(), pass.seat()), (table(), seat(3)));
    let claim = pass.check_generation(Generation(258)).unwrap();
    assert_eq!((claim.table, claim.seat), (table(), seat(3)));

    let pass = server().verify_spectator_token(SPECTATOR_TOKEN).unwrap();
    assert_eq!(pass.table(), table());
    assert_eq!(pass.check_generation(Generation(7)).unwrap().table, table());
}

#[test]
fn tokens_differ_by_seat_table_and_generation() {
    let other_table = TableId::from_bytes([0; 16]);
    let mut tokens = std::collections::HashSet::new();
    for table in [table(), other_table] {
        for generation in [Generation::FIRST, Generation(1), Generation(u32::MAX)] {
            for seat in Seat::all(6) {
                let token = server().seat_token(table, seat, generation);
                let pass = server().verify_seat_token(token.reveal()).unwrap();
                assert_eq!(pass, VerifiedSeatToken::new(table, seat, generation));
                assert!(tokens.insert(token.reveal().clone()));
            }
            let token = server().spectator_token(table, generation);
            let pass = server().verify_spectator_token(token.reveal()).unwrap();
            assert_eq!(pass, VerifiedSpectatorToken::new(table, generation));
            assert!(tokens.insert(token.reveal().clone()));
        }
    }
}

#[test]
fn reissued_and_future_generations_are_refused() {
    let seat = server().verify_seat_token(SEAT_TOKEN).unwrap();
    let spectator = server().verify_spectator_token(SPECTATOR_TOKEN).unwrap();
    let (s, v) = (TokenKind::Seat, TokenKind::Spectator);
    assert_eq!(seat.check_generation(Generation(259)), Err(TokenError::Reissued(s)));
    assert_eq!(seat.check_generation(Generation(257)), Err(TokenError::Wrong(s)));
    assert_eq!(spectator.check_generation(Generation(8)), Err(TokenError::Reissued(v)));
    assert_eq!(spectator.check_generation(Generation(6)), Err(TokenError::Wrong(v)));
}

/// Replaces each character of the token in turn; every result must be refused.
fn assert_tampering_is_refused(token: &str, opens: impl Fn(&str) -> Result<(), TokenError>) {
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
fn tampered_token_is_refused() {
    assert_tampering_is_refused(SEAT_TOKEN, |token| server().verify_seat_token(token).map(drop));
    assert_tampering_is_refused(SPECTATOR_TOKEN, |token| server().verify_spectator_token(token).map(drop));
    let mut raised = SEAT_TOKEN.to_owned();
    raised.replace_range(30..31, "9");
    assert_eq!(server().verify_seat_token(&raised), Err(TokenError::Wrong(TokenKind::Seat)));
}

#[test]
fn token_of_another_server_is_refused() {
    let other = ServerKey::from_bytes([9; 32]);
    assert_eq!(other.verify_seat_token(SEAT_TOKEN), Err(TokenError::Wrong(TokenKind::Seat)));
    assert_eq!(other.verify_spectator_token(SPECTATOR_TOKEN), Err(TokenError::Wrong(TokenKind::Spectator)));
}

#[test]
fn malformed_token_and_wrong_credential_errors() {
    let long = format!("pls_{}", "A".repeat(1 << 20));
    let cut = &SEAT_TOKEN[..SEAT_TOKEN.len() - 1];
    for text in ["", "pls_", "pls", "hello", "äöü", cut, &long] {
        assert_eq!(server().verify_seat_token(text), Err(TokenError::Malformed(TokenKind::Seat)));
    }
    let named = |text: &str| server().verify_seat_token(text).unwrap_err().to_string();
    assert_eq!(
        named(SPECTATOR_TOKEN),
        "this is a spectator token, but a seat token is required: send the one that starts with pls_"
    );
    assert!(named("plr_abc").starts_with("this is an API key"));
    assert!(
        server()
            .verify_spectator_token(SEAT_TOKEN)
            .unwrap_err()
            .to_string()
            .starts_with("this is a seat token")
    );
}

#[test]
fn a_seat_token_with_another_prefix_is_not_a_spectator_token() {
    let renamed = SEAT_TOKEN.replace("pls_", "plv_");
    assert!(server().verify_spectator_token(&renamed).is_err());
}

#[test]
fn errors_and_debug_output_do_not_contain_the_token() {
    let secret = &SEAT_TOKEN[40..];
    let pass = server().verify_seat_token(SEAT_TOKEN).unwrap();
    let refused = ServerKey::from_bytes([9; 32]).verify_seat_token(SEAT_TOKEN).unwrap_err();
    let token = server().seat_token(table(), seat(3), Generation(258));
    let shown = format!("{pass:?} {refused} {refused:?} {token:?}");
    assert!(!shown.contains(secret), "{shown}");
}

#[test]
fn generations_count_up_to_u32_max() {
    assert_eq!(Generation::FIRST.next(), Some(Generation(1)));
    assert_eq!(Generation(u32::MAX).next(), None);
}
