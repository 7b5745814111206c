//! GAP on the screen: the middle, and who has collected how much of which colour.

use parlor_engine::gap::{Action, Card, Colour, Gap, Length, View};
use parlor_engine::{CardSet, Lang, Say, Seat, Seats, Text};
use ratatui::text::{Line, Span};

use super::ink::{self, Ink, Paint};
use super::picture::{Picture, Room};

impl Picture for Gap {
    fn stage(view: &View, lang: Lang) -> String {
        let round = u32::from(view.round) + u32::from(view.outcome.is_none());
        match (view.options.length, lang) {
            _ if view.extra && lang == Lang::En => format!("round {round}, to break the tie"),
            _ if view.extra => format!("Runde {round}, Stichrunde"),
            (Length::Target(points), Lang::En) => format!("round {round}, to {points} points"),
            (Length::Target(points), Lang::De) => format!("Runde {round}, bis {points} Punkte"),
            (Length::Rounds(rounds), Lang::En) => format!("round {round} of {rounds}"),
            (Length::Rounds(rounds), Lang::De) => format!("Runde {round} von {rounds}"),
        }
    }

    fn turn(view: &View) -> Seats {
        if view.outcome.is_some() { Seats::NONE } else { Seats::only(view.turn) }
    }

    fn cards(view: &View, seat: Seat) -> u8 {
        view.hand_sizes[seat.index()]
    }

    fn points(view: &View, seat: Seat) -> i32 {
        view.totals[seat.index()]
    }

    fn mark(_: &View, _: Seat, _: Lang) -> Option<&'static str> {
        None
    }

    fn question(_: &View, lang: Lang) -> String {
        let text = Text {
            en: "Your move: take equals, else neighbours, else join the middle.",
            de: "Du bist dran: nimm Gleiche, sonst Nachbarn, sonst in die Mitte.",
        };
        text.get(lang).to_owned()
    }

    fn labels(view: &View, legal: &[Action], lang: Lang) -> Vec<String> {
        let label = |action: &Action| {
            let (card, taken) = (action.card.in_lang(lang), taken(view, action));
            match (taken.is_empty(), lang) {
                (true, Lang::En) => format!("{card}, into the middle"),
                (true, Lang::De) => format!("{card}, in die Mitte"),
                (false, Lang::En) => format!("{card}, takes {}", taken.in_lang(lang)),
                (false, Lang::De) => format!("{card}, nimmt {}", taken.in_lang(lang)),
            }
        };
        legal.iter().map(label).collect()
    }

    fn hand(view: &View, chosen: Option<&Action>, ink: Ink) -> Vec<Line<'static>> {
        by_colour(view.hand, chosen.map_or(CardSet::EMPTY, |action| CardSet::only(action.card)), ink)
    }

    fn table(view: &View, chosen: Option<&Action>, ink: Ink, room: Room) -> Vec<Line<'static>> {
        let lang = ink.lang;
        let [middle, stack, collected, now] = match lang {
            Lang::En => ["Middle", "stack", "Collected", "now"],
            Lang::De => ["Mitte", "Stapel", "Gesammelt", "jetzt"],
        };
        let marked = chosen.map_or(CardSet::EMPTY, |action| taken(view, action));
        let mut lines = vec![Line::raw(format!("{middle} ({stack}: {})", view.stack))];
        let indented = |mut line: Line<'static>| {
            line.spans.insert(0, Span::raw("  "));
            line
        };
        let inside = usize::from(room.width).saturating_sub(2);
        lines.extend(ink::flow(by_colour(view.middle, marked, ink), inside).into_iter().map(indented));
        let colours = &Colour::ALL[..if view.players >= 4 { 5 } else { usize::from(view.players) + 1 }];
        let columns = colours.iter().map(|colour| (*colour, name(*colour).get(lang)));
        lines.push(Line::raw(format!("{collected}:")));
        let mut head = vec![Span::raw("  ")];
        head.extend(
            columns
                .clone()
                .map(|(colour, name)| Span::styled(format!(" {name:>4}"), ink.bold(paint(colour)))),
        );
        head.push(Span::raw(format!("{now:>6}")));
        lines.push(Line::from(head));
        for seat in Seat::all(view.players) {
            let cards = view.collected[seat.index()];
            let mut row = vec![Span::raw(format!("{seat} "))];
            row.extend(columns.clone().map(|(colour, name)| {
                let width = 1 + name.chars().count().max(4);
                match (cards & colour.cards()).len() {
                    0 => Span::styled(format!("{:>width$}", "-"), ink.paint(Paint::Faint)),
                    count => Span::styled(format!("{count:>width$}"), ink.paint(paint(colour))),
                }
            }));
            row.push(Span::raw(format!("{:>6}", format!("{:+}", view.round_points(seat)))));
            lines.push(Line::from(row));
        }
        lines
    }
}

/// What the action takes from the middle: all cards of its number, or the neighbours that it names.
fn taken(view: &View, action: &Action) -> CardSet<Card> {
    let same = |card: &Card| card.number() == action.card.number();
    let equals: CardSet<Card> = view.middle.into_iter().filter(same).collect();
    if equals.is_empty() { action.lower.into_iter().chain(action.higher).collect() } else { equals }
}

/// The cards in pieces, one a colour.
fn by_colour(cards: CardSet<Card>, marked: CardSet<Card>, ink: Ink) -> Vec<Line<'static>> {
    let piece = |colour: &Colour| {
        let cards = cards & colour.cards();
        let name = Span::styled(name(*colour).get(ink.lang), ink.bold(paint(*colour)));
        let style = ink.paint(paint(*colour));
        let numbers =
            cards.into_iter().map(|card| ink::card(&card.number().to_string(), marked.contains(card), style));
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

const fn paint(colour: Colour) -> Paint {
    match colour {
        Colour::Blue => Paint::Blue,
        Colour::Green => Paint::Green,
        Colour::Yellow => Paint::Yellow,
        Colour::Pink => Paint::Pink,
        Colour::Purple => Paint::Purple,
    }
}
