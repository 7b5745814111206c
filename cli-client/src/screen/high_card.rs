//! Renderer of High Card: the cards played, by seat.

use parlor_engine::high_card::{Action, HighCard, View};
use parlor_engine::{Lang, Seat, Seats, Text};
use ratatui::text::Line;

use super::renderer::{GameRenderer, Viewport};
use super::style::{Palette, Theme, card_span};

impl GameRenderer for HighCard {
    fn stage(_: &View, lang: Lang) -> String {
        Text { en: "one round", de: "eine Runde" }.get(lang).to_owned()
    }

    fn acting_seats(view: &View) -> Seats {
        view.turn().map_or(Seats::NONE, Seats::only)
    }

    fn card_count(view: &View, seat: Seat) -> u8 {
        view.hand_size(seat)
    }

    fn points(view: &View, seat: Seat) -> i32 {
        view.outcome().and_then(|outcome| outcome.points(seat)).unwrap_or(0)
    }

    fn badge(_: &View, _: Seat, _: Lang) -> Option<&'static str> {
        None
    }

    fn prompt(_: &View, lang: Lang) -> String {
        let text = Text { en: "Your move: play a card.", de: "Du bist dran: spiele eine Karte." };
        text.get(lang).to_owned()
    }

    fn action_labels(_: &View, legal: &[Action], _: Lang) -> Vec<String> {
        legal.iter().map(ToString::to_string).collect()
    }

    fn hand(view: &View, selected: Option<&Action>, theme: Theme) -> Vec<Line<'static>> {
        let marked = selected.map(|action| action.card);
        let card = |card| card_span(&format!("{card}"), marked == Some(card), theme.colour(Palette::Blue));
        view.hand.into_iter().map(|held| Line::from(card(held))).collect()
    }

    fn table(view: &View, _: Option<&Action>, _: Theme, _: Viewport) -> Vec<Line<'static>> {
        Seat::all(view.players)
            .zip(&view.played)
            .map(|(seat, card)| Line::raw(format!("{seat}: {card}")))
            .collect()
    }
}
