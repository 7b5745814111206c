//! `parlor replay`: a game that is over, of a table or from a file, forwards and backwards.

use futures_util::{Stream, TryStreamExt};
use parlor_cli::screen::Step;
use parlor_cli::table::{self, Snapshot};
use parlor_engine::{Seat, Viewer};
use parlor_proto::convert;
use parlor_sdk::record::{self, Replay};
use parlor_sdk::{Bookmark, Error, Event, SeatToken, Update, wire};

use super::record::file;
use super::watch;
use crate::context::Context;
use crate::errors::{Failure, not_understood};
use crate::exit::Exit;
use crate::front::FrontArgs;

/// What a replay needs: every update with what happened and what was known then.
const WANTS: wire::Wants = wire::Wants {
    events: true,
    update_views: true,
    decision_views: false,
    legal_actions: false,
    rematch: false,
    time_left: false,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the table, or a file with its record; - is standard input
    table: String,
    /// The seat to look from, in a file with the full record; without it, a spectator
    #[arg(long, value_name = "SEAT", conflicts_with_all = ["token", "seat_token"], value_parser = clap::value_parser!(u8).range(0..=5))]
    seat: Option<u8>,
    /// A spectator token, for a private table that is not yours
    #[arg(long, value_name = "TOKEN", conflicts_with = "seat_token")]
    token: Option<String>,
    /// The token of a seat, to see the game as that seat saw it
    #[arg(long, value_name = "TOKEN")]
    seat_token: Option<String>,
    #[command(flatten)]
    front: FrontArgs,
}

/// A game as one viewer saw it.
struct Game {
    table: wire::Table,
    seat: Option<u32>,
    updates: Vec<Update>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let game = if file::is_meant(&args.table) {
        from_file(&args)?
    } else {
        match context.stop.unless(context.waiting(fetch(&args, context))).await {
            Ok(game) => game?,
            Err(exit) => return Ok(exit),
        }
    };
    if context.json {
        for update in game.updates {
            if let Some(line) = watch::line(Event::Update(update)) {
                context.out.json_line(&line)?;
            }
        }
        return Ok(Exit::Ok);
    }
    let (begin, steps) = steps(game)?;
    args.front.replay(begin, steps, context).await
}

/// Reads everything that happened from a file.
fn from_file(args: &Args) -> Result<Game, Failure> {
    let name = &args.table;
    let records = file::read(name)?;
    let [record] = records.as_slice() else {
        let count = records.len();
        return Err(Failure::usage(
            format!("{name} has {count} records, and one can be replayed: export them into a folder"),
            format!(
                "{name} hat {count} Aufzeichnungen, und eine wird gezeigt: Exportiere sie in einen Ordner"
            ),
        ));
    };
    let seen_by = record::viewers(record);
    // The record of one viewer is shown as that viewer saw it.
    let viewer = match (args.seat.and_then(Seat::new), seen_by.as_slice()) {
        (Some(seat), _) => Viewer::Seat(seat),
        (None, [only]) => *only,
        (None, _) => Viewer::Spectator,
    };
    let unreadable = |error: record::Unreadable| {
        Failure::new(
            Exit::Failure,
            "NOT_A_RECORD",
            format!("{name} cannot be replayed: {error}"),
            format!("{name} lässt sich nicht abspielen: {error}"),
        )
    };
    let replay = Replay::new(record, viewer).map_err(unreadable)?;
    let table = replay.table();
    let updates = replay.map(|moment| moment.map(|moment| moment.update)).collect::<Result<_, _>>();
    Ok(Game { table, seat: viewer.seat().map(convert::seat_number), updates: updates.map_err(unreadable)? })
}

/// Reads everything that happened at the table.
async fn fetch(args: &Args, context: &Context) -> Result<Game, Failure> {
    if args.seat.is_some() {
        return Err(Failure::usage(
            "--seat is for files: a seat of a table is shown to whoever has its --seat-token",
            "--seat ist für Dateien: Einen Sitz eines Tisches sieht, wer sein --seat-token hat",
        ));
    }
    let client = context.client().await?;
    let token = args.seat_token.as_ref().or(args.token.as_ref()).map(String::as_str);
    let table = client.table_with_token(&args.table, token.unwrap_or_default()).await?;
    if table.result.is_none() {
        let id = &args.table;
        return Err(Failure::new(
            Exit::Refused,
            "TABLE_NOT_OVER",
            format!("table {id} is not over yet: parlor watch {id} looks on"),
            format!("Tisch {id} ist noch nicht zu Ende: parlor watch {id} sieht zu"),
        ));
    }
    let session = client.session();
    let (updates, seat) = match (&args.seat_token, &args.token) {
        (Some(token), _) => {
            // The token says which seat it is, and the server tells.
            let seat = session.seat(SeatToken::new(token)).await?.number();
            let bookmark = Bookmark { table_id: args.table.clone(), seat: Some(seat), number: 0 };
            let taken = session.seat(SeatToken::new(token)).wants(WANTS).resume(bookmark).await?;
            (read(taken).await?, Some(seat))
        }
        (None, token) => {
            let attaching = match token {
                Some(token) => session.watch_private(token.as_str()),
                None => session.watch(&args.table),
            };
            let bookmark = Bookmark { table_id: args.table.clone(), seat: None, number: 0 };
            (read(attaching.wants(WANTS).resume(bookmark).await?).await?, None)
        }
    };
    if updates.is_empty() {
        let id = &args.table;
        return Err(Failure::new(
            Exit::NotFound,
            "MOVES_NOT_FOUND",
            format!("the server no longer has the moves of table {id}: parlor show {id} has the result"),
            format!("Der Server hat die Züge von Tisch {id} nicht mehr: parlor show {id} zeigt das Ergebnis"),
        ));
    }
    Ok(Game { table, seat, updates })
}

/// Everything that a place at a table is told, from the beginning; nothing if the server no longer has that.
async fn read(mut place: impl Stream<Item = Result<Event, Error>> + Unpin) -> Result<Vec<Update>, Failure> {
    let mut updates = Vec::new();
    while let Some(event) = place.try_next().await? {
        match event {
            Event::Update(update) => updates.push(update),
            Event::Snapshot(_) => return Ok(Vec::new()),
            _ => {}
        }
    }
    Ok(updates)
}

/// Where the game began, and its steps.
fn steps(game: Game) -> Result<(Snapshot, Vec<Step>), Failure> {
    let Game { table, seat, updates } = game;
    let viewer = match seat {
        Some(seat) => Viewer::Seat(convert::seat(seat, "seat").map_err(not_understood)?),
        None => Viewer::Spectator,
    };
    let mut table = table::table_info(table).map_err(not_understood)?;
    // How it ended is told at the end.
    table.result = None;
    let begin = Snapshot { viewer, table, view: None, presence: Vec::new(), time_left: Vec::new() };
    let mut steps = Vec::new();
    for update in updates {
        let update = table::update(update.wire().clone()).map_err(not_understood)?;
        // Before the game began there was nothing to see.
        if let Some(view) = update.view.clone() {
            steps.push(Step { update, view });
        }
    }
    Ok((begin, steps))
}
