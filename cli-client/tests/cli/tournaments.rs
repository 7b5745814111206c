//! Tournaments from the command line: run from a file, looked after, left, reported, and their records checked.
//!
//! A tournament of house bots ends when it ends. Whatever needs one that does not end has an agent in it that is connected,
//! and whose process is stopped: it answers nothing, and without clocks its tables wait for it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::agents::until_listed;
use crate::failures::fails;
use crate::support::{Key, Parlor, Pipes, Server, Terminal};

/// A short tournament of house bots: three line-ups, six deals, twelve tables.
const CUP: &str = "\
name = 'House <cup>'
game = 'gap'
format = 'round_robin'
groups = 2
entrants = ['bot:random', 'bot:greedy', 'bot:search:5']
[options]
rounds = 1
";

/// One that waits for the agent ada, for ever.
const ENDLESS: &str = "\
game = 'gap'
format = 'round_robin'
groups = 50
entrants = ['bot:random', 'agent:ada', 'bot:greedy']
patience = '10h'
[clock]
decision = 'none'
[options]
rounds = 1
";

/// Writes a file into the home of the program.
fn file(parlor: &Parlor, content: &str) -> String {
    let path = parlor.home().join("cup.toml");
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Every line as JSON.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The id of a tournament that was made from a file.
fn create(parlor: &Parlor, content: &str) -> String {
    let made = parlor.json(&["tournament", "create", &file(parlor, content)]);
    made["tournament_id"].as_str().unwrap().to_owned()
}

/// A server that does not find out that nobody is there behind a connection.
fn patient_server() -> Server {
    Server::with_settings("[connections]\nkeepalive_interval = '1h'\n")
}

/// The agent ada, connected, and never answering again.
fn ada(parlor: &Parlor) -> Pipes {
    let agent = Pipes::start(parlor, &["bot", "greedy", "--agent", "ada", "--at-once", "2"]);
    until_listed(parlor, "ada", "here");
    agent.signal("STOP");
    agent
}

/// The files of a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// What must be true of the standings of [`CUP`].
fn assert_sums(standings: &Value) {
    let rows = standings["rows"].as_array().unwrap();
    let sum = |field: &str| rows.iter().map(|row| row[field].as_f64().unwrap()).sum::<f64>();
    assert_eq!(
        (rows.len(), &standings["groups_counted"], &standings["tables_over"]),
        (3, &6.into(), &12.into())
    );
    assert_eq!(sum("games"), 24.0);
    assert_eq!(sum("place_points"), 12.0);
    assert!(sum("mean").abs() < 1e-6 && sum("rating").abs() < 1e-6, "{standings}");
}

#[test]
fn a_tournament_is_run_from_a_file_in_both_languages() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let cup = file(&parlor, CUP);
    for (lang, heading, end, runs) in [
        ("en", "ENTRANT", "finished: 6 of 6 groups count, 12 of 12 tables over, 0 running", "runs. Ctrl-C"),
        (
            "de",
            "TEILNEHMER",
            "beendet: 6 von 6 Gruppen zählen, 12 von 12 Tischen zu Ende, 0 laufen",
            "läuft. Strg-C",
        ),
    ] {
        let done = parlor.run(&["tournament", "run", &cup, "--lang", lang]);
        assert_eq!(done.code, 0, "{done:?}");
        let shown: Vec<&str> = done.stdout.lines().collect();
        assert_eq!((shown.len(), shown[4]), (5, end), "{done:?}");
        assert!(shown[0].contains(heading), "{done:?}");
        for name in ["random", "greedy", "search:5"] {
            assert!(shown[1..4].iter().any(|line| line.contains(name)), "{done:?}");
        }
        assert!(done.stderr.lines().next().unwrap().contains(runs), "{done:?}");
        // What was said last while it was played is how it ended; then comes what to do next.
        let said: Vec<&str> = done.stderr.lines().rev().take(2).collect();
        assert!(said[0].contains("parlor tournament report ") && said[1] == end, "{done:?}");
    }
    let news = lines(&parlor.ok(&["--json", "tournament", "run", &cup]));
    let (first, last) = (&news[0], news.last().unwrap());
    assert_eq!(first["tournament"]["setup"]["name"], "House <cup>");
    assert_eq!(last["standings"]["state"], "TOURNAMENT_STATE_FINISHED");
    assert_sums(&last["standings"]);

    // All of them, newest first, page by page.
    let listed = parlor.json(&["tournament", "list", "--mine", "--limit", "2"]);
    let ids = |listed: &Value| -> Vec<String> {
        let listed = listed["tournaments"].as_array().unwrap();
        listed.iter().map(|one| one["tournament_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&listed)[0], first["tournament"]["tournament_id"]);
    let page = listed["next_page_token"].as_str().unwrap();
    let rest = parlor.json(&["tournament", "list", "--page", page]);
    assert_eq!((ids(&listed).len(), ids(&rest).len()), (2, 1));
    let text = parlor.ok(&["tournament", "list", "--lang", "de"]);
    assert!(text.starts_with("TURNIER") && text.matches("beendet").count() == 3, "{text}");
}

#[test]
fn what_came_of_a_tournament_is_shown_reported_and_checked() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    assert!(
        parlor.ok(&["tournament", "list"]).contains("parlor tournament run FILE.toml"),
        "it says what to do"
    );
    let id = &create(&parlor, CUP);
    let shown = parlor.ok(&["tournament", "show", id]);
    assert!(shown.contains("not started") && shown.contains("bot:search:5"), "{shown}");
    let before = parlor.json(&["tournament", "standings", id]);
    assert_eq!(
        (&before["state"], &before["tables_expected"]),
        (&json!("TOURNAMENT_STATE_CREATED"), &12.into())
    );
    assert_eq!(parlor.ok(&["tournament", "tables", id]), "");
    parlor.ok(&["tournament", "start", id]);
    // Following it is waiting for its end; starting it again is harmless, whether it is over or not.
    let followed = parlor.ok(&["tournament", "follow", id]);
    assert!(followed.contains("finished: 6 of 6 groups count"), "{followed}");
    parlor.ok(&["tournament", "start", id]);
    let over = parlor.json(&["tournament", "show", id]);
    assert_eq!(over["state"], "TOURNAMENT_STATE_FINISHED");
    assert_sums(&parlor.json(&["tournament", "standings", id]));
    assert_eq!(parlor.ok(&["tournament", "standings", id]), followed);
    let tables = lines(&parlor.ok(&["--json", "tournament", "tables", id]));
    assert_eq!(tables.len(), 12);
    assert!(tables.iter().all(|table| table["over"] == true && table["has_record"] == true), "{tables:?}");
    let text = parlor.ok(&["tournament", "tables", id]);
    assert!(text.lines().count() == 12 && text.starts_with("0.0  "), "{text}");
    // It is over: there is nothing left to pause, and cancelling it comes too late.
    fails(&parlor, &["tournament", "pause", id], 6, "TOURNAMENT_STATE", ["is over", "im jetzigen Stand"]);
    fails(&parlor, &["tournament", "cancel", id], 6, "TOURNAMENT_STATE", ["is over", "im jetzigen Stand"]);

    // One page, with the records in it or beside it.
    for (lang, heading) in [("en", "Standings"), ("de", "Stand")] {
        let page = parlor.home().join(format!("report.{lang}.html"));
        let said = parlor.ok(&["tournament", "report", id, "--html", page.to_str().unwrap(), "--lang", lang]);
        assert!(said.contains("report."), "{said}");
        let page = std::fs::read_to_string(&page).unwrap();
        assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"), "{page}");
        assert!(
            page.contains("House &lt;cup&gt;") && !page.contains("House <cup>"),
            "what it is called is escaped"
        );
        assert!(page.contains(heading), "{page}");
        assert_eq!(page.matches("href=\"data:text/plain").count(), 12, "every record is in it");
    }
    let (page, folder) = (parlor.home().join("page.html"), parlor.home().join("records"));
    let args =
        ["tournament", "report", id, "--html", page.to_str().unwrap(), "--records", folder.to_str().unwrap()];
    parlor.ok(&args);
    assert_eq!(files(&folder).len(), 12);
    assert_eq!(std::fs::read_to_string(&page).unwrap().matches("href=\"records/").count(), 12);
    let nowhere = ["tournament", "report", id, "--html", "/nowhere/at/all.html"];
    fails(&parlor, &nowhere, 1, "OUTPUT", ["choose another place", "Wähle einen anderen Ort"]);

    // The records, in a folder and in a file, are right by themselves.
    let offline = Parlor::of("http://127.0.0.1:1");
    let exported = format!("{}/", parlor.home().join("exported").to_str().unwrap());
    assert_eq!(parlor.json(&["record", "export", id, "--to", &exported]), json!({ "records": 12 }));
    let files = files(Path::new(&exported));
    let names: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let said = offline.ok(&[&["verify"], &names[..]].concat());
    assert_eq!((names.len(), said.matches(": right (gap, ").count()), (12, 12), "{said}");
    for form in ["txt", "json", "binpb"] {
        let all = parlor.home().join(format!("all.{form}"));
        let all = all.to_str().unwrap();
        let said = parlor.ok(&["record", "export", id, "--to", all, "--lang", "de"]);
        assert_eq!(said, format!("12 Aufzeichnungen in {all}\n"));
        let checked = lines(&offline.ok(&["--json", "verify", all]));
        assert!(checked.len() == 12 && checked.iter().all(|one| one["right"] == true), "{checked:?}");
    }
    let listed = parlor.json(&["record", "list", "--tournament", id, "--all", "--limit", "5"]);
    assert_eq!(listed["records"].as_array().unwrap().len(), 12);
}

#[test]
fn an_organiser_looks_after_a_tournament() {
    let server = patient_server();
    let parlor = Parlor::of(&server.url());
    let id = &create(&parlor, ENDLESS);
    fails(&parlor, &["tournament", "start", id], 6, "AGENT_UNAVAILABLE", ["ada", "ada"]);
    let _ada = ada(&parlor);
    let state = |args: &[&str]| parlor.json(&[&["tournament"], args].concat())["state"].clone();
    assert_eq!(state(&["start", id]), "TOURNAMENT_STATE_RUNNING");
    assert_eq!(state(&["pause", id]), "TOURNAMENT_STATE_PAUSED");
    assert_eq!(state(&["pause", id]), "TOURNAMENT_STATE_PAUSED");
    assert!(parlor.ok(&["tournament", "show", id, "--lang", "de"]).contains("angehalten"));
    assert_eq!(state(&["resume", id]), "TOURNAMENT_STATE_RUNNING");
    // Tables are made when they are made; those with ada stay.
    let waits =
        |table: &Value| table["over"] == false && table["entrants"].as_array().unwrap().contains(&1.into());
    let mut looks = (0..1000).map(|_| lines(&parlor.ok(&["--json", "tournament", "tables", id])));
    let table = looks.find_map(|tables| tables.into_iter().find(waits)).expect("a table with ada");
    // Nothing of a deal is shown while it is played.
    assert_eq!((&table["has_record"], &table["results"]), (&false.into(), &json!([])));
    let group = table["group"].to_string();
    let void = |reason: &str| parlor.run(&["tournament", "void", id, &group, "--reason", reason]);
    assert_eq!(void("").code, 2, "a reason is wanted");
    assert_eq!(void("the lights went out").code, 0);
    assert_eq!(void("the lights went out").code, 0, "again is harmless");
    let text = parlor.ok(&["tournament", "tables", id]);
    assert!(
        text.lines()
            .any(|line| line.starts_with(&format!("{group}."))
                && line.ends_with("(void: the lights went out)")),
        "{text}"
    );
    fails(
        &parlor,
        &["tournament", "void", id, "9999", "--reason", "x"],
        5,
        "GROUP_NOT_FOUND",
        ["9999", "9999"],
    );
    assert_eq!(parlor.run(&["tournament", "void", id, "0"]).code, 2);

    let nobody = ["tournament", "withdraw", id, "bob"];
    fails(&parlor, &nobody, 5, "ENTRANT_NOT_FOUND", ["there are", "Es gibt"]);
    let standings = parlor.json(&["tournament", "withdraw", id, "ada"]);
    let row = |standings: &Value, name: &str| {
        standings["rows"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!(
        (&row(&standings, "ada")["withdrawn"], &row(&standings, "greedy")["withdrawn"]),
        (&true.into(), &false.into())
    );
    let text = parlor.ok(&["tournament", "withdraw", id, "1", "--lang", "de"]);
    assert!(text.contains("ausgeschieden"), "{text}");
    // The others play on without it to the end.
    let end = parlor.ok(&["tournament", "follow", id]);
    assert!(end.contains("finished: ") && end.contains("withdrawn"), "{end}");
}

#[test]
fn a_tournament_is_cancelled() {
    let server = patient_server();
    let parlor = Parlor::of(&server.url());
    let _ada = ada(&parlor);
    for is_started in [false, true] {
        let id = &create(&parlor, ENDLESS);
        if is_started {
            parlor.ok(&["tournament", "start", id]);
        }
        let following = Pipes::start(&parlor, &["--json", "tournament", "follow", id]);
        following.wait("the first standings", |lines| lines.first().map(|_| ()));
        let over = parlor.json(&["tournament", "cancel", id, "--reason", "rain"]);
        assert_eq!((&over["state"], &over["note"]), (&json!("TOURNAMENT_STATE_CANCELLED"), &json!("rain")));
        let (code, out, err) = following.end();
        assert_eq!(code, 0, "{err:?}");
        let last: Value = serde_json::from_str(out.last().unwrap()).unwrap();
        assert_eq!(last["standings"]["state"], "TOURNAMENT_STATE_CANCELLED");
        let text = parlor.ok(&["tournament", "cancel", id, "--lang", "de"]);
        assert!(text.contains("abgesagt") && text.contains("rain"), "again is harmless: {text}");
        fails(
            &parlor,
            &["tournament", "resume", id],
            6,
            "TOURNAMENT_STATE",
            ["is over", "im jetzigen Stand"],
        );
    }
}

/// Being told to stop leaves the tournament running, and says how to come back.
#[test]
fn a_tournament_goes_on_without_whoever_runs_it() {
    let server = patient_server();
    let parlor = Parlor::of(&server.url());
    let _ada = ada(&parlor);
    let cup = file(&parlor, ENDLESS);
    let goes_on = |text: &str| {
        let (_, after) = text.rsplit_once("parlor tournament follow ").unwrap_or_else(|| panic!("{text}"));
        let id = after.split_whitespace().next().unwrap();
        assert_eq!(parlor.json(&["tournament", "show", id])["state"], "TOURNAMENT_STATE_RUNNING");
    };
    for (signal, expected) in [("INT", 130), ("TERM", 143)] {
        let run = Pipes::start(&parlor, &["--json", "tournament", "run", &cup]);
        run.wait("the first standings", |lines| lines.first().map(|_| ()));
        run.signal(signal);
        let (code, _, err) = run.end();
        assert_eq!(code, expected, "{err:?}");
        goes_on(&err.join("\n"));
    }
    for (lang, entrants, words) in
        [("en", "ENTRANT", "It goes on without you."), ("de", "TEILNEHMER", "Es geht ohne dich weiter.")]
    {
        let mut terminal = Terminal::start(&parlor, &["tournament", "run", &cup, "--lang", lang]);
        terminal.wait_for(entrants);
        terminal.press(Key::CtrlC);
        assert_eq!(terminal.end(), 130);
        terminal.look(|seen| {
            assert!(seen.restored && seen.now().contains(words), "{}", seen.now());
            goes_on(seen.now());
        });
    }
}

#[test]
fn the_same_request_gives_the_same_tournament() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let create = |content: &str| {
        parlor.run(&["--json", "tournament", "create", &file(&parlor, content), "--request-id", "cup-1"])
    };
    let (first, again) = (create(CUP), create(CUP));
    assert_eq!((first.code, &first.stdout), (0, &again.stdout), "{first:?} {again:?}");
    let other = create(&CUP.replace("groups = 2", "groups = 3"));
    assert_eq!(other.code, 6, "{other:?}");
    assert!(other.stderr.contains("REQUEST_ID_REUSED"), "{other:?}");
    // From a pipe.
    let mut child = parlor
        .command(&["tournament", "run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(CUP.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && String::from_utf8_lossy(&done.stdout).contains("finished"), "{done:?}");
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let check = |content: &str, code: i32, reason: &str, words: [&str; 2]| {
        let cup = file(&parlor, content);
        fails(&parlor, &["tournament", "run", &cup], code, reason, words);
    };
    let help = "parlor tournament --help";
    check("", 2, "TOURNAMENT_FILE", ["missing field `game`", help]);
    check(&format!("{CUP}colour = 3\n"), 2, "USAGE", ["no option \"colour\"", "keine Option \"colour\""]);
    check(&format!("colour = 3\n{CUP}"), 2, "TOURNAMENT_FILE", ["line 1: unknown field `colour`", help]);
    check(&CUP.replace("groups = 2", "groups = 'two'"), 2, "TOURNAMENT_FILE", ["line 4: ", "line 4: "]);
    check(&CUP.replace("groups = 2", "groups = -2"), 2, "TOURNAMENT_FILE", ["line 4: ", "line 4: "]);
    check(&CUP.replace("groups = 2", "groups = 0"), 2, "INVALID_FIELD", ["groups", "groups"]);
    check(&CUP.replace("groups = 2", "groups = 1000000"), 2, "INVALID_FIELD", ["groups", "groups"]);
    check(
        &CUP.replace("bot:greedy", "bot:deepblue"),
        5,
        "HOUSE_BOT_NOT_FOUND",
        ["parlor bots", "parlor bots"],
    );
    check(&CUP.replace("bot:greedy", "greedy"), 2, "TOURNAMENT_FILE", ["bot:NAME", "bot:NAME"]);
    check(&CUP.replace("bot:greedy", "bot:random"), 2, "INVALID_FIELD", ["entrants", "entrants"]);
    check(&CUP.replace("bot:greedy", "agent:nobody"), 6, "AGENT_UNAVAILABLE", ["nobody", "nobody"]);
    check(&CUP.replace("'gap'", "'chess'"), 5, "GAME_NOT_FOUND", ["habe_fertig, gap", "habe_fertig, gap"]);
    check("game = \n", 2, "TOURNAMENT_FILE", ["line 1: ", "line 1: "]);
    check(&format!("# {}\n{CUP}", "long ".repeat(300_000)), 2, "SETTINGS", ["1048576 bytes", "1048576"]);

    let folder = parlor.home().to_str().unwrap().to_owned();
    let missing = format!("{folder}/missing.toml");
    for path in [&missing, &folder] {
        fails(&parlor, &["tournament", "create", path], 2, "SETTINGS", [path, path]);
    }
    // A file without an end, and a pipe that brings too much, are given up.
    fails(&parlor, &["tournament", "create", "/dev/zero"], 2, "SETTINGS", ["1048576 bytes", "1048576"]);
    let mut child = parlor
        .command(&["tournament", "create", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It may stop reading before all is written.
    let _ = stdin.write_all(format!("{CUP}\n# {}\n", "long ".repeat(300_000)).as_bytes());
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    assert!(
        done.status.code() == Some(2) && String::from_utf8_lossy(&done.stderr).contains("1048576 bytes"),
        "{done:?}"
    );
    // What could be made and not started is not left lying about.
    let listed = parlor.json(&["tournament", "list"]);
    let states = listed["tournaments"].as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap());
    assert_eq!(states.collect::<Vec<_>>(), ["TOURNAMENT_STATE_CANCELLED"; 3]);
}

#[test]
fn what_is_not_there_or_somebody_elses_is_refused() {
    let (server, keys) = Server::with_keys();
    let owner = Parlor::of(&server.url()).with("PARLOR_CLI_API_KEY", &keys.owner);
    let id = create(&owner, &format!("private = true\n{CUP}"));
    // An id as they look, of no tournament; and one that others may not see.
    let none = format!("{}{}", &id[..id.len() - 1], if id.ends_with('0') { '1' } else { '0' });
    let other = Parlor::of(&server.url()).with("PARLOR_CLI_API_KEY", &keys.other);
    let page = owner.home().join("page.html");
    let page = page.to_str().unwrap();
    for (parlor, id) in [(&owner, &none), (&other, &id)] {
        for args in [
            &["start", id][..],
            &["show", id],
            &["standings", id],
            &["follow", id],
            &["tables", id],
            &["pause", id],
            &["resume", id],
            &["cancel", id],
            &["withdraw", id, "0"],
            &["void", id, "0", "--reason", "x"],
            &["report", id, "--html", page],
        ] {
            let args = [&["tournament"], args].concat();
            fails(
                parlor,
                &args,
                5,
                "TOURNAMENT_NOT_FOUND",
                ["parlor tournament list", "parlor tournament list"],
            );
        }
    }
    let public = create(&owner, CUP);
    other.ok(&["tournament", "show", &public]);
    fails(&other, &["tournament", "cancel", &public], 4, "NOT_OWNER", ["", ""]);
    let player = Parlor::of(&server.url()).with("PARLOR_CLI_API_KEY", &keys.player);
    let cup = file(&player, CUP);
    fails(&player, &["tournament", "create", &cup], 4, "SCOPE_MISSING", ["tables", "tables"]);
}
