//! Failures of `parlor tournament`: invalid setup files, unknown and foreign tournaments.

use std::io::Write;
use std::process::Stdio;

use crate::failures::{assert_fails, game_ids};
use crate::support::{Parlor, Server};
use crate::tournaments::{SHORT_TOURNAMENT, create_tournament, write_setup};

#[test]
fn setup_file_errors_are_reported() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let check = |content: &str, code: i32, reason: &str, words: [&str; 2]| {
        let cup = write_setup(&parlor, content);
        assert_fails(&parlor, &["tournament", "run", &cup], code, reason, words);
    };
    let help = "parlor tournament --help";
    check("", 2, "TOURNAMENT_FILE", ["missing field `game`", help]);
    check(
        &format!("{SHORT_TOURNAMENT}colour = 3\n"),
        2,
        "USAGE",
        ["no option \"colour\"", "keine Option \"colour\""],
    );
    check(
        &format!("colour = 3\n{SHORT_TOURNAMENT}"),
        2,
        "TOURNAMENT_FILE",
        ["line 1: unknown field `colour`", help],
    );
    check(
        &SHORT_TOURNAMENT.replace("groups = 2", "groups = 'two'"),
        2,
        "TOURNAMENT_FILE",
        ["line 4: ", "line 4: "],
    );
    check(
        &SHORT_TOURNAMENT.replace("groups = 2", "groups = -2"),
        2,
        "TOURNAMENT_FILE",
        ["line 4: ", "line 4: "],
    );
    check(&SHORT_TOURNAMENT.replace("groups = 2", "groups = 0"), 2, "INVALID_FIELD", ["groups", "groups"]);
    check(
        &SHORT_TOURNAMENT.replace("groups = 2", "groups = 1000000"),
        2,
        "INVALID_FIELD",
        ["groups", "groups"],
    );
    check(
        &SHORT_TOURNAMENT.replace("bot:greedy", "bot:deepblue"),
        5,
        "HOUSE_BOT_NOT_FOUND",
        ["parlor bots", "parlor bots"],
    );
    check(&SHORT_TOURNAMENT.replace("bot:greedy", "greedy"), 2, "TOURNAMENT_FILE", ["bot:NAME", "bot:NAME"]);
    check(
        &SHORT_TOURNAMENT.replace("bot:greedy", "bot:random"),
        2,
        "INVALID_FIELD",
        ["entrants", "entrants"],
    );
    check(
        &SHORT_TOURNAMENT.replace("bot:greedy", "agent:nobody"),
        6,
        "AGENT_UNAVAILABLE",
        ["nobody", "nobody"],
    );
    check(&SHORT_TOURNAMENT.replace("'gap'", "'chess'"), 5, "GAME_NOT_FOUND", [&game_ids(), &game_ids()]);
    check("game = \n", 2, "TOURNAMENT_FILE", ["line 1: ", "line 1: "]);
    check(
        &format!("# {}\n{SHORT_TOURNAMENT}", "long ".repeat(300_000)),
        2,
        "SETTINGS",
        ["1048576 bytes", "1048576"],
    );

    let folder = parlor.home().to_str().unwrap().to_owned();
    let missing = format!("{folder}/missing.toml");
    assert_fails(&parlor, &["tournament", "create", &missing], 5, "FILE_NOT_FOUND", [&missing, &missing]);
    assert_fails(&parlor, &["tournament", "create", &folder], 2, "SETTINGS", [&folder, &folder]);
    // An endless file and an oversized pipe are rejected.
    assert_fails(
        &parlor,
        &["tournament", "create", "/dev/zero"],
        2,
        "SETTINGS",
        ["1048576 bytes", "1048576"],
    );
    let mut child = parlor
        .command(&["tournament", "create", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program may stop reading before everything is written.
    let _ = stdin.write_all(format!("{SHORT_TOURNAMENT}\n# {}\n", "long ".repeat(300_000)).as_bytes());
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    assert!(
        done.status.code() == Some(2) && String::from_utf8_lossy(&done.stderr).contains("1048576 bytes"),
        "{done:?}"
    );
    // A tournament that was created but could not start is cancelled.
    let listed = parlor.json(&["tournament", "list"]);
    let states = listed["tournaments"].as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap());
    assert_eq!(states.collect::<Vec<_>>(), ["TOURNAMENT_STATE_CANCELLED"; 3]);
}

#[test]
fn unknown_and_foreign_tournaments_are_refused() {
    let (server, keys) = Server::with_keys();
    let owner = Parlor::with_server(&server.url()).with_variable("PARLOR_CLI_API_KEY", &keys.owner);
    let id = create_tournament(&owner, &format!("private = true\n{SHORT_TOURNAMENT}"));
    // A well-formed id of no tournament, and a tournament that others may not see.
    let none = format!("{}{}", &id[..id.len() - 1], if id.ends_with('0') { '1' } else { '0' });
    let other = Parlor::with_server(&server.url()).with_variable("PARLOR_CLI_API_KEY", &keys.other);
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
            assert_fails(
                parlor,
                &args,
                5,
                "TOURNAMENT_NOT_FOUND",
                ["parlor tournament list", "parlor tournament list"],
            );
        }
    }
    let public = create_tournament(&owner, SHORT_TOURNAMENT);
    other.ok(&["tournament", "show", &public]);
    assert_fails(&other, &["tournament", "cancel", &public], 4, "NOT_OWNER", ["", ""]);
    let player = Parlor::with_server(&server.url()).with_variable("PARLOR_CLI_API_KEY", &keys.player);
    let cup = write_setup(&player, SHORT_TOURNAMENT);
    assert_fails(&player, &["tournament", "create", &cup], 4, "SCOPE_MISSING", ["tables", "tables"]);
}
