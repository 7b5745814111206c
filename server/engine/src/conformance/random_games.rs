//! Random games to the end: the invariants of [`Game`] at every step, and the replay from the log.

use std::collections::HashSet;

use super::{Testable, fresh_game, game_count, random_move, set_ups};
use crate::test_support::{Recorder, legal_actions, test_rng};
use crate::{Game, MAX_SEATS, NoEvents, Seat, Viewer};

/// A game with one view per viewer, each maintained from events only.
pub(super) struct FollowedGame<G: Game> {
    pub(super) game: G,
    views: Vec<(Viewer, G::View)>,
}

impl<G: Game> FollowedGame<G> {
    pub(super) fn new(game: G) -> FollowedGame<G> {
        let views = Viewer::all(game.players()).map(|viewer| (viewer, game.view(viewer))).collect();
        FollowedGame { game, views }
    }

    pub(super) fn apply(&mut self, seat: Seat, action: G::Action) {
        let mut events = Recorder::new();
        let applied = self.game.apply(seat, action, &mut events);
        assert_eq!(applied, Ok(()), "a legal action applies: {seat:?} {action:?} in {:#?}", self.game);
        self.update_views(&events, &format!("{action:?} by {seat:?}"));
    }

    pub(super) fn close_window(&mut self) {
        let mut events = Recorder::new();
        self.game.close_window(&mut events);
        self.update_views(&events, "closing a window");
    }

    fn update_views(&mut self, recorder: &Recorder<G::Event>, context: &str) {
        for (viewer, view) in &mut self.views {
            for event in recorder.received_by(*viewer) {
                G::apply_event(view, &event);
            }
            assert_eq!(*view, self.game.view(*viewer), "{viewer:?}, {context}: {:#?}", recorder.events);
        }
    }
}

/// Random games end within the bound and conserve the cards, lists of legal actions are consistent, and the
/// events reproduce the views.
pub(super) fn random_games_conform<G: Testable>() {
    let mut rng = test_rng("random_games_conform");
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(1000 / set_ups::<G>().count() as u32) {
            let mut followed: FollowedGame<G> = FollowedGame::new(fresh_game(players, options, &mut rng));
            let deck = sorted_card_codes(&followed.game);
            let mut actions = 0;
            while let Some((seat, action)) = random_move(&followed.game, &mut rng) {
                let game = &followed.game;
                assert!(actions < G::MAX_ACTIONS, "the game exceeds MAX_ACTIONS: {game:#?}");
                assert_eq!(sorted_card_codes(game), deck, "cards are conserved: {game:#?}");
                check_legal_actions(game);
                check_no_held_window(game);
                followed.apply(seat, action);
                actions += 1;
            }
            check_outcome(&followed.game);
        }
    }
}

/// The same actions on the same deal give the same game, and so does a clone.
pub(super) fn replay_from_log<G: Testable>() {
    let mut rng = test_rng("replay_from_log");
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(1000 / set_ups::<G>().count() as u32) {
            let start: G = fresh_game(players, options, &mut rng);
            let (mut game, mut log) = (start.clone(), Vec::new());
            while let Some((seat, action)) = random_move(&game, &mut rng) {
                game.apply(seat, action, &mut NoEvents).expect("a legal action applies");
                log.push((seat, action));
            }
            let mut replayed = start;
            for (seat, action) in log {
                replayed.apply(seat, action, &mut NoEvents).expect("a logged action applies again");
            }
            assert_eq!(replayed, game);
            assert_eq!(replayed.clone(), replayed);
        }
    }
}

pub(super) fn sorted_card_codes<G: Testable>(game: &G) -> Vec<u8> {
    let mut codes = game.card_codes();
    codes.sort_unstable();
    codes
}

/// A seat to act has legal actions, each once, and a default among them; any other seat has neither.
pub(super) fn check_legal_actions<G: Game>(game: &G) {
    assert_eq!(game.outcome(), None, "a game with a seat to act is not over");
    for seat in Seat::all(MAX_SEATS as u8) {
        let legal = legal_actions(game, seat);
        assert_eq!(!legal.is_empty(), game.to_act().contains(seat), "{seat:?} in {game:#?}");
        assert_eq!(legal.iter().collect::<HashSet<_>>().len(), legal.len(), "a duplicate in {legal:?}");
        match game.default_action(seat) {
            Some(action) => assert!(legal.contains(&action), "the default {action:?} is not in {legal:?}"),
            None => assert!(legal.is_empty(), "no default for {seat:?} in {game:#?}"),
        }
        assert!(
            game.to_act().contains(seat) || !game.has_secret_decision(seat),
            "a secret without a decision"
        );
    }
    assert!(game.to_act().fits(game.players()));
}

/// No window is held, and closing one does nothing.
pub(super) fn check_no_held_window<G: Game>(game: &G) {
    assert!(!game.window_is_held());
    let (mut after, mut recorder) = (game.clone(), Recorder::new());
    after.close_window(&mut recorder);
    assert!(recorder.events.is_empty() && after == *game, "close_window changed the game: {game:#?}");
}

/// A game without a seat to act has an outcome, with the places of a ranking.
pub(super) fn check_outcome<G: Game>(game: &G) {
    let outcome = game.outcome().expect("a game without a seat to act is over");
    assert_eq!(outcome.standings().count(), usize::from(game.players()));
    for standing in outcome.standings() {
        let better = outcome.standings().filter(|other| other.place < standing.place).count();
        assert_eq!(usize::from(standing.place), better + 1, "{outcome:?}");
        assert!(
            outcome.standings().all(|other| other.place >= standing.place || other.points >= standing.points)
        );
    }
    for seat in Seat::all(MAX_SEATS as u8) {
        assert!(legal_actions(game, seat).is_empty());
        assert!(game.default_action(seat).is_none() && !game.has_secret_decision(seat));
    }
}
