//! Renderer of GAP: the middle, and the collected cards by seat and colour.

use parlor_engine::gap::{Action, Card, Colour, Event, Gap, Length, View};
use parlor_engine::{CardSet, Lang, Localise, Seat, Text};
use ratatui::text::{Line, Span};

use super::renderer::{GameRenderer, Viewport};
use super::style::{Palette, Theme, card_span, flow};
use crate::table::SeatNames;
use crate::text::{pad, width};

impl GameRenderer for Gap {
    fn stage(view: &View, lang: Lang) -> String {
        let round = u32::from(view.round) + u32::from(view.outcome.is_none());
        match (view.options.length, lang) {
            _ if view.extra && lang == Lang::En => format!("round {round}, to break the tie"),
            _ if view.extra => format!("Runde {round}, Entscheidungsrunde"),
            (Length::Target(points), Lang::En) => format!("round {round}, to {points} points"),
            (Length::Target(points), Lang::De) => format!("Runde {round}, bis {points} Punkte"),
            (Length::Rounds(rounds), Lang::En) => format!("round {round} of {rounds}"),
            (Length::Rounds(rounds), Lang::De) => format!("Runde {round} von {rounds}"),
        }
    }

    fn badge(_: &View, _: Seat, _: Lang) -> Option<&'static str> {
        None
    }

    fn card(action: &Action, lang: Lang) -> Option<String> {
        Some(action.card.in_lang(lang).to_string())
    }

    /// Each card, with each choice of neighbours if it is in the hand.
    fn candidates(view: &View) -> Vec<Action> {
        let neighbours = || std::iter::once(None).chain(view.middle.into_iter().map(Some));
        let all = Colour::ALL.iter().flat_map(|colour| colour.cards());
        let others = all.filter(|card| !view.hand.contains(*card));
        let own = view.hand.into_iter().flat_map(|card| {
            neighbours().flat_map(move |lower| neighbours().map(move |higher| Action { card, lower, higher }))
        });
        own.chain(others.map(|card| Action { card, lower: None, higher: None })).collect()
    }

    fn begins_round(event: &Event) -> bool {
        matches!(event, Event::RoundBegan { .. })
    }

    fn add_effects(view: &View, legal: &[Action], labels: &mut [String], lang: Lang) {
        for (action, label) in legal.iter().zip(labels) {
            if action.lower.is_some() || action.higher.is_some() {
                // The text names the neighbours.
                continue;
            }
            let taken = view.taken_by(action);
            let effect = match (taken.is_empty(), lang) {
                (true, Lang::En) => " (into the middle)".to_owned(),
                (true, Lang::De) => " (in die Mitte)".to_owned(),
                (false, Lang::En) => format!(" (takes {})", taken.in_lang(lang)),
                (false, Lang::De) => format!(" (nimmt {})", taken.in_lang(lang)),
            };
            label.push_str(&effect);
        }
    }

    fn hand(view: &View, selected: Option<&Action>, theme: Theme) -> Vec<Line<'static>> {
        by_colour(view.hand, selected.map_or(CardSet::EMPTY, |action| CardSet::only(action.card)), theme)
    }

    fn table(
        view: &View,
        selected: Option<&Action>,
        theme: Theme,
        viewport: Viewport,
        names: &SeatNames,
    ) -> Vec<Line<'static>> {
        let lang = theme.lang;
        let [middle, stack, collected_below, now] = match lang {
            Lang::En => ["Middle", "stack", "collected below", "now"],
            Lang::De => ["Mitte", "Stapel", "Gesammeltes darunter", "jetzt"],
        };
        let marked = selected.map_or(CardSet::EMPTY, |action| view.taken_by(action));
        let mut lines = vec![Line::raw(format!("{middle} ({stack}: {}), {collected_below}", view.stack))];
        let indented = |mut line: Line<'static>| {
            line.spans.insert(0, Span::raw("  "));
            line
        };
        let inside = usize::from(viewport.width).saturating_sub(2);
        lines.extend(flow(by_colour(view.middle, marked, theme), inside).into_iter().map(indented));
        let colours = &Colour::ALL[..if view.players >= 4 { 5 } else { usize::from(view.players) + 1 }];
        let columns = colours.iter().map(|colour| (*colour, name(*colour).get(lang)));
        let numbers: usize =
            columns.clone().map(|(_, name)| 1 + name.chars().count().max(4)).sum::<usize>() + 6;
        // The names get what the numbers leave. Where that is too little, the seats have their numbers, as in the list of
        // the players.
        let left = usize::from(viewport.width).saturating_sub(numbers);
        let widest = Seat::all(view.players).map(|seat| width(&names.label(seat))).max().unwrap_or(0);
        let has_names = left >= widest.min(MIN_NAME);
        let first = if has_names { widest.min(left) } else { 1 };
        let mut head = vec![Span::raw(pad("", first))];
        head.extend(
            columns
                .clone()
                .map(|(colour, name)| Span::styled(format!(" {name:>4}"), theme.bold(palette(colour)))),
        );
        head.push(Span::raw(format!("{now:>6}")));
        lines.push(Line::from(head));
        for seat in Seat::all(view.players) {
            let cards = view.collected[seat.index()];
            // A truncated name has its number too: that of several bots is the same.
            let label = match has_names {
                true if widest > left => format!("{seat} {}", names.label(seat)),
                true => names.label(seat),
                false => seat.to_string(),
            };
            let mut row = vec![Span::raw(pad(&label, first))];
            row.extend(columns.clone().map(|(colour, name)| {
                let width = 1 + name.chars().count().max(4);
                match (cards & colour.cards()).len() {
                    0 => Span::styled(format!("{:>width$}", "-"), theme.colour(Palette::Faint)),
                    count => Span::styled(format!("{count:>width$}"), theme.colour(palette(colour))),
                }
            }));
            row.push(Span::raw(format!("{:>6}", format!("{:+}", view.round_points(seat)))));
            lines.push(Line::from(row));
        }
        lines
    }
}

/// Width of a truncated name that still tells who it is.
const MIN_NAME: usize = 8;

/// Cards grouped by colour, one piece per colour.
fn by_colour(cards: CardSet<Card>, marked: CardSet<Card>, theme: Theme) -> Vec<Line<'static>> {
    let piece = |colour: &Colour| {
        let cards = cards & colour.cards();
        let name = Span::styled(name(*colour).get(theme.lang), theme.bold(palette(*colour)));
        let style = theme.colour(palette(*colour));
        let numbers =
            cards.into_iter().map(|card| card_span(&card.number().to_string(), marked.contains(card), style));
        (!cards.is_empty()).then(|| Line::from_iter([name].into_iter().chain(numbers)))
    };
    Colour::ALL.iter().filter_map(piece).collect()
}

const fn name(colour: Colour) -> Text {
    match colour {
        Colour::Blue => Text { en: "blue", de: "blau" },
        Colour::Green => Text { en: "green", de: "grün" },
        Colour::Yellow => Text { en: "yellow", de: "gelb" },
        Colour::Pink => Text { en: "pink", de: "pink" },
        Colour::Purple => Text { en: "purple", de: "lila" },
    }
}

const fn palette(colour: Colour) -> Palette {
    match colour {
        Colour::Blue => Palette::Blue,
        Colour::Green => Palette::Green,
        Colour::Yellow => Palette::Yellow,
        Colour::Pink => Palette::Pink,
        Colour::Purple => Palette::Purple,
    }
}
