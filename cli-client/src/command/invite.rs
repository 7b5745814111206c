//! `parlor invite`: creates, lists and revokes invites to a table.

use std::time::{Duration, SystemTime};

use parlor_engine::Lang;
use parlor_sdk::{Client, NewInvite, wire};

use super::describe::{self, bilingual};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  parlor invite TABLE\n  parlor invite TABLE --uses 3 --valid 1h\n  \
        parlor invite TABLE --list\n  parlor invite TABLE --revoke 1")]
pub(crate) struct Args {
    /// Id of the table, which must be yours
    table: String,
    /// For this seat only, from 0 [default: any that is open]
    #[arg(long)]
    seat: Option<u32>,
    /// Number of seats that the invite gives: 1 to 16
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=16), conflicts_with = "seat")]
    uses: u32,
    /// Time that it is valid, such as 30m or 2h [default: as long as the table waits for players]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    valid: Option<Duration>,
    /// List the invites of the table
    #[arg(long, conflicts_with_all = ["seat", "uses", "valid", "revoke"])]
    list: bool,
    /// Revoke the invite of this number
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["seat", "uses", "valid"])]
    revoke: Option<u32>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    match args.revoke {
        _ if args.list => list(&client, args.table, context).await?,
        Some(number) => revoke(&client, args.table, number, context).await?,
        None => create(&client, args, context).await?,
    }
    Ok(Exit::Ok)
}

async fn create(client: &Client, args: Args, context: &Context) -> Result<(), Failure> {
    let mut new = NewInvite::new(args.table).uses(args.uses);
    if let Some(seat) = args.seat {
        new = new.seat(seat);
    }
    if let Some(time) = args.valid {
        new = new.valid_for(time);
    }
    let created = client.create_invite(new).await?;
    let secret = created.secret.reveal();
    if context.json {
        let (invite, secret) = (Some(created.invite), secret.to_owned());
        return context.out.document(&wire::CreateInviteResponse { invite, secret });
    }
    let link = format!("{}/#invite={secret}", context.settings.server.trim_end_matches('/'));
    context.out.line(context.localise(
        || format!("In a browser: {link}\nIn a terminal: parlor play --invite {link}"),
        || format!("Im Browser: {link}\nIm Terminal: parlor play --invite {link}"),
    ))
}

async fn list(client: &Client, table: String, context: &Context) -> Result<(), Failure> {
    let invites = client.list_invites(table).await?;
    if context.json {
        return context.out.document(&wire::ListInvitesResponse { invites });
    }
    if invites.is_empty() {
        return context.out.line(bilingual("No invites.", "Keine Einladungen.").get(context.lang));
    }
    for line in invite_lines(&invites, context.lang) {
        context.out.line(line)?;
    }
    Ok(())
}

fn invite_lines(invites: &[wire::Invite], lang: Lang) -> Vec<String> {
    let mut columns = match lang {
        Lang::En => Columns::new(["number", "seat", "used", "state", "until"]),
        Lang::De => Columns::new(["Nummer", "Sitz", "benutzt", "Zustand", "bis"]),
    };
    #[expect(clippy::disallowed_methods, reason = "whether it has expired is shown to people only")]
    let now = SystemTime::now();
    for invite in invites {
        let expires = invite.expire_time.and_then(|time| SystemTime::try_from(time).ok());
        let state = if invite.revoked {
            bilingual("revoked", "zurückgezogen")
        } else if invite.used >= invite.uses {
            bilingual("used up", "verbraucht")
        } else if expires.is_some_and(|time| time <= now) {
            bilingual("expired", "abgelaufen")
        } else {
            bilingual("open", "offen")
        };
        columns.row([
            invite.number.to_string(),
            invite.seat.map(|seat| seat.to_string()).unwrap_or_default(),
            format!("{}/{}", invite.used, invite.uses),
            state.get(lang).to_owned(),
            describe::format_timestamp(expires).unwrap_or_default(),
        ]);
    }
    columns.lines()
}

async fn revoke(client: &Client, table: String, number: u32, context: &Context) -> Result<(), Failure> {
    client.revoke_invite(table, number).await?;
    if context.json {
        return context.out.document(&wire::RevokeInviteResponse {});
    }
    context.out.line(context.localise(
        || format!("Invite {number} is revoked."),
        || format!("Einladung {number} ist zurückgezogen."),
    ))
}

/// The secret of an invite given as a link or by itself.
pub(crate) fn secret_of(link: &str) -> &str {
    link.split_once("#invite=").map_or(link, |(_, secret)| secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invite_is_taken_from_a_link_or_by_itself() {
        for link in ["pli_abc", "http://localhost:7766/#invite=pli_abc", "https://x.org/t/T#invite=pli_abc"] {
            assert_eq!(secret_of(link), "pli_abc", "{link}");
        }
    }
}
