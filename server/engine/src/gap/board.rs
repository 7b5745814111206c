//! The board of GAP, and the question of a decision.

use super::{Action, Card, View, card};
use crate::board::{ActionTargets, BoardSeat, faces, label};
use crate::text::phrase;
use crate::{Board, CardSet, Lang, Localise, Seat, Seats, Text, TextBuilder, Zone, ZoneKind, zone_of};

/// Id of the zone of the middle.
const MIDDLE: &str = "middle";

/// The cards that an action takes from the middle.
fn taken(view: &View, action: &Action) -> CardSet<Card> {
    let equal = view.middle & card::numbered(action.card.number());
    action.lower.into_iter().chain(action.higher).fold(equal, CardSet::with)
}

/// "play blue 4, taking green 4"
pub(super) fn write_action(view: &View, action: &Action, out: &mut TextBuilder) {
    let (card, taken) = (action.card, taken(view, action));
    match (taken.is_empty(), out.lang()) {
        (true, Lang::En) => phrase!(out, "play ", card, " into the middle"),
        (true, Lang::De) => phrase!(out, card, " in die Mitte legen"),
        (false, Lang::En) => phrase!(out, "play ", card, ", taking ", taken),
        (false, Lang::De) => phrase!(out, card, " spielen und ", taken, " nehmen"),
    }
}

/// "Play a card."
pub(super) fn write_question(view: &View, out: &mut TextBuilder) {
    if view.outcome.is_none() && view.viewer.is(view.turn) {
        Text { en: "Play a card.", de: "Spiele eine Karte." }.write_text(out);
    }
}

/// The middle, the stack, and the hands and collected cards of the seats.
pub(super) fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
    const MIDDLE_LABEL: Text = Text { en: "Middle", de: "Mitte" };
    const STACK: Text = Text { en: "Stack", de: "Stapel" };
    const COLLECTED: Text = Text { en: "Collected", de: "Gesammelt" };
    let mut zones = vec![
        Zone::common(MIDDLE, ZoneKind::Row, MIDDLE_LABEL).with_cards(faces(view.middle, lang)),
        Zone::common("stack", ZoneKind::Stock, STACK).with_unknown(view.stack),
    ];
    for seat in Seat::all(view.players) {
        let hand = Zone::owned("hand", seat, ZoneKind::Hand, label::HAND);
        zones.push(if view.viewer.is(seat) {
            hand.with_cards(faces(view.hand, lang))
        } else {
            hand.with_unknown(view.hand_sizes[seat.index()])
        });
        let collected = faces(view.collected[seat.index()], lang);
        zones.push(Zone::owned("collected", seat, ZoneKind::Collected, COLLECTED).with_cards(collected));
    }
    let to_act = if view.outcome.is_some() { Seats::NONE } else { Seats::only(view.turn) };
    let own = |id: &str| view.viewer.seat().map_or_else(String::new, |seat| zone_of(id, seat));
    let target = |action: &Action| {
        let played = ActionTargets::default().with_cards(&own("hand"), faces([action.card], lang));
        let taken = taken(view, action);
        if taken.is_empty() {
            played.with_zone(MIDDLE)
        } else {
            played.with_cards(MIDDLE, faces(taken, lang)).with_zone(own("collected"))
        }
    };
    Board {
        zones,
        seats: BoardSeat::all(view.players, &view.totals, to_act),
        targets: actions.iter().map(target).collect(),
    }
}
