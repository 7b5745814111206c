//! The board of Five Three Five, and the question of a decision.

use super::{Action, View, field};
use crate::board::{ActionTargets, BoardSeat, faces, label};
use crate::text::phrase;
use crate::{Board, Lang, Localise, Seat, Seats, Text, TextBuilder, Zone, ZoneKind, zone_of};

/// Id of the zone of the stack.
const STACK: &str = "stack";

/// The action with the cards that it lays: "add 4, 6 to make 4,5,6".
pub(super) fn write_action(view: &View, action: &Action, out: &mut TextBuilder) {
    match (action, out.lang()) {
        (Action::Add(grown), lang) => {
            let laid = grown.cards().minus(field::cards_of(view.stack));
            match lang {
                Lang::En => phrase!(out, "add ", laid, " to make ", grown),
                Lang::De => phrase!(out, laid, " anlegen zu ", grown),
            }
        }
        (Action::Lead(_) | Action::Overwrite(_) | Action::Pass, _) => action.write_text(out),
    }
}

/// A lead, or a reply to the stack.
pub(super) fn write_question(view: &View, out: &mut TextBuilder) {
    if view.outcome.is_some() || !view.viewer.is(view.turn) {
        return;
    }
    if view.lead_is_due() {
        Text { en: "Lead one to three cards.", de: "Spiele eine bis drei Karten aus." }.write_text(out);
    } else {
        let text = Text {
            en: "Overwrite the stack, add to it, or pass.",
            de: "Überbiete den Stapel, lege an oder passe.",
        };
        text.write_text(out);
    }
}

/// The hands, the stack, and the cards out of play.
pub(super) fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
    let hand = |seat: Seat| {
        let zone = Zone::owned("hand", seat, ZoneKind::Hand, label::HAND);
        let left = view.left[seat.index()];
        if view.viewer.is(seat) {
            zone.with_cards(faces(view.hand.iter(), lang))
        } else if left.is_empty() {
            zone.with_unknown(view.hand_sizes[seat.index()])
        } else {
            zone.with_cards(faces(left.iter(), lang))
        }
    };
    let stack = field::cards_of(view.stack);
    let mut zones: Vec<Zone> = Seat::all(view.players).map(hand).collect();
    zones.push(
        Zone::common(STACK, ZoneKind::Row, Text { en: "Stack", de: "Stapel" })
            .with_cards(faces(stack.iter(), lang)),
    );
    zones.push(
        Zone::common("gone", ZoneKind::Discard, Text { en: "Out of play", de: "Aus dem Spiel" })
            .with_cards(faces(view.gone.iter(), lang)),
    );
    zones.push(
        Zone::common("aside", ZoneKind::Stock, Text { en: "Set aside", de: "Beiseite" })
            .with_unknown(view.set_aside),
    );
    if view.players == 2 {
        zones.push(
            Zone::common("kept-back", ZoneKind::Stock, Text { en: "Second half", de: "Zweite Hälfte" })
                .with_unknown(view.kept_back),
        );
    }
    let to_act = if view.outcome.is_some() { Seats::NONE } else { Seats::only(view.turn) };
    let mut seats = BoardSeat::all(view.players, &view.totals, to_act);
    for seat in seats.iter_mut().filter(|seat| view.passed.contains(seat.seat)) {
        seat.marks.push(label::PASSED);
    }
    let own_hand = view.viewer.seat().map_or_else(String::new, |seat| zone_of("hand", seat));
    let target = |action: &Action| {
        let cards = match action {
            Action::Lead(lead) => lead.cards(),
            Action::Overwrite(beating) => beating.cards(),
            Action::Add(grown) => grown.cards().minus(stack),
            Action::Pass => return ActionTargets::default(),
        };
        ActionTargets::default().with_cards(&own_hand, faces(cards.iter(), lang)).with_zone(STACK)
    };
    Board { zones, seats, targets: actions.iter().map(target).collect() }
}
