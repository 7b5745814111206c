//! Choice of a move by its card and place, and the reasons why a move is not legal.

use parlor_engine::{AnyAction, GameId};

use super::*;
use crate::testing::TestTable;

/// A screen of No Dice with some cards on the table, and no secret decision.
fn no_dice() -> Screen {
    let mut table = TestTable::new(GameId::NoDice, 2, 1);
    let mut screen = Screen::new(EN);
    for message in table.start().into_iter().chain(table.play_opponents()) {
        screen.apply(message);
    }
    for _ in 0..6 {
        let Some(Intent::Answer { decision, index }) = press(&mut screen, KeyCode::Enter) else {
            panic!("a decision is open")
        };
        table.answer(decision, index).into_iter().for_each(|message| screen.apply(message));
    }
    assert!(screen.state().decision.as_ref().is_some_and(|asked| !asked.secret));
    screen
}

fn card_and_place(screen: &Screen) -> (String, (i16, i16)) {
    match screen.selected_action() {
        Some(AnyAction::NoDice(parlor_engine::no_dice::Action::Lay(placement))) => {
            (placement.card().to_string(), placement.lower())
        }
        other => panic!("not a placement: {other:?}"),
    }
}

#[test]
fn card_is_moved_and_turned_on_the_table() {
    let mut screen = no_dice();
    let (card, (x, y)) = card_and_place(&screen);
    press(&mut screen, KeyCode::Char(' '));
    assert!(screen.choice.is_placing());
    for (code, place) in [
        (KeyCode::Left, (x - 1, y)),
        (KeyCode::Right, (x, y)),
        (KeyCode::Down, (x, y + 1)),
        (KeyCode::Up, (x, y)),
    ] {
        press(&mut screen, code);
        assert_eq!(card_and_place(&screen), (card.clone(), place), "{code:?}");
    }
    assert!(
        matches!(press(&mut screen, KeyCode::Enter), Some(Intent::Answer { .. })),
        "it fits where it was"
    );
}

#[test]
fn place_that_does_not_fit_is_refused_with_its_rule() {
    let mut screen = no_dice();
    press(&mut screen, KeyCode::Char(' '));
    for _ in 0..60 {
        press(&mut screen, KeyCode::Up);
    }
    let shown = text(&drawn(&mut screen, 120, 40));
    assert!(shown.contains("The card must cover or touch at least one segment"), "{shown}");
    assert_eq!(press(&mut screen, KeyCode::Enter), None, "it is not played");
    // The next places that fit, one after the other.
    for _ in 0..3 {
        press(&mut screen, KeyCode::PageDown);
        assert!(screen.choice.selected_index(screen.state().legal()).is_some());
    }
    press(&mut screen, KeyCode::Esc);
    assert!(!screen.choice.is_placing());
}

#[test]
fn list_is_narrowed_to_one_card_after_the_other() {
    let mut screen = no_dice();
    let all = screen.choice.picker().matching();
    let mut cards = Vec::new();
    loop {
        press(&mut screen, KeyCode::Right);
        let Some(card) = screen.choice.card().map(str::to_owned) else { break };
        assert!(screen.choice.picker().matching() < all, "{card}");
        assert!(screen.choice.picker().page(usize::MAX).all(|(_, label)| label.contains(&card)), "{card}");
        cards.push(card);
    }
    assert!(cards.len() > 2, "{cards:?}");
    assert_eq!(screen.choice.picker().matching(), all, "after the last card, all moves");
    press(&mut screen, KeyCode::Left);
    assert_eq!(screen.choice.card(), cards.last().map(String::as_str));
    press(&mut screen, KeyCode::Esc);
    assert_eq!((screen.choice.card(), screen.choice.picker().matching()), (None, all));
}

#[test]
fn board_keeps_still_while_the_choice_moves() {
    let mut screen = no_dice();
    let corner = |screen: &mut Screen| {
        let shown = text(&drawn(screen, 200, 80));
        shown.split_once("corner").map(|(_, rest)| rest.split(')').next().unwrap_or_default().to_owned())
    };
    let before = corner(&mut screen);
    for _ in 0..screen.choice.len() {
        press(&mut screen, KeyCode::Down);
        if matches!(screen.selected_action(), Some(AnyAction::NoDice(parlor_engine::no_dice::Action::Lay(_))))
        {
            assert_eq!(corner(&mut screen), before);
        }
    }
}

/// In each game, a move that is looked for and is not legal is explained by a rule of the game, in both languages.
#[test]
fn moves_that_are_not_legal_are_explained() {
    for (id, players, typed, expected) in [
        (GameId::Gap, 2, ["yellow 9", "gelbe 9"], ["is not in your hand", "nicht auf deiner Hand"]),
        (
            GameId::FiveThreeFive,
            3,
            ["15,15,15", "15,15,15"],
            ["is not in your hand", "nicht auf deiner Hand"],
        ),
        (
            GameId::HabeFertig,
            2,
            ["play", "spielen"],
            ["First hide two cards", "Verstecke zuerst zwei Karten"],
        ),
    ] {
        for (place, theme) in [EN, DE].into_iter().enumerate() {
            let mut table = TestTable::new(id, players, 2);
            let mut screen = Screen::new(theme);
            for message in table.start().into_iter().chain(table.play_opponents()) {
                screen.apply(message);
            }
            let all = screen.choice.picker().matching();
            type_in(&mut screen, typed[place]);
            let shown = text(&drawn(&mut screen, 120, 40));
            assert!(shown.contains(expected[place]), "{}: {shown}", id.info().id);
            assert_eq!(press(&mut screen, KeyCode::Enter), None, "it is not played");
            press(&mut screen, KeyCode::Esc);
            assert_eq!(screen.choice.picker().matching(), all);
        }
    }
}
