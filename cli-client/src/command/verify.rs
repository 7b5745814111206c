//! `parlor verify`: verifies records offline.

use parlor_engine::{Lang, Localise};
use parlor_sdk::record::{self, Problem, VerificationReport};
use parlor_sdk::wire;
use serde_json::{Value, json};

use super::record::file;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Record files, in any form; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    for name in args.files {
        let checked = name.clone();
        let check = tokio::task::spawn_blocking(move || {
            let records = file::read(&checked)?;
            let report = |record: wire::Record| {
                let report = record::verify(&record);
                (record, report)
            };
            Ok::<Vec<_>, Failure>(records.into_iter().map(report).collect())
        });
        let reports = check.await.unwrap_or_else(|error| Err(std::io::Error::other(error).into()));
        match reports {
            Ok(reports) => {
                for (place, (record, report)) in reports.iter().enumerate() {
                    let name = if reports.len() == 1 { name.clone() } else { format!("{name}[{place}]") };
                    if !report.is_valid() {
                        exit = Exit::Failure;
                    }
                    if context.json {
                        context.out.json_line(&as_json(&name, record, report, context.lang))?;
                    } else {
                        context.out.lines(as_lines(&name, record, report, context))?;
                    }
                }
            }
            // The remaining files are still verified.
            Err(failure) => {
                exit = if exit == Exit::Ok { failure.exit() } else { exit };
                let message = failure.message(context.lang).unwrap_or_default();
                if context.json {
                    context.out.json_line(&json!({ "file": name, "right": false, "error": message }))?;
                } else {
                    context.out.line(message)?;
                }
            }
        }
    }
    Ok(exit)
}

/// The verdict line, followed by findings and unproven facts.
fn as_lines(
    name: &str,
    record: &wire::Record,
    report: &VerificationReport,
    context: &Context,
) -> Vec<String> {
    let lang = context.lang;
    let (game, steps, wrong) = (&record.game, record.steps.len(), report.findings.len());
    let verdict = match report.is_valid() {
        true => context.localise(
            || format!("{name}: right ({game}, {steps} steps)"),
            || format!("{name}: stimmt ({game}, {steps} Schritte)"),
        ),
        false => context.localise(
            || format!("{name}: WRONG ({wrong} findings)"),
            || format!("{name}: FALSCH ({wrong} Befunde)"),
        ),
    };
    let wrong = report.findings.iter().map(|finding| format!("  {}", finding.in_lang(lang)));
    let note = context.localise(|| "note".to_owned(), || "Hinweis".to_owned());
    let unproven = report.unproven.iter().map(|one| format!("  {note}: {}", one.in_lang(lang)));
    std::iter::once(verdict)
        .chain(wrong)
        .chain(unproven)
        .map(|line| parlor_cli::text::sanitise(&line))
        .collect()
}

fn as_json(name: &str, record: &wire::Record, report: &VerificationReport, lang: Lang) -> Value {
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
        "right": report.is_valid(),
        "wrong": wrong.collect::<Vec<_>>(),
        "unproven": unproven.collect::<Vec<_>>(),
    })
}
