//! `parlor tournament plan`: number of deals after which a difference of strength means anything, from games between
//! house bots in this process.

use parlor_bots::HouseBot;
use parlor_engine::{AnyGame, AnyOptions, Chance, GameId, Seat, Viewer};
use parlor_sdk::options;
use parlor_tournament::Entrant;
use parlor_tournament::plan::SequentialTest;
use parlor_tournament::stats::{Moments, Sprt};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// Deals beyond which a difference counts as out of reach.
const MAX_GROUPS: u32 = 1_000_000;
/// Error rates and minimum of a sequential test, as the server has them by default.
const ERROR_RATE: f64 = 0.05;
const MIN_TEST_GROUPS: u32 = 30;

#[derive(clap::Args)]
#[command(
    after_help = "Example: parlor tournament plan --edge 1.0 --game gap\n\nNo server is needed. docs/statistics.md explains the figures."
)]
pub(super) struct Args {
    /// Difference to find: the mean group score of the better one, in points
    #[arg(long, value_name = "POINTS", value_parser = parse_edge)]
    edge: f64,
    /// Game id, such as gap
    #[arg(long)]
    game: String,
    /// Number of players [default: the game's minimum]
    #[arg(long, value_name = "COUNT")]
    players: Option<u8>,
    /// House bots whose games are measured, separated by commas: the first against the others
    #[arg(long, value_name = "BOTS", value_delimiter = ',', default_value = "greedy,search:20", value_parser = parse_bot)]
    bots: Vec<HouseBot>,
    /// Number of deals to play for it
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(20..=100_000))]
    deals: u32,
}

fn parse_edge(text: &str) -> Result<f64, String> {
    let edge: f64 = text.parse().map_err(|_| "a number of points, such as 1.5".to_owned())?;
    if edge.is_finite() && edge > 0.0 { Ok(edge) } else { Err("more than 0 points".to_owned()) }
}

fn parse_bot(name: &str) -> Result<HouseBot, String> {
    HouseBot::by_name(name).map_err(|error| error.to_string())
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let game = GameId::from_id(&args.game).filter(|_| options::default_for(&args.game).is_ok());
    let game = game.ok_or_else(|| {
        let (game, known) = (&args.game, options::game_ids().join(", "));
        Failure::usage(
            format!("there is no game {game:?}: there are {known}"),
            format!("Ein Spiel {game:?} gibt es nicht: Es gibt {known}"),
        )
    })?;
    let info = game.info();
    let players = args.players.unwrap_or(info.min_players);
    if !(info.min_players..=info.max_players).contains(&players) {
        let (min, max, game) = (info.min_players, info.max_players, info.id);
        return Err(Failure::usage(
            format!("{game} is for {min} to {max} players, not {players}"),
            format!("{game} ist für {min} bis {max} Spieler, nicht {players}"),
        ));
    }
    let (bots, deals) = (args.bots.clone(), args.deals);
    let measuring =
        tokio::task::spawn_blocking(move || measure(game.default_options(), players, &bots, deals));
    let scores = match context.stop.unless_stopped(measuring).await {
        Ok(scores) => scores.map_err(|error| {
            Failure::new(
                Exit::Failure,
                "GAMES",
                format!("the games could not be played ({error})"),
                format!("Die Spiele ließen sich nicht spielen ({error})"),
            )
        })?,
        Err(exit) => return Ok(exit),
    };
    let deviation = (scores.squares() / f64::from(scores.count() - 1)).sqrt();
    let interval = groups_for_interval(args.edge, deviation);
    let test = groups_for_test(args.edge, deviation);
    print(&args, players, deviation, interval, test, context)?;
    Ok(Exit::Ok)
}

fn print(
    args: &Args,
    players: u8,
    deviation: f64,
    interval: Option<u32>,
    test: Option<u32>,
    context: &Context,
) -> Result<(), Failure> {
    let (game, edge, deals) = (&args.game, args.edge, args.deals);
    if context.json {
        return context.out.json(&json!({
            "game": game,
            "players": players,
            "edge": edge,
            "measured_deals": deals,
            "deviation": deviation,
            "groups_for_interval": interval,
            "groups_for_test": test,
            "games_per_group": players,
        }));
    }
    let bots: Vec<String> = args.bots.iter().map(HouseBot::to_string).collect();
    let bots = bots.join(", ");
    let count = |groups: Option<u32>| match groups {
        Some(groups) => (
            format!("about {groups} deals ({} games)", groups * u32::from(players)),
            format!("etwa {groups} Austeilungen ({} Spielen)", groups * u32::from(players)),
        ),
        None => (format!("more than {MAX_GROUPS} deals"), format!("mehr als {MAX_GROUPS} Austeilungen")),
    };
    let (interval, test) = (count(interval), count(test));
    context.out.line(context.localise(
        || {
            format!(
                "{game} with {players} players: the group score of a deal has a standard deviation of {deviation:.2} points \
                 (measured: {deals} deals, {bots}).\n\
                 An edge of {edge} points shows in the 95% interval after {}.\n\
                 A [test] with lower = 0 and upper = {edge} decides after {}.",
                interval.0, test.0
            )
        },
        || {
            format!(
                "{game} mit {players} Spielern: Die Gruppenwertung einer Austeilung hat eine Standardabweichung von \
                 {deviation:.2} Punkten (gemessen: {deals} Austeilungen, {bots}).\n\
                 Ein Vorsprung von {edge} Punkten zeigt sich im 95%-Intervall nach {}.\n\
                 Ein [test] mit lower = 0 und upper = {edge} entscheidet nach {}.",
                interval.1, test.1
            )
        },
    ))
}

/// Group scores of the first bot: every deal is played once for each rotation of the bots over the seats.
fn measure(options: AnyOptions, players: u8, bots: &[HouseBot], deals: u32) -> Moments {
    let mut scores = Moments::default();
    for deal in 0..deals {
        let tables = (0..players).map(|rotation| first_bots_score(options, players, bots, deal, rotation));
        scores.push(tables.sum::<f64>() / f64::from(players));
    }
    scores
}

/// Points of the first bot less the mean of the others' at one table.
fn first_bots_score(options: AnyOptions, players: u8, bots: &[HouseBot], deal: u32, rotation: u8) -> f64 {
    let seed = |purpose: &str, number: u32| -> [u8; 32] {
        Sha256::new()
            .chain_update("parlor tournament plan v1")
            .chain_update(purpose)
            .chain_update(deal.to_le_bytes())
            .chain_update(number.to_le_bytes())
            .finalize()
            .into()
    };
    let version = options.game().info().rules_version;
    let mut game = AnyGame::new(version, options, players, Chance::seeded(seed("deal", 0)), &mut Vec::new())
        .expect("the player count is within the range of the game");
    let entrant = |seat: Seat| (seat.index() + usize::from(rotation)) % usize::from(players);
    let mut decisions = u32::from(rotation) << 24;
    while let Some(seat) = game.to_act().iter().next() {
        let bot = match entrant(seat) {
            0 => bots.first(),
            other if bots.len() > 1 => bots.get(1 + (other - 1) % (bots.len() - 1)),
            _ => bots.first(),
        };
        let (view, legal) = (game.view(Viewer::Seat(seat)), game.legal_actions(seat));
        decisions += 1;
        let chosen = bot.and_then(|bot| bot.decide(&view, &legal, seed("bot", decisions)).ok());
        let action = chosen.and_then(|index| legal.get(index)).or(legal.first());
        let action = action.copied().expect("an acting seat has a legal action");
        game.apply(seat, action, &mut Vec::new()).expect("a legal action applies");
    }
    let outcome = game.outcome().expect("the game is over");
    let (mut own, mut others) = (0.0, 0.0);
    for standing in outcome.standings() {
        match entrant(standing.seat) {
            0 => own += f64::from(standing.points),
            _ => others += f64::from(standing.points),
        }
    }
    own - others / f64::from(players - 1)
}

/// Scores with this mean and deviation.
fn typical_scores(mean: f64, deviation: f64) -> impl Iterator<Item = (u32, f64)> {
    (1..=MAX_GROUPS)
        .map(move |group| (group, if group % 2 == 0 { mean - deviation } else { mean + deviation }))
}

/// Groups until the 95% interval of an entrant that is `edge` better lies above 0.
fn groups_for_interval(edge: f64, deviation: f64) -> Option<u32> {
    let mut scores = Moments::default();
    typical_scores(edge, deviation).find_map(|(group, score)| {
        scores.push(score);
        scores.interval().filter(|interval| interval.low > 0.0).map(|_| group)
    })
}

/// Groups until a sequential test between 0 and `edge` finds an entrant that is `edge` better.
fn groups_for_test(edge: f64, deviation: f64) -> Option<u32> {
    let mut sprt = Sprt::new(SequentialTest {
        entrant: Entrant(0),
        lower: 0.0,
        upper: edge,
        alpha: ERROR_RATE,
        beta: ERROR_RATE,
        min_groups: MIN_TEST_GROUPS,
    });
    typical_scores(edge, deviation).find_map(|(group, score)| {
        sprt.push(score);
        sprt.state().decision.map(|_| group)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_edge_needs_about_four_times_the_deals() {
        for groups in [groups_for_interval, groups_for_test] {
            let (whole, half) = (groups(1.0, 5.0).unwrap(), groups(0.5, 5.0).unwrap());
            assert!((3 * whole..5 * whole).contains(&half), "{whole} and {half}");
        }
        assert!(groups_for_interval(0.001, 100.0).is_none());
    }

    #[test]
    fn better_bot_has_a_positive_score_in_every_game() {
        let bots = ["greedy", "random"].map(|name| HouseBot::by_name(name).unwrap());
        for game in GameId::published() {
            let scores = measure(game.default_options(), game.info().min_players, &bots, 30);
            assert!(scores.mean() > 0.0 && scores.squares() > 0.0, "{game:?}: {}", scores.mean());
        }
    }
}
