//! Heuristics of the greedy bot, one small case each. Views are taken from a new game and modified.

use parlor_bots::{Greedy, Heuristic, Strategy};
use parlor_engine::{Chance, Game, NoEvents, Seat, Viewer};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// The view of seat 0 in a new game of two.
fn view<G: Game>() -> G::View {
    let version = G::INFO.rules_version;
    let game = G::new(version, G::Options::default(), 2, Chance::seeded([0; 32]), &mut NoEvents);
    game.expect("a game of two").view(Viewer::Seat(Seat::FIRST))
}

/// Checks that greedy chooses the expected action in both orders of the list.
#[track_caller]
fn check<G: Heuristic>(view: &G::View, legal: &[G::Action], expected: G::Action) {
    let mut legal = legal.to_vec();
    for seed in 0..4 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let index = Strategy::<G>::choose(&Greedy, view, Seat::FIRST, &legal, &mut rng);
        assert_eq!(legal[index.expect("a choice")], expected);
        legal.reverse();
    }
}

mod gap {
    use parlor_engine::CardSet;
    use parlor_engine::gap::{Action, Card, Colour, Gap, View};

    use super::{check, view};

    fn card(colour: Colour, number: u8) -> Card {
        Card::new(colour, number).expect("a card")
    }

    fn cards(colour: Colour, numbers: &[u8]) -> CardSet<Card> {
        numbers.iter().map(|number| card(colour, *number)).collect()
    }

    /// The last turn of a round with these cards collected.
    fn last_turn(collected: CardSet<Card>, middle: CardSet<Card>) -> View {
        let mut view = view::<Gap>();
        view.hand_sizes = [1, 0, 0, 0, 0, 0];
        view.collected[0] = collected;
        view.middle = middle;
        view
    }

    fn takes(colour: Colour, number: u8, lower: Option<Card>) -> Action {
        Action { card: card(colour, number), lower, higher: None }
    }

    #[test]
    fn large_colour_is_enlarged() {
        let [blue, yellow] = [card(Colour::Blue, 4), card(Colour::Yellow, 4)];
        let collected = cards(Colour::Blue, &[1, 2, 3]) | cards(Colour::Yellow, &[0]);
        let view = last_turn(collected, CardSet::only(blue).with(yellow));
        let larger = takes(Colour::Blue, 5, Some(blue));
        check::<Gap>(&view, &[larger, takes(Colour::Blue, 5, Some(yellow))], larger);
    }

    #[test]
    fn small_colour_is_not_enlarged() {
        let yellow = card(Colour::Yellow, 4);
        let view = last_turn(cards(Colour::Blue, &[0, 1, 2, 3]), CardSet::only(yellow));
        let nothing = takes(Colour::Green, 8, None);
        check::<Gap>(&view, &[takes(Colour::Yellow, 5, Some(yellow)), nothing], nothing);
    }

    #[test]
    fn card_useful_to_the_next_player_is_taken() {
        let pair = cards(Colour::Green, &[3, 4]);
        let lone = card(Colour::Yellow, 7);
        let mut view = last_turn(CardSet::EMPTY, pair.with(lone));
        view.hand_sizes = [1, 1, 0, 0, 0, 0];
        view.collected[1] = cards(Colour::Yellow, &[0, 1, 2]);
        let spoil = takes(Colour::Yellow, 8, Some(lone));
        check::<Gap>(&view, &[takes(Colour::Green, 5, Some(card(Colour::Green, 4))), spoil], spoil);
    }
}

mod habe_fertig {
    use parlor_engine::habe_fertig::{Action, Card, Colour, HabeFertig, Pair, Phase, Pile, View};

    use super::{check, view};

    fn card(colour: Colour, number: u8) -> Card {
        Card::new(colour, number).expect("a card")
    }

    fn moving(tops: [Card; 2], hand: &[Card]) -> View {
        let mut view = view::<HabeFertig>();
        view.phase = Phase::Moving;
        view.tops = Some(tops);
        view.hand = hand.iter().copied().collect();
        view
    }

    #[test]
    fn stars_are_hidden() {
        let hand = [6, 5, 9, 1].map(|number| card(Colour::Red, number));
        let pair = |a: usize, b: usize| Action::Hide(Pair::new(hand[a], hand[b]).expect("two cards"));
        let legal = [pair(0, 1), pair(0, 2), pair(0, 3), pair(1, 2), pair(1, 3), pair(2, 3)];
        check::<HabeFertig>(&view::<HabeFertig>(), &legal, pair(0, 1));
    }

    /// Four cards in one turn, from the printed example: only this start gets rid of all of them.
    #[test]
    fn sequence_of_plays_is_searched_to_its_end() {
        let tops = [card(Colour::Grey, 10), card(Colour::Red, 3)];
        let [blue, grey, six, two] =
            [(Colour::Blue, 7), (Colour::Grey, 4), (Colour::Red, 6), (Colour::Red, 2)]
                .map(|(c, n)| card(c, n));
        let view = moving(tops, &[blue, grey, six, two]);
        let play = |card, pile| Action::Play { card, pile };
        let legal = [
            play(blue, Pile::Left),
            play(blue, Pile::Right),
            play(grey, Pile::Left),
            play(six, Pile::Right),
            play(two, Pile::Right),
            Action::Pass,
        ];
        check::<HabeFertig>(&view, &legal, play(blue, Pile::Left));
    }

    #[test]
    fn narrow_gap_is_left_to_the_next_player() {
        let tops = [card(Colour::Grey, 5), card(Colour::Red, 6)];
        let [near, far] = [card(Colour::Red, 4), card(Colour::Red, 11)];
        let view = moving(tops, &[near, far, card(Colour::Blue, 1)]);
        let play = |card| Action::Play { card, pile: Pile::Right };
        check::<HabeFertig>(&view, &[play(near), play(far), Action::Pass], play(near));
    }

    #[test]
    fn turned_card_goes_to_the_better_pile() {
        let mut view = moving([card(Colour::Grey, 5), card(Colour::Red, 6)], &[card(Colour::Red, 1)]);
        view.phase = Phase::Laying { turned: card(Colour::Blue, 9) };
        let [left, right] = Pile::ALL.map(Action::Lay);
        // The last card matches the red 6 by its colour.
        check::<HabeFertig>(&view, &[left, right], left);
    }
}

mod five_three_five {
    use parlor_engine::Seat;
    use parlor_engine::five_three_five::{Action, Combination, FiveThreeFive, Rank, Stack, View};

    use super::{check, view};

    fn rank(number: u8) -> Rank {
        Rank::new(number).expect("a rank")
    }

    fn single(number: u8) -> Combination {
        Combination::single(rank(number))
    }

    fn set(number: u8, count: u8) -> Combination {
        Combination::set(rank(number), count).expect("a set")
    }

    fn run(low: u8, length: u8) -> Combination {
        Combination::run(rank(low), length).expect("a run")
    }

    fn holding(hand: &[u8], stack: Option<Combination>) -> View {
        let mut view = view::<FiveThreeFive>();
        view.hand = hand.iter().map(|number| rank(*number)).collect();
        view.stack = stack.map(|combination| Stack { combination, by: Seat::new(1).expect("a seat") });
        view
    }

    #[test]
    fn flushing_group_is_led_before_its_single_cards() {
        let view = holding(&[3, 8, 9], None);
        let legal = [3, 8, 9].map(|number| Action::Lead(single(number)));
        let flush = Action::Lead(run(8, 2));
        check::<FiveThreeFive>(&view, &[legal[0], legal[1], legal[2], flush], flush);
    }

    #[test]
    fn flushing_run_is_not_broken() {
        let view = holding(&[1, 7, 8], Some(single(5)));
        check::<FiveThreeFive>(&view, &[Action::Overwrite(single(7)), Action::Pass], Action::Pass);
    }

    #[test]
    fn flushing_eight_is_laid() {
        let view = holding(&[8, 2, 3], Some(single(9)));
        let flush = Action::Add(run(8, 2));
        check::<FiveThreeFive>(&view, &[flush, Action::Pass], flush);
    }

    #[test]
    fn last_cards_are_laid() {
        let view = holding(&[5, 5], Some(set(5, 2)));
        let last = Action::Add(set(5, 4));
        check::<FiveThreeFive>(&view, &[Action::Add(set(5, 3)), last, Action::Pass], last);
    }

    #[test]
    fn whole_group_is_led_before_a_part_of_it() {
        let view = holding(&[3, 12, 13, 14], None);
        let whole = Action::Lead(run(12, 3));
        let legal = [Action::Lead(single(3)), Action::Lead(single(14)), whole, Action::Lead(run(12, 2))];
        check::<FiveThreeFive>(&view, &legal, whole);
    }
}

mod no_dice {
    use parlor_engine::no_dice::{
        Action, Card, Decision, Direction, LaidCard, NoDice, Placement, PlayingCard, View,
    };
    use parlor_engine::{Seat, Seats};

    use super::{check, view};

    fn playing(one: u8, other: u8) -> PlayingCard {
        PlayingCard::new(one, other).expect("a card")
    }

    fn at(card: PlayingCard, x: i16, y: i16, toward: Direction) -> Placement {
        Placement::new(card, x, y, toward).expect("a place on the table")
    }

    /// The table of the printed examples: 8|5, the 5 at the origin and the 8 to its left.
    fn table(hand: &[Card]) -> View {
        let mut view = view::<NoDice>();
        view.turn = Seat::FIRST;
        view.decision = Some(Decision::Turn);
        view.hand = hand.iter().copied().collect();
        view.hand_sizes[0] = hand.len() as u8;
        view.table =
            vec![LaidCard { seat: Seat::FIRST, placement: at(playing(5, 8), 0, 0, Direction::Left) }];
        view
    }

    /// 5|10 beside the 5 scores 20, on top of it 28.
    fn beside_and_on_top() -> [Action; 2] {
        [2, 0].map(|x| Action::Lay(at(playing(5, 10), x, 0, Direction::Right)))
    }

    fn other() -> Seat {
        Seat::new(1).expect("a seat")
    }

    #[test]
    fn best_scoring_placement_is_laid() {
        let [beside, on_top] = beside_and_on_top();
        check::<NoDice>(&table(&[Card::Playing(playing(5, 10))]), &[beside, on_top, Action::Pass], on_top);
    }

    #[test]
    fn x2_is_played_before_a_good_placement_only() {
        let [beside, on_top] = beside_and_on_top();
        let mut view = table(&[Card::Playing(playing(5, 10)), Card::X2]);
        check::<NoDice>(&view, &[beside, on_top, Action::X2, Action::Pass], Action::X2);
        check::<NoDice>(&view, &[beside, Action::X2, Action::Pass], beside);
        // A second one would lose the first.
        view.x2 = Seats::only(Seat::FIRST);
        check::<NoDice>(&view, &[beside, on_top, Action::X2, Action::Pass], on_top);
    }

    #[test]
    fn poor_hand_is_swapped_for_a_full_one_without_a_draw_pile() {
        let poor = playing(2, 5);
        let mut view = table(&[Card::Playing(poor), Card::Swap]);
        view.draw_pile = 0;
        let lay = Action::Lay(at(poor, 4, 0, Direction::Left));
        let swap = Action::Swap(other());
        check::<NoDice>(&view, &[lay, swap, Action::Pass], swap);
        view.hand_sizes[1] = 0;
        check::<NoDice>(&view, &[lay, swap, Action::Pass], lay);
    }

    #[test]
    fn pass_card_is_played_while_there_is_a_draw_pile() {
        let mut view = table(&[Card::Pass]);
        view.turn = other();
        view.decision = Some(Decision::Window);
        let window = [Action::PassCard, Action::Decline];
        check::<NoDice>(&view, &window, Action::PassCard);
        view.draw_pile = 0;
        view.scores = [50, 40, 0, 0, 0, 0];
        check::<NoDice>(&view, &window, Action::Decline);
    }
}
