//! `parlor keys`: shows the keys with which a server signs records, and pins them.

use parlor_sdk::Client;
use parlor_sdk::record::PublicKey;
use parlor_sdk::wire;
use serde_json::json;

use crate::context::Context;
use crate::data_folder::DataFolder;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;
use crate::pinned_keys::{PinCheck, PinnedKeys};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Pin the keys that the server shows now, beside those that are pinned. Ask its operator first
    #[arg(long)]
    accept: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let keys = context.connect().await?.signing_keys().await?;
    let server = &context.settings.server;
    let shown = public_keys(&keys);
    let pins = PinnedKeys::new(DataFolder::locate(&context.environment)?);
    if args.accept {
        pins.pin(server, &shown)?;
    }
    let pinned = pins.of(server)?;
    let is_pinned = |key: &PublicKey| pinned.iter().any(|pin| pin.key == *key);
    if context.json {
        let keys = keys.iter().zip(&shown).map(|(key, public)| {
            json!({
                "key_id": key.key_id,
                "public_key": public.to_string(),
                "retired": key.retired,
                "pinned": is_pinned(public),
            })
        });
        context.out.json(&json!({ "server": server, "keys": keys.collect::<Vec<_>>() }))?;
        return Ok(Exit::Ok);
    }
    let words = |en: &str, de: &str| context.localise(|| en.to_owned(), || de.to_owned());
    let (id, public, state, pin) = (
        words("key", "Schlüssel"),
        words("public key", "öffentlich"),
        words("state", "Stand"),
        words("pinned", "gemerkt"),
    );
    let mut columns = Columns::new([&*id, &*public, &*state, &*pin]);
    for (key, public) in keys.iter().zip(&shown) {
        let state = if key.retired { words("retired", "abgelöst") } else { words("in use", "in Gebrauch") };
        let pinned = if is_pinned(public) { words("yes", "ja") } else { words("no", "nein") };
        columns.row([public.id().to_string(), public.to_string(), state, pinned]);
    }
    context.out.lines(columns.lines())?;
    Ok(Exit::Ok)
}

/// The public keys of a reply. One of a wrong length verifies nothing.
fn public_keys(keys: &[wire::SigningKey]) -> Vec<PublicKey> {
    let key =
        |key: &wire::SigningKey| PublicKey::from_bytes(key.public_key[..].try_into().unwrap_or_default());
    keys.iter().map(key).collect()
}

/// Pins the keys of the server that gives a record, or warns if they have changed. Problems are only reported: the record is
/// worth having without its signature checked.
pub(super) async fn pin_server_keys(client: &Client, context: &Context) {
    let Ok(folder) = DataFolder::locate(&context.environment) else { return };
    // A server of an earlier version has no such call, and does not sign.
    let Ok(keys) = client.signing_keys().await else { return };
    let server = &context.settings.server;
    match PinnedKeys::new(folder).check(server, &public_keys(&keys)) {
        Ok(PinCheck::Known) => {}
        Ok(PinCheck::Changed { pinned, shown }) => {
            let pinned: Vec<String> = pinned.iter().map(ToString::to_string).collect();
            let pinned = pinned.join(", ");
            context.note(&context.localise(
                || {
                    format!(
                        "parlor: WARNING: THE SIGNING KEY OF {server} HAS CHANGED. Pinned: {pinned}; shown now: {shown}. \
                         Either its operator has replaced the key, or another server answers in its name. Its records \
                         stay unchecked: ask the operator, then `parlor keys --accept`"
                    )
                },
                || {
                    format!(
                        "parlor: WARNUNG: {server} UNTERSCHREIBT MIT EINEM ANDEREN SCHLÜSSEL. Gemerkt: {pinned}; jetzt: \
                         {shown}. Entweder wurde der Schlüssel ersetzt, oder ein anderer Server antwortet unter diesem Namen. \
                         Seine Aufzeichnungen bleiben ungeprüft: Frage den Betreiber, dann `parlor keys --accept`"
                    )
                },
            ));
        }
        Err(failure) => {
            let why = failure.message(context.lang).unwrap_or_default();
            context.note(&context.localise(
                || format!("parlor: warning: the server's signing key was not pinned: {why}"),
                || format!("parlor: Warnung: Der Schlüssel des Servers wurde nicht gemerkt: {why}"),
            ));
        }
    }
}
