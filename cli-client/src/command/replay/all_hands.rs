//! `parlor replay --all-hands`: the texts of a finished game, with what every seat was told.

use parlor_cli::table::{self, SeatNames};
use parlor_engine::Viewer;
use parlor_proto::convert;
use parlor_sdk::wire::{self, Language, RichText, TextPart, text_part::Subject};

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::to_json;

/// Prints the replay of a table: one line per text, or one JSON object per step.
pub(super) async fn run(table_id: String, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    let language = Language::from(context.lang).into();
    // Names are for people: a program gets the parts of the texts.
    let names = if context.json { None } else { client.table(&table_id).await.ok() };
    let names = names.and_then(|table| table::decode_table(table).ok());
    let names = names.map(|table| table.names(Viewer::Spectator, context.lang)).unwrap_or_default();
    let mut replay = client.replay(wire::ReplayRequest { table_id, language, ..Default::default() });
    while let Some(step) = replay.next().await? {
        if context.json {
            context.out.json_line(&to_json(&step))?;
            continue;
        }
        let result = step.result.iter().flat_map(|result| &result.seats);
        context.out.lines(step.texts.iter().chain(result).map(|text| plain_text(text, &names)))?;
    }
    Ok(Exit::Ok)
}

/// The text with the names of the players, and without control characters, which could be in them.
fn plain_text(text: &RichText, names: &SeatNames) -> String {
    let part = |part: &TextPart| match part.subject {
        Some(Subject::Seat(seat)) => {
            let name = convert::seat(seat, "seat").ok().and_then(|seat| names.get(seat).map(str::to_owned));
            name.unwrap_or_else(|| part.text.clone())
        }
        _ => part.text.clone(),
    };
    let text: String = text.parts.iter().map(part).collect();
    parlor_cli::text::sanitise(&text)
}
