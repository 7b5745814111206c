//! The manifest of an export: whether the records named beside it are exactly those of the export.

use std::path::Path;

use parlor_sdk::record::{self, ManifestCheck, SignatureCheck};
use serde_json::json;

use super::{Keys, signature_name};
use crate::config::read_file;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// Checks a manifest and prints the verdict. Returns whether it is right.
pub(super) fn check(
    name: &str,
    records: &ManifestCheck,
    keys: &Keys,
    context: &Context,
) -> Result<bool, Failure> {
    let manifest = record::read_manifest(&read_file(Path::new(name))?).map_err(|error| {
        Failure::new(
            Exit::Failure,
            "NOT_A_MANIFEST",
            format!("{name} cannot be read as the manifest of an export: {error}"),
            format!("{name} lässt sich nicht als Verzeichnis eines Exports lesen: {error}"),
        )
    })?;
    let (id, count) = (&manifest.tournament_id, manifest.record_count);
    let signature = record::check_manifest_signature(&manifest, &keys.keys);
    let is_whole = records.matches(&manifest);
    let is_signed = match signature {
        SignatureCheck::Valid(_) => true,
        SignatureCheck::Invalid(_) => false,
        SignatureCheck::Unsigned | SignatureCheck::UnknownKey { .. } => !keys.required,
    };
    let is_right = is_whole && is_signed;
    if context.json {
        context.out.json_line(&json!({
            "file": name,
            "tournament_id": id,
            "right": is_right,
            "signature": signature_name(&signature),
            "records_match": is_whole,
            "tournament_over": manifest.tournament_over,
        }))?;
        return Ok(is_right);
    }
    let verdict = match (is_whole, is_signed) {
        (true, true) => context.localise(
            || format!("{name}: right (all {count} records of tournament {id})"),
            || format!("{name}: stimmt (alle {count} Aufzeichnungen des Turniers {id})"),
        ),
        (false, _) => context.localise(
            || format!("{name}: WRONG (the export had {count} records: one was changed, added, removed, or not named here)"),
            || format!("{name}: FALSCH (der Export hatte {count} Aufzeichnungen: eine wurde verändert, kam dazu, fehlt oder ist hier nicht genannt)"),
        ),
        (true, false) => context.localise(
            || format!("{name}: WRONG (its signature is not valid)"),
            || format!("{name}: FALSCH (die Unterschrift ist ungültig)"),
        ),
    };
    let mut lines = vec![verdict];
    match signature {
        SignatureCheck::Valid(key) => lines.push(format!("  {}", keys.describe(&key, context))),
        SignatureCheck::Unsigned | SignatureCheck::UnknownKey { .. } => lines.push(context.localise(
            || "  note: the signature was not checked, as the server's key is not known".to_owned(),
            || {
                "  Hinweis: die Unterschrift wurde nicht geprüft, denn der Schlüssel ist nicht bekannt"
                    .to_owned()
            },
        )),
        SignatureCheck::Invalid(_) => {}
    }
    if !manifest.tournament_over {
        lines.push(context.localise(
            || "  note: the tournament was not over: more records may have followed".to_owned(),
            || "  Hinweis: das Turnier war nicht zu Ende: es können Aufzeichnungen folgen".to_owned(),
        ));
    }
    context.out.lines(lines.into_iter().map(|line| parlor_cli::text::sanitise(&line)))?;
    Ok(is_right)
}
