//! Deals, scores, and the transitions to the next hand and the end of the game.

use super::*;
use crate::five_three_five::hand_flow::next_start;
use crate::test_support::Recorder;

const BEGINNER: Options = Options { beginner: true };

/// A table with seed 0, and the order of its first deal.
fn seeded_game(players: u8) -> (FiveThreeFive, Vec<Rank>) {
    let mut recorder = Recorder::new();
    let chance = Chance::seeded([0; 32]);
    let game = FiveThreeFive::new(1, Options::default(), players, chance, &mut recorder).expect("a table");
    assert_eq!(recorder.shuffles.len(), 1, "one shuffle");
    let (id, codes) = recorder.shuffles.remove(0);
    assert_eq!(id, ShuffleId::deal(0));
    (game, codes.into_iter().filter_map(Rank::from_code).collect())
}

/// The multiset of part of an order.
fn part(order: &[Rank], from: usize, size: usize) -> Ranks {
    order[from..from + size].iter().copied().collect()
}

/// Columns: players, copies of a rank, set aside, kept back, dealt to each.
#[test]
fn deal_sizes_for_each_player_count() {
    for (players, copies, aside, kept, each) in
        [(2, 4, 4, 24, 12), (3, 4, 13, 0, 13), (4, 4, 4, 0, 12), (5, 5, 5, 0, 12), (6, 5, 5, 0, 10)]
    {
        let (game, order) = seeded_game(players);
        assert_eq!(order.iter().copied().collect::<Ranks>(), Ranks::each(copies));
        for seat in Seat::all(players) {
            let hand = part(&order, seat.index() * each, each);
            assert_eq!(game.hands[seat.index()], hand, "from the front, in the order of the seats");
        }
        assert_eq!(game.rest[..], order[usize::from(players) * each..], "the rest in its order");
        let view = game.view(Viewer::Spectator);
        assert_eq!((view.set_aside, view.kept_back), (aside, kept));
        let sizes: Vec<u8> = Seat::all(players).map(|seat| view.hand_sizes[seat.index()]).collect();
        assert_eq!(sizes, vec![each as u8; players.into()]);
        assert!(view.hand_sizes[players.into()..].iter().all(|size| *size == 0));
        assert_eq!((game.to_act(), game.players()), (Seats::only(Seat::FIRST), players));
        assert!(view.gone.is_empty() && view.lead_is_due() && view.outcome.is_none());
    }
}

#[test]
fn setup_rejects_values_out_of_range() {
    let set_up = |version, players| {
        FiveThreeFive::new(version, Options::default(), players, Chance::seeded([0; 32]), &mut NoEvents)
            .map_err(|e| e.to_string())
    };
    assert_eq!(set_up(1, 1).err().as_deref(), Some("five_three_five is for 2 to 6 players, not 1"));
    assert_eq!(set_up(1, 7).err().as_deref(), Some("five_three_five is for 2 to 6 players, not 7"));
    assert_eq!(set_up(2, 2).err().as_deref(), Some("five_three_five is played by rules version 1, not 2"));
    assert!(!Options::default().beginner);
}

/// Ends a hand that `start` led: seat `winner` lays its last card. Returns the game after it and the events.
fn end_hand(
    options: Options,
    start: u8,
    winner: u8,
    totals: &[i32],
    hands: &[&str],
) -> (FiveThreeFive, Vec<(Audience, Event)>) {
    let mut game = table(hands);
    game.options = options;
    game.start = seat(start);
    game.turn = seat(winner);
    game.totals[..totals.len()].copy_from_slice(totals);
    let mut events = Vec::new();
    let last = game.hands[usize::from(winner)].lowest().expect("a card");
    let lead = Action::Lead(Combination::single(last));
    game.apply(seat(winner), lead, &mut events).expect("a last card can be led");
    (game, events)
}

#[test]
fn penalties_of_cards_left_are_negative_points() {
    let hands = ["3 8 8 14", "1", "5 7 9 11 12 13", "1 2 3 4 15"];
    for (options, points) in [(Options::default(), [-12, 0, -12, -7]), (BEGINNER, [-4, 0, -6, -5])] {
        let (game, events) = end_hand(options, 0, 1, &[0; 4], &hands);
        let left =
            [cards(hands[0]), Ranks::EMPTY, cards(hands[2]), cards(hands[3]), Ranks::EMPTY, Ranks::EMPTY];
        let mut slots = [0; MAX_SEATS];
        slots[..4].copy_from_slice(&points);
        let scored = Event::HandScored { hand_number: 0, left, points: Points::new(4, slots) };
        assert_eq!(events[1], (Audience::Everyone, scored), "the hands left are shown to everyone");
        assert_eq!(game.totals, slots);
        assert_eq!((game.hand_number, game.outcome), (1, None));
    }
}

/// "When somebody stands at -20 or below (beginner rules -10), the game ends."
#[test]
fn game_ends_at_the_point_limit() {
    for (options, total, left, over) in [
        (Options::default(), -18, "3", false),
        (Options::default(), -19, "3", true),
        (Options::default(), -18, "5", true),
        (Options::default(), -19, "8", true),
        (Options::default(), 0, "7 8 8 14 14 15", false),
        (Options::default(), 0, "7 8 8 14 15 15 1", true),
        (BEGINNER, -8, "8", false),
        (BEGINNER, -9, "8", true),
        (BEGINNER, -8, "8 8 8", true),
        (BEGINNER, -10, "1", true),
    ] {
        for players in 3..=6 {
            let mut hands = vec!["2"; players];
            hands[0] = "4";
            hands[2] = left;
            if players == 6 {
                hands[5] = "4";
            }
            let (game, events) = end_hand(options, 0, 0, &[0, 0, total], &hands);
            assert_eq!(game.outcome.is_some(), over, "{options:?}: {total}, {left}, {players} players");
            let ended = events.iter().any(|(_, event)| matches!(event, Event::Ended { .. }));
            assert_eq!(ended, over);
            assert_eq!(game.to_act().is_empty(), over);
            assert_eq!(game.hand_number, u16::from(!over));
        }
    }
}

/// "The highest total wins; equal totals share the place."
#[test]
fn equal_totals_share_a_place() {
    let (mut game, events) = end_hand(Options::default(), 0, 3, &[-5, -18, -5, -1], &["1", "8", "4", "13"]);
    let outcome = game.outcome().expect("the end");
    let standings: Vec<_> = outcome.standings().map(|s| (s.points, s.place)).collect();
    assert_eq!(standings, [(-6, 2), (-22, 4), (-6, 2), (-1, 1)]);
    assert_eq!(events.last(), Some(&(Audience::Everyone, Event::Ended { outcome })));
    assert_eq!(events.len(), 3, "laid, scored, ended");
    let before = game.clone();
    for seat in Seat::all(4) {
        assert_eq!(game.apply(seat, Action::Pass, &mut NoEvents), Err(Refusal::GAME_OVER));
        assert_eq!((legal(&game, seat), game.default_action(seat)), (String::new(), None));
    }
    assert_eq!(game, before);
}

/// "The player with the lowest total leads it; of those tied, the one closest clockwise from the previous
/// start player, who counts as distance 0."
#[test]
fn lowest_total_leads_the_next_hand() {
    for (start, totals, next) in [
        (0, &[-3, -5, -4][..], 1),
        (2, &[-3, -5, -4], 1),
        (0, &[-5, -5, -4], 0),
        (1, &[-5, -5, -4], 1),
        (2, &[-5, -5, -4], 0),
        (0, &[-1, -5, -5], 1),
        (1, &[-1, -5, -5], 1),
        (2, &[-1, -5, -5], 2),
        (1, &[-5, 0, -5], 2),
        (2, &[0, -7, 0, -7], 3),
        (3, &[0, -7, 0, -7, 0, 0], 3),
        (4, &[0, -7, 0, -7, 0, 0], 1),
        (5, &[-1, 0, 0, 0, 0, 0], 0),
    ] {
        let mut slots = [0; MAX_SEATS];
        slots[..totals.len()].copy_from_slice(totals);
        assert_eq!(
            next_start(totals.len() as u8, seat(start), &slots),
            seat(next),
            "{totals:?} from {start}"
        );
    }
    // Seat 1 wins the hand with its last card, which ties seats 0 and 2 at -4.
    let (game, _) = end_hand(Options::default(), 1, 1, &[-2, -3, -3], &["5", "1", "1"]);
    assert_eq!((game.totals[..3].to_vec(), game.start, game.turn), (vec![-4, -3, -4], seat(2), seat(2)));
}

/// "Otherwise the next hand is dealt from all cards again."
#[test]
fn next_hand_is_dealt_from_the_full_deck() {
    for players in 3..=6 {
        let first: Vec<&str> = ["1", "9", "9", "9", "2", "2"][..players].to_vec();
        let second: Vec<&str> = ["5 5", "7 7", "8 8", "9 9", "11", "12"][..players].to_vec();
        let mut game = dealt(Options::default(), &[&first, &second]);
        cut_hands(&mut game, &first);
        let mut events = Vec::new();
        let lead = action("lead 1");
        game.apply(seat(0), lead, &mut events).expect("a last card");
        assert_eq!((game.hand_number, game.start), (1, seat(1)), "seats 1 to 3 have the lowest total");
        for (hand, dealt) in game.hands.iter().zip(&second) {
            assert!(hand.contains_all(cards(dealt)));
            assert_eq!(hand.len(), FiveThreeFive::hand_size(players as u8));
        }
        assert!(game.gone.is_empty());
        assert_eq!(game.card_codes().len(), card::deck(players as u8).count());
        assert_eq!(game.rest.len(), usize::from(FiveThreeFive::set_aside(players as u8)));
        let mut expected = vec![(Audience::Everyone, Event::HandBegan { hand_number: 1, start: seat(1) })];
        for seat in Seat::all(players as u8) {
            expected.push((Audience::Only(seat), Event::Dealt { hand: game.hands[seat.index()] }));
        }
        assert_eq!(events[2..], expected, "each learns their own cards alone");
    }
}

/// "What players do in one hand never changes the deal of the next."
#[test]
fn deal_depends_only_on_the_hand_number() {
    let next = |hands: &[&str], totals: &[i32]| {
        let mut game = table(hands);
        game.totals[..totals.len()].copy_from_slice(totals);
        let mut recorder = Recorder::new();
        game.apply(seat(0), action("lead 1"), &mut recorder).expect("a last card");
        assert_eq!(recorder.shuffles.len(), 1);
        assert_eq!(recorder.shuffles[0].0, ShuffleId::deal(1));
        recorder.shuffles.remove(0).1
    };
    assert_eq!(next(&["1", "2", "3"], &[0, 0, 0]), next(&["1", "9 9", "13"], &[0, -1, -2]));
}

/// "Two players: exactly two hands from one deal, and no limit of points. The 24 cards kept back are dealt,
/// 12 each, for the second half, led by the player who was left with cards."
#[test]
fn two_players_play_two_halves_of_one_deal() {
    let (mut game, order) = seeded_game(2);
    let halves = [0, 12, 24, 36].map(|from| part(&order, from, 12));
    assert_eq!(game.hands[..2], halves[..2]);
    let mut recorder = Recorder::new();
    for _ in 0..24 * 2 {
        if game.hand_number > 0 {
            break;
        }
        // Seat 0 never follows, so seat 1 finishes first.
        let turn = game.turn;
        let mut legal = Vec::new();
        game.legal_actions(turn, &mut legal);
        let choice = if turn == seat(0) { legal.last() } else { legal.first() };
        let choice = *choice.expect("an action");
        let gone = game.gone;
        game.apply(turn, choice, &mut recorder).expect("a legal action");
        assert!(game.gone.contains_all(gone), "cards that are gone stay gone");
    }
    assert!(recorder.shuffles.is_empty(), "no new shuffle");
    assert_eq!(game.hands[..2], halves[2..]);
    assert_eq!(game.gone, halves[0].plus(halves[1]), "all of the first half is known");
    assert_eq!(game.rest[..], order[48..], "the same four stay set aside");
    let view = game.view(Viewer::Spectator);
    assert_eq!((view.set_aside, view.kept_back, view.hand_number), (4, 0, 1));
    let loser =
        Seat::all(2).find(|seat| game.totals[seat.index()] < 0).expect("one player was left with cards");
    assert_eq!((game.start, game.turn, game.stack, game.passed), (loser, loser, None, Seats::NONE));
    assert_eq!(game.totals[loser.left(2).index()], 0);
}

#[test]
fn second_half_ends_the_game_without_a_point_limit() {
    for (options, first) in [(Options::default(), -28), (BEGINNER, -10)] {
        let left = "7 8 8 8 8 14 14 9 1 1";
        let (mut game, events) = end_hand(options, 0, 0, &[], &["2", left]);
        assert_eq!(game.totals[..2], [0, first], "far below any limit");
        assert_eq!((game.outcome, game.start, game.hand_number), (None, seat(1), 1));
        assert_eq!(events.len(), 5, "laid, scored, begun, dealt, dealt");
        assert_eq!(game.hands.map(Ranks::len)[..2], [12, 12]);
        // Seat 1 lays its last card, and seat 0 is left with its lowest.
        let [Some(own), Some(last)] = [0, 1].map(|i| game.hands[i].lowest()) else {
            panic!("two hands");
        };
        game.hands[0] = Ranks::copies(own, 1);
        game.hands[1] = Ranks::copies(last, 1);
        game.apply(seat(1), Action::Lead(Combination::single(last)), &mut NoEvents).expect("a last card");
        assert_eq!(game.totals[..2], [-options.penalty(Ranks::copies(own, 1)), first]);
        let places: Vec<u8> = game.outcome.expect("the end").standings().map(|s| s.place).collect();
        assert_eq!(places, [1, 2]);
        assert_eq!(game.hand_number, 1);
    }
}

/// Events and their audiences, from the first deal.
#[test]
fn events_reach_the_right_audience() {
    let hands = ["1 2 3 4", "1 3 5", "1 2 2 2 8 8 9"];
    let mut events = Vec::new();
    let chance = Chance::scripted([0; 32], vec![(ShuffleId::deal(0), script(3, &hands))]);
    let mut game = FiveThreeFive::new(1, Options::default(), 3, chance, &mut events).expect("a table");
    let mut expected = vec![(Audience::Everyone, Event::HandBegan { hand_number: 0, start: seat(0) })];
    for seat in Seat::all(3) {
        expected.push((Audience::Only(seat), Event::Dealt { hand: game.hands[seat.index()] }));
    }
    assert_eq!(events, expected);
    cut_hands(&mut game, &hands);
    let mut check = |who: u8, does: &str, expected: &[Event]| {
        let mut events = Vec::new();
        game.apply(seat(who), action(does), &mut events).expect("a legal action");
        let expected: Vec<_> = expected.iter().map(|event| (Audience::Everyone, *event)).collect();
        assert_eq!(events, expected, "{does}");
    };
    let laid = |who, play, laid: &str, stack: &str| Event::Laid {
        seat: seat(who),
        play,
        cards: cards(laid),
        combination: combination(stack),
    };
    let flushed = |by, reason| Event::Flushed { by: seat(by), reason };
    let passed = |who| Event::Passed { seat: seat(who) };
    check(0, "lead 3,4", &[laid(0, PlayKind::Lead, "3 4", "3,4")]);
    check(1, "add 3,4,5", &[laid(1, PlayKind::Add, "5", "3,4,5")]);
    check(2, "pass", &[passed(2)]);
    check(0, "pass", &[passed(0), flushed(1, FlushReason::AllPassed)]);
    check(1, "lead 3", &[laid(1, PlayKind::Lead, "3", "3")]);
    check(2, "over 8", &[laid(2, PlayKind::Overwrite, "8", "8"), flushed(2, FlushReason::Eight)]);
    check(2, "lead 8,9", &[laid(2, PlayKind::Lead, "8 9", "8,9"), flushed(2, FlushReason::Eight)]);
    check(2, "lead 2,2,2", &[laid(2, PlayKind::Lead, "2 2 2", "2,2,2")]);
    check(0, "add 2,2,2,2", &[laid(0, PlayKind::Add, "2", "2,2,2,2"), flushed(0, FlushReason::Full)]);
}
