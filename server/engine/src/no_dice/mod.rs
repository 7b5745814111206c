//! No Dice: cards with two segments, laid like dominoes, also half offset and on top of each other.
//!
//! # The order of the legal actions
//!
//! On a turn:
//!
//! 1. the placements, by card. A segment is *anchored* where it covers one of its value, or covers none and touches
//!    its value and no other. Of each card, the placements whose lower value is anchored come before the rest, whose
//!    higher value is. Within each, by the segment on the table that it is anchored at, the first laid first; on that
//!    segment before around it, and around it row by row (y, then x); on the same square, by the direction from the
//!    lower value to the higher one: right, down, left, up. Of a double, the upper or left segment stands for the lower
//!    value, and of the two segments of a card the lower value was laid first. The first card on the table is listed by
//!    its rotations alone.
//! 2. SWITCH, PASS, X2, then SWAP by the other player's seat;
//! 3. to pass.
//!
//! In a window: PASS, then to decline.

mod board;
mod card;
mod hand;
mod legal;
mod sample;
mod text;
mod turn;
mod view;
mod window;

#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use board::{Direction, Laid, Placement, Segment, Square};
pub use card::{Card, PlayingCard};
pub use hand::{Hand, HandCards};
pub use view::{Decision, View};

use crate::{
    Chance, Events, Game, GameInfo, ImpossibleView, MAX_SEATS, Outcome, Refusal, Seat, Seats, SetupError,
    Text, Viewer,
};
use board::Board;

/// How many cards a hand is dealt and filled up to.
const HAND: u8 = 7;

/// No Dice has nothing to choose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {}

/// The direction of play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlayOrder {
    /// To the left.
    Clockwise,
    /// To the right.
    Anticlockwise,
}

impl PlayOrder {
    /// The seat that follows at a table of `players`.
    #[must_use]
    pub const fn after(self, seat: Seat, players: u8) -> Seat {
        match self {
            PlayOrder::Clockwise => seat.left(players),
            PlayOrder::Anticlockwise => seat.right(players),
        }
    }

    /// The other direction.
    #[must_use]
    pub const fn reversed(self) -> PlayOrder {
        match self {
            PlayOrder::Clockwise => PlayOrder::Anticlockwise,
            PlayOrder::Anticlockwise => PlayOrder::Clockwise,
        }
    }
}

/// What a player can do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// To lay a playing card.
    Lay(Placement),
    /// To play SWITCH.
    Switch,
    /// To play the card PASS: as one's turn, or in a window.
    PassCard,
    /// To play X2.
    X2,
    /// To play SWAP and trade hands with this player.
    Swap(Seat),
    /// To pass, without a card.
    Pass,
    /// Not to play PASS in a window.
    Decline,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// You were dealt this hand.
    Dealt {
        /// Your cards.
        hand: Hand,
    },
    /// The turn of a player is about to begin, or has begun.
    NextUp {
        /// The player.
        seat: Seat,
    },
    /// Your turn has begun.
    YourTurn,
    /// You are asked whether you play PASS before this turn begins.
    Asked,
    /// You declined.
    Declined,
    /// You said that you play PASS. Whether you do is settled when all have answered.
    SaidYes,
    /// A playing card was laid.
    Laid {
        /// Who laid it.
        seat: Seat,
        /// The card and its place.
        placement: Placement,
        /// What it scored.
        points: i32,
        /// Whether that was doubled by an x2.
        doubled: bool,
    },
    /// SWITCH was played.
    Switched {
        /// Who played it.
        seat: Seat,
    },
    /// PASS was played.
    Skipped {
        /// Who played it.
        by: Seat,
        /// Who is skipped.
        seat: Seat,
        /// Whether it was played in a window, and not as a turn.
        out_of_turn: bool,
    },
    /// X2 was played.
    PlayedX2 {
        /// Who played it.
        seat: Seat,
    },
    /// SWAP was played, and hands were traded.
    Swapped {
        /// Who played it.
        seat: Seat,
        /// With whom.
        with: Seat,
    },
    /// You got this hand in the trade.
    Got {
        /// Your cards.
        hand: Hand,
    },
    /// A player passed, without a card.
    Passed {
        /// Who passed.
        seat: Seat,
        /// Whether it went by itself, with no card in hand and none to draw.
        by_itself: bool,
    },
    /// You drew these cards.
    Drew {
        /// Your new cards.
        cards: Hand,
    },
    /// Another player drew.
    OtherDrew {
        /// Who drew.
        seat: Seat,
        /// How many cards.
        count: u8,
    },
    /// The game was over.
    Ended {
        /// The result.
        outcome: Outcome,
    },
}

/// Rules that an action can break.
pub mod refusals {
    use crate::Refusal;

    /// The first card lies elsewhere.
    pub const FIRST_CARD: Refusal = Refusal::new(
        "no_dice.first_card",
        "The first card is laid with its lower value at the origin; only its rotation is chosen.",
        "Die erste Karte liegt mit ihrem niedrigeren Wert am Ursprung; gewählt wird nur die Drehung.",
    );
    /// The card covers nothing and touches nothing.
    pub const DETACHED: Refusal = Refusal::new(
        "no_dice.detached",
        "The card must cover or touch at least one segment; a corner is not enough.",
        "Die Karte muss mindestens ein Segment bedecken oder berühren; eine Ecke genügt nicht.",
    );
    /// A segment is overlapped, but not covered whole by one segment.
    pub const COVER_WHOLE: Refusal = Refusal::new(
        "no_dice.cover_whole",
        "A segment must be covered whole by one segment, never in part and never by two.",
        "Ein Segment muss ganz von einem Segment bedeckt werden, nie nur zum Teil und nie von zweien.",
    );
    /// A segment is covered by one of another value.
    pub const COVER_VALUE: Refusal = Refusal::new(
        "no_dice.cover_value",
        "A segment can only be covered by one of the same value.",
        "Ein Segment darf nur von einem mit demselben Wert bedeckt werden.",
    );
    /// A contact does not match.
    pub const CONTACT_VALUE: Refusal = Refusal::new(
        "no_dice.contact_value",
        "Segments that touch must have the same value, unless this play covers the other segment of that card.",
        "Segmente, die sich berühren, müssen denselben Wert haben, es sei denn, das andere Segment jener Karte \
         wird gerade bedeckt.",
    );
    /// Hands cannot be traded with this seat.
    pub const SWAP_PARTNER: Refusal = Refusal::new(
        "no_dice.swap_partner",
        "Hands are traded with another player at this table.",
        "Getauscht wird mit einer anderen Person an diesem Tisch.",
    );
    /// Something else than an answer in a window.
    pub const WINDOW: Refusal = Refusal::new(
        "no_dice.window",
        "It is not your turn: you can only play your PASS card or decline.",
        "Du bist nicht am Zug: Du kannst nur deine PASS-Karte spielen oder verzichten.",
    );
    /// Nothing was asked that could be declined.
    pub const NO_WINDOW: Refusal = Refusal::new(
        "no_dice.no_window",
        "It is your turn, and there is nothing to decline: pass if you want to do nothing.",
        "Du bist am Zug, da gibt es nichts zu verzichten: Passe, wenn du nichts tun willst.",
    );
}

/// A game of No Dice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoDice {
    options: Options,
    players: u8,
    chance: Chance,
    order: PlayOrder,
    /// Who is about to play, or playing.
    turn: Seat,
    /// Whether windows wait to be closed.
    windows_held: bool,
    /// Whether the window before the turn does so now.
    held: bool,
    /// Who has not yet answered in the window before the turn. If nobody, and it is not held, the turn has begun.
    asked: Seats,
    /// Who said yes in the window.
    yes: Seats,
    hands: [Hand; MAX_SEATS],
    /// For each player and each holder, what the player gave the holder and the holder still has.
    known: [[Hand; MAX_SEATS]; MAX_SEATS],
    /// The next card is the last one.
    draw_pile: ArrayVec<Card, { card::DECK }>,
    board: Board,
    /// The action cards that were played.
    played: Hand,
    /// Whose next playing card scores double.
    x2: Seats,
    /// Who has passed since the last turn in which a card was played.
    passed: Seats,
    scores: [i32; MAX_SEATS],
    outcome: Option<Outcome>,
}

impl Game for NoDice {
    type Options = Options;
    type Action = Action;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "no_dice",
        name: Text { en: "No Dice", de: "No Dice" },
        summary: Text {
            en: "Lay cards like dominoes, beside and on top of each other: all that they touch and cover scores.",
            de: "Lege Karten wie Dominosteine, neben- und übereinander: Was sie berühren und bedecken, zählt.",
        },
        min_players: 2,
        max_players: 6,
        rules_version: 1,
        rules: Text { en: include_str!("rules.en.md"), de: include_str!("rules.de.md") },
    };

    fn new(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl Events<Event>,
    ) -> Result<NoDice, SetupError> {
        NoDice::set_up(rules_version, options, players, chance, false, events)
    }

    fn new_held(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl Events<Event>,
    ) -> Result<NoDice, SetupError> {
        NoDice::set_up(rules_version, options, players, chance, true, events)
    }

    fn players(&self) -> u8 {
        self.players
    }

    fn to_act(&self) -> Seats {
        if self.outcome.is_some() {
            Seats::NONE
        } else if self.asked.is_empty() && !self.held {
            Seats::only(self.turn)
        } else {
            self.asked
        }
    }

    fn legal_actions(&self, seat: Seat, out: &mut Vec<Action>) {
        out.clear();
        if self.asked.contains(seat) {
            out.extend([Action::PassCard, Action::Decline]);
            return;
        }
        if !self.to_act().contains(seat) {
            return;
        }
        let hand = self.hands[seat.index()];
        legal::placements(&self.board, hand, |placement| out.push(Action::Lay(placement)));
        for (card, action) in
            [(Card::Switch, Action::Switch), (Card::Pass, Action::PassCard), (Card::X2, Action::X2)]
        {
            if hand.contains(card) {
                out.push(action);
            }
        }
        if hand.contains(Card::Swap) {
            out.extend(Seat::all(self.players).filter(|with| *with != seat).map(Action::Swap));
        }
        out.push(Action::Pass);
    }

    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) -> Result<(), Refusal> {
        self.check(seat, action)?;
        if self.asked.contains(seat) {
            self.answer(seat, action == Action::PassCard, events);
            Ok(())
        } else {
            self.play(seat, action, events)
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn follow(view: &mut View, event: &Event) {
        view.follow(event);
    }

    /// To decline in a window, and to pass on a turn.
    fn default_action(&self, seat: Seat) -> Option<Action> {
        if self.asked.contains(seat) {
            Some(Action::Decline)
        } else {
            self.to_act().contains(seat).then_some(Action::Pass)
        }
    }

    fn sample(view: &View, rng: &mut impl Rng) -> Result<NoDice, ImpossibleView> {
        sample::world(view, rng)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Nobody else may learn who is asked in a window, nor that there is one.
    /// Whether the turn has begun, or a window before it is still open, is not for everybody to see.
    fn waits_for(&self) -> Seats {
        if self.outcome.is_some() { Seats::NONE } else { Seats::only(self.turn) }
    }

    fn is_secret(&self, seat: Seat) -> bool {
        self.asked.contains(seat)
    }

    fn window_is_held(&self) -> bool {
        self.held
    }

    fn close_window(&mut self, events: &mut impl Events<Event>) {
        self.close(events);
    }
}
