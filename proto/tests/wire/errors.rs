//! Texts of validation errors: the path of the field and the allowed values.

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, GameId, Refusal};
use parlor_proto::v1::{self, game_action, game_event, game_options};
use prost::Message;

fn check_action(game: game_action::Game, expected: &str) {
    let error = AnyAction::try_from(v1::GameAction { game: Some(game) }).expect_err(expected);
    assert_eq!(error.within("action").to_string(), expected);
}

fn check_event(game: game_event::Game, expected: &str) {
    let error = AnyEvent::try_from(v1::GameEvent { game: Some(game) }).expect_err(expected);
    assert_eq!(error.to_string(), expected);
}

fn check_options(game: game_options::Game, expected: &str) {
    let error = AnyOptions::try_from(v1::GameOptions { game: Some(game) }).expect_err(expected);
    assert_eq!(error.within("options").to_string(), expected);
}

#[test]
fn a_message_without_a_game_is_an_error() {
    let error = AnyAction::try_from(v1::GameAction::default()).unwrap_err();
    let ids: Vec<&str> = GameId::published().map(|game| game.info().id).collect();
    assert_eq!(error.within("action").to_string(), format!("action: must have a game: {}", ids.join(", ")));
}

/// Field 3 of each `oneof` was that of a game with other rules.
#[test]
fn bytes_of_a_removed_game_are_no_game() {
    let bytes = [0x1a, 0x02, 0x08, 0x01].as_slice();
    assert_eq!(v1::GameOptions::decode(bytes).unwrap().game, None);
    assert_eq!(v1::GameAction::decode(bytes).unwrap().game, None);
    assert_eq!(v1::GameEvent::decode(bytes).unwrap().game, None);
    assert_eq!(v1::GameView::decode(bytes).unwrap().game, None);
    assert_eq!(v1::GameCard::decode(bytes).unwrap().game, None);
    assert!(AnyOptions::try_from(v1::GameOptions::decode(bytes).unwrap()).is_err());
}

#[test]
fn options_out_of_range_are_errors() {
    let gap = |length| game_options::Game::Gap(v1::GapOptions { length: Some(length) });
    check_options(
        gap(v1::gap_options::Length::Target(0)),
        "options.gap.target: must be 1 to 4294967295, not 0",
    );
    check_options(gap(v1::gap_options::Length::Rounds(101)), "options.gap.rounds: must be 1 to 100, not 101");
}

#[test]
fn invalid_gap_actions_are_errors() {
    let card = |colour, number| Some(v1::GapCard { colour, number });
    let check = |card, lower, expected| {
        let action = v1::GapAction { card, lower, higher: None };
        check_action(game_action::Game::Gap(action), expected);
    };
    check(None, None, "action.gap.card: must be set");
    check(card(0, 3), None, "action.gap.card.colour: must be set");
    check(card(9, 3), None, "action.gap.card.colour: has no value 9");
    check(card(1, 3), card(1, 12), "action.gap.lower.number: must be 0 to 9, not 12");
}

#[test]
fn invalid_habe_fertig_actions_are_errors() {
    use v1::habe_fertig_action::Action;
    let check = |action, expected| {
        let action = v1::HabeFertigAction { action };
        check_action(game_action::Game::HabeFertig(action), expected);
    };
    let card = v1::HabeFertigCard { colour: 1, number: 11 };
    let hide =
        |cards: &[v1::HabeFertigCard]| Some(Action::Hide(v1::HabeFertigHide { cards: cards.to_vec() }));
    let twelve = v1::HabeFertigCard { colour: 1, number: 12 };
    check(None, "action.habe_fertig: must have an action");
    check(hide(&[card]), "action.habe_fertig.hide.cards: must be two different cards");
    check(hide(&[card; 2]), "action.habe_fertig.hide.cards: must be two different cards");
    check(hide(&[card; 3]), "action.habe_fertig.hide.cards: must be two different cards");
    check(hide(&[card, twelve]), "action.habe_fertig.hide.cards[1].number: must be 1 to 11, not 12");
    check(Some(Action::Lay(v1::HabeFertigLay { pile: 0 })), "action.habe_fertig.lay.pile: must be set");
    check(
        Some(Action::Play(v1::HabeFertigPlay { card: Some(card), pile: 3 })),
        "action.habe_fertig.play.pile: has no value 3",
    );
}

#[test]
fn invalid_five_three_five_actions_are_errors() {
    use v1::five_three_five_action::Action;
    let check = |kind: v1::FiveThreeFiveKind, lowest, size, expected: &str| {
        let kind = kind.into();
        let action = Some(Action::Lead(v1::FiveThreeFiveCombination { kind, lowest, size }));
        check_action(game_action::Game::FiveThreeFive(v1::FiveThreeFiveAction { action }), expected);
    };
    use v1::FiveThreeFiveKind::{Run, Set, Single, Unspecified};
    check(Unspecified, 1, 1, "action.five_three_five.lead.kind: must be set");
    for rank in [0, 6, 10, 16] {
        let expected = "action.five_three_five.lead.lowest: must be 1 to 5, 7 to 9 or 11 to 15, not";
        check(Single, rank, 1, &format!("{expected} {rank}"));
    }
    check(Single, 8, 2, "action.five_three_five.lead.size: must be 1, not 2");
    check(Set, 8, 6, "action.five_three_five.lead.size: must be 2 to 5, not 6");
    for (lowest, size) in [(4, 3), (7, 4), (14, 3), (5, 2), (9, 2), (15, 2)] {
        check(Run, lowest, size, "action.five_three_five.lead.size: takes the run beyond 5, 9 or 15");
    }
}

#[test]
fn invalid_no_dice_actions_are_errors() {
    use v1::no_dice_action::Action;
    let lay = |card: Option<(u32, u32)>, x, toward: v1::NoDiceDirection, expected| {
        let placement = v1::NoDicePlacement {
            card: card.map(|(lower, higher)| v1::NoDicePlayingCard { lower, higher }),
            x,
            y: 0,
            toward: toward.into(),
        };
        let action = Some(Action::Lay(placement));
        check_action(game_action::Game::NoDice(v1::NoDiceAction { action }), expected);
    };
    use v1::NoDiceDirection::{Left, Right, Unspecified};
    lay(None, 0, Right, "action.no_dice.lay.card: must be set");
    lay(Some((2, 3)), 0, Unspecified, "action.no_dice.lay.toward: must be set");
    lay(Some((11, 3)), 0, Right, "action.no_dice.lay.card.lower: must be 2 to 10, not 11");
    lay(Some((2, 3)), 32768, Right, "action.no_dice.lay.x: must be -32768 to 32767, not 32768");
    lay(Some((2, 3)), -32768, Left, "action.no_dice.lay.toward: leads out of the range of x or y");
    let swap = Some(Action::SwapCard(v1::NoDicePlaySwap { partner: 6 }));
    check_action(
        game_action::Game::NoDice(v1::NoDiceAction { action: swap }),
        "action.no_dice.swap_card.partner: must be 0 to 5, not 6",
    );
}

/// A playing card may be sent with its values in either order.
#[test]
fn a_playing_card_accepts_its_values_in_either_order() {
    let lay = |lower, higher| {
        let card = Some(v1::NoDicePlayingCard { lower, higher });
        let toward = v1::NoDiceDirection::Down.into();
        let placement = v1::NoDicePlacement { card, x: 1, y: 2, toward };
        let action = Some(v1::no_dice_action::Action::Lay(placement));
        let game = Some(game_action::Game::NoDice(v1::NoDiceAction { action }));
        AnyAction::try_from(v1::GameAction { game })
    };
    assert!(lay(3, 9).is_ok());
    assert_eq!(lay(3, 9), lay(9, 3));
}

#[test]
fn answer_refusals_have_reason_rule_and_field() {
    let refusal = v1::AnswerRefusal::from(Refusal::NOT_IN_HAND);
    assert_eq!(refusal.reason(), v1::ErrorReason::IllegalAction);
    assert_eq!(refusal.rule, "not_in_hand");
    let text = refusal.text.expect("a text");
    assert_eq!(text.en, Refusal::NOT_IN_HAND.text.en);
    assert_eq!(text.de, Refusal::NOT_IN_HAND.text.de);

    let wrong = AnyAction::try_from(v1::GameAction::default()).unwrap_err().within("action");
    let refusal = v1::AnswerRefusal::from(wrong);
    assert_eq!(refusal.reason(), v1::ErrorReason::InvalidField);
    assert_eq!((refusal.rule.as_str(), refusal.field.as_str()), ("", "action"));
}

/// A list has an entry for each seat of an allowed table, and no more copies of a card than exist.
#[test]
fn lists_with_too_many_entries_or_copies_are_errors() {
    use v1::{five_three_five_event, gap_event, no_dice_event};
    let gap = |event| game_event::Game::Gap(v1::GapEvent { event: Some(event) });
    let five_three_five =
        |event| game_event::Game::FiveThreeFive(v1::FiveThreeFiveEvent { event: Some(event) });
    let no_dice = |event| game_event::Game::NoDice(v1::NoDiceEvent { event: Some(event) });

    let hand = vec![v1::GapCard { colour: 1, number: 0 }; 2];
    check_event(
        gap(gap_event::Event::Dealt(v1::GapDealt { hand })),
        "gap.dealt.hand[1]: is a card that the list has already",
    );
    let points = vec![0; 7];
    check_event(
        gap(gap_event::Event::RoundScored(v1::GapRoundScored { round: 0, points })),
        "gap.round_scored.points: must have 2 to 6 entries, not 7",
    );
    let standing = |seat| v1::Standing { seat, points: 0, place: 2 };
    let outcome = Some(v1::Outcome { standings: vec![standing(0), standing(1)] });
    check_event(
        gap(gap_event::Event::Ended(v1::GapEnded { outcome })),
        "gap.ended.outcome.standings: must have one entry for each seat, in order, with places as in 1, 2, 2, 4",
    );
    let hand = vec![3; 6];
    check_event(
        five_three_five(five_three_five_event::Event::Dealt(v1::FiveThreeFiveDealt { hand })),
        "five_three_five.dealt.hand[5]: is one card 3 more than any table has",
    );
    let left = vec![v1::FiveThreeFiveHand { seat: 2, cards: vec![8] }; 2];
    let scored = v1::FiveThreeFiveHandScored { hand_number: 0, left, points: vec![0; 3] };
    check_event(
        five_three_five(five_three_five_event::Event::HandScored(scored)),
        "five_three_five.hand_scored.left[1].seat: names seat 2 twice",
    );
    let swap = v1::no_dice_card::Card::Action(v1::NoDiceActionCard::Swap.into());
    let hand = vec![v1::NoDiceCard { card: Some(swap) }; 4];
    check_event(
        no_dice(no_dice_event::Event::Dealt(v1::NoDiceDealt { hand })),
        "no_dice.dealt.hand[3]: is a card that the list has 3 times already, and there are no more",
    );
}
