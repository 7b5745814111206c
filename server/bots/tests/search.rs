//! The search on a minimal game with a known best action: it finds the action without using hidden
//! information.

use std::fmt;

use parlor_bots::{BotError, Heuristic, Search, Strategy};
use parlor_engine::{
    Audience, Board, Chance, EventSink, Game, GameInfo, ImpossibleView, Lang, Localise, MAX_SEATS, Outcome,
    Points, Refusal, Seat, Seats, SetupError, Text, TextBuilder, Viewer, below,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// A coin lies under a cup. Seat 0 takes a point, or bets and then calls the side: three points, or minus
/// three. A player who sees the coin would bet; one who does not takes the point.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Coin {
    heads: bool,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Deciding,
    Saying,
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Action {
    Bet,
    TakePoint,
    SayHeads,
    SayTails,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Made(i32);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct NoOptions;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shown(Stage);

macro_rules! say_debug {
    ($($name:ty),*) => {$(
        impl Localise for $name {
            fn write_text(&self, out: &mut TextBuilder) {
                write!(out, "{self:?}");
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self:?}")
            }
        }
    )*};
}
say_debug!(Action, Made, NoOptions, Shown);

impl Game for Coin {
    type Options = NoOptions;
    type Card = parlor_engine::gap::Card;
    type Action = Action;
    type Event = Made;
    type View = Shown;

    const INFO: GameInfo = GameInfo {
        id: "coin",
        name: Text { en: "", de: "" },
        summary: Text { en: "", de: "" },
        min_players: 2,
        max_players: 2,
        rules_version: 1,
        rules: Text { en: "", de: "" },
        test_only: true,
    };

    fn new(_: u32, _: NoOptions, _: u8, _: Chance, _: &mut impl EventSink<Made>) -> Result<Coin, SetupError> {
        Ok(Coin { heads: true, stage: Stage::Deciding })
    }

    fn players(&self) -> u8 {
        2
    }

    fn to_act(&self) -> Seats {
        if self.stage == Stage::Over { Seats::NONE } else { Seats::only(Seat::FIRST) }
    }

    fn legal_actions(&self, _: Seat, out: &mut Vec<Action>) {
        out.clear();
        match self.stage {
            Stage::Deciding => out.extend([Action::Bet, Action::TakePoint]),
            Stage::Saying => out.extend([Action::SayHeads, Action::SayTails]),
            Stage::Over => {}
        }
    }

    fn apply(&mut self, _: Seat, action: Action, events: &mut impl EventSink<Made>) -> Result<(), Refusal> {
        let right = self.heads == (action == Action::SayHeads);
        let (stage, made) = match action {
            Action::Bet => (Stage::Saying, 0),
            Action::TakePoint => (Stage::Over, 1),
            Action::SayHeads | Action::SayTails => (Stage::Over, if right { 3 } else { -3 }),
        };
        self.stage = stage;
        events.emit(Audience::Everyone, Made(made));
        Ok(())
    }

    fn view(&self, _: Viewer) -> Shown {
        Shown(self.stage)
    }

    fn apply_event(_: &mut Shown, _: &Made) {}

    fn board(_: &Shown, _: &[Action], _: Lang) -> Board {
        Board::default()
    }

    fn write_question(_: &Shown, _: &mut TextBuilder) {}

    fn default_action(&self, _: Seat) -> Option<Action> {
        None
    }

    fn sample(view: &Shown, rng: &mut impl Rng) -> Result<Coin, ImpossibleView> {
        Ok(Coin { heads: below(2, rng) == 0, stage: view.0 })
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }
}

impl Heuristic for Coin {
    const MAX_PLAYOUT_ACTIONS: u32 = 8;
    const RATING_UNCERTAINTY: f32 = 1.0;

    fn viewer(_: &Shown) -> Viewer {
        Viewer::Seat(Seat::FIRST)
    }

    /// Wrong on purpose: prefers to bet.
    fn rate(_: &Shown, _: Seat, legal: &[Action], ratings: &mut Vec<f32>) {
        ratings.clear();
        ratings.extend(legal.iter().map(|action| match action {
            Action::Bet => 2.0,
            _ => 0.0,
        }));
    }

    fn points(event: &Made) -> Option<Points> {
        Some(Points::new(2, [event.0, 0, 0, 0, 0, 0]))
    }

    fn ends_round(_: &Made) -> bool {
        false
    }

    fn is_hidden(_: &Action) -> bool {
        false
    }
}

const DECIDING: [Action; 2] = [Action::Bet, Action::TakePoint];

/// Number of searches of 100 that take the point.
fn count_taking_the_point(iterations: u32) -> usize {
    let search = Search::new(iterations).expect("a number of iterations");
    let choices = (0..100).map(|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let view = Shown(Stage::Deciding);
        Strategy::<Coin>::choose(&search, &view, Seat::FIRST, &DECIDING, &mut rng).expect("a choice")
    });
    choices.filter(|index| DECIDING[*index] == Action::TakePoint).count()
}

/// The first iteration follows the ratings, which are wrong. A search that used the hidden information of
/// each world would find three points for betting in every world, and never correct itself.
#[test]
fn search_finds_the_best_action_without_hidden_information() {
    let [shortest, longer, longest] = [1, 30, 1000].map(count_taking_the_point);
    assert_eq!(shortest, 0);
    assert!(longer > 20, "{longer} of 100");
    assert!(longest >= 99, "{longest} of 100");
}

#[test]
fn search_stops_when_go_on_returns_false() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let view = Shown(Stage::Deciding);
    let mut asked = Vec::new();
    let choice = Search::choose_while::<Coin>(&view, Seat::FIRST, &DECIDING, &mut rng, |done| {
        asked.push(done);
        done < 3
    });
    assert!(choice.is_ok());
    assert_eq!(asked, [0, 1, 2, 3]);
    // Without iterations the answer is the best-rated action.
    let choice = Search::choose_while::<Coin>(&view, Seat::FIRST, &DECIDING, &mut rng, |_| false);
    assert_eq!(choice, Ok(0));
}

#[test]
fn action_list_of_another_view_is_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let search = Search::new(3).expect("a search");
    let mut choose = |seat, legal: &[Action]| {
        Strategy::<Coin>::choose(&search, &Shown(Stage::Deciding), seat, legal, &mut rng)
    };
    assert_eq!(choose(Seat::FIRST, &[]), Err(BotError::NoLegalActions));
    let other = Seat::new(MAX_SEATS as u8 - 1).expect("a seat");
    assert_eq!(choose(other, &DECIDING), Err(BotError::ActionsMismatch));
}
