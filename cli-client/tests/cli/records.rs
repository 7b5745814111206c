//! Records: fetched in every form, verified, replayed, and rejected after tampering.

use std::io::Write;
use std::process::Stdio;

use crate::support::{Parlor, Server};

/// Plays a game of house bots to the end, and returns its table id.
fn played(parlor: &Parlor, game: &str) -> String {
    let created = parlor.json(&["create", game, "--seat", "bot:random", "--seat", "bot:greedy"]);
    let table = created["table_id"].as_str().unwrap().to_owned();
    // Watching waits for the end.
    parlor.ok(&["watch", &table, "--plain"]);
    assert_eq!(parlor.json(&["show", &table])["state"], "TABLE_STATE_FINISHED");
    table
}

#[test]
fn record_is_fetched_in_every_form_verified_and_replayed() {
    let server = Server::start();
    let online = Parlor::with_server(&server.url());
    let table = played(&online, "gap");
    let listed = online.json(&["record", "list", "--game", "gap"]);
    assert_eq!(listed["records"][0]["table_id"], table.as_str());
    assert!(online.ok(&["record", "list", "--lang", "de"]).contains("zu Ende"));
    assert_eq!(online.ok(&["record", "list", "--until", "2001-01-01"]), "No records.\n");
    // Verification and replay need no server.
    let offline = Parlor::with_server("http://127.0.0.1:1");
    let mut shown = Vec::new();
    for form in ["txt", "json", "binpb"] {
        let file = online.home().join(format!("game.{form}"));
        let name = file.to_str().unwrap();
        online.ok(&["record", "get", &table, "-o", name]);
        let output = offline.ok(&["verify", name]);
        assert!(output.starts_with(&format!("{name}: right (gap, ")), "{output}");
        shown.push(offline.ok(&["replay", name, "--plain"]));
        assert!(!offline.ok(&["replay", name, "--plain", "--seat", "1"]).is_empty());
    }
    assert!(shown[0] == shown[1] && shown[1] == shown[2], "all forms give the same replay");
    let text = online.ok(&["record", "get", &table]);
    assert!(text.starts_with("parlor record\nversion: 1\n"), "{text}");
    // Texts are added on request, and do not change what is verified.
    let with_texts = online.home().join("texts.txt");
    online.ok(&["record", "get", &table, "--texts", "--lang", "de", "-o", with_texts.to_str().unwrap()]);
    let german = std::fs::read_to_string(&with_texts).unwrap();
    assert!(german.contains("Das Spiel ist zu Ende gespielt.") && !text.contains("zu Ende"));
    assert!(offline.ok(&["verify", with_texts.to_str().unwrap()]).contains(": right (gap, "));
    let seat = online.home().join("seat.txt");
    online.ok(&["record", "get", &table, "--seat", "1", "-o", seat.to_str().unwrap()]);
    assert!(offline.ok(&["verify", seat.to_str().unwrap()]).contains("as seen by seat 1"));
    // Through a pipe.
    let mut child =
        offline.command(&["verify", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && done.stdout.starts_with(b"-: right"), "{done:?}");
}

#[test]
fn replay_with_all_hands_prints_what_every_seat_was_told() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let table = played(&parlor, "gap");
    let text = parlor.ok(&["replay", &table, "--all-hands", "--lang", "de"]);
    let hands: Vec<&str> =
        text.lines().filter_map(|line| Some(line.split_once(": Deine Hand: ")?.0)).collect();
    assert!(hands.len() >= 2 && hands[0] != hands[1], "{text}");
    assert!(!text.contains("Sitz 0") && !text.contains("Sitz 1"), "players have names: {text}");
    assert!(text.contains(" belegt Platz 1 mit "), "{text}");
    let lines = parlor.ok(&["--json", "replay", &table, "--all-hands"]);
    let steps: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!((0..).zip(&steps).all(|(number, step)| step["number"] == number));
    assert!(steps.len() > 5 && steps[0]["board"]["zones"].as_array().is_some_and(|zones| !zones.is_empty()));
    let refused = parlor.run(&["replay", "game.txt", "--all-hands"]);
    assert!(refused.code == 2 && refused.stderr.contains("--all-hands is for tables"), "{refused:?}");
}

#[test]
fn tampered_record_fails_verification() {
    let server = Server::start();
    let online = Parlor::with_server(&server.url());
    let table = played(&online, "five_three_five");
    let right = online.ok(&["record", "get", &table]);
    let offline = Parlor::without_server();
    let file = offline.home().join("changed.txt");
    let name = file.to_str().unwrap();
    let points = right.lines().find(|line| line.starts_with("result.seats:")).unwrap();
    let place = if points.contains("place: 1") { ("place: 1", "place: 2") } else { ("place: 2", "place: 1") };
    std::fs::write(&file, right.replacen(points, &points.replace(place.0, place.1), 1)).unwrap();
    let done = offline.run(&["verify", name]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.stdout.starts_with(&format!("{name}: WRONG (1 findings)\n  result.seats[0].place: found ")),
        "{done:?}"
    );
    let done = offline.run(&["verify", name, "--lang", "de"]);
    assert!(done.stdout.contains("FALSCH") && done.stdout.contains("da steht"), "{done:?}");
    let done = offline.run(&["--json", "verify", name]);
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(
        (&report["right"], &report["wrong"][0]["path"]),
        (&false.into(), &"result.seats[0].place".into())
    );
    // One invalid file does not prevent the others from being verified.
    let good = offline.home().join("good.txt");
    std::fs::write(&good, &right).unwrap();
    let done = offline.run(&["verify", name, good.to_str().unwrap()]);
    assert!(done.code == 1 && done.stdout.contains("good.txt: right"), "{done:?}");
}

#[test]
fn invalid_record_files_are_rejected() {
    let parlor = Parlor::without_server();
    let file = parlor.home().join("file");
    let name = file.to_str().unwrap();
    let check = |content: &[u8], code: i32, why: &str| {
        std::fs::write(&file, content).unwrap();
        for command in ["verify", "replay"] {
            let done = parlor.run(&[command, name]);
            let output = format!("{}{}", done.stdout, done.stderr);
            assert!(done.code == code && output.contains(why) && output.lines().count() == 1, "{done:?}");
        }
    };
    check(b"", 1, "empty file");
    check(b"Dear diary", 1, "not a record");
    check(b"{\"version\": 1, \"colour\": 3}", 1, "colour");
    check(b"{\"version\": 7}", 1, "version 7");
    check(b"{}", 1, "it has no version");
    check(b"parlor record\nversion: 1\nsteps: 3\n", 1, "line 3: ");
    check(b"parlor record\nversion: 1\n\xff\n", 1, "line 3: not valid UTF-8");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(parlor.run(&["verify", name]).code, 5);
    let folder = parlor.home().to_str().unwrap();
    let done = parlor.run(&["verify", folder]);
    assert!(done.code == 2 && done.stdout.contains("is a folder"), "{done:?}");
    assert_eq!(parlor.run(&["verify"]).code, 2);
}
