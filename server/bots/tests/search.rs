//! The search on a game so small that the best action is known: it finds it, and it does not peek.

use std::fmt;

use parlor_bots::{BotError, Rated, Search, Strategy};
use parlor_engine::{
    Audience, Chance, EventSink, Game, GameInfo, ImpossibleView, Lang, Localise, MAX_SEATS, Outcome, Points,
    Refusal, Seat, Seats, SetupError, Text, Viewer, below,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// A coin lies under a cup. Seat 0 takes a point, or bets and then says which side is up: three points, or minus
/// three. Whoever could see the coin would bet; whoever cannot takes the point.
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

macro_rules! in_no_words {
    ($($name:ty),*) => {$(
        impl Localise for $name {
            fn fmt_in(&self, _: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self:?}")
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self:?}")
            }
        }
    )*};
}
in_no_words!(Action, Made, NoOptions, Shown);

impl Game for Coin {
    type Options = NoOptions;
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

impl Rated for Coin {
    const HORIZON: u32 = 8;
    const DOUBT: f32 = 1.0;

    fn viewer(_: &Shown) -> Viewer {
        Viewer::Seat(Seat::FIRST)
    }

    /// Wrong on purpose: it likes to bet.
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

    fn is_unseen(_: &Action) -> bool {
        false
    }
}

const DECIDING: [Action; 2] = [Action::Bet, Action::TakePoint];

/// How often, of 100 times, a search of so many iterations takes the point.
fn takes_the_point(iterations: u32) -> usize {
    let search = Search::new(iterations).expect("a number of iterations");
    let choices = (0..100).map(|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let view = Shown(Stage::Deciding);
        Strategy::<Coin>::choose(&search, &view, Seat::FIRST, &DECIDING, &mut rng).expect("a choice")
    });
    choices.filter(|index| DECIDING[*index] == Action::TakePoint).count()
}

/// The first look goes where the ratings point, which is wrong. A search that let each world be played by what is
/// hidden in it would find three points for betting in every world, and stay wrong for ever.
#[test]
fn more_iterations_find_what_is_best_without_peeking() {
    let [hasty, longer, patient] = [1, 30, 1000].map(takes_the_point);
    assert_eq!(hasty, 0);
    assert!(longer > 20, "{longer} of 100");
    assert!(patient >= 99, "{patient} of 100");
}

#[test]
fn a_search_stops_when_it_is_told_to() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let view = Shown(Stage::Deciding);
    let mut asked = Vec::new();
    let choice = Search::choose_while::<Coin>(&view, Seat::FIRST, &DECIDING, &mut rng, |done| {
        asked.push(done);
        done < 3
    });
    assert!(choice.is_ok());
    assert_eq!(asked, [0, 1, 2, 3]);
    // Without any time there still is an answer: the one that is rated best.
    let choice = Search::choose_while::<Coin>(&view, Seat::FIRST, &DECIDING, &mut rng, |_| false);
    assert_eq!(choice, Ok(0));
}

#[test]
fn a_list_that_is_not_the_views_is_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let search = Search::new(3).expect("a search");
    let mut choose = |seat, legal: &[Action]| {
        Strategy::<Coin>::choose(&search, &Shown(Stage::Deciding), seat, legal, &mut rng)
    };
    assert_eq!(choose(Seat::FIRST, &[]), Err(BotError::NothingToChoose));
    let other = Seat::new(MAX_SEATS as u8 - 1).expect("a seat");
    assert_eq!(choose(other, &DECIDING), Err(BotError::OtherActions));
}
