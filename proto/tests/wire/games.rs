//! Random games to take values from: every game of the catalogue with every number of players and many options.

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyOptions, AnyView, Audience, Chance, GameId, Outcome, Seat, Viewer, below,
};
use parlor_proto::v1::{self, option_info::Values};
use prost_reflect::{DynamicMessage, Kind, Value};
use rand_chacha::ChaCha8Rng;

use crate::descriptors::message;

/// Options of every game, as a client sends them: those by default, and each option of the catalogue with its extremes.
fn all_options() -> Vec<AnyOptions> {
    let wire = message("GameOptions");
    let mut all: Vec<AnyOptions> = Vec::new();
    for game in GameId::ALL {
        let info = v1::GameInfo::from(*game);
        let field = wire.get_field_by_name(&info.game).expect("every game has a field");
        let Kind::Message(options) = field.kind() else { panic!("options are messages") };
        let given = info.options.iter().flat_map(|option| values(option).map(|value| (&option.name, value)));
        let given = given.map(|(name, value)| {
            let mut message = DynamicMessage::new(options.clone());
            message.set_field_by_name(name, value);
            message
        });
        for message in [DynamicMessage::new(options.clone())].into_iter().chain(given) {
            let mut any = DynamicMessage::new(wire.clone());
            any.set_field(&field, Value::Message(message));
            let any: v1::GameOptions = any.transcode_to().expect("a message of this type");
            let options = AnyOptions::try_from(any).expect("the catalogue lists allowed values");
            if !all.contains(&options) {
                all.push(options);
            }
        }
    }
    all
}

/// Values to try of an option.
fn values(option: &v1::OptionInfo) -> impl Iterator<Item = Value> {
    let values = match option.values.as_ref().expect("an option has values") {
        Values::Flag(_) => vec![Value::Bool(false), Value::Bool(true)],
        Values::Integer(v1::IntegerOption { min, max, .. }) => [*min, min + 1, *max].map(Value::U32).to_vec(),
    };
    values.into_iter()
}

/// Receives the values of a game.
pub(crate) trait GameObserver {
    /// The options of the table.
    fn options(&mut self, options: AnyOptions);
    /// The legal actions of a seat, and its view.
    fn legal(&mut self, actions: &[AnyAction], view: &AnyView);
    /// An event, for any audience.
    fn event(&mut self, event: AnyEvent);
    /// The view of a viewer.
    fn view(&mut self, view: AnyView);
    /// The outcome.
    fn outcome(&mut self, outcome: Outcome);
}

/// Plays `games` random games with each set-up, and one more with held windows. After 150 random actions, a game is
/// played to its end by default actions, so that every kind of event occurs.
pub(crate) fn play_all(games: u32, rng: &mut ChaCha8Rng, observer: &mut impl GameObserver) {
    for options in all_options() {
        let info = options.game().info();
        for players in info.min_players..=info.max_players {
            for _ in 0..games {
                observer.options(options);
                play(options, players, false, rng, observer);
            }
            play(options, players, true, rng, observer);
        }
    }
}

fn play(
    options: AnyOptions,
    players: u8,
    held: bool,
    rng: &mut ChaCha8Rng,
    observer: &mut impl GameObserver,
) {
    let version = options.game().info().rules_version;
    let mut events: Vec<(Audience, AnyEvent)> = Vec::new();
    let chance = Chance::fresh(rng);
    let mut game = if held {
        AnyGame::new_with_held_windows(version, options, players, chance, &mut events)
    } else {
        AnyGame::new(version, options, players, chance, &mut events)
    }
    .expect("the set-up is allowed");
    for step in 0.. {
        for (_, event) in events.drain(..) {
            observer.event(event);
        }
        let random = step < 150;
        if random || game.outcome().is_some() {
            for viewer in Viewer::all(players) {
                observer.view(game.view(viewer));
            }
        }
        let asked: Vec<Seat> = game.to_act().iter().collect();
        if asked.is_empty() && game.window_is_held() {
            game.close_window(&mut events);
            continue;
        }
        if asked.is_empty() {
            break;
        }
        let seat = asked[below(asked.len() as u32, rng) as usize];
        let action = if random {
            let legal = game.legal_actions(seat);
            observer.legal(&legal, &game.view(Viewer::Seat(seat)));
            legal[below(legal.len() as u32, rng) as usize]
        } else {
            game.default_action(seat).expect("a seat to act has a default action")
        };
        game.apply(seat, action, &mut events).expect("the action is legal");
    }
    observer.outcome(game.outcome().expect("the game is over"));
}
