//! The display board of No Dice, and the question of a decision.

use super::{Action, Card, Decision, LaidCard, Placement, View};
use crate::board::{ActionTargets, BoardCard, BoardSeat, Cell, faces, label};
use crate::text::{PointCount, phrase};
use crate::{Board, CardLabel, Lang, Localise, Seat, Seats, Text, TextBuilder, Zone, ZoneKind, zone_of};

/// Id of the zone of the laid cards.
const GRID: &str = "grid";

/// Id of the zone of the action cards that were played.
const PLAYED: &str = "played";

/// The width and height of a segment, in half-segments.
const SEGMENT: u32 = 2;

impl View {
    /// Remarks on a seat: a pending x2, a pass.
    pub(super) fn marks(&self, seat: Seat) -> impl Iterator<Item = Text> {
        const X2_WAITS: Text = Text { en: "x2 waits", de: "x2 wartet" };
        let marks = [(self.x2, X2_WAITS), (self.passed, label::PASSED)];
        marks.into_iter().filter(move |(seats, _)| seats.contains(seat)).map(|(_, mark)| mark)
    }
}

/// The action, with the points that a placement scores: "5|8 at (0, 0), 8 to the right: 43 points".
pub(super) fn write_action(view: &View, action: &Action, out: &mut TextBuilder) {
    action.write_text(out);
    if let Action::Lay(placement) = action
        && let Some(Ok(points)) = view.scores_of([*placement]).next()
    {
        phrase!(out, ": ", PointCount(points));
    }
}

/// An action for the turn, or the answer in a window.
pub(super) fn write_question(view: &View, out: &mut TextBuilder) {
    match view.decision {
        Some(Decision::Turn) => {
            let text = Text {
                en: "Lay a card, play an action card, or pass.",
                de: "Lege eine Karte, spiele eine Aktionskarte oder passe.",
            };
            text.write_text(out);
        }
        Some(Decision::Window) => match out.lang() {
            Lang::En => phrase!(out, "Do you play ", Card::Pass, " to skip ", view.turn, "?"),
            Lang::De => phrase!(out, "Spielst du ", Card::Pass, ", damit ", view.turn, " aussetzt?"),
        },
        None => {}
    }
}

/// The hands, the grid of laid cards, the draw pile, and the action cards that were played.
pub(super) fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
    let hand = |seat: Seat| {
        let zone = Zone::owned("hand", seat, ZoneKind::Hand, label::HAND);
        let known = view.known[seat.index()];
        if view.viewer.is(seat) {
            zone.with_cards(faces(view.hand, lang))
        } else {
            let unknown = view.hand_sizes[seat.index()].saturating_sub(known.len());
            zone.with_cards(faces(known, lang)).with_unknown(unknown)
        }
    };
    let mut zones: Vec<Zone> = Seat::all(view.players).map(hand).collect();
    let laid = |laid: &LaidCard| BoardCard {
        face: laid.placement.card().face(lang),
        cells: cells(laid.placement).into(),
    };
    zones.push(Zone {
        cards: view.table.iter().map(laid).collect(),
        ..Zone::common(GRID, ZoneKind::Grid, Text { en: "Table", de: "Tisch" })
    });
    zones.push(Zone::common("draw-pile", ZoneKind::Stock, label::DRAW_PILE).with_unknown(view.draw_pile));
    zones.push(
        Zone::common(PLAYED, ZoneKind::Discard, Text { en: "Played", de: "Gespielt" })
            .with_cards(faces(view.played, lang)),
    );
    // A window before the turn is secret: everyone sees the seat whose turn is next.
    let to_act = if view.outcome.is_some() { Seats::NONE } else { Seats::only(view.turn) };
    let mut seats = BoardSeat::all(view.players, &view.scores, to_act);
    for seat in &mut seats {
        seat.marks.extend(view.marks(seat.seat));
    }
    let own_hand = view.viewer.seat().map_or_else(String::new, |seat| zone_of("hand", seat));
    let play = |card: Card| ActionTargets::default().with_cards(&own_hand, faces([card], lang));
    let target = |action: &Action| match *action {
        Action::Lay(placement) => ActionTargets {
            cells: cells(placement).into(),
            ..play(Card::Playing(placement.card())).with_zone(GRID)
        },
        Action::Switch => play(Card::Switch).with_zone(PLAYED),
        Action::PassCard => play(Card::Pass).with_zone(PLAYED),
        Action::X2 => play(Card::X2).with_zone(PLAYED),
        Action::Swap(with) => play(Card::Swap).with_zone(PLAYED).with_zone(zone_of("hand", with)),
        Action::Pass | Action::Decline => ActionTargets::default(),
    };
    Board { zones, seats, targets: actions.iter().map(target).collect() }
}

/// The cells of a card, that of the lower value first.
fn cells(placement: Placement) -> [Cell; 2] {
    let cell = |(x, y): (i16, i16), value: u8| Cell {
        x: x.into(),
        y: y.into(),
        size: SEGMENT,
        label: value.to_string(),
    };
    let card = placement.card();
    [cell(placement.lower(), card.lower()), cell(placement.higher(), card.higher())]
}
