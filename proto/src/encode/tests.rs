//! The encoders write the bytes of prost.

use std::fmt::Debug;

use super::*;
use crate::v1;

/// Numbers around every change of an encoded length.
const NUMBERS: [u32; 9] = [0, 1, 2, 126, 127, 128, 300, 1 << 20, u32::MAX];

/// Checks that the encoder has the bytes of the prost message.
#[track_caller]
fn check<M: Message + Default + PartialEq + Debug>(encoder: impl Encode<Wire = M>, message: &M) {
    let bytes = to_bytes(encoder);
    assert_eq!(bytes, message.encode_to_vec(), "{message:?}");
    assert_eq!(M::decode(bytes.as_slice()).as_ref(), Ok(message));
}

#[test]
fn scalars_are_encoded_as_by_prost() {
    for points in [0, 1, -1, 63, -64, 64, 8191, i32::MAX, i32::MIN] {
        for seat in NUMBERS {
            let encoder = Standing { seat, points, place: 7_u8 };
            check(encoder, &v1::Standing { seat, points, place: 7 });
        }
    }
    for extra in [false, true] {
        let encoder =
            GapRoundBegan { round: 300_u16, start: 0_u8, extra, middle: [Prost(v1::GapCard::default())] };
        let middle = vec![v1::GapCard::default()];
        check(encoder, &v1::GapRoundBegan { round: 300, start: 0, extra, middle });
    }
    for combination in [v1::FiveThreeFiveKind::Unspecified, v1::FiveThreeFiveKind::Run] {
        let encoder = FiveThreeFiveCombination { kind: combination, lowest: 3_u8, size: 4_u8 };
        check(encoder, &v1::FiveThreeFiveCombination { kind: combination.into(), lowest: 3, size: 4 });
    }
}

#[test]
fn lists_are_packed_as_by_prost() {
    for points in [vec![], vec![0, -1, 300], vec![7; 200]] {
        let encoder = HabeFertigRoundScored { round: 0_u8, points: points.clone() };
        check(encoder, &v1::HabeFertigRoundScored { round: 0, points });
    }
    for hand in [vec![], NUMBERS.to_vec()] {
        check(FiveThreeFiveDealt { hand: hand.clone() }, &v1::FiveThreeFiveDealt { hand });
    }
}

#[test]
fn fields_with_presence_are_encoded_even_if_they_are_zero() {
    for winner in [None, Some(0), Some(3)] {
        let encoder = HabeFertigShown {
            winner,
            hidden: [None::<Prost<v1::HabeFertigCard>>; 2],
            hands: [Prost(v1::HabeFertigHand::default())],
        };
        let hands = vec![v1::HabeFertigHand::default()];
        check(encoder, &v1::HabeFertigShown { winner, hidden: Vec::new(), hands });
    }
    for number in NUMBERS {
        type Seat = viewer::Viewer<u32, Spectator>;
        let viewer = Some(v1::viewer::Viewer::Seat(number));
        check(Viewer { viewer: Seat::Seat(number) }, &v1::Viewer { viewer });
        let viewer = Some(v1::viewer::Viewer::Spectator(v1::Spectator {}));
        check(Viewer { viewer: Seat::Spectator(Spectator {}) }, &v1::Viewer { viewer });
    }
    for action in [v1::NoDiceActionCard::Unspecified, v1::NoDiceActionCard::Swap] {
        type Card = no_dice_card::Card<Prost<v1::NoDicePlayingCard>, v1::NoDiceActionCard>;
        let card = Some(v1::no_dice_card::Card::Action(action.into()));
        check(NoDiceCard { card: Card::Action(action) }, &v1::NoDiceCard { card });
    }
}

#[test]
fn a_message_of_two_numbers_is_encoded_as_by_prost() {
    for (lower, higher) in NUMBERS.into_iter().flat_map(|lower| NUMBERS.map(|higher| (lower, higher))) {
        let card = v1::NoDicePlayingCard { lower, higher };
        check(NoDicePlayingCard { lower, higher }, &card);
        for field in [1, 2, 15, 16, 100] {
            let (mut fast, mut prost) = (Vec::new(), Vec::new());
            NoDicePlayingCard { lower, higher }.encode_field(field, &mut Encoder::new(&mut fast));
            Prost(card).encode_field(field, &mut Encoder::new(&mut prost));
            assert_eq!(fast, prost, "{card:?} in field {field}");
        }
    }
}

#[test]
fn nested_messages_of_any_length_have_the_right_length_prefix() {
    for length in [0, 1, 127, 128, 129, 16_383, 16_384, 100_000] {
        let text = Some(v1::Text { en: "x".repeat(length), de: String::new() });
        let refusal = v1::AnswerRefusal { text, ..Default::default() };
        let encoder = Answered {
            decision_id: 7_u8,
            status: v1::AnswerStatus::Refused,
            action: None::<Prost<v1::GameAction>>,
            number: 0_u8,
            refusal: Prost(refusal.clone()),
        };
        let status = v1::AnswerStatus::Refused.into();
        let refusal = Some(refusal);
        check(encoder, &v1::Answered { decision_id: 7, status, action: None, number: 0, refusal });
    }
}
