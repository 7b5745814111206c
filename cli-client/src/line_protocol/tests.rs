//! A program as a process of its own, correct and faulty: `tests/programs/line_bot.rs`, without a server.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jsonschema::Validator;
use parlor_engine::{AnyGame, Chance, GameId, Lang, Localise, Seat, Viewer};
use parlor_sdk::{AsyncBot, Choice, GameStart, Question, wire};
use parlor_testkit::{TIMEOUT, example_program};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use super::table_lines::TableLines;
use super::*;

/// Patience with a program that hangs. A busy machine may delay a good one for as long, which is then restarted, too: tests
/// with this patience accept further restarts.
const SHORT_PATIENCE: Duration = Duration::from_secs(5);

/// A program, with the notices about it and the lines that it has read.
struct TestProgram {
    programs: Programs,
    notices: Arc<Mutex<Vec<Notice>>>,
    folder: TempDir,
}

impl TestProgram {
    /// With so much patience that only programs that fail in another way are restarted.
    fn start(behaviour: &str, model: ProcessModel) -> TestProgram {
        TestProgram::with_patience(behaviour, model, TIMEOUT)
    }

    fn with_patience(behaviour: &str, model: ProcessModel, patience: Duration) -> TestProgram {
        let folder = tempfile::tempdir().unwrap();
        let program = example_program("parlor-cli", "line_bot");
        let command = format!("{} {behaviour} {}", program.display(), folder.path().display());
        TestProgram::with_command(command, model, folder, patience)
    }

    fn with_command(
        command: String,
        model: ProcessModel,
        folder: TempDir,
        patience: Duration,
    ) -> TestProgram {
        let notices: Arc<Mutex<Vec<Notice>>> = Arc::default();
        let sink = Arc::clone(&notices);
        let programs = Programs::start(ProgramSettings {
            command,
            model,
            games: vec!["gap".to_owned()],
            lang: Lang::En,
            patience,
            notices: NoticeSink::new(move |notice| sink.lock().unwrap().push(notice)),
        });
        TestProgram { programs, notices, folder }
    }

    /// A bot at a table.
    async fn sit_down(&self, table: &str, seat: u32) -> ProgramBot {
        let mut bot = self.programs.bot();
        let setup = wire::Table {
            table_id: table.to_owned(),
            game: "gap".to_owned(),
            options: Some(GameId::Gap.default_options().into()),
            ..Default::default()
        };
        bot.start(&GameStart::new(&setup, seat)).await;
        bot
    }

    /// Failures so far, in English.
    fn faults(&self) -> Vec<String> {
        let notices = self.notices.lock().unwrap();
        let fault = |notice: &Notice| match notice {
            Notice::Failed { fault, .. } => Some(fault.text().en),
            _ => None,
        };
        notices.iter().filter_map(fault).collect()
    }

    /// Lines that the processes have read, in order, checked against the schema.
    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join("lines")).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for line in &lines {
            assert_valid(line["type"].as_str().unwrap(), line);
        }
        lines
    }
}

/// Checks a line against the definition of this name in the schema.
fn assert_valid(definition: &str, line: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/line-protocol.schema.json");
    let mut schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    schema["$ref"] = json!(format!("#/$defs/{definition}"));
    let validator: Validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(line).map(|error| error.to_string()).collect();
    let shown = |text: &str| text.chars().take(300).collect::<String>();
    let errors: Vec<String> = errors.iter().map(|error| shown(error)).collect();
    assert!(errors.is_empty(), "{errors:#?} in {}", shown(&line.to_string()));
}

/// The first decision of a game of GAP, with another id.
fn question(table: &str, seat: u32, id: u32) -> Question {
    let options = GameId::Gap.default_options();
    let version = GameId::Gap.info().rules_version;
    let game = AnyGame::new(version, options, 2, Chance::seeded([7; 32]), &mut Vec::new()).unwrap();
    let asked = game.to_act().iter().next().unwrap();
    let (view, legal) = (game.view(Viewer::Seat(asked)), game.legal_actions(asked));
    let texts = wire::DecisionTexts {
        question: Some(view.question(Lang::En).into()),
        actions: legal.iter().map(|action| view.action_text(action, Lang::En).into()).collect(),
        view: Some(view.rich_text(Lang::En, Viewer::Seat(asked)).into()),
    };
    let decision = wire::Decision {
        id,
        legal_actions: legal.iter().map(|action| (*action).into()).collect(),
        legal_count: legal.len() as u32,
        view: Some(Box::new(view.into())),
        texts: Some(texts),
        ..Default::default()
    };
    Question::from_wire(table, seat, decision)
}

/// Asks, and checks the answer: the program plays its decisions round the list of legal actions.
async fn ask(bot: &mut ProgramBot, table: &str, id: u32) {
    let question = question(table, 0, id);
    let choice = timeout(TIMEOUT, bot.decide(&question)).await.expect("an answer").unwrap();
    assert_eq!(choice, Choice::Index(id as usize % question.legal_count()), "decision {id}");
}

/// A program that fails once, at its second decision, answers every decision all the same.
async fn check_recovery(behaviour: &str, expected_fault: &str) {
    for model in [ProcessModel::Shared, ProcessModel::PerTable] {
        let program = TestProgram::start(&format!("{behaviour}-once"), model);
        let mut bot = program.sit_down("t1", 0).await;
        for id in 1..=4 {
            ask(&mut bot, "t1", id).await;
        }
        let faults = program.faults();
        assert!(faults.len() == 1 && faults[0].contains(expected_fault), "{behaviour}: {faults:?}");
        drop(bot);
        program.programs.close().await;
        let types: Vec<Value> = program.lines().iter().map(|line| line["type"].clone()).collect();
        let expected = "hello start decision decision hello start decision decision decision";
        assert_eq!(types, expected.split(' ').collect::<Vec<_>>(), "{behaviour}");
    }
}

#[tokio::test]
async fn program_that_dies_is_restarted_and_asked_again() {
    check_recovery("dies", "has ended (exit status: 3)").await;
}

#[tokio::test]
async fn program_that_hangs_is_restarted_and_asked_again() {
    for model in [ProcessModel::Shared, ProcessModel::PerTable] {
        let program = TestProgram::with_patience("hangs-once", model, SHORT_PATIENCE);
        let mut bot = program.sit_down("t1", 0).await;
        for id in 1..=4 {
            ask(&mut bot, "t1", id).await;
        }
        assert_only_fault(&program, "has not answered for 5s");
        drop(bot);
        program.programs.close().await;
        let asked = program.lines().iter().filter(|line| line["decision"] == 2).count();
        assert!(asked >= 2, "{asked}");
    }
}

/// Asserts that the program has failed in this way, and in no other.
fn assert_only_fault(program: &TestProgram, expected: &str) {
    let faults = program.faults();
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.contains(expected)), "{faults:?}");
}

#[tokio::test]
async fn program_that_writes_rubbish_is_restarted_and_asked_again() {
    check_recovery("rubbish", "other output belongs on standard error: thinking about").await;
    check_recovery("long", "longer than 64 KiB").await;
    check_recovery("binary", "it is not UTF-8").await;
}

#[tokio::test]
async fn program_that_answers_illegally_is_restarted_and_asked_again() {
    check_recovery("illegal", "not among the 6 legal actions").await;
    check_recovery("foresees", "never asked").await;
}

/// A program that ends right after an answer: the answer counts.
#[tokio::test]
async fn answer_before_the_end_of_the_program_counts() {
    let program = TestProgram::start("closes-once", ProcessModel::Shared);
    let mut bot = program.sit_down("t1", 0).await;
    ask(&mut bot, "t1", 1).await;
    let last = timeout(TIMEOUT, bot.decide(&question("t1", 0, 2))).await.expect("an answer").unwrap();
    assert_eq!(last, Choice::Index(0));
    ask(&mut bot, "t1", 3).await;
    assert_eq!(program.faults(), ["has ended (exit status: 0)"]);
}

#[tokio::test]
async fn repeated_answers_and_answers_by_action_are_accepted() {
    for behaviour in ["twice", "action", "slow"] {
        let program = TestProgram::start(behaviour, ProcessModel::Shared);
        let mut bot = program.sit_down("t1", 0).await;
        for id in 1..=3 {
            ask(&mut bot, "t1", id).await;
        }
        assert_eq!(program.faults(), [""; 0], "{behaviour}");
    }
}

/// A pipe that is full blocks neither the program's supervisor nor its seats for ever.
#[tokio::test]
async fn program_that_does_not_read_is_restarted() {
    let program = TestProgram::with_patience("deaf-once", ProcessModel::Shared, SHORT_PATIENCE);
    let mut bot = program.sit_down("t1", 0).await;
    let note = wire::RichText { parts: vec![wire::TextPart { text: "x".repeat(4096), subject: None }] };
    let texts = wire::UpdateTexts { events: vec![note], ..Default::default() };
    let update = wire::Update { number: 1, texts: Some(texts), ..Default::default() };
    let line: Arc<str> = TableLines::new("t1", 0).events(&update).encode().into();
    for _ in 0..500 {
        timeout(TIMEOUT, bot.tell(Arc::clone(&line))).await.expect("room in the queue");
    }
    ask(&mut bot, "t1", 1).await;
    let faults = program.faults();
    assert!(faults[0].contains("has not read its standard input for 5s"), "{faults:?}");
}

#[tokio::test]
async fn default_action_is_played_after_repeated_failures() {
    let program = TestProgram::start("illegal", ProcessModel::Shared);
    let mut bot = program.sit_down("t1", 0).await;
    ask(&mut bot, "t1", 1).await;
    let question = question("t1", 0, 2);
    let choice = timeout(TIMEOUT, bot.decide(&question)).await.expect("an answer").unwrap();
    assert_eq!(choice, Choice::Index(question.default_index()));
    assert_eq!(program.faults().len(), MAX_FAULTS as usize);
    let notices = program.notices.lock().unwrap();
    let expected = Notice::DefaultPlayed { table: "t1".to_owned(), decision: 2 };
    assert!(notices.contains(&expected), "{notices:?}");
}

#[tokio::test]
async fn program_that_never_answers_is_unusable() {
    let command = "echo 'no such bot' >&2; exit 7".to_owned();
    let program =
        TestProgram::with_command(command, ProcessModel::Shared, tempfile::tempdir().unwrap(), TIMEOUT);
    let fault = timeout(TIMEOUT, program.programs.unusable()).await.expect("a verdict");
    assert_eq!(fault.text().en, "has ended (exit status: 7)");
    let notices = program.notices.lock().unwrap();
    let failed = notices.iter().find(|notice| matches!(notice, Notice::Failed { .. })).unwrap();
    assert_eq!(
        failed.text("ada").en,
        "ada has ended (exit status: 7). It is started again in 200ms. Its last lines on standard error:\n  \
         ada| no such bot"
    );
}

/// 100 tables over one process, which answers none of them before it has read all, and the last first.
#[tokio::test]
async fn one_process_plays_a_hundred_tables_at_once() {
    let program = TestProgram::start("hundred", ProcessModel::Shared);
    let mut asked = tokio::task::JoinSet::new();
    for number in 0..100 {
        let table = format!("t{number}");
        let mut bot = program.sit_down(&table, 0).await;
        asked.spawn(async move {
            ask(&mut bot, &table, 1).await;
            bot
        });
    }
    let bots = asked.join_all().await;
    assert_eq!((bots.len(), program.faults().len()), (100, 0));
    assert_eq!(program.lines().len(), 201);
}

/// Two seats at one table with the same decision ids: answers without a seat are for the one that was asked first.
#[tokio::test]
async fn one_process_plays_two_seats_of_a_table() {
    let program = TestProgram::start("good", ProcessModel::Shared);
    let mut first = program.sit_down("t1", 0).await;
    let mut second = program.sit_down("t1", 1).await;
    for id in 1..=3 {
        tokio::join!(ask(&mut first, "t1", id), ask(&mut second, "t1", id));
    }
    assert_eq!(program.faults(), [""; 0]);
}

/// All processes of a program end with it, also those that ignore the end of their input.
#[tokio::test]
async fn closing_ends_all_processes_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let command = format!("sleep 600 & echo $! >{0}.new; mv {0}.new {0}; wait", pid.display());
    let program = TestProgram::with_command(command, ProcessModel::Shared, folder, TIMEOUT);
    let started = async {
        while !pid.exists() {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, started).await.expect("the process starts");
    program.programs.close().await;
    let process = fs::read_to_string(&pid).unwrap();
    let gone = async {
        let path = Path::new("/proc").join(process.trim()).join("stat");
        // A zombie has ended.
        while fs::read_to_string(&path).is_ok_and(|stat| !stat.contains(") Z ")) {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, gone).await.expect("the process has ended");
}

#[test]
fn schema_describes_the_answers() {
    for (answer, valid) in [
        (json!({ "table": "t", "decision": 1, "index": 0 }), true),
        (json!({ "table": "t", "seat": 1, "decision": 1, "action": { "gap": {} }, "note": "x" }), true),
        (json!({ "table": "t", "decision": 1 }), false),
        (json!({ "table": "t", "decision": 1, "index": -1 }), false),
        (json!({ "table": "t", "decision": 1, "index": 0, "action": { "gap": {} } }), false),
    ] {
        let mut seats = open_decisions::Seats::default();
        let parsed = seats.answer(&answer.to_string());
        let is_answer = !matches!(parsed, Err(Fault::NotAnAnswer { .. }));
        // Without an open decision, only the form of the line is examined.
        assert!(is_answer || !valid, "{answer}: {parsed:?}");
        let checked = std::panic::catch_unwind(|| assert_valid("answer", &answer));
        assert_eq!(checked.is_ok(), valid, "{answer}");
    }
}

/// A seat that nobody plays any more is known, so that a late answer is no failure.
#[test]
fn late_answers_are_ignored() {
    let mut seats = open_decisions::Seats::default();
    let key = open_decisions::SeatKey { table: "t".into(), seat: Seat::FIRST.index() as u32 };
    seats.start(key.clone(), "".into());
    let answer = json!({ "table": "t", "decision": 1, "index": 0 }).to_string();
    assert!(matches!(seats.answer(&answer), Err(Fault::NeverAsked { .. })));
    seats.leave(&key);
    assert_eq!(seats.answer(&answer), Ok(open_decisions::AnswerOutcome::Ignored));
}
