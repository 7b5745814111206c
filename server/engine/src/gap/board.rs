//! The board of GAP, and the question of a decision.

use super::{Action, View};
use crate::board::{ActionTargets, BoardSeat, faces, label};
use crate::text::{TheCards, phrase};
use crate::{Board, Lang, Localise, Seat, Seats, Text, TextBuilder, Zone, ZoneKind, zone_of};

/// Id of the zone of the middle.
const MIDDLE: &str = "middle";

/// The seat that the game waits for.
fn to_act(view: &View) -> Seats {
    if view.outcome.is_some() { Seats::NONE } else { Seats::only(view.turn) }
}

/// "play blue 4, taking green 4"
pub(super) fn write_action(view: &View, action: &Action, out: &mut TextBuilder) {
    let (card, taken) = (action.card, view.taken_by(action));
    match (taken.is_empty(), out.lang()) {
        (true, Lang::En) => phrase!(out, "play ", card, " into the middle"),
        (true, Lang::De) => phrase!(out, card, " in die Mitte legen"),
        (false, Lang::En) => phrase!(out, "play ", card, ", taking ", TheCards(taken)),
        (false, Lang::De) => phrase!(out, card, " spielen und ", TheCards(taken), " nehmen"),
    }
}

/// The card to play, and its effect.
pub(super) fn write_question(view: &View, out: &mut TextBuilder) {
    if view.viewer.seat().is_some_and(|seat| to_act(view).contains(seat)) {
        let text = Text {
            en: "Play a card: it takes all of its number, else its neighbours, else it joins the middle.",
            de: "Spiele eine Karte: Sie nimmt alle mit ihrer Zahl, sonst Nachbarn, sonst kommt sie in die Mitte.",
        };
        text.write_text(out);
    }
}

/// The middle, the stack, the hands, and the collected cards.
pub(super) fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
    const COLLECTED: Text = Text { en: "Collected", de: "Gesammelt" };
    const BEGAN: Text = Text { en: "began the round", de: "hat die Runde begonnen" };
    let mut zones = vec![
        Zone::common(MIDDLE, ZoneKind::Row, Text { en: "Middle", de: "Mitte" })
            .with_cards(faces(view.middle, lang)),
        Zone::common("stack", ZoneKind::Stock, Text { en: "Stack", de: "Stapel" }).with_unknown(view.stack),
    ];
    for seat in Seat::all(view.players) {
        let hand = Zone::owned("hand", seat, ZoneKind::Hand, label::HAND);
        zones.push(if view.viewer.is(seat) {
            hand.with_cards(faces(view.hand, lang))
        } else {
            hand.with_unknown(view.hand_sizes[seat.index()])
        });
        let collected = Zone::owned("collected", seat, ZoneKind::Collected, COLLECTED);
        zones.push(collected.with_cards(faces(view.collected[seat.index()], lang)));
    }
    let mut seats = BoardSeat::all(view.players, &view.totals, to_act(view));
    for seat in seats.iter_mut().filter(|seat| seat.seat == view.start) {
        seat.marks.push(BEGAN);
    }
    let own = |id: &str| view.viewer.seat().map_or_else(String::new, |seat| zone_of(id, seat));
    let target = |action: &Action| {
        let taken = view.taken_by(action);
        let to = if taken.is_empty() { MIDDLE.to_owned() } else { own("collected") };
        ActionTargets::default()
            .with_cards(&own("hand"), faces([action.card], lang))
            .with_cards(MIDDLE, faces(taken, lang))
            .with_zone(to)
    };
    Board { zones, seats, targets: actions.iter().map(target).collect() }
}
