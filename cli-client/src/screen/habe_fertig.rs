//! Renderer of Habe fertig: two piles, the gap between them, and a hand in six colours.

use parlor_engine::habe_fertig::{Action, Card, Colour, Event, HabeFertig, Phase, Pile, View};
use parlor_engine::{CardSet, Lang, Localise, Seat, Text};
use ratatui::text::{Line, Span};

use super::renderer::{GameRenderer, Viewport};
use super::style::{BoxedCard, Palette, Theme, boxed_cards, card_span};
use crate::table::SeatNames;
use crate::text::wrap;

impl GameRenderer for HabeFertig {
    fn stage(view: &View, lang: Lang) -> String {
        let rounds = if view.players == 3 { 3 } else { 4 };
        let (round, turn) = (u32::from(view.round) + 1, u32::from(view.turns) + 1);
        match lang {
            Lang::En => format!("round {round} of {rounds}, turn {turn}"),
            Lang::De => format!("Durchgang {round} von {rounds}, Zug {turn}"),
        }
    }

    fn badge(view: &View, seat: Seat, lang: Lang) -> Option<&'static str> {
        match view.phase {
            Phase::Hiding { waiting } if !waiting.contains(seat) => {
                Some(Text { en: "ready", de: "fertig" }.get(lang))
            }
            _ => None,
        }
    }

    fn card(action: &Action, lang: Lang) -> Option<String> {
        match action {
            Action::Play { card, .. } => Some(card.in_lang(lang).to_string()),
            Action::Hide(_) | Action::Lay(_) | Action::Pass => None,
        }
    }

    /// Each card on each pile, those of the hand first, and passing.
    fn candidates(view: &View) -> Vec<Action> {
        let all = Colour::ALL.iter().flat_map(|colour| colour.cards());
        let others = all.filter(|card| !view.hand.contains(*card));
        let cards = view.hand.into_iter().chain(others);
        let plays = cards.flat_map(|card| Pile::ALL.map(|pile| Action::Play { card, pile }));
        plays.chain([Action::Pass]).collect()
    }

    fn begins_round(event: &Event) -> bool {
        matches!(event, Event::RoundBegan { .. })
    }

    fn add_effects(view: &View, legal: &[Action], labels: &mut [String], lang: Lang) {
        let gap = view.into_gap();
        let gap_mark = Text { en: " (gap)", de: " (Lücke)" }.get(lang);
        for (action, label) in legal.iter().zip(labels) {
            match action {
                Action::Hide(pair) => label.push_str(&format!(" ({})", stars(pair.cards()))),
                Action::Play { card, .. } if gap.contains(*card) => label.push_str(gap_mark),
                Action::Lay(_) | Action::Play { .. } | Action::Pass => {}
            }
        }
    }

    fn hand(view: &View, selected: Option<&Action>, theme: Theme) -> Vec<Line<'static>> {
        let marked = match selected {
            Some(Action::Hide(pair)) => pair.cards(),
            Some(Action::Play { card, .. }) => CardSet::only(*card),
            Some(Action::Lay(_) | Action::Pass) | None => CardSet::EMPTY,
        };
        let piece = |colour: &Colour| {
            let cards = view.hand & colour.cards();
            let style = theme.colour(palette(*colour));
            let name = Span::styled(name(*colour).get(theme.lang), theme.bold(palette(*colour)));
            let numbers = cards
                .into_iter()
                .map(|card| card_span(&card.number().to_string(), marked.contains(card), style));
            (!cards.is_empty()).then(|| Line::from_iter([name].into_iter().chain(numbers)))
        };
        Colour::ALL.iter().filter_map(piece).collect()
    }

    fn table(
        view: &View,
        selected: Option<&Action>,
        theme: Theme,
        viewport: Viewport,
        names: &SeatNames,
    ) -> Vec<Line<'static>> {
        let lang = theme.lang;
        let mut lines = Vec::new();
        match view.tops {
            Some(tops) => lines.extend(boxed_cards(&piles(view, tops, selected, theme))),
            None => {
                lines.push(Line::raw(
                    Text {
                        en: "Stars: 1 and 11 none, 2 and 10 one,",
                        de: "Sterne: 1 und 11 keiner, 2 und 10 einer,",
                    }
                    .get(lang),
                ));
                lines.push(Line::raw(
                    Text {
                        en: "3 4 8 9 two, 5 and 7 three, 6 four.",
                        de: "3 4 8 9 zwei, 5 und 7 drei, 6 vier.",
                    }
                    .get(lang),
                ));
            }
        }
        if let Some(shown) = view.shown {
            // Once cards are shown, there is no further move.
            let shown = names.render(&shown.rich_text(lang, view.viewer));
            lines.extend(wrap(&shown, viewport.width.into()).into_iter().map(Line::raw));
            return lines;
        }
        if let Some([left, right]) = view.tops {
            lines.push(gap(left, right, lang));
        }
        let [draw, under, turned, hidden] = match lang {
            Lang::En => ["Draw pile", "under the tops", "Turned over", "You hid"],
            Lang::De => ["Nachziehstapel", "unter den Stapeln", "Aufgedeckt", "Versteckt von dir"],
        };
        lines.push(Line::raw(format!("{draw}: {}, {under}: {}", view.draw, view.buried.len())));
        if let Phase::Laying { turned: card } = view.phase {
            let style = theme.bold(palette(card.colour()));
            lines.push(Line::from_iter([
                Span::raw(format!("{turned}: ")),
                Span::styled(card.in_lang(lang).to_string(), style),
            ]));
        }
        if !view.hidden.is_empty() {
            lines.push(Line::raw(format!(
                "{hidden}: {} ({})",
                view.hidden.in_lang(lang),
                stars(view.hidden)
            )));
        }
        lines
    }
}

/// The two piles, with a mark where the selected card would go.
fn piles(view: &View, tops: [Card; 2], selected: Option<&Action>, theme: Theme) -> Vec<BoxedCard> {
    let goes_to = match selected {
        Some(Action::Lay(pile) | Action::Play { pile, .. }) => Some(*pile),
        Some(Action::Hide(_) | Action::Pass) | None => None,
    };
    let laid = match (selected, view.phase) {
        (Some(Action::Play { card, .. }), _) => Some(*card),
        (Some(Action::Lay(_)), Phase::Laying { turned }) => Some(turned),
        _ => None,
    };
    let one = |pile: Pile| {
        let top = tops[pile.index()];
        let below = match (goes_to == Some(pile), laid) {
            (true, Some(card)) => format!("^ {}", short(card, theme.lang)),
            _ => side(pile).get(theme.lang).to_owned(),
        };
        BoxedCard {
            name: name(top.colour()).get(theme.lang).to_owned(),
            value: format!("{:<3}{}", top.number(), stars(CardSet::only(top))),
            below,
            style: theme.bold(palette(top.colour())),
        }
    };
    Pile::ALL.map(one).into()
}

/// The numbers that fit into the gap.
fn gap(left: Card, right: Card, lang: Lang) -> Line<'static> {
    let (low, high) = (left.number().min(right.number()), left.number().max(right.number()));
    let numbers: Vec<String> = (low + 1..high).map(|number| number.to_string()).collect();
    Line::raw(match (numbers.is_empty(), lang) {
        (true, Lang::En) => "No gap".to_owned(),
        (true, Lang::De) => "Keine Lücke".to_owned(),
        (false, Lang::En) => format!("Gap: {}, in other colours", numbers.join(" ")),
        (false, Lang::De) => format!("Lücke: {}, in anderen Farben", numbers.join(" ")),
    })
}

/// The stars of the cards, one `*` each.
fn stars(cards: CardSet<Card>) -> String {
    let count: usize = cards.into_iter().map(|card| usize::from(card.stars())).sum();
    if count == 0 { "-".to_owned() } else { "*".repeat(count) }
}

/// A card in at most six columns.
fn short(card: Card, lang: Lang) -> String {
    let name: String = name(card.colour()).get(lang).chars().take(3).collect();
    format!("{name} {}", card.number())
}

const fn side(pile: Pile) -> Text {
    match pile {
        Pile::Left => Text { en: "left", de: "links" },
        Pile::Right => Text { en: "right", de: "rechts" },
    }
}

const fn name(colour: Colour) -> Text {
    match colour {
        Colour::Red => Text { en: "red", de: "rot" },
        Colour::Yellow => Text { en: "yellow", de: "gelb" },
        Colour::Green => Text { en: "green", de: "grün" },
        Colour::Blue => Text { en: "blue", de: "blau" },
        Colour::Purple => Text { en: "purple", de: "lila" },
        Colour::Grey => Text { en: "grey", de: "grau" },
    }
}

const fn palette(colour: Colour) -> Palette {
    match colour {
        Colour::Red => Palette::Red,
        Colour::Yellow => Palette::Yellow,
        Colour::Green => Palette::Green,
        Colour::Blue => Palette::Blue,
        Colour::Purple => Palette::Purple,
        Colour::Grey => Palette::Grey,
    }
}
