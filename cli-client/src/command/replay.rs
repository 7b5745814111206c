//! `parlor replay`: replays a finished game of a table or a file.

mod all_hands;
mod seat_views;

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
use crate::display::DisplayArgs;
use crate::errors::{Failure, unknown_reply};
use crate::exit::Exit;

/// Requested content: every update with its events and the view after it.
const REPLAY_WANTS: wire::Wants = wire::Wants {
    events: Some(true),
    update_views: Some(true),
    decision_views: Some(false),
    legal_actions: Some(false),
    rematch: Some(false),
    time_left: Some(false),
    texts: 0,
    board: None,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table, or a file with its record; - is standard input
    table: String,
    /// Seat whose view is shown, for a file with the full record [default: a spectator]
    #[arg(long, value_name = "SEAT", conflicts_with_all = ["token", "seat_token"], value_parser = clap::value_parser!(u8).range(0..=5))]
    seat: Option<u8>,
    /// Spectator token, for a private table that is not yours
    #[arg(long, value_name = "TOKEN", conflicts_with = "seat_token")]
    token: Option<String>,
    /// Seat token, to see the game as that seat saw it
    #[arg(long, value_name = "TOKEN")]
    seat_token: Option<String>,
    /// Print what happened with all hands; for a table, not a file
    #[arg(long, conflicts_with_all = ["seat", "token", "seat_token"])]
    all_hands: bool,
    #[command(flatten)]
    display: DisplayArgs,
}

/// A game as seen by one viewer.
struct ViewedGame {
    table: wire::Table,
    seat: Option<u32>,
    updates: Vec<Update>,
    /// The record, if the hands of all players can be shown.
    record: Option<wire::Record>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    if args.all_hands {
        if file::is_file_argument(&args.table) {
            return Err(Failure::usage(
                "--all-hands is for tables: the server makes the texts of all hands",
                "--all-hands ist für Tische: Die Texte aller Hände macht der Server",
            ));
        }
        let printed = context.with_wait_notice(all_hands::run(args.table, context));
        return context.stop.unless_stopped(printed).await.unwrap_or_else(Ok);
    }
    let game = if file::is_file_argument(&args.table) {
        read_game(&args)?
    } else {
        match context.stop.unless_stopped(context.with_wait_notice(fetch_game(&args, context))).await {
            Ok(game) => game?,
            Err(exit) => return Ok(exit),
        }
    };
    if context.json {
        for update in game.updates {
            if let Some(line) = watch::event_json(Event::Update(update)) {
                context.out.json_line(&line)?;
            }
        }
        return Ok(Exit::Ok);
    }
    let (start, steps) = replay_steps(game)?;
    args.display.replay(start, steps, context).await
}

/// Reads a game from a record file.
fn read_game(args: &Args) -> Result<ViewedGame, Failure> {
    let name = &args.table;
    let records = file::read(name)?;
    let [record] = records.as_slice() else {
        let count = records.len();
        return Err(Failure::usage(
            format!("{name} has {count} records, and only one can be replayed: export them into a folder"),
            format!(
                "{name} hat {count} Aufzeichnungen, und eine wird gezeigt: Exportiere sie in einen Ordner"
            ),
        ));
    };
    let seen_by = record::viewers(record);
    // A record of one viewer is shown as that viewer.
    let viewer = match (args.seat.and_then(Seat::new), seen_by.as_slice()) {
        (Some(seat), _) => Viewer::Seat(seat),
        (None, [only]) => *only,
        (None, _) => Viewer::Spectator,
    };
    let unreadable = |error: record::RecordError| {
        Failure::new(
            Exit::Failure,
            "NOT_A_RECORD",
            format!("{name} cannot be replayed: {error}"),
            format!("{name} lässt sich nicht abspielen: {error}"),
        )
    };
    let replay = Replay::new(record, viewer).map_err(unreadable)?;
    let table = replay.table();
    let updates = replay.map(|step| step.map(|step| step.update)).collect::<Result<_, _>>();
    Ok(ViewedGame {
        table,
        seat: viewer.seat().map(convert::seat_number),
        updates: updates.map_err(unreadable)?,
        record: Some(record.clone()),
    })
}

/// Fetches all updates of a finished table.
async fn fetch_game(args: &Args, context: &Context) -> Result<ViewedGame, Failure> {
    if args.seat.is_some() {
        return Err(Failure::usage(
            "--seat is for files: to see the game as a seat of a table, give its --seat-token",
            "--seat ist für Dateien: Einen Sitz eines Tisches sieht, wer sein --seat-token hat",
        ));
    }
    let client = context.connect().await?;
    let token = args.seat_token.as_ref().or(args.token.as_ref()).map(String::as_str);
    let table = client.table_with_token(&args.table, token.unwrap_or_default()).await?;
    if table.result.is_none() {
        let id = &args.table;
        return Err(Failure::new(
            Exit::Refused,
            "TABLE_NOT_OVER",
            format!("table {id} is not over yet: parlor watch {id} shows it live"),
            format!("Tisch {id} ist noch nicht zu Ende: parlor watch {id} sieht zu"),
        ));
    }
    let session = client.session();
    let (updates, seat) = match (&args.seat_token, &args.token) {
        (Some(token), _) => {
            // The server resolves the token to a seat number.
            let seat = session.seat(SeatToken::new(token)).await?.number();
            let bookmark = Bookmark { table_id: args.table.clone(), seat: Some(seat), number: 0 };
            let taken = session.seat(SeatToken::new(token)).wants(REPLAY_WANTS).resume(bookmark).await?;
            (read_updates(taken).await?, Some(seat))
        }
        (None, token) => {
            let attaching = match token {
                Some(token) => session.watch_private(token.as_str()),
                None => session.watch(&args.table),
            };
            let bookmark = Bookmark { table_id: args.table.clone(), seat: None, number: 0 };
            (read_updates(attaching.wants(REPLAY_WANTS).resume(bookmark).await?).await?, None)
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
    // Whoever may see the whole record sees all hands; others see what they may, as before.
    let token = token.unwrap_or_default().to_owned();
    let asked = wire::GetRecordRequest { table_id: args.table.clone(), token, ..Default::default() };
    let record = if context.json { None } else { client.record_with(asked).await.ok() };
    Ok(ViewedGame { table, seat, updates, record })
}

/// Reads all updates from the first; empty if the server no longer has them.
async fn read_updates(
    mut attachment: impl Stream<Item = Result<Event, Error>> + Unpin,
) -> Result<Vec<Update>, Failure> {
    let mut updates = Vec::new();
    while let Some(event) = attachment.try_next().await? {
        match event {
            Event::Update(update) => updates.push(update),
            Event::Snapshot(_) => return Ok(Vec::new()),
            _ => {}
        }
    }
    Ok(updates)
}

/// The initial snapshot and the steps of a replay.
fn replay_steps(game: ViewedGame) -> Result<(Snapshot, Vec<Step>), Failure> {
    let ViewedGame { table, seat, updates, record } = game;
    let viewer = match seat {
        Some(seat) => Viewer::Seat(convert::seat(seat, "seat").map_err(unknown_reply)?),
        None => Viewer::Spectator,
    };
    let mut seat_views = match &record {
        // A replay without the other hands is better than none.
        Some(record) => seat_views::by_update(record, viewer).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut table = table::decode_table(table).map_err(unknown_reply)?;
    // The final step shows the result.
    table.result = None;
    let start = Snapshot { viewer, table, view: None, presence: Vec::new(), time_left: Vec::new() };
    let mut steps = Vec::new();
    for update in updates {
        let update = table::decode_update(update.wire().clone()).map_err(unknown_reply)?;
        // Updates before the start of the game have no view.
        if let Some(view) = update.view.clone() {
            let place = (update.number as usize).checked_sub(1);
            let seat_views = place.and_then(|place| seat_views.get_mut(place)).map(std::mem::take);
            steps.push(Step { update, view, seat_views: seat_views.unwrap_or_default() });
        }
    }
    Ok((start, steps))
}
