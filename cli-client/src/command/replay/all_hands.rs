//! `parlor replay --all-hands`: the texts of a finished game, with what every seat was told.

use parlor_sdk::wire::{self, Language, RichText};

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::to_json;

/// Prints the replay of a table: one line per text, or one JSON object per step.
pub(super) async fn run(table_id: String, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    let language = Language::from(context.lang).into();
    let mut replay = client.replay(wire::ReplayRequest { table_id, language, ..Default::default() });
    while let Some(step) = replay.next().await? {
        if context.json {
            context.out.json_line(&to_json(&step))?;
            continue;
        }
        let result = step.result.iter().flat_map(|result| &result.seats);
        context.out.lines(step.texts.iter().chain(result).map(plain_text))?;
    }
    Ok(Exit::Ok)
}

/// The text without control characters, which display names could bring into a terminal.
fn plain_text(text: &RichText) -> String {
    let text: String = text.parts.iter().map(|part| part.text.as_str()).collect();
    parlor_cli::text::sanitise(&text)
}
