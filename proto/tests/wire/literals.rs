//! Values beside the messages that they convert to, written out: fields of one type cannot be confused in both directions.

use std::fmt::Debug;

use parlor_engine::{
    AnyGame, AnyView, CardSet, Chance, GameId, Outcome, Seat, Seats, Standing, Viewer, five_three_five, gap,
    habe_fertig, no_dice,
};
use parlor_proto::convert::InvalidField;
use parlor_proto::v1;
use parlor_testkit::test_rng;

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// Checks both directions of a conversion.
#[track_caller]
fn check<E, W>(value: E, message: W)
where
    E: Clone + PartialEq + Debug + TryFrom<W, Error = InvalidField>,
    W: PartialEq + Debug + From<E>,
{
    assert_eq!(W::from(value.clone()), message);
    assert_eq!(E::try_from(message), Ok(value));
}

/// The view of seat 1 at the beginning of a game of three.
fn first_view(game: GameId) -> AnyView {
    let chance = Chance::fresh(&mut test_rng("first_view"));
    let (version, options) = (game.info().rules_version, game.default_options());
    let game = AnyGame::new(version, options, 3, chance, &mut Vec::new()).expect("the set-up is allowed");
    game.view(Viewer::Seat(seat(1)))
}

fn outcome() -> (Outcome, v1::Outcome) {
    let standings = [(4, 2), (-3, 3), (7, 1)];
    let engine = standings.iter().zip(Seat::all(3));
    let engine = engine.map(|(&(points, place), seat)| Standing { seat, points, place });
    let wire = standings.iter().zip(0..);
    let wire = wire.map(|(&(points, place), seat)| v1::Standing { seat, points, place: place.into() });
    (Outcome::from_standings(engine).expect("an outcome"), v1::Outcome { standings: wire.collect() })
}

#[test]
fn outcomes() {
    let (outcome, message) = outcome();
    check(outcome, message);
}

#[test]
fn gap() {
    use gap::{Action, BestRound, Card, Colour, Event, Length, Options, View};
    use v1::gap_event::Event as Wire;
    let card = |colour, number| Card::new(colour, number).expect("a card");
    let [blue, pink, purple] = [card(Colour::Blue, 5), card(Colour::Pink, 4), card(Colour::Purple, 6)];
    let wire = |colour: v1::GapColour, number| v1::GapCard { colour: colour.into(), number };
    let wire_blue = wire(v1::GapColour::Blue, 5);
    let wire_pink = wire(v1::GapColour::Pink, 4);
    let wire_purple = wire(v1::GapColour::Purple, 6);
    let check_event = |event: Event, wire| check(event, v1::GapEvent { event: Some(wire) });

    let length = Some(v1::gap_options::Length::Target(9));
    check(Options { length: Length::Target(9) }, v1::GapOptions { length });
    let length = Some(v1::gap_options::Length::Rounds(9));
    check(Options { length: Length::Rounds(9) }, v1::GapOptions { length });
    check(
        Action { card: blue, lower: Some(pink), higher: Some(purple) },
        v1::GapAction { card: Some(wire_blue), lower: Some(wire_pink), higher: Some(wire_purple) },
    );
    check(
        Action { card: blue, lower: None, higher: Some(purple) },
        v1::GapAction { card: Some(wire_blue), lower: None, higher: Some(wire_purple) },
    );
    let middle = CardSet::EMPTY.with(pink);
    check_event(
        Event::RoundBegan { round: 2, start: seat(1), extra: true, middle },
        Wire::RoundBegan(v1::GapRoundBegan { round: 2, start: 1, extra: true, middle: vec![wire_pink] }),
    );
    check_event(
        Event::Played { seat: seat(2), card: blue, taken: middle.with(purple) },
        Wire::Played(v1::GapPlayed { seat: 2, card: Some(wire_blue), taken: vec![wire_pink, wire_purple] }),
    );

    let AnyView::Gap(view) = first_view(GameId::Gap) else { panic!("a view of GAP") };
    let best = [Some(BestRound { points: 8, round: 2 }), None, None, None, None, None];
    let view = View { round: 3, start: seat(1), turn: seat(2), stack: 9, best, ..view };
    let message = v1::GapView::from(view);
    assert_eq!((message.round, message.start, message.turn, message.stack), (3, 1, 2, 9));
    assert_eq!((message.hand.len(), message.middle.len()), (6, 4));
    assert_eq!(message.seats[0].best, Some(v1::GapBestRound { points: 8, round: 2 }));
    check(view, message);
}

#[test]
fn habe_fertig() {
    use habe_fertig::{Action, Card, Colour, Event, Pair, Phase, Pile, View};
    use v1::habe_fertig_event::Event as Wire;
    let [red, grey] = [(Colour::Red, 3), (Colour::Grey, 11)].map(|(c, n)| Card::new(c, n).expect("a card"));
    let wire = |colour: v1::HabeFertigColour, number| v1::HabeFertigCard { colour: colour.into(), number };
    let (wire_red, wire_grey) = (wire(v1::HabeFertigColour::Red, 3), wire(v1::HabeFertigColour::Grey, 11));
    let (left, right) = (v1::HabeFertigPile::Left.into(), v1::HabeFertigPile::Right.into());
    let check_event = |event: Event, wire| check(event, v1::HabeFertigEvent { event: Some(wire) });
    let check_action = |action: Action, wire| check(action, v1::HabeFertigAction { action: Some(wire) });

    use v1::habe_fertig_action::Action as WireAction;
    let cards = vec![wire_red, wire_grey];
    let pair = Pair::new(grey, red).expect("two cards");
    check_action(Action::Hide(pair), WireAction::Hide(v1::HabeFertigHide { cards }));
    check_action(Action::Lay(Pile::Right), WireAction::Lay(v1::HabeFertigLay { pile: right }));
    check_action(
        Action::Play { card: red, pile: Pile::Left },
        WireAction::Play(v1::HabeFertigPlay { card: Some(wire_red), pile: left }),
    );
    check_event(
        Event::RoundBegan { round: 3, dealer: seat(2) },
        Wire::RoundBegan(v1::HabeFertigRoundBegan { round: 3, dealer: 2 }),
    );
    let tops = Some(v1::HabeFertigTops { left: Some(wire_grey), right: Some(wire_red) });
    check_event(
        Event::PilesOpened { tops: [grey, red] },
        Wire::PilesOpened(v1::HabeFertigPilesOpened { tops }),
    );
    check_event(
        Event::Played { seat: seat(3), card: grey, pile: Pile::Right, gap: true },
        Wire::Played(v1::HabeFertigPlayed { seat: 3, card: Some(wire_grey), pile: right, into_gap: true }),
    );
    check_event(Event::Hid { seat: seat(1) }, Wire::Hid(v1::HabeFertigHid { seat: 1 }));
    check_event(Event::Passed { seat: seat(1) }, Wire::Passed(v1::HabeFertigPassed { seat: 1 }));
    check_event(
        Event::PassedWithoutCard { seat: seat(1) },
        Wire::PassedWithoutCard(v1::HabeFertigPassedWithoutCard { seat: 1 }),
    );

    let AnyView::HabeFertig(view) = first_view(GameId::HabeFertig) else { panic!("a view of Habe fertig") };
    let view = View {
        round: 3,
        dealer: seat(2),
        phase: Phase::Laying { turned: grey },
        turn: seat(1),
        turns: 7,
        dry_passes: 5,
        hidden: CardSet::EMPTY.with(red),
        tops: Some([red, grey]),
        buried: CardSet::EMPTY.with(grey),
        draw: 11,
        rebuilds: 4,
        ..view
    };
    let message = v1::HabeFertigView::from(view.clone());
    assert_eq!((message.round, message.dealer, message.turn, message.turns), (3, 2, 1, 7));
    assert_eq!((message.dry_passes, message.draw_pile, message.rebuilds), (5, 11, 4));
    assert_eq!((&message.hidden, &message.buried), (&vec![wire_red], &vec![wire_grey]));
    let laying = v1::HabeFertigLaying { turned: Some(wire_grey) };
    assert_eq!(message.phase, Some(v1::habe_fertig_view::Phase::Laying(laying)));
    assert_eq!(message.tops, Some(v1::HabeFertigTops { left: Some(wire_red), right: Some(wire_grey) }));
    check(view, message);
}

#[test]
fn five_three_five() {
    use five_three_five::{Action, Combination, Event, FlushReason, PlayKind, Rank, Ranks, Stack, View};
    use v1::five_three_five_event::Event as Wire;
    let rank = |number| Rank::new(number).expect("a rank");
    let run = Combination::run(rank(3), 3).expect("a run");
    let kind = v1::FiveThreeFiveKind::Run.into();
    let wire_run = v1::FiveThreeFiveCombination { kind, lowest: 3, size: 3 };
    let check_event = |event: Event, wire| check(event, v1::FiveThreeFiveEvent { event: Some(wire) });
    let check_action = |action: Action, wire| check(action, v1::FiveThreeFiveAction { action: Some(wire) });

    use v1::five_three_five_action::Action as WireAction;
    check_action(Action::Lead(run), WireAction::Lead(wire_run));
    check_action(Action::Overwrite(run), WireAction::Overwrite(wire_run));
    check_action(Action::Add(run), WireAction::Add(wire_run));
    check_event(
        Event::HandBegan { hand_number: 4, start: seat(2) },
        Wire::HandBegan(v1::FiveThreeFiveHandBegan { hand_number: 4, start: 2 }),
    );
    let (play, combination) = (v1::FiveThreeFivePlay::Overwrite.into(), Some(wire_run));
    check_event(
        Event::Laid {
            seat: seat(1),
            play: PlayKind::Overwrite,
            cards: Ranks::copies(rank(8), 2),
            combination: run,
        },
        Wire::Laid(v1::FiveThreeFiveLaid { seat: 1, play, cards: vec![8, 8], combination }),
    );
    check_event(
        Event::Flushed { by: seat(2), reason: FlushReason::Full },
        Wire::Flushed(v1::FiveThreeFiveFlushed { by: 2, why: v1::FiveThreeFiveWhy::Full.into() }),
    );

    let AnyView::FiveThreeFive(view) = first_view(GameId::FiveThreeFive) else {
        panic!("a view of Five Three Five")
    };
    let view = View {
        hand_number: 3,
        start: seat(2),
        turn: seat(1),
        stack: Some(Stack { combination: run, by: seat(2) }),
        passed: Seats::only(seat(2)),
        gone: Ranks::copies(rank(9), 2),
        set_aside: 6,
        kept_back: 5,
        ..view
    };
    let message = v1::FiveThreeFiveView::from(view);
    assert_eq!((message.hand_number, message.start, message.turn), (3, 2, 1));
    assert_eq!((message.set_aside, message.kept_back), (6, 5));
    assert_eq!((&message.passed, &message.gone), (&vec![2], &vec![9, 9]));
    assert_eq!(message.stack, Some(v1::FiveThreeFiveStack { combination, by: 2 }));
    check(view, message);
}

#[test]
fn no_dice() {
    use no_dice::{Action, Card, Direction, Event, Placement, PlayOrder, PlayingCard, View};
    use v1::no_dice_event::Event as Wire;
    let card = PlayingCard::new(3, 9).expect("a card");
    let wire_card = v1::NoDicePlayingCard { lower: 3, higher: 9 };
    let placement = Placement::new(card, -5, 6, Direction::Up).expect("a placement");
    let toward = v1::NoDiceDirection::Up.into();
    let wire_placement = v1::NoDicePlacement { card: Some(wire_card), x: -5, y: 6, toward };
    let check_event = |event: Event, wire| check(event, v1::NoDiceEvent { event: Some(wire) });
    let check_action = |action: Action, wire| check(action, v1::NoDiceAction { action: Some(wire) });
    let check_card = |value: Card, wire| check(value, v1::NoDiceCard { card: Some(wire) });

    use v1::no_dice_card::Card as WireCard;
    check_card(Card::Playing(card), WireCard::Playing(wire_card));
    check_card(Card::Switch, WireCard::Action(v1::NoDiceActionCard::Switch.into()));
    check_card(Card::Pass, WireCard::Action(v1::NoDiceActionCard::Pass.into()));
    check_card(Card::X2, WireCard::Action(v1::NoDiceActionCard::X2.into()));
    check_card(Card::Swap, WireCard::Action(v1::NoDiceActionCard::Swap.into()));
    use v1::no_dice_action::Action as WireAction;
    check_action(Action::Lay(placement), WireAction::Lay(wire_placement));
    check_action(Action::Switch, WireAction::SwitchCard(v1::NoDicePlaySwitch {}));
    check_action(Action::PassCard, WireAction::PassCard(v1::NoDicePlayPass {}));
    check_action(Action::X2, WireAction::X2Card(v1::NoDicePlayX2 {}));
    check_action(Action::Swap(seat(2)), WireAction::SwapCard(v1::NoDicePlaySwap { partner: 2 }));
    check_action(Action::Pass, WireAction::PassTurn(v1::NoDicePass {}));
    check_action(Action::Decline, WireAction::Decline(v1::NoDiceDecline {}));
    let laid = v1::NoDiceLaid { seat: 1, placement: Some(wire_placement), points: -4, doubled: true };
    check_event(Event::Laid { seat: seat(1), placement, points: -4, doubled: true }, Wire::Laid(laid));
    check_event(
        Event::Skipped { by: seat(1), seat: seat(2), out_of_turn: true },
        Wire::Skipped(v1::NoDiceSkipped { by: 1, seat: 2, out_of_turn: true }),
    );
    check_event(
        Event::Swapped { seat: seat(1), with: seat(2) },
        Wire::Swapped(v1::NoDiceSwapped { seat: 1, partner: 2 }),
    );
    check_event(
        Event::OtherDrew { seat: seat(1), count: 4 },
        Wire::OtherDrew(v1::NoDiceOtherDrew { seat: 1, count: 4 }),
    );
    check_event(Event::NextUp { seat: seat(1) }, Wire::NextUp(v1::NoDiceNextUp { seat: 1 }));
    check_event(Event::Switched { seat: seat(1) }, Wire::Switched(v1::NoDiceSwitched { seat: 1 }));
    check_event(Event::PlayedX2 { seat: seat(1) }, Wire::PlayedX2(v1::NoDicePlayedX2 { seat: 1 }));

    let AnyView::NoDice(view) = first_view(GameId::NoDice) else { panic!("a view of No Dice") };
    let (engine_outcome, wire_outcome) = outcome();
    let view = View {
        order: PlayOrder::Anticlockwise,
        turn: seat(2),
        windows_held: true,
        decision: None,
        said_yes: false,
        draw_pile: 7,
        x2: Seats::only(seat(0)),
        passed: Seats::only(seat(2)),
        outcome: Some(engine_outcome),
        ..view
    };
    let message = v1::NoDiceView::from(view.clone());
    assert_eq!(message.order(), v1::NoDicePlayOrder::Anticlockwise);
    assert_eq!(message.decision(), v1::NoDiceDecision::Unspecified);
    assert_eq!((message.turn, message.draw_pile), (2, 7));
    assert!(message.windows_held && !message.said_yes);
    let flags: Vec<_> = message.seats.iter().map(|seat| (seat.x2, seat.passed)).collect();
    assert_eq!(flags, [(true, false), (false, false), (false, true)]);
    assert_eq!(message.outcome, Some(wire_outcome));
    check(view, message);
}
