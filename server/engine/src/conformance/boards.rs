//! Boards: they show all cards of the deck, and of these exactly the ones that the view shows.

use std::collections::HashSet;

use super::texts::legal_actions_of;
use super::{NewGame, Testable, fresh_game, fresh_held_game, play_random_actions, set_ups};
use crate::test_support::test_rng;
use crate::{
    ActionTargets, Board, CardCode as _, CardLabel as _, Lang, Seat, Seats, Viewer, ZoneKind, below,
};

/// The board of every viewer shows what the view shows, and its zones stay the same throughout a game.
pub(super) fn boards_show_what_views_show<G: Testable>() {
    let mut rng = test_rng("boards_show_what_views_show");
    for (players, options) in set_ups::<G>() {
        for new_game in [fresh_game, fresh_held_game] as [NewGame<G>; 2] {
            let mut game = new_game(players, options, &mut rng);
            let zones = zone_ids(&G::board(&game.view(Viewer::Spectator), &[], Lang::En));
            for _ in 0..40 {
                check_boards(&game, &zones);
                play_random_actions(&mut game, 1 + below(6, &mut rng) as usize, &mut rng);
            }
            play_random_actions(&mut game, G::MAX_ACTIONS, &mut rng);
            check_boards(&game, &zones);
        }
    }
}

fn zone_ids(board: &Board) -> Vec<String> {
    board.zones.iter().map(|zone| zone.id.clone()).collect()
}

fn check_boards<G: Testable>(game: &G, zones: &[String]) {
    let cards = game.card_codes().len();
    for viewer in Viewer::all(game.players()) {
        let (view, legal) = (game.view(viewer), legal_actions_of(game, viewer));
        let [board, german] = Lang::ALL.map(|lang| G::board(&view, &legal, lang));
        assert_eq!(zone_ids(&board), zones, "the zones have changed");
        assert_eq!(zones.iter().collect::<HashSet<_>>().len(), zones.len(), "two zones share an id");
        check_cards::<G>(&board, &view, cards);
        check_seats(&board, game);
        assert_eq!(board.targets.len(), legal.len(), "one list of targets for each action");
        for targets in &board.targets {
            check_targets(targets, &board);
        }
        assert_eq!(untranslated(&board), untranslated(&german));
    }
}

/// The known cards of the board are those of the view, and the unknown ones are all others.
fn check_cards<G: Testable>(board: &Board, view: &G::View, deck: usize) {
    let on_board = board.zones.iter().flat_map(|zone| &zone.cards);
    let mut on_board: Vec<String> = on_board.map(|card| card.face.id.clone()).collect();
    let id = |code: u8| G::Card::from_code(code).expect("the code of a card").face(Lang::En).id;
    let mut shown: Vec<String> = G::shown_card_codes(view).into_iter().map(id).collect();
    on_board.sort_unstable();
    shown.sort_unstable();
    assert_eq!(on_board, shown, "known cards of {board:#?}\nof {view:#?}");
    let unknown: u32 = board.zones.iter().map(|zone| zone.unknown).sum();
    assert_eq!(on_board.len() + unknown as usize, deck, "cards of {board:#?}\nof {view:#?}");
}

/// Seats are listed in order, own zones, and are marked if everyone may see the game wait for them.
fn check_seats<G: Testable>(board: &Board, game: &G) {
    let all = || Seat::all(game.players());
    assert!(board.seats.iter().map(|seat| seat.seat).eq(all()), "{:?}", board.seats);
    let to_act: Seats = board.seats.iter().filter(|seat| seat.to_act).map(|seat| seat.seat).collect();
    assert_eq!(to_act, game.public_to_act());
    for zone in &board.zones {
        assert!(zone.owner.is_none_or(|owner| owner.is_at_table(game.players())), "{zone:#?}");
        let is_grid = zone.kind == ZoneKind::Grid;
        assert!(zone.cards.iter().all(|card| card.cells.is_empty() != is_grid), "cells in {zone:#?}");
    }
    if let Some(outcome) = game.outcome() {
        let points = outcome.standings().map(|standing| (standing.seat, standing.points));
        assert!(points.eq(board.seats.iter().map(|seat| (seat.seat, seat.points))), "{:?}", board.seats);
    }
}

/// All zones and cards that an action touches are on the board.
fn check_targets(targets: &ActionTargets, board: &Board) {
    let zone = |id: &str| {
        let zone = board.zones.iter().find(|zone| zone.id == id);
        zone.unwrap_or_else(|| panic!("no zone {id:?} on {board:#?}"))
    };
    for target in &targets.cards {
        let named = targets.cards.iter().filter(|other| *other == target).count();
        let cards = &zone(&target.zone).cards;
        let there = cards.iter().filter(|card| card.face.id == target.card).count();
        assert!(named <= there, "{target:?} is {there} times on {board:#?}");
    }
    let is_on_grid = targets.zones.iter().filter(|id| zone(id).kind == ZoneKind::Grid).count() == 1;
    assert_eq!(is_on_grid, !targets.cells.is_empty(), "cells of {targets:#?}");
}

/// All of a board that is the same in every language.
fn untranslated(board: &Board) -> impl PartialEq + std::fmt::Debug {
    let zones = board.zones.iter().map(|zone| {
        let cards: Vec<_> = zone.cards.iter().map(|card| card.face.id.clone()).collect();
        (zone.id.clone(), zone.kind, zone.owner, cards, zone.unknown)
    });
    (zones.collect::<Vec<_>>(), board.seats.clone(), board.targets.clone())
}
