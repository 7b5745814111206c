//! The board of High Card, and the question of a decision.

use super::{Action, View};
use crate::board::{ActionTargets, BoardSeat, faces, label};
use crate::{Board, Lang, Localise, Seat, Seats, Text, TextBuilder, Zone, ZoneKind, zone_of};

/// "Play a card."
pub(super) fn write_question(view: &View, out: &mut TextBuilder) {
    if view.turn().is_some_and(|seat| view.viewer.is(seat)) {
        Text { en: "Play a card.", de: "Spiele eine Karte." }.write_text(out);
    }
}

/// The hands, the cards played, and the cards that nobody got.
pub(super) fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
    const PLAYED: Text = Text { en: "Played", de: "Gespielt" };
    const REST: Text = Text { en: "Not dealt", de: "Nicht ausgeteilt" };
    let mut zones = Vec::new();
    let mut hands = 0;
    for seat in Seat::all(view.players) {
        let zone = Zone::owned("hand", seat, ZoneKind::Hand, label::HAND);
        hands += view.hand_size(seat);
        zones.push(if view.viewer.is(seat) {
            zone.with_cards(faces(view.hand, lang))
        } else {
            zone.with_unknown(view.hand_size(seat))
        });
        let played = view.played.get(seat.index()).copied();
        zones.push(Zone::owned("played", seat, ZoneKind::Row, PLAYED).with_cards(faces(played, lang)));
    }
    let rest = super::DECK.len().saturating_sub(hands).saturating_sub(view.played.len() as u8);
    zones.push(Zone::common("rest", ZoneKind::Stock, REST).with_unknown(rest));
    let points = view.outcome().map_or([0; crate::MAX_SEATS], |outcome| {
        let mut points = [0; crate::MAX_SEATS];
        outcome.standings().for_each(|standing| points[standing.seat.index()] = standing.points);
        points
    });
    let own = |id: &str| view.viewer.seat().map_or_else(String::new, |seat| zone_of(id, seat));
    let target = |action: &Action| {
        ActionTargets::default().with_cards(&own("hand"), faces([action.card], lang)).with_zone(own("played"))
    };
    Board {
        zones,
        seats: BoardSeat::all(view.players, &points, view.turn().map_or(Seats::NONE, Seats::only)),
        targets: actions.iter().map(target).collect(),
    }
}
