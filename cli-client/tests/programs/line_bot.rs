//! A program for the tests of the line protocol, correct or faulty in the way that its first argument names. It appends
//! every line that it reads to the file `lines` in the folder that its second argument names.
//!
//! A behaviour with the suffix `-once` shows only in the first process of the folder.

#![allow(clippy::unwrap_used, reason = "a test program may panic on None or Err")]

use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use std::{env, process, thread};

use serde_json::{Value, json};

/// Decision at which a faulty program fails.
const FAILS_AT: u64 = 2;

fn main() {
    let (behaviour, folder) = (env::args().nth(1).unwrap(), env::args().nth(2).unwrap());
    let folder = Path::new(&folder);
    let behaviour = match behaviour.strip_suffix("-once") {
        Some(once) if File::create_new(folder.join("failed")).is_ok() => once.to_owned(),
        Some(_) => "good".to_owned(),
        None => behaviour,
    };
    fs::write(folder.join("environment"), env::vars().map(|(name, _)| name + "\n").collect::<String>())
        .unwrap();
    if behaviour == "deaf" {
        hang();
    }
    let mut lines = File::options().create(true).append(true).open(folder.join("lines")).unwrap();
    let (mut stdout, mut held) = (io::stdout(), Vec::new());
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        // In one piece: other processes of the program append to the same file.
        lines.write_all(format!("{line}\n").as_bytes()).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        if line["type"] != "decision" {
            continue;
        }
        if line["decision"].as_u64().unwrap() >= FAILS_AT {
            fail(&behaviour, &line);
        }
        for answer in answers(&behaviour, &line, &mut held) {
            writeln!(stdout, "{answer}").unwrap();
        }
        stdout.flush().unwrap();
    }
}

/// Fails, if that is the behaviour.
fn fail(behaviour: &str, line: &Value) {
    match behaviour {
        "dies" => {
            eprintln!("giving up at decision {}", line["decision"]);
            leave(3);
        }
        "hangs" => hang(),
        "rubbish" => println!("thinking about {}", line["question"]),
        "long" => println!("{}", "x".repeat(100_000)),
        "binary" => io::stdout().write_all(b"\xff\xfe\n").unwrap(),
        "foresees" => println!("{}", json!({ "table": line["table"], "decision": 999_999, "index": 0 })),
        "closes" => {
            println!("{}", json!({ "table": line["table"], "decision": line["decision"], "index": 0 }));
            leave(0);
        }
        "slow" => {
            // Nothing is ever sent.
            let (_sender, never) = mpsc::sync_channel::<()>(1);
            let _ = never.recv_timeout(Duration::from_millis(300));
        }
        _ => {}
    }
}

/// The answers to a decision.
fn answers(behaviour: &str, line: &Value, held: &mut Vec<Value>) -> Vec<Value> {
    let actions = line["actions"].as_array().unwrap();
    let place = line["decision"].as_u64().unwrap() as usize % actions.len();
    let mut answer = json!({ "table": line["table"], "decision": line["decision"], "index": place });
    let late = line["decision"].as_u64().unwrap() >= FAILS_AT;
    match behaviour {
        "illegal" if late => answer["index"] = json!(actions.len()),
        "action" => {
            let action = &actions[place]["action"];
            answer = json!({ "table": line["table"], "seat": line["seat"], "decision": line["decision"], "action": action });
        }
        "twice" => return vec![answer.clone(), answer],
        // Answers only once 100 decisions are open, the last first.
        "hundred" if held.len() < 99 && !late => {
            held.push(answer);
            return Vec::new();
        }
        "hundred" => {
            let mut all = std::mem::take(held);
            all.push(answer);
            all.reverse();
            return all;
        }
        _ => {}
    }
    vec![answer]
}

#[expect(clippy::disallowed_methods, reason = "a program that ends in the middle of its work")]
fn leave(status: i32) -> ! {
    process::exit(status)
}

/// Does nothing for ever.
fn hang() -> ! {
    loop {
        thread::park();
    }
}
