//! Seats to play: held ones, free ones, those of new tables and of rematches.

use parlor_sdk::wire::{self, table_seat::Occupant};
use parlor_sdk::{Client, InviteSecret, JoinTable, JoinedSeat, Reason, SeatToken};

use super::program_seats::{ProgramOpponent, ProgramSeats};
use super::{Args, OWN_USER_ID, create_table};
use crate::command::invite::secret_of;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::held_seats::{HeldSeat, HeldSeats};
use crate::shown_commitments;

/// A seat to play, and the programs that play at its table.
pub(super) struct SatDown {
    pub(super) client: Client,
    pub(super) token: SeatToken,
    pub(super) programs: ProgramSeats,
}

/// Creates the rematch of a table, or finds the one that another player has made, and takes the player's seat there, and
/// those of the player's programs.
pub(super) async fn join_rematch(
    client: &Client,
    table: &str,
    token: &SeatToken,
    opponents: Vec<ProgramOpponent>,
    context: &Context,
) -> Result<(SeatToken, ProgramSeats), Failure> {
    let rematch = client.rematch(table, Some(token), false).await?;
    let programs = ProgramSeats::join(client, &rematch.table_id, &rematch.game, opponents, context).await?;
    let mut join = JoinTable::new(rematch.table_id).previous_token(token);
    if let Some(name) = &context.settings.name {
        join = join.display_name(name);
    }
    Ok((client.join_table(join).await?.token, programs))
}

/// Resumes or joins the requested seat: by its token, at a table, or at a new table.
pub(super) async fn sit_down(args: Args, context: &Context) -> Result<SatDown, Failure> {
    let alone = |client, token| Ok(SatDown { client, token, programs: ProgramSeats::default() });
    if let Some(table) = &args.resume {
        let client = context.connect().await?;
        shown_commitments::keep(&client, context);
        let token = resume_held_seat(&client, table, context).await?;
        return alone(client, token);
    }
    let held = match args.seat_token.clone() {
        None if args.game.is_none() && args.join.is_none() && args.invite.is_none() => {
            Some(seat_token_from_environment(context)?)
        }
        held => held,
    };
    let client = context.connect().await?;
    shown_commitments::keep(&client, context);
    if let Some(link) = &args.invite {
        let mut join = JoinTable::invited(&InviteSecret::new(secret_of(link)));
        if let Some(seat) = args.seat {
            join = join.seat(seat);
        }
        let token = join_table(&client, join, &args, context).await?.token;
        return alone(client, token);
    }
    match (held, &args.join, &args.game) {
        (Some(token), ..) => alone(client, SeatToken::new(token)),
        (None, Some(table), _) => {
            let token = match HeldSeats::locate(context)?.at(table)? {
                Some(held) if args.seat.is_none_or(|seat| seat == held.seat) => held.token(),
                _ => join_free_seat(&client, table, &args, context).await?,
            };
            alone(client, token)
        }
        (None, None, game) => {
            let id = game.as_deref().unwrap_or_default();
            let (table, opponents) = create_table(&client, id, &args, context).await?;
            let programs =
                ProgramSeats::join(&client, &table.table_id, &table.game, opponents, context).await?;
            let join = JoinTable::new(table.table_id).user_id(OWN_USER_ID).random_entropy();
            let token = join_table(&client, join, &args, context).await?.token;
            Ok(SatDown { client, token, programs })
        }
    }
}

/// The token of the seat that was played last, or of the one at a table. Seats of tables that are over are forgotten.
async fn resume_held_seat(client: &Client, table: &str, context: &Context) -> Result<SeatToken, Failure> {
    let seats = HeldSeats::locate(context)?;
    let mut held = seats.all()?;
    held.retain(|seat| table.is_empty() || seat.table == table);
    let mut live = Vec::new();
    for seat in held {
        match client.table_with_token(&seat.table, seat.token().reveal()).await {
            Ok(known) if known.result.is_none() => live.push(seat),
            Ok(_) => seats.forget(&seat.table)?,
            Err(error) if matches!(error.reason(), Reason::TableNotFound) => seats.forget(&seat.table)?,
            Err(error) => return Err(error.into()),
        }
    }
    let mut live = live.into_iter();
    let Some(resumed) = live.next() else {
        return Err(Failure::new(
            Exit::NotFound,
            "SEAT_NOT_FOUND",
            "you hold no seat that can be resumed: try parlor play gap, or --join TABLE",
            "Du hast keinen Sitz, der weitergespielt werden kann: Versuche parlor play gap, oder --join TISCH",
        ));
    };
    for other in live {
        let HeldSeat { table, game, .. } = &other;
        context.progress(&context.localise(
            || format!("You also hold a seat at {table} ({game}): parlor play --resume {table}"),
            || format!("Du hast auch einen Sitz an {table} ({game}): parlor play --resume {table}"),
        ));
    }
    Ok(resumed.token())
}

fn seat_token_from_environment(context: &Context) -> Result<String, Failure> {
    context.environment.own_text("SEAT_TOKEN")?.ok_or_else(|| {
        Failure::usage(
            "no game given: try parlor play gap; parlor games lists the games, --join TABLE joins a table, and \
             --resume goes on with your last one",
            "Welches Spiel? Zum Beispiel parlor play gap; parlor games listet sie, --join TISCH geht an einen Tisch, \
             und --resume spielt den letzten weiter",
        )
    })
}

/// Takes a free seat of a table, or the one that the rematch of a game with house bots keeps for its player.
async fn join_free_seat(
    client: &Client,
    table: &str,
    args: &Args,
    context: &Context,
) -> Result<SeatToken, Failure> {
    let mut join = JoinTable::new(table);
    if let Some(seat) = args.seat {
        join = join.seat(seat);
    }
    let known = client.table(table).await?;
    let is_own = |seat: &wire::TableSeat| match &seat.occupant {
        Some(Occupant::Reserved(reserved)) => reserved.user_id == OWN_USER_ID,
        _ => false,
    };
    if known.owned && known.seats.iter().any(is_own) {
        join = join.user_id(OWN_USER_ID).random_entropy();
    }
    Ok(join_table(client, join, args, context).await?.token)
}

async fn join_table(
    client: &Client,
    mut join: JoinTable,
    args: &Args,
    context: &Context,
) -> Result<JoinedSeat, Failure> {
    if let Some(name) = args.name.as_ref().or(context.settings.name.as_ref()) {
        join = join.display_name(name);
    }
    Ok(client.join_table(join).await?)
}
