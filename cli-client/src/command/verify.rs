//! `parlor verify`: verifies records offline.

mod manifest;

use std::path::Path;

use parlor_engine::{Lang, Localise};
use parlor_sdk::record::{
    self, InvalidPublicKey, ManifestCheck, Problem, PublicKey, ShownCommitments, SignatureCheck,
    VerificationReport,
};
use parlor_sdk::wire;
use serde_json::{Value, json};

use super::record::file;
use crate::config::read_file;
use crate::context::Context;
use crate::data_folder::DataFolder;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::pinned_keys::PinnedKeys;
use crate::shown_commitments;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Record files, in any form; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Public key of the server, in hexadecimal, or a file with such keys, one a line; can be repeated. Records must be
    /// signed with it [default: the keys that are pinned, if one of them signed]
    #[arg(long, value_name = "KEY")]
    key: Vec<String>,
    /// Commitment that the server showed before the game, in hexadecimal: of the table, or of its tournament
    ///
    /// `parlor play`, `parlor bot`, `parlor agent` and `parlor tournament` keep what they are shown in the data folder. Records
    /// of those tables and tournaments are compared with that without this option.
    #[arg(long, value_name = "HEX", value_parser = parse_commitment)]
    commitment: Option<Commitment>,
}

/// Commitment of a server: 32 bytes. A type of its own, because clap takes a `Vec` for a list of values.
#[derive(Clone)]
struct Commitment(Vec<u8>);

fn parse_commitment(text: &str) -> Result<Commitment, String> {
    let bytes = shown_commitments::unhex(text).filter(|bytes| bytes.len() == 32);
    bytes.map(Commitment).ok_or_else(|| "a commitment has 64 hexadecimal digits".to_owned())
}

/// Compares a record with what was shown before its game. Returns whether there was anything to compare with.
fn compare_with_shown(
    record: &wire::Record,
    report: &mut VerificationReport,
    commitment: Option<&Commitment>,
    context: &Context,
) -> Result<bool, Failure> {
    let mut shown = shown_commitments::of_record(context, record)?;
    shown.extend(commitment.map(|Commitment(bytes)| ShownCommitments::new(bytes.clone())));
    for shown in &shown {
        report.findings.extend(shown.compare(record));
    }
    Ok(!shown.is_empty())
}

/// The keys that check signatures.
#[derive(Clone, Default)]
struct Keys {
    keys: Vec<PublicKey>,
    /// Server of each key, if the keys are the pinned ones.
    servers: Vec<String>,
    /// True if records must be signed with one of the keys.
    required: bool,
}

impl Keys {
    fn from_args(given: &[String], context: &Context) -> Result<Keys, Failure> {
        if given.is_empty() {
            let Ok(folder) = DataFolder::locate(&context.environment) else { return Ok(Keys::default()) };
            let pinned = PinnedKeys::new(folder).all()?;
            let (keys, servers) = pinned.into_iter().map(|pin| (pin.key, pin.server)).unzip();
            return Ok(Keys { keys, servers, required: false });
        }
        let mut keys = Vec::new();
        for name in given {
            match name.parse() {
                Ok(key) => keys.push(key),
                Err(_) => keys.extend(read_keys(name)?),
            }
        }
        Ok(Keys { keys, servers: Vec::new(), required: true })
    }

    /// Reports in words what checks a signature: the key, and the server that it is pinned for.
    fn describe(&self, key: &PublicKey, context: &Context) -> String {
        let id = key.id();
        match self.keys.iter().position(|known| known == key).and_then(|index| self.servers.get(index)) {
            Some(server) => context.localise(
                || format!("signed with key {id}, pinned for {server}"),
                || format!("unterschrieben mit Schlüssel {id}, gemerkt für {server}"),
            ),
            None => context.localise(
                || format!("signed with key {id}"),
                || format!("unterschrieben mit Schlüssel {id}"),
            ),
        }
    }
}

/// Reads a file of public keys, one a line.
fn read_keys(name: &str) -> Result<Vec<PublicKey>, Failure> {
    let text = String::from_utf8_lossy(&read_file(Path::new(name))?).into_owned();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let keys: Result<Vec<PublicKey>, InvalidPublicKey> = lines.map(str::parse).collect();
    match keys {
        Ok(keys) if !keys.is_empty() => Ok(keys),
        _ => Err(Failure::usage(
            format!(
                "{name} is not a public key and has none: a key has 64 hexadecimal digits, as `parlor keys` prints it"
            ),
            format!(
                "{name} ist kein öffentlicher Schlüssel und enthält keinen: Er hat 64 hexadezimale Ziffern, wie in `parlor keys`"
            ),
        )),
    }
}

/// Ending of the name of the manifest of an export.
const MANIFEST: &str = "manifest.json";

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    let keys = Keys::from_args(&args.key, context)?;
    let (manifests, files): (Vec<String>, Vec<String>) =
        args.files.into_iter().partition(|name| name.ends_with(MANIFEST));
    let mut all = ManifestCheck::default();
    for name in files {
        let checked = name.clone();
        let public_keys = keys.keys.clone();
        let check = tokio::task::spawn_blocking(move || {
            let records = file::read(&checked)?;
            let report = |record: wire::Record| {
                let report = record::verify_signed(&record, &public_keys);
                let signature = record::check_signature(&record, &public_keys);
                (record, report, signature)
            };
            Ok::<Vec<_>, Failure>(records.into_iter().map(report).collect())
        });
        let reports = check.await.unwrap_or_else(|error| Err(std::io::Error::other(error).into()));
        let compare =
            |(record, mut report, signature): (wire::Record, VerificationReport, SignatureCheck)| {
                let is_compared =
                    compare_with_shown(&record, &mut report, args.commitment.as_ref(), context)?;
                Ok::<_, Failure>((record, report, signature, is_compared))
            };
        let reports =
            reports.and_then(|reports| reports.into_iter().map(compare).collect::<Result<Vec<_>, Failure>>());
        match reports {
            Ok(reports) => {
                for (place, (record, report, signature, is_compared)) in reports.iter().enumerate() {
                    let name = if reports.len() == 1 { name.clone() } else { format!("{name}[{place}]") };
                    all.add(record);
                    let lacks_signature = keys.required && !matches!(signature, SignatureCheck::Valid(_));
                    if !report.is_valid() || lacks_signature {
                        exit = Exit::Failure;
                    }
                    let is_compared = *is_compared;
                    let verdict =
                        Verdict { name: &name, record, report, signature, lacks_signature, is_compared };
                    if context.json {
                        context.out.json_line(&verdict.json(context.lang))?;
                    } else {
                        context.out.lines(verdict.lines(&keys, context))?;
                    }
                }
            }
            // The remaining files are still verified.
            Err(failure) => exit = report_failure(&name, &failure, exit, context)?,
        }
    }
    for name in manifests {
        match manifest::check(&name, &all, &keys, context) {
            Ok(true) => {}
            Ok(false) => exit = Exit::Failure,
            Err(failure) => exit = report_failure(&name, &failure, exit, context)?,
        }
    }
    Ok(exit)
}

/// Prints why a file was not verified. Returns the exit code so far.
fn report_failure(name: &str, failure: &Failure, exit: Exit, context: &Context) -> Result<Exit, Failure> {
    let message = failure.message(context.lang).unwrap_or_default();
    if context.json {
        context.out.json_line(&json!({ "file": name, "right": false, "error": message }))?;
    } else {
        context.out.line(message)?;
    }
    Ok(if exit == Exit::Ok { failure.exit() } else { exit })
}

/// Result of verifying a record.
struct Verdict<'a> {
    name: &'a str,
    record: &'a wire::Record,
    report: &'a VerificationReport,
    signature: &'a SignatureCheck,
    /// True if the record must be signed with a given key, and is not.
    lacks_signature: bool,
    /// True if the record was compared with what was shown before the game.
    is_compared: bool,
}

impl Verdict<'_> {
    fn is_right(&self) -> bool {
        self.report.is_valid() && !self.lacks_signature
    }

    /// The verdict line, followed by findings, the signature, and unproven facts.
    fn lines(&self, keys: &Keys, context: &Context) -> Vec<String> {
        let Verdict { name, record, report, signature, lacks_signature, is_compared } = self;
        let lang = context.lang;
        let (game, steps, wrong) = (&record.game, record.steps.len(), report.findings.len());
        let verdict = match self.is_right() {
            true => context.localise(
                || format!("{name}: right ({game}, {steps} steps)"),
                || format!("{name}: stimmt ({game}, {steps} Schritte)"),
            ),
            false if *lacks_signature && wrong == 0 => context.localise(
                || format!("{name}: WRONG (not signed with a given key)"),
                || format!("{name}: FALSCH (nicht mit einem der Schlüssel unterschrieben)"),
            ),
            false => context.localise(
                || format!("{name}: WRONG ({wrong} findings)"),
                || format!("{name}: FALSCH ({wrong} Befunde)"),
            ),
        };
        let wrong = report.findings.iter().map(|finding| format!("  {}", finding.in_lang(lang)));
        let signed = match signature {
            SignatureCheck::Valid(key) => Some(format!("  {}", keys.describe(key, context))),
            _ => None,
        };
        let compared = is_compared.then(|| {
            context.localise(
                || "  compared with the commitments that were shown before the game".to_owned(),
                || "  verglichen mit den Festlegungen, die vor dem Spiel zu sehen waren".to_owned(),
            )
        });
        let note = context.localise(|| "note".to_owned(), || "Hinweis".to_owned());
        let unproven = report.unproven.iter().map(|one| format!("  {note}: {}", one.in_lang(lang)));
        std::iter::once(verdict)
            .chain(wrong)
            .chain(compared)
            .chain(signed)
            .chain(unproven)
            .map(|line| parlor_cli::text::sanitise(&line))
            .collect()
    }

    fn json(&self, lang: Lang) -> Value {
        let Verdict { name, record, report, signature, is_compared, .. } = self;
        let wrong = report.findings.iter().map(|finding| {
            let (found, should_be) = match &finding.problem {
                Problem::Differs { found, expected } => (found.clone(), expected.clone()),
                _ => (None, None),
            };
            let message = finding.problem.in_lang(lang).to_string();
            json!({ "path": finding.path, "found": found, "should_be": should_be, "message": message })
        });
        let unproven = report.unproven.iter().map(|one| one.in_lang(lang).to_string());
        json!({
            "file": name,
            "table_id": record.table_id,
            "right": self.is_right(),
            "signature": signature_name(signature),
            "key_id": record.signature.as_ref().map(|signature| &signature.key_id),
            "wrong": wrong.collect::<Vec<_>>(),
            "compared": is_compared,
            "unproven": unproven.collect::<Vec<_>>(),
        })
    }
}

/// Name of the state of a signature in JSON.
fn signature_name(signature: &SignatureCheck) -> &'static str {
    match signature {
        SignatureCheck::Unsigned => "none",
        SignatureCheck::UnknownKey { .. } => "unchecked",
        SignatureCheck::Valid(_) => "valid",
        SignatureCheck::Invalid(_) => "invalid",
    }
}
