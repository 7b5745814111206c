//! Renderer of Five Three Five: the stack on the field, passed seats, and unseen cards.

use parlor_engine::five_three_five::{
    Action, Combination, CombinationKind, Event, FiveThreeFive, Rank, Ranks, View,
};
use parlor_engine::{Lang, Localise, Role, Seat, Text, TextBuilder};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::renderer::{GameRenderer, Viewport};
use super::style::{Palette, Theme, card_span, flow};
use crate::table::SeatNames;
use crate::text::wrap;

impl GameRenderer for FiveThreeFive {
    fn stage(view: &View, lang: Lang) -> String {
        let hand = u32::from(view.hand_number) + 1;
        let end = if view.options.beginner { -10 } else { -20 };
        match (view.players, lang) {
            (2, Lang::En) => format!("hand {hand} of 2"),
            (2, Lang::De) => format!("Durchgang {hand} von 2"),
            (_, Lang::En) => format!("hand {hand}, ends at {end}"),
            (_, Lang::De) => format!("Durchgang {hand}, Ende bei {end}"),
        }
    }

    fn badge(view: &View, seat: Seat, lang: Lang) -> Option<&'static str> {
        view.passed.contains(seat).then(|| Text { en: "passed", de: "gepasst" }.get(lang))
    }

    /// The combinations of up to three cards of each rank, led or laid on the stack.
    fn candidates(view: &View) -> Vec<Action> {
        let ranks = (0..=u8::MAX).filter_map(Rank::new);
        let combinations = ranks.flat_map(|rank| {
            let sets = [2, 3].map(|count| Combination::set(rank, count));
            let runs = [2, 3].map(|length| Combination::run(rank, length));
            std::iter::once(Some(Combination::single(rank))).chain(sets).chain(runs).flatten()
        });
        let laid = |combination| match view.stack {
            None => Action::Lead(combination),
            Some(_) => Action::Overwrite(combination),
        };
        combinations.map(laid).chain([Action::Pass]).collect()
    }

    fn begins_round(event: &Event) -> bool {
        matches!(event, Event::HandBegan { .. })
    }

    /// The numbers in a label are the cards that the action lays, and nothing else: a search for a number finds
    /// the moves with that card.
    fn add_effects(view: &View, legal: &[Action], labels: &mut [String], lang: Lang) {
        for (action, label) in legal.iter().zip(labels) {
            if !matches!(action, Action::Add(_)) {
                continue;
            }
            let cards: Vec<String> = laid(view, action).iter().map(|rank| rank.to_string()).collect();
            *label = match lang {
                Lang::En => format!("add {}", cards.join(",")),
                Lang::De => format!("{} anlegen", cards.join(",")),
            };
        }
    }

    fn hand(view: &View, selected: Option<&Action>, theme: Theme) -> Vec<Line<'static>> {
        let marked = selected.map_or(Ranks::EMPTY, |action| laid(view, action));
        let piece = |rank: Rank| {
            let cards = (0..view.hand.count(rank)).map(|copy| {
                card_span(&rank.number().to_string(), copy < marked.count(rank), style(rank, theme))
            });
            Line::from_iter(cards)
        };
        view.hand.distinct().map(piece).collect()
    }

    fn table(
        view: &View,
        selected: Option<&Action>,
        theme: Theme,
        viewport: Viewport,
        names: &SeatNames,
    ) -> Vec<Line<'static>> {
        let lang = theme.lang;
        let [free, by, would, aside, unseen, left] = match lang {
            Lang::En => {
                ["The field is free.", "laid by", "It would be", "set aside", "Not seen yet", "Left over"]
            }
            Lang::De => [
                "Das Feld ist frei.",
                "gelegt von",
                "Dann läge da",
                "beiseite",
                "Noch nicht gesehen",
                "Übrig",
            ],
        };
        let mut lines = Vec::new();
        match view.stack {
            None => lines.extend([Line::raw(""), Line::raw(free), Line::raw(""), Line::raw("")]),
            Some(stack) => {
                lines.extend(stack_of(stack.combination, theme));
                let kind = kind(stack.combination).get(lang);
                let mut text = TextBuilder::new(lang, view.viewer);
                text.plain(&format!("{kind}, {by} "));
                text.seat_or_you(stack.by, Role::Indirect);
                let text = wrap(&names.render(&text.finish()), viewport.width.into());
                lines.extend(text.into_iter().map(Line::raw));
            }
        }
        lines.push(match selected {
            Some(Action::Lead(made) | Action::Overwrite(made) | Action::Add(made)) => {
                let made = made.in_lang(lang).to_string();
                Line::from_iter([
                    Span::raw(format!("{would}: ")),
                    Span::styled(made, theme.bold(Palette::Green)),
                ])
            }
            Some(Action::Pass) | None => Line::raw(""),
        });
        if view.outcome.is_some() {
            // After the end there is no selection: this line is replaced.
            lines.pop();
            lines.push(Line::raw(format!("{left}:")));
            for seat in Seat::all(view.players).filter(|seat| !view.left[seat.index()].is_empty()) {
                let cards = view.left[seat.index()].iter();
                let cards = cards.map(|rank| Span::styled(format!(" {}", rank.number()), style(rank, theme)));
                let name = Span::raw(format!("{}:", names.label(seat)));
                lines.push(Line::from_iter([name].into_iter().chain(cards)));
            }
            return lines;
        }
        let kept = u32::from(view.set_aside) + u32::from(view.kept_back);
        lines.push(Line::raw(format!("{unseen} ({aside}: {kept}):")));
        let cards = view.unseen();
        let pieces = cards.distinct().map(|rank| {
            let count = Span::styled(format!("x{}", cards.count(rank)), theme.colour(Palette::Faint));
            Line::from_iter([Span::styled(rank.number().to_string(), style(rank, theme)), count])
        });
        lines.extend(flow(pieces.collect(), viewport.width.into()));
        lines
    }
}

/// Cards that the action plays from the hand.
fn laid(view: &View, action: &Action) -> Ranks {
    match action {
        Action::Lead(made) | Action::Overwrite(made) => made.cards(),
        Action::Add(made) => {
            made.cards().minus(view.stack.map_or(Ranks::EMPTY, |stack| stack.combination.cards()))
        }
        Action::Pass => Ranks::EMPTY,
    }
}

/// The stack's cards side by side.
fn stack_of(combination: Combination, theme: Theme) -> [Line<'static>; 3] {
    let row = |left: &str, right: &str, inside: &dyn Fn(Rank) -> String| {
        let cards = combination.cards();
        Line::from_iter(
            cards
                .iter()
                .map(|rank| Span::styled(format!("{left}{:^4}{right} ", inside(rank)), style(rank, theme))),
        )
    };
    [
        row("┌", "┐", &|_| "────".to_owned()),
        row("│", "│", &|rank| rank.number().to_string()),
        row("└", "┘", &|_| "────".to_owned()),
    ]
}

const fn kind(combination: Combination) -> Text {
    match combination.kind() {
        CombinationKind::Single => Text { en: "single card", de: "einzelne Karte" },
        CombinationKind::Set => Text { en: "set", de: "Satz" },
        CombinationKind::Run => Text { en: "run", de: "Folge" },
    }
}

/// Style of a rank: the 8, which flushes, is bold; higher penalties have warmer colours.
fn style(rank: Rank, theme: Theme) -> Style {
    match rank {
        Rank::EIGHT => theme.bold(Palette::Red),
        _ => theme.colour(match rank.penalty() {
            1 => Palette::Blue,
            2 => Palette::Green,
            _ => Palette::Yellow,
        }),
    }
}
