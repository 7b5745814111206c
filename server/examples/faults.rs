//! Kill -9, again and again: a process that writes to the durable log from many tables is killed at random moments, and
//! what it had acknowledged must be there afterwards, once and in order.
//!
//! `make faults` runs it and prints `faults kills=N acknowledged=M lost=0 doubled=0`; anything else fails. Arguments:
//! `--kills N` (50 unless told) and `--seed N` (1 unless told; it chooses the moments).
//!
//! The writer says on its standard output what it has sent and what was acknowledged. The killer reads that, so that it
//! knows how many appends were under way when it struck. Killing keeps the page cache: this run shows that nothing
//! acknowledged lives in the memory of the process alone, not that the disk has it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parlor_server::log::{
    Append, Listing, Log, LogError, Millis, NewPlace, Options, OwnerId, SqliteLog, TableId,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

const TABLES: u64 = 32;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--write", file] => write(Path::new(file)),
        _ => settings(&arguments).and_then(|(kills, seed)| strike(kills, seed)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("faults: {why}");
            ExitCode::FAILURE
        }
    }
}

fn settings(arguments: &[String]) -> Result<(u32, u64), String> {
    let (mut kills, mut seed) = (50, 1);
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().and_then(|value| value.parse::<u32>().ok());
        let value = value.ok_or_else(|| format!("{flag} needs a whole number"))?;
        match flag.as_str() {
            "--kills" => kills = value,
            "--seed" => seed = value.into(),
            _ => return Err(format!("there is no {flag}: only --kills and --seed")),
        }
    }
    Ok((kills, seed))
}

fn table(number: u64) -> TableId {
    TableId::new(Millis(number), [7; 10])
}

/// What entry `index` of a table says: doubled or lost entries cannot look right.
fn payload(number: u64, index: u64) -> Bytes {
    Bytes::from(format!("table {number} entry {index}"))
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())
}

/// The writer: appends to all tables at once for ever, each from where its log ends.
fn write(file: &Path) -> Result<(), String> {
    runtime()?.block_on(async {
        let log = Arc::new(open(file)?);
        let mut tables = tokio::task::JoinSet::new();
        for number in 0..TABLES {
            let log = log.clone();
            tables.spawn(async move {
                let mut index = length(&log, number).await?;
                loop {
                    say(&format!("sent {number} {index}"));
                    log.append(append(number, index)).await.map_err(|error| error.to_string())?;
                    say(&format!("acknowledged {number} {index}"));
                    index += 1;
                }
            });
        }
        match tables.join_next().await {
            Some(Ok(Err::<(), String>(why))) => Err(why),
            other => Err(format!("a table stopped by itself: {other:?}")),
        }
    })
}

fn open(file: &Path) -> Result<SqliteLog, String> {
    SqliteLog::open(file, Options::default()).map_err(|error| error.to_string())
}

/// How long the log of a table is; one that is not there has no entries.
async fn length(log: &SqliteLog, number: u64) -> Result<u64, String> {
    match log.read(table(number), 0).await {
        Ok(entries) => Ok(entries.len() as u64),
        Err(LogError::NoSuchTable { .. }) => Ok(0),
        Err(error) => Err(error.to_string()),
    }
}

fn append(number: u64, index: u64) -> Append {
    let mut append = Append::new(table(number), index, Millis(index), vec![payload(number, index)]);
    if index == 0 {
        append.place = Some(NewPlace::InPlay);
        append.listing = Some(Listing {
            owner: OwnerId::new("faults").expect("that is a name"),
            game: "gap".into(),
            state: 0,
            visibility: 0,
        });
    }
    append
}

/// One line in one write, so that a kill never leaves half of one.
fn say(line: &str) {
    let written = std::io::stdout().write_all(format!("{line}\n").as_bytes());
    // Nobody reads: the killer is gone, and so is the reason to write.
    if written.is_err() {
        std::process::abort();
    }
}

/// What the writer said before it was killed.
#[derive(Default)]
struct Heard {
    /// For each table, how many entries were acknowledged.
    acknowledged: HashMap<u64, u64>,
    under_way: i64,
    count: u64,
}

/// The killer.
fn strike(kills: u32, seed: u64) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("parlor.db");
    let runtime = runtime()?;
    let (mut acknowledged, mut in_flight, mut lost, mut doubled) = (0, 0, 0, 0);
    let mut promised: HashMap<u64, u64> = HashMap::new();
    for _ in 0..kills {
        let heard = write_and_kill(&file, Duration::from_millis(u64::from(rng.next_u32() % 400) + 20))?;
        acknowledged += heard.count;
        in_flight += u32::from(heard.under_way > 0);
        for (number, length) in heard.acknowledged {
            let promise = promised.entry(number).or_default();
            *promise = length.max(*promise);
        }
        let (missing, repeated) = runtime.block_on(check(&file, &promised))?;
        lost += missing;
        doubled += repeated;
    }
    println!(
        "faults kills={kills} in_flight={in_flight} acknowledged={acknowledged} lost={lost} doubled={doubled} seed={seed}"
    );
    if lost + doubled > 0 {
        return Err("the log lost or doubled what it had acknowledged".to_owned());
    }
    if acknowledged == 0 || in_flight * 2 < kills {
        return Err("too few kills struck while appends were under way: the run shows nothing".to_owned());
    }
    Ok(())
}

/// Starts a writer, kills it after this long (counted from its first acknowledgement), and gives back what it said.
#[expect(clippy::disallowed_methods, reason = "a real process is killed after real time")]
fn write_and_kill(file: &Path, after: Duration) -> Result<Heard, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut writer = Command::new(program)
        .arg("--write")
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let output = writer.stdout.take().ok_or("the writer has an output")?;
    let (started, first) = std::sync::mpsc::sync_channel(1);
    let listener = std::thread::spawn(move || {
        let mut heard = Heard::default();
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["sent", ..] => heard.under_way += 1,
                ["acknowledged", number, index] => {
                    heard.under_way -= 1;
                    heard.count += 1;
                    if let (Ok(number), Ok(index)) = (number.parse(), index.parse::<u64>()) {
                        heard.acknowledged.insert(number, index + 1);
                    }
                    let _ = started.try_send(());
                }
                _ => {}
            }
        }
        heard
    });
    let has_begun = first.recv_timeout(Duration::from_secs(60)).is_ok();
    std::thread::sleep(after);
    writer.kill().map_err(|error| error.to_string())?;
    writer.wait().map_err(|error| error.to_string())?;
    let heard = listener.join().map_err(|_| "the listener failed")?;
    if has_begun { Ok(heard) } else { Err("the writer acknowledged nothing in a minute".to_owned()) }
}

/// How many acknowledged entries are missing, and how many entries are not where they belong.
async fn check(file: &Path, promised: &HashMap<u64, u64>) -> Result<(u64, u64), String> {
    let log = open(file)?;
    let (mut lost, mut doubled) = (0, 0);
    for (number, length) in promised {
        let entries = log.read(table(*number), 0).await.map_err(|error| error.to_string())?;
        lost += length.saturating_sub(entries.len() as u64);
        let is_wrong = |(index, payload_found): (u64, &Bytes)| *payload_found != payload(*number, index);
        doubled +=
            (0..).zip(entries.iter().map(|entry| &entry.payload)).filter(|pair| is_wrong(*pair)).count()
                as u64;
    }
    Ok((lost, doubled))
}
