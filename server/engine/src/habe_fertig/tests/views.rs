//! Views with the origins of cards, and game states sampled from them.

use super::*;
use crate::conformance::assert_uniform;
use crate::test_support::test_rng;

/// An origin: rebuild, cards, number in each hand, hidden, in the draw pile.
type Row = (u16, CardSet<Card>, Vec<u8>, u8, u8);

/// The origins, which are the same in every view.
fn origins(table: &Table) -> Vec<Row> {
    let players = usize::from(table.game.players);
    let mut views = Viewer::all(table.game.players).map(|viewer| table.game.view(viewer).origins);
    let known = views.next().expect("a view");
    assert!(views.all(|origins| origins == known), "everyone knows the same");
    let row = |o: &Origin| -> Row { (o.rebuild, o.cards, o.in_hands[..players].to_vec(), o.hidden, o.draw) };
    known.iter().map(row).collect()
}

/// Two players with a draw pile of three cards that was rebuilt, from which each has taken one card.
pub(super) fn after_a_rebuild() -> Table {
    let mut table =
        Table::position("r4 b9", "p1", &["y6 b8", "p3"]).with_buried("g1 g2 g3").with_rebuilds(&["g1 g2 g3"]);
    table.play(0, "pass").play(1, "pass").play(0, "pass");
    table
}

#[test]
fn origins_count_the_cards_of_the_deal() {
    let mut table = Table::deal(&["", "", ""], "r4 b9 y1");
    let deck = super::super::card::DECK;
    assert_eq!(origins(&table), [(0, deck, vec![12, 12, 12], 0, 30)]);
    let first = table.legal(1)[0];
    table.play(1, &format_hide(first));
    assert_eq!(origins(&table), [(0, deck, vec![12, 10, 12], 2, 30)]);
    for number in [0, 2] {
        let first = table.legal(number)[0];
        table.play(number, &format_hide(first));
    }
    let unopened = deck - set("r4 b9");
    assert_eq!(origins(&table), [(0, unopened, vec![10, 10, 10], 6, 28)]);
    table.play(0, "pass");
    assert_eq!(origins(&table), [(0, unopened, vec![11, 10, 10], 6, 27)]);
}

/// Formats a hide action as [`action`] parses it.
fn format_hide(action: Action) -> String {
    let Action::Hide(cards) = action else { panic!("not hiding: {action}") };
    let letter = |card: Card| format!("{}{}", &"rygbpe"[card.colour() as usize..][..1], card.number());
    format!("hide {} {}", letter(cards.low()), letter(cards.high()))
}

/// Cards taken from a rebuilt draw pile are counted for each hand.
#[test]
fn origins_count_the_cards_of_rebuilt_piles() {
    let mut table = after_a_rebuild();
    let row = |table: &Table, place: usize| origins(table)[place].clone();
    let dealt = super::super::card::DECK - set("r4 b9 g1 g2 g3");
    assert_eq!(row(&table, 0), (0, dealt, vec![3, 54], 4, 0));
    assert_eq!(row(&table, 1), (1, set("g1 g2 g3"), vec![1, 1], 0, 1));
    assert_eq!(origins(&table).len(), 2);
    // A played card is face up.
    table.play(1, "r5 left").play(0, "pass");
    assert_eq!(row(&table, 1), (1, set("g1 g2 g3"), vec![2, 1], 0, 0));
    assert_eq!(row(&table, 2), (2, set("r4"), vec![0, 0], 0, 1));
    table.play(1, "r1 left");
    assert_eq!(origins(&table).len(), 3);
    table.play(0, "pass");
    assert_eq!(row(&table, 2), (2, set("r4"), vec![1, 0], 0, 0));
    assert_eq!(row(&table, 3), (3, set("r5"), vec![0, 0], 0, 1));
    table.play(1, "pass").play(0, "r4 left");
    // The origin of the red 4 is omitted: the card is face up. The red 1 it covered is the new draw pile.
    let rebuilds: Vec<u16> = origins(&table).iter().map(|row| row.0).collect();
    assert_eq!(rebuilds, [0, 1, 3, 4]);
    assert_eq!(row(&table, 2), (3, set("r5"), vec![0, 1], 0, 0));
    assert_eq!(row(&table, 3), (4, set("r1"), vec![0, 0], 0, 1));
}

fn in_order(cards: CardSet<Card>) -> Vec<Card> {
    cards.into_iter().collect()
}

#[test]
fn samples_are_uniform_after_a_rebuild() {
    let table = after_a_rebuild();
    let view = table.game.view(viewer(1));
    assert_eq!(view.unseen(), set("y6 b8 p1 e11 e10 g2 g3"));
    let mut rng = test_rng("habe_fertig: samples after a rebuild");
    let mut sample = || {
        let world = HabeFertig::sample(&view, &mut rng).expect("a possible view");
        (in_order(world.hands[0]), world.draw.to_vec())
    };
    // Two of five cards are hidden, and one of two was taken: 10 times 2.
    assert_uniform(20, (0..4000).map(|_| sample()));
}

#[test]
fn samples_are_uniform_over_the_order_of_the_draw_pile() {
    let table = Table::position("r4 b9", "p1 p2 p4", &["y6", "p3"]).with_buried("");
    let view = table.game.view(viewer(1));
    let mut rng = test_rng("habe_fertig: samples of the draw pile");
    let mut sample = || {
        let world = HabeFertig::sample(&view, &mut rng).expect("a possible view");
        (in_order(world.hands[0]), in_order(world.hidden[0]), world.draw.to_vec())
    };
    // Six cards: one in hand, two hidden, three in some order.
    assert_uniform(360, (0..36_000).map(|_| sample()));
}

/// Samples keep the origins of the viewer's own cards, which the other players know.
#[test]
fn samples_preserve_origins() {
    let table = after_a_rebuild();
    let mut rng = test_rng("habe_fertig: samples preserve origins");
    for whose in Viewer::all(2) {
        let world = HabeFertig::sample(&table.game.view(whose), &mut rng).expect("a possible view");
        for other in Viewer::all(2) {
            assert_eq!(world.view(other).origins, table.game.view(other).origins);
        }
        assert_eq!(world.rebuilds, 1);
    }
}

#[test]
fn seat_not_at_the_table_gets_the_spectator_view() {
    let table = after_a_rebuild();
    assert_eq!(table.game.view(viewer(2)), table.game.view(Viewer::Spectator));
    assert_eq!(table.game.view(Viewer::Spectator).hand, CardSet::EMPTY);
}
