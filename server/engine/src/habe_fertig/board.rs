//! The board of Habe fertig, and the question of a decision.

use super::{Action, Phase, Pile, View};
use crate::board::{ActionTargets, BoardSeat, faces, label};
use crate::text::{TheCard, phrase};
use crate::{Board, Lang, Seat, Seats, Text, TextBuilder, Zone, ZoneKind, zone_of};

/// Id of the zone of the turned-over card.
const TURNED: &str = "turned-over";

/// Id of the zone of the draw pile.
const DRAW_PILE: &str = "draw-pile";

/// Id of the zone of a pile.
const fn pile_zone(pile: Pile) -> &'static str {
    match pile {
        Pile::Left => "left-pile",
        Pile::Right => "right-pile",
    }
}

/// The seats that the game waits for.
fn to_act(view: &View) -> Seats {
    match (view.outcome, view.phase) {
        (Some(_), _) => Seats::NONE,
        (None, Phase::Hiding { waiting }) => waiting,
        (None, Phase::Laying { .. } | Phase::Moving) => Seats::only(view.turn),
    }
}

/// The cards to hide, the turned-over card to lay, or a move.
pub(super) fn write_question(view: &View, out: &mut TextBuilder) {
    if !view.viewer.seat().is_some_and(|seat| to_act(view).contains(seat)) {
        return;
    }
    match (view.phase, out.lang()) {
        (Phase::Hiding { .. }, Lang::En) => phrase!(out, "Hide two cards."),
        (Phase::Hiding { .. }, Lang::De) => phrase!(out, "Verstecke zwei Karten."),
        (Phase::Laying { turned }, Lang::En) => {
            phrase!(out, "There is no gap: lay ", turned, " on a pile.");
        }
        (Phase::Laying { turned }, Lang::De) => {
            phrase!(out, "Es gibt keine Lücke: Lege ", TheCard(turned), " auf einen Stapel.");
        }
        (Phase::Moving, Lang::En) => phrase!(out, "Play a card, or pass."),
        (Phase::Moving, Lang::De) => phrase!(out, "Spiele eine Karte oder passe."),
    }
}

/// The piles, the turned-over card, the draw pile, and the hands and hidden cards of the seats.
pub(super) fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
    const LEFT: Text = Text { en: "Left pile", de: "Linker Stapel" };
    const RIGHT: Text = Text { en: "Right pile", de: "Rechter Stapel" };
    const UNDER: Text = Text { en: "Under the piles", de: "Unter den Stapeln" };
    const TURNED_LABEL: Text = Text { en: "Turned over", de: "Aufgedeckt" };
    const HIDDEN: Text = Text { en: "Hidden", de: "Versteckt" };
    let top = |pile: Pile| view.tops.map(|tops| tops[pile.index()]);
    let pile = |pile: Pile, label| {
        Zone::common(pile_zone(pile), ZoneKind::Pile, label).with_cards(faces(top(pile), lang))
    };
    let mut zones = vec![
        pile(Pile::Left, LEFT),
        pile(Pile::Right, RIGHT),
        Zone::common(TURNED, ZoneKind::Row, TURNED_LABEL).with_cards(faces(view.turned(), lang)),
        Zone::common("under", ZoneKind::Discard, UNDER).with_cards(faces(view.buried, lang)),
        Zone::common(DRAW_PILE, ZoneKind::Stock, label::DRAW_PILE).with_unknown(view.draw),
    ];
    for seat in Seat::all(view.players) {
        let hand = Zone::owned("hand", seat, ZoneKind::Hand, label::HAND);
        zones.push(match view.hand_of(seat) {
            Some(cards) => hand.with_cards(faces(cards, lang)),
            None => hand.with_unknown(view.hand_sizes[seat.index()]),
        });
        let hidden = Zone::owned("hidden", seat, ZoneKind::Hidden, HIDDEN);
        let has_hidden = !matches!(view.phase, Phase::Hiding { waiting } if waiting.contains(seat));
        zones.push(match view.hidden_of(seat) {
            Some(cards) => hidden.with_cards(faces(cards, lang)),
            None => hidden.with_unknown(if has_hidden { 2u32 } else { 0 }),
        });
    }
    let mut seats = BoardSeat::all(view.players, &view.totals, to_act(view));
    for seat in seats.iter_mut().filter(|seat| seat.seat == view.dealer) {
        seat.marks.push(Text { en: "has dealt", de: "hat gegeben" });
    }
    let own = |id: &str| view.viewer.seat().map_or_else(String::new, |seat| zone_of(id, seat));
    let target = |action: &Action| match *action {
        Action::Hide(pair) => ActionTargets::default()
            .with_cards(&own("hand"), faces(pair.cards(), lang))
            .with_zone(own("hidden")),
        Action::Lay(pile) => {
            ActionTargets::default().with_cards(TURNED, faces(view.turned(), lang)).with_zone(pile_zone(pile))
        }
        Action::Play { card, pile } => {
            ActionTargets::default().with_cards(&own("hand"), faces([card], lang)).with_zone(pile_zone(pile))
        }
        Action::Pass => ActionTargets::default().with_zone(DRAW_PILE).with_zone(own("hand")),
    };
    Board { zones, seats, targets: actions.iter().map(target).collect() }
}
