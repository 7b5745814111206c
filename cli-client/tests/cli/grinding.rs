//! A server that chooses its seed when it knows the players' entropy (`tests/programs/grinding_server.rs`) is caught by the
//! commitments that clients keep: nothing in its records shows it.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::agents::wait_until_listed;
use crate::games::{LANGUAGES, play_line_mode};
use crate::support::{CommandOutput, Parlor, PipedProcess, Server};

/// A short tournament with an agent: two deals of two tables.
const CUP: &str = "\
name = 'cup'
game = 'gap'
format = 'round_robin'
groups = 2
entrants = ['agent:ann', 'bot:greedy']
[options]
rounds = 1
";

/// The only finished table of a server, and its record in a file.
fn fetched(parlor: &Parlor) -> (String, PathBuf) {
    let records = parlor.json(&["record", "list"]);
    assert_eq!(records["records"].as_array().unwrap().len(), 1);
    let table = records["records"][0]["table_id"].as_str().unwrap().to_owned();
    let file = parlor.home().join("game.json");
    parlor.ok(&["record", "get", &table, "-o", file.to_str().unwrap()]);
    (table, file)
}

fn read_record(file: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// Bytes of a JSON field.
fn bytes(field: &serde_json::Value) -> Vec<u8> {
    STANDARD.decode(field.as_str().unwrap()).unwrap()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Asserts that a client's notes disagree with a record that is otherwise right, signature included.
fn assert_caught(parlor: &Parlor, table: &str, file: &Path) {
    let shuffle = read_record(file)["shuffle"].clone();
    assert_eq!(bytes(&shuffle["gameSeed"])[0], 0, "the server has dealt what it wanted");
    let name = file.to_str().unwrap();
    let stranger = Parlor::without_server();
    let key = parlor.json(&["keys"])["keys"][0]["public_key"].as_str().unwrap().to_owned();
    let output = stranger.ok(&["verify", "--key", &key, name]);
    assert!(output.contains(": right (gap, ") && !output.contains("compared"), "{output}");
    assert_found(&parlor.run(&["verify", name]));
    assert_eq!(parlor.json(&["show", table])["shuffle"]["commitment"], shuffle["commitment"]);
}

fn assert_found(done: &CommandOutput) {
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.contains("shuffle.commitment"), "{done:?}");
    assert!(done.stdout.contains("compared with the commitments that were shown"), "{done:?}");
}

/// Plays a game of GAP in line mode.
fn play(parlor: &Parlor) {
    let mut pipes =
        PipedProcess::start(parlor, &["play", "gap", "--option", "rounds=1", "--plain", "--lang", "en"]);
    play_line_mode(&mut pipes, &LANGUAGES[0], usize::MAX);
    let (code, out, err) = pipes.end();
    assert_eq!(code, 0, "{out:#?} {err:#?}");
}

#[test]
fn person_catches_a_server_that_grinds() {
    let server = Server::grinding();
    let parlor = Parlor::with_server(&server.url());
    play(&parlor);
    let (table, file) = fetched(&parlor);
    assert_caught(&parlor, &table, &file);
}

#[test]
fn honest_server_agrees_with_what_a_person_was_shown() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    play(&parlor);
    let (_, file) = fetched(&parlor);
    let output = parlor.ok(&["verify", file.to_str().unwrap()]);
    assert!(output.contains("compared with the commitments that were shown"), "{output}");
    let name = file.to_str().unwrap();
    let shown = hexadecimal(&bytes(&read_record(&file)["shuffle"]["commitment"]));
    let stranger = Parlor::without_server();
    stranger.ok(&["verify", "--commitment", &shown, name]);
    let done = stranger.run(&["verify", "--commitment", "12", name]);
    assert!(done.code == 2 && done.stderr.contains("64 hexadecimal digits"), "{done:?}");
}

/// The bot keeps what it is shown, and a stranger compares the record with the commitment that it copied before the game.
#[test]
fn bot_and_copied_commitment_catch_a_server_that_grinds() {
    let server = Server::grinding();
    let parlor = Parlor::with_server(&server.url());
    let created =
        parlor.json(&["create", "gap", "--seat", "open", "--seat", "bot:random", "--option", "rounds=1"]);
    let id = created["table_id"].as_str().unwrap();
    let shown = bytes(&parlor.json(&["show", id])["shuffle"]["commitment"]);
    parlor.ok(&["bot", "greedy", "--table", id]);
    let (table, file) = fetched(&parlor);
    assert_eq!(table, id);
    assert_caught(&parlor, &table, &file);
    assert_ne!(bytes(&read_record(&file)["shuffle"]["commitment"]), shown);
    let stranger = Parlor::without_server();
    let name = file.to_str().unwrap();
    assert_found(&stranger.run(&["verify", "--commitment", &hexadecimal(&shown), name]));
}

/// The organiser and the agent keep what the tournament showed, each in a data folder of its own.
#[test]
fn organiser_and_agent_catch_a_server_that_grinds() {
    for (server, is_honest) in [(Server::grinding(), false), (Server::start(), true)] {
        let organiser = Parlor::with_server(&server.url());
        let agent = Parlor::with_server(&server.url());
        let playing = PipedProcess::start(&agent, &["bot", "random", "--agent", "ann"]);
        wait_until_listed(&organiser, "ann", "here");
        let file = organiser.home().join("cup.toml");
        std::fs::write(&file, CUP).unwrap();
        organiser.ok(&["tournament", "run", file.to_str().unwrap()]);
        playing.signal("TERM");
        playing.end();
        let listed = organiser.json(&["tournament", "list"]);
        let id = listed["tournaments"][0]["tournament_id"].as_str().unwrap();
        let folder = format!("{}/", organiser.home().join("cup").to_str().unwrap());
        organiser.ok(&["record", "export", id, "--format", "json", "--to", &folder]);
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> = files.collect();
        files.sort();
        let deal = read_record(&files[0])["shuffle"].clone();
        assert_eq!(
            deal["dealGroup"]["entropy"][0].as_str().map(str::len),
            Some(44),
            "the organiser's 32 bytes"
        );
        assert_eq!(deal["dealGroup"]["entropy"][1].as_str().map(str::len), Some(44), "the agent's");
        let names: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
        // Whoever kept nothing finds nothing.
        Parlor::without_server().ok(&[&["verify"], &names[..]].concat());
        for witness in [&organiser, &agent] {
            let done = witness.run(&[&["verify"], &names[..]].concat());
            let compared = done.stdout.matches("compared with the commitments that were shown").count();
            let differs = done.stdout.matches("tournament_commitment").count();
            assert_eq!((compared, done.code), (4, i32::from(!is_honest)), "{done:?}");
            assert_eq!(differs > 0, !is_honest, "{done:?}");
        }
        assert!(is_honest || bytes(&deal["gameSeed"])[0] == 0, "the server has dealt what it wanted");
    }
}
