//! Renderer of High Card: the cards played, by seat.

use parlor_engine::high_card::{Action, HighCard, View};
use parlor_engine::{Lang, Seat, Text};
use ratatui::text::Line;

use super::renderer::{GameRenderer, Viewport};
use super::style::{Palette, Theme, card_span};
use crate::table::SeatNames;

impl GameRenderer for HighCard {
    fn stage(_: &View, lang: Lang) -> String {
        Text { en: "one round", de: "eine Runde" }.get(lang).to_owned()
    }

    fn badge(_: &View, _: Seat, _: Lang) -> Option<&'static str> {
        None
    }

    fn hand(view: &View, selected: Option<&Action>, theme: Theme) -> Vec<Line<'static>> {
        let marked = selected.map(|action| action.card);
        let card = |card| card_span(&format!("{card}"), marked == Some(card), theme.colour(Palette::Blue));
        view.hand.into_iter().map(|held| Line::from(card(held))).collect()
    }

    fn table(
        view: &View,
        _: Option<&Action>,
        _: Theme,
        _: Viewport,
        names: &SeatNames,
    ) -> Vec<Line<'static>> {
        Seat::all(view.players)
            .zip(&view.played)
            .map(|(seat, card)| Line::raw(format!("{}: {card}", names.label(seat))))
            .collect()
    }
}
