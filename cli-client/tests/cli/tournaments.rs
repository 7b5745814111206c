//! Tournaments: run from a file, managed, interrupted, reported, and their records verified.
//!
//! A tournament of house bots ends by itself. Tests that need an unfinished one add an agent that is
//! connected but whose process is stopped: it never answers, and without clocks its tables wait.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::agents::wait_until_listed;
use crate::failures::assert_fails;
use crate::support::{Key, Parlor, PipedProcess, Server, Terminal};

/// Short tournament of house bots: three line-ups, six deals, twelve tables.
pub(crate) const SHORT_TOURNAMENT: &str = "\
name = 'House <cup>'
game = 'gap'
format = 'round_robin'
groups = 2
entrants = ['bot:random', 'bot:greedy', 'bot:search:5']
[options]
rounds = 1
";

/// Tournament that waits for the agent ada for ever.
const ENDLESS_TOURNAMENT: &str = "\
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

/// Writes a setup file into the program's home folder.
pub(crate) fn write_setup(parlor: &Parlor, content: &str) -> String {
    let path = parlor.home().join("cup.toml");
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Parses every line as JSON.
fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Creates a tournament from a setup file, and returns its id.
pub(crate) fn create_tournament(parlor: &Parlor, content: &str) -> String {
    let created = parlor.json(&["tournament", "create", &write_setup(parlor, content)]);
    created["tournament_id"].as_str().unwrap().to_owned()
}

/// A server that does not detect dead connections.
fn patient_server() -> Server {
    Server::with_settings("[connections]\nkeepalive_interval = '1h'\n[table]\nreveal_within = '1s'\n")
}

/// Connects the agent ada, and stops its process.
fn connect_stopped_agent(parlor: &Parlor) -> PipedProcess {
    let agent = PipedProcess::start(parlor, &["bot", "greedy", "--agent", "ada", "--at-once", "2"]);
    wait_until_listed(parlor, "ada", "here");
    agent.signal("STOP");
    agent
}

/// Files of a folder, sorted.
fn sorted_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Invariants of the final standings of [`SHORT_TOURNAMENT`].
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
fn tournament_runs_from_a_setup_file_in_both_languages() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let cup = write_setup(&parlor, SHORT_TOURNAMENT);
    for (lang, heading, end, runs) in [
        (
            "en",
            "ENTRANT",
            "finished: 6 of 6 groups count, 12 of 12 tables over, 0 running",
            "is running. Ctrl-C",
        ),
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
        // The last progress line is the final state; then comes the hint on what to do next.
        let last: Vec<&str> = done.stderr.lines().rev().take(2).collect();
        assert!(last[0].contains("parlor tournament report ") && last[1] == end, "{done:?}");
    }
    let updates = json_lines(&parlor.ok(&["--json", "tournament", "run", &cup]));
    let (first, last) = (&updates[0], updates.last().unwrap());
    assert_eq!(first["tournament"]["setup"]["name"], "House <cup>");
    assert_eq!(last["standings"]["state"], "TOURNAMENT_STATE_FINISHED");
    assert_sums(&last["standings"]);

    // All tournaments, newest first, in pages.
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
fn finished_tournament_is_shown_reported_and_verified() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    assert!(
        parlor.ok(&["tournament", "list"]).contains("parlor tournament run FILE.toml"),
        "an empty list prints a hint"
    );
    let id = &create_tournament(&parlor, SHORT_TOURNAMENT);
    let shown = parlor.ok(&["tournament", "show", id]);
    assert!(shown.contains("not started") && shown.contains("bot:search:5"), "{shown}");
    for part in ["GAP, 2 players a table", "round robin, 2 deals a pair", "0 of 12 tables over"] {
        assert!(shown.contains(part), "{part} is missing in {shown}");
    }
    let listed = parlor.ok(&["tournament", "list"]);
    assert!(listed.contains("GAP") && listed.contains("round robin") && listed.contains("0/12"), "{listed}");
    let before = parlor.json(&["tournament", "standings", id]);
    assert_eq!(
        (&before["state"], &before["tables_expected"]),
        (&json!("TOURNAMENT_STATE_CREATED"), &12.into())
    );
    assert_eq!(parlor.ok(&["tournament", "tables", id]), "");
    parlor.ok(&["tournament", "start", id]);
    // Following waits for the end; starting again is idempotent, even after the end.
    let followed = parlor.ok(&["tournament", "follow", id]);
    assert!(followed.contains("finished: 6 of 6 groups count"), "{followed}");
    parlor.ok(&["tournament", "start", id]);
    let over = parlor.json(&["tournament", "show", id]);
    assert_eq!(over["state"], "TOURNAMENT_STATE_FINISHED");
    assert_sums(&parlor.json(&["tournament", "standings", id]));
    assert_eq!(parlor.ok(&["tournament", "standings", id]), followed);
    let tables = json_lines(&parlor.ok(&["--json", "tournament", "tables", id]));
    assert_eq!(tables.len(), 12);
    assert!(tables.iter().all(|table| table["over"] == true && table["has_record"] == true), "{tables:?}");
    let text = parlor.ok(&["tournament", "tables", id]);
    assert!(text.lines().count() == 12 && text.starts_with("0.0  "), "{text}");
    // A finished tournament can be neither paused nor cancelled.
    assert_fails(
        &parlor,
        &["tournament", "pause", id],
        6,
        "TOURNAMENT_STATE",
        ["is over", "im jetzigen Stand"],
    );
    assert_fails(
        &parlor,
        &["tournament", "cancel", id],
        6,
        "TOURNAMENT_STATE",
        ["is over", "im jetzigen Stand"],
    );

    // Records embedded in the page, or beside it.
    for (lang, heading) in [("en", "Standings"), ("de", "Stand")] {
        let page = parlor.home().join(format!("report.{lang}.html"));
        let output =
            parlor.ok(&["tournament", "report", id, "--html", page.to_str().unwrap(), "--lang", lang]);
        assert!(output.contains("report."), "{output}");
        let page = std::fs::read_to_string(&page).unwrap();
        assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"), "{page}");
        assert!(page.contains("House &lt;cup&gt;") && !page.contains("House <cup>"), "the name is escaped");
        assert!(page.contains(heading), "{page}");
        assert_eq!(page.matches("<td class=\"name\"><a href=\"#").count(), 12, "every game has a replay");
        assert!(page.contains("<script type=\"text/plain\" id=\"games\""));
    }
    let (page, folder) = (parlor.home().join("page.html"), parlor.home().join("records"));
    let args =
        ["tournament", "report", id, "--html", page.to_str().unwrap(), "--records", folder.to_str().unwrap()];
    parlor.ok(&args);
    let files = sorted_files(&folder);
    assert_eq!(files.len(), 24, "a replay and a record for each game");
    let replay = std::fs::read_to_string(&files[0]).unwrap();
    assert!(files[0].to_str().unwrap().ends_with(".html") && replay.matches("<li>").count() > 10, "{replay}");
    assert_eq!(std::fs::read_to_string(&page).unwrap().matches("href=\"records/").count(), 24);
    let nowhere = ["tournament", "report", id, "--html", "/nowhere/at/all.html"];
    assert_fails(&parlor, &nowhere, 1, "OUTPUT", ["choose another path", "Wähle einen anderen Ort"]);

    // Exported records verify, in a folder and in a file.
    let offline = Parlor::with_server("http://127.0.0.1:1");
    let exported = format!("{}/", parlor.home().join("exported").to_str().unwrap());
    assert_eq!(parlor.json(&["record", "export", id, "--to", &exported]), json!({ "records": 12 }));
    let files = sorted_files(Path::new(&exported));
    let names: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let output = offline.ok(&[&["verify"], &names[..]].concat());
    assert_eq!((names.len(), output.matches(": right (gap, ").count()), (13, 12), "{output}");
    // The manifest shows that none is missing.
    assert!(names[12].ends_with("/manifest.json"), "{names:?}");
    assert!(
        output.contains(&format!("manifest.json: right (all 12 records of tournament {id})")),
        "{output}"
    );
    let done = offline.run(&[&["verify"], &names[1..]].concat());
    assert!(
        done.code == 1 && done.stdout.contains("manifest.json: WRONG (the export had 12 records"),
        "{done:?}"
    );
    let key = parlor.json(&["keys"])["keys"][0]["public_key"].as_str().unwrap().to_owned();
    let checked = offline.ok(&[&["verify", "--key", &key], &names[..]].concat());
    assert_eq!(checked.matches("  signed with key ").count(), 13, "{checked}");
    for form in ["txt", "json", "binpb"] {
        let all = parlor.home().join(format!("all.{form}"));
        let all = all.to_str().unwrap();
        let output = parlor.ok(&["record", "export", id, "--to", all, "--lang", "de"]);
        assert_eq!(output, format!("12 Aufzeichnungen in {all}\n"));
        assert!(
            offline.ok(&["verify", all, &format!("{all}.manifest.json")]).contains(": right (all 12 records")
        );
        let checked = json_lines(&offline.ok(&["--json", "verify", all]));
        assert!(checked.len() == 12 && checked.iter().all(|one| one["right"] == true), "{checked:?}");
    }
    let listed = parlor.json(&["record", "list", "--tournament", id, "--all", "--limit", "5"]);
    assert_eq!(listed["records"].as_array().unwrap().len(), 12);
}

#[test]
fn organiser_pauses_voids_and_withdraws() {
    let server = patient_server();
    let parlor = Parlor::with_server(&server.url());
    let id = &create_tournament(&parlor, ENDLESS_TOURNAMENT);
    assert_fails(&parlor, &["tournament", "start", id], 6, "AGENT_UNAVAILABLE", ["ada", "ada"]);
    let _ada = connect_stopped_agent(&parlor);
    let state = |args: &[&str]| parlor.json(&[&["tournament"], args].concat())["state"].clone();
    // The agent is stopped, so the tournament begins without its entropy, some time later.
    parlor.ok(&["tournament", "start", id]);
    assert!(
        (0..1000).any(|_| state(&["show", id]) == "TOURNAMENT_STATE_RUNNING"),
        "the tournament never runs"
    );
    assert_eq!(state(&["pause", id]), "TOURNAMENT_STATE_PAUSED");
    assert_eq!(state(&["pause", id]), "TOURNAMENT_STATE_PAUSED");
    assert!(parlor.ok(&["tournament", "show", id, "--lang", "de"]).contains("angehalten"));
    assert_eq!(state(&["resume", id]), "TOURNAMENT_STATE_RUNNING");
    // Tables are created asynchronously; those with ada stay open.
    let waits =
        |table: &Value| table["over"] == false && table["entrants"].as_array().unwrap().contains(&1.into());
    let mut polls = (0..1000).map(|_| json_lines(&parlor.ok(&["--json", "tournament", "tables", id])));
    let table = polls.find_map(|tables| tables.into_iter().find(waits)).expect("an open table with ada");
    // Nothing of a deal is visible before all of its tables are over.
    assert_eq!((&table["has_record"], &table["results"]), (&false.into(), &json!([])));
    let group = table["group"].to_string();
    let void = |reason: &str| parlor.run(&["tournament", "void", id, &group, "--reason", reason]);
    assert_eq!(void("").code, 2, "a reason is required");
    assert_eq!(void("the lights went out").code, 0);
    assert_eq!(void("the lights went out").code, 0, "repeating is idempotent");
    let text = parlor.ok(&["tournament", "tables", id]);
    assert!(
        text.lines()
            .any(|line| line.starts_with(&format!("{group}."))
                && line.ends_with("(void: the lights went out)")),
        "{text}"
    );
    assert_fails(
        &parlor,
        &["tournament", "void", id, "9999", "--reason", "x"],
        5,
        "GROUP_NOT_FOUND",
        ["9999", "9999"],
    );
    assert_eq!(parlor.run(&["tournament", "void", id, "0"]).code, 2);

    let unknown = ["tournament", "withdraw", id, "bob"];
    assert_fails(&parlor, &unknown, 5, "ENTRANT_NOT_FOUND", ["there are", "Es gibt"]);
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
    // The others play on to the end.
    let end = parlor.ok(&["tournament", "follow", id]);
    assert!(end.contains("finished: ") && end.contains("withdrawn"), "{end}");
}

#[test]
fn tournament_is_cancelled() {
    let server = patient_server();
    let parlor = Parlor::with_server(&server.url());
    let _ada = connect_stopped_agent(&parlor);
    for is_started in [false, true] {
        let id = &create_tournament(&parlor, ENDLESS_TOURNAMENT);
        if is_started {
            parlor.ok(&["tournament", "start", id]);
        }
        let following = PipedProcess::start(&parlor, &["--json", "tournament", "follow", id]);
        following.wait("the first standings", |lines| lines.first().map(|_| ()));
        let over = parlor.json(&["tournament", "cancel", id, "--reason", "rain"]);
        assert_eq!((&over["state"], &over["note"]), (&json!("TOURNAMENT_STATE_CANCELLED"), &json!("rain")));
        let (code, out, err) = following.end();
        assert_eq!(code, 0, "{err:?}");
        let last: Value = serde_json::from_str(out.last().unwrap()).unwrap();
        assert_eq!(last["standings"]["state"], "TOURNAMENT_STATE_CANCELLED");
        let text = parlor.ok(&["tournament", "cancel", id, "--lang", "de"]);
        assert!(text.contains("abgesagt") && text.contains("rain"), "repeating is idempotent: {text}");
        assert_fails(
            &parlor,
            &["tournament", "resume", id],
            6,
            "TOURNAMENT_STATE",
            ["is over", "im jetzigen Stand"],
        );
    }
}

/// Standings, a bar and the progress, none of it cut by a terminal of 80 columns.
#[test]
fn followed_tournament_fits_into_80_columns() {
    let server = patient_server();
    let parlor = Parlor::with_server(&server.url());
    let _ada = connect_stopped_agent(&parlor);
    let id = &create_tournament(&parlor, ENDLESS_TOURNAMENT);
    parlor.ok(&["tournament", "start", id]);
    for (lang, headings, progress, tables) in [
        ("en", ["ENTRANT", "GROUPS", "SCORE", "RATING"], "groups count", " tables"),
        ("de", ["TEILNEHMER", "GRUPPEN", "WERTUNG", "STÄRKE"], "Gruppen zählen", " Tische"),
    ] {
        let mut terminal =
            Terminal::start_sized(&parlor, &["tournament", "follow", id, "--lang", lang], (80, 24));
        // A line that is cut ends with an ellipsis.
        let is_whole = |row: &str| row.contains(progress) && !row.contains('…');
        terminal.wait("the progress, whole", |seen| {
            // Each line is as wide as the terminal, so that none ends with a line break.
            let screen: Vec<Vec<char>> = seen.current().lines().map(|line| line.chars().collect()).collect();
            let rows = screen.iter().flat_map(|line| line.chunks(80));
            let rows: Vec<String> = rows.map(|row| row.iter().collect()).collect();
            let table = rows.iter().position(|row| headings.iter().all(|heading| row.contains(heading)))?;
            let text = rows.iter().position(|row| is_whole(row))?;
            let bar = rows.iter().position(|row| row.contains('[') && row.contains(tables))?;
            (table + 3 < text && text + 1 == bar).then_some(())
        });
        terminal.press(Key::CtrlC);
        assert_eq!(terminal.end(), 130);
    }
}

/// A stop signal leaves the tournament running, and the program prints how to follow it.
#[test]
fn tournament_keeps_running_after_an_interrupt() {
    let server = patient_server();
    let parlor = Parlor::with_server(&server.url());
    let _ada = connect_stopped_agent(&parlor);
    let cup = write_setup(&parlor, ENDLESS_TOURNAMENT);
    let goes_on = |text: &str| {
        let (_, after) = text.rsplit_once("parlor tournament follow ").unwrap_or_else(|| panic!("{text}"));
        let id = after.split_whitespace().next().unwrap();
        assert_eq!(parlor.json(&["tournament", "show", id])["state"], "TOURNAMENT_STATE_RUNNING");
    };
    for (signal, expected) in [("INT", 130), ("TERM", 143)] {
        let run = PipedProcess::start(&parlor, &["--json", "tournament", "run", &cup]);
        run.wait("the first standings", |lines| lines.first().map(|_| ()));
        run.signal(signal);
        let (code, _, err) = run.end();
        assert_eq!(code, expected, "{err:?}");
        goes_on(&err.join("\n"));
    }
    for (lang, entrants, words) in [
        ("en", "ENTRANT", "The tournament keeps running."),
        ("de", "TEILNEHMER", "Es geht ohne dich weiter."),
    ] {
        let mut terminal = Terminal::start(&parlor, &["tournament", "run", &cup, "--lang", lang]);
        terminal.wait_for(entrants);
        terminal.press(Key::CtrlC);
        assert_eq!(terminal.end(), 130);
        terminal.inspect(|seen| {
            assert!(seen.restored && seen.current().contains(words), "{}", seen.current());
            goes_on(seen.current());
        });
    }
}

#[test]
fn request_id_makes_tournament_creation_idempotent() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let create = |content: &str| {
        parlor.run(&[
            "--json",
            "tournament",
            "create",
            &write_setup(&parlor, content),
            "--request-id",
            "cup-1",
        ])
    };
    let (first, again) = (create(SHORT_TOURNAMENT), create(SHORT_TOURNAMENT));
    assert_eq!((first.code, &first.stdout), (0, &again.stdout), "{first:?} {again:?}");
    let other = create(&SHORT_TOURNAMENT.replace("groups = 2", "groups = 3"));
    assert_eq!(other.code, 6, "{other:?}");
    assert!(other.stderr.contains("REQUEST_ID_REUSED"), "{other:?}");
    // From a pipe.
    let mut child = parlor
        .command(&["tournament", "run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(SHORT_TOURNAMENT.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && String::from_utf8_lossy(&done.stdout).contains("finished"), "{done:?}");
}

#[test]
fn plan_says_how_many_deals_an_edge_needs() {
    let parlor = Parlor::without_server();
    let plan = |edge: &str| {
        let args = ["tournament", "plan", "--edge", edge, "--game", "gap", "--deals", "30"];
        let plan = parlor.json(&[&args[..], &["--bots", "greedy,random"]].concat());
        (plan["groups_for_interval"].as_u64().unwrap(), plan["groups_for_test"].as_u64().unwrap())
    };
    let (wide, narrow) = (plan("4"), plan("2"));
    assert!(wide.0 < narrow.0 && wide.1 < narrow.1, "{wide:?} {narrow:?}");
    for args in [["--edge", "0", "--game", "gap"], ["--edge", "1", "--game", "chess"]] {
        assert_eq!(parlor.run(&[&["tournament", "plan"][..], &args].concat()).code, 2, "{args:?}");
    }
}
