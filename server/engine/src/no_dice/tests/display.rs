//! The display board of No Dice, and the questions.

use super::*;
use crate::{Board as DisplayBoard, Localise as _, TextBuilder, Zone};

fn board_of(view: &View, actions: &[Action]) -> DisplayBoard {
    NoDice::board(view, actions, Lang::En)
}

fn zone<'a>(board: &'a DisplayBoard, id: &str) -> &'a Zone {
    board.zones.iter().find(|zone| zone.id == id).expect("a zone of this id")
}

/// The known cards of a zone, and the number of the others.
fn contents(board: &DisplayBoard, id: &str) -> (String, u32) {
    let zone = zone(board, id);
    let ids: Vec<&str> = zone.cards.iter().map(|card| card.face.id.as_str()).collect();
    (ids.join(" "), zone.unknown)
}

#[test]
fn cards_given_away_in_a_swap_stay_known() {
    let mut table = Table::new(&["5|8 SWAP", "5|10 X2", ""], "2|2 2|3 2|4");
    table.play(&["0: SWAP 1", "1: 5|8 0,0 right"]);
    let board = board_of(&table.view(0), &[]);
    assert_eq!(contents(&board, "hand-0").1, 0, "one's own hand is known");
    let (known, unknown) = contents(&board, "hand-1");
    assert_eq!((known.split(' ').count(), unknown), (5, 2), "the cards drawn since are unknown");
    assert_eq!(contents(&board, "hand-2"), (String::new(), 7));
    assert_eq!(contents(&board, "played"), ("swap".to_owned(), 0));
    let spectator = board_of(&table.game.view(Viewer::Spectator), &[]);
    assert_eq!(contents(&spectator, "hand-1"), (String::new(), 7));
}

#[test]
fn grid_lists_the_cards_as_they_were_laid() {
    let mut table = Table::new(&["5|8", "5|10", ""], "");
    table.play(&["0: 5|8 0,0 left", "1: 5|10 0,0 down"]);
    let board = board_of(&table.view(2), &[]);
    let cells = |place: usize| -> Vec<(i32, i32, u32, &str)> {
        let cells = zone(&board, "grid").cards[place].cells.iter();
        cells.map(|cell| (cell.x, cell.y, cell.size, cell.label.as_str())).collect()
    };
    assert_eq!(contents(&board, "grid"), ("5|8 5|10".to_owned(), 0));
    assert_eq!(cells(0), [(0, 0, 2, "5"), (-2, 0, 2, "8")]);
    assert_eq!(cells(1), [(0, 0, 2, "5"), (0, 2, 2, "10")]);
}

#[test]
fn targets_name_cards_zones_and_cells() {
    let table = Table::new(&["5|8 X2 SWAP", "", ""], "");
    let actions = ["5|8 0,0 left", "X2", "SWAP 2", "pass"].map(action);
    let targets = board_of(&table.view(0), &actions).targets;
    let texts: Vec<String> = targets
        .iter()
        .map(|target| {
            let cards: Vec<String> =
                target.cards.iter().map(|card| format!("{} of {}", card.card, card.zone)).collect();
            format!("{} > {}, {} cells", cards.join(" "), target.zones.join(" "), target.cells.len())
        })
        .collect();
    assert_eq!(
        texts,
        [
            "5|8 of hand-0 > grid, 2 cells",
            "x2 of hand-0 > played, 0 cells",
            "swap of hand-0 > played hand-2, 0 cells",
            " > , 0 cells"
        ]
    );
}

#[test]
fn marks_name_waiting_x2_and_passes() {
    let mut table = Table::new(&["X2", "", ""], "");
    table.play(&["0: X2", "1: pass"]);
    let marks: Vec<Vec<&str>> = board_of(&table.view(0), &[])
        .seats
        .iter()
        .map(|seat| seat.marks.iter().map(|mark| mark.get(Lang::En)).collect())
        .collect();
    assert_eq!(marks, [vec!["x2 waits"], vec!["has passed"], vec![]]);
}

/// During a window everyone sees the seat whose turn is next, and only the asked seat gets a question.
#[test]
fn windows_show_on_no_board_and_ask_only_their_seat() {
    let table = Table::new(&["", "", "PASS"], "");
    assert_eq!(table.to_act(), [2]);
    let questions = |lang| {
        Viewer::all(3)
            .map(move |viewer| (viewer, lang))
            .map(|(viewer, lang)| {
                let mut out = TextBuilder::new(lang, viewer);
                NoDice::write_question(&table.game.view(viewer), &mut out);
                out.finish().to_string()
            })
            .collect::<Vec<_>>()
    };
    let (none, asked) = (String::new(), |text: &str| text.to_owned());
    let expected = |text| {
        Viewer::all(3)
            .map(|viewer| if viewer.is(seat(2)) { asked(text) } else { none.clone() })
            .collect::<Vec<_>>()
    };
    assert_eq!(questions(Lang::En), expected("Do you play PASS to skip seat 0?"));
    assert_eq!(questions(Lang::De), expected("Spielst du PASS, damit Sitz 0 aussetzt?"));
    for viewer in Viewer::all(3) {
        let seats = board_of(&table.game.view(viewer), &[]).seats;
        let to_act: Vec<bool> = seats.iter().map(|seat| seat.to_act).collect();
        assert_eq!(to_act, [true, false, false], "{}", viewer.in_lang(Lang::En));
    }
}
