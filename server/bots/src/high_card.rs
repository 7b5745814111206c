//! Heuristic of High Card: a higher card wins more often, and scores more.

use parlor_engine::high_card::{Action, Event, HighCard, View};
use parlor_engine::{MAX_SEATS, Points, Seat, Viewer};

use crate::Heuristic;

impl Heuristic for HighCard {
    const MAX_PLAYOUT_ACTIONS: u32 = parlor_engine::high_card::MAX_PLAYERS as u32;
    const RATING_UNCERTAINTY: f32 = 1.0;

    fn viewer(view: &View) -> Viewer {
        view.viewer
    }

    fn rate(_: &View, _: Seat, legal: &[Action], ratings: &mut Vec<f32>) {
        ratings.clear();
        ratings.extend(legal.iter().map(|action| f32::from(action.card.rank())));
    }

    fn points(event: &Event) -> Option<Points> {
        let Event::Ended { outcome } = event else { return None };
        let mut points = [0; MAX_SEATS];
        outcome.standings().for_each(|standing| points[standing.seat.index()] = standing.points);
        Some(Points::new(outcome.standings().count() as u8, points))
    }

    fn ends_round(event: &Event) -> bool {
        matches!(event, Event::Ended { .. })
    }

    fn is_hidden(_: &Action) -> bool {
        false
    }
}
