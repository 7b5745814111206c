//! Text output of the commands, in both languages.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use parlor_engine::GameId;

use crate::support::{Parlor, Server};

/// Replaces values that differ between runs: ids, tokens, timestamps, URLs.
fn normalise(text: &str, secrets: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (secret, name) in secrets {
        text = text.replace(secret, name);
    }
    let is_timestamp = |word: &str| word.len() == 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            line.split(' ')
                .map(|word| if is_timestamp(word) { "(moment)" } else { word })
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    lines.join("\n")
}

#[test]
fn games_rules_and_bots_are_printed_in_both_languages() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for lang in ["en", "de"] {
        let print = |args: &[&str]| parlor.ok(&[args, &["--lang", lang]].concat());
        insta::assert_snapshot!(format!("games_{lang}"), print(&["games"]));
        insta::assert_snapshot!(format!("games_gap_{lang}"), print(&["games", "gap"]));
        insta::assert_snapshot!(format!("bots_{lang}"), print(&["bots"]));
        for game in GameId::published() {
            let expected = match lang {
                "en" => game.info().rules.en,
                _ => game.info().rules.de,
            };
            assert_eq!(print(&["rules", game.info().id]).trim_end(), expected.trim_end());
        }
    }
}

#[test]
fn locale_and_config_file_select_the_language() {
    let server = Server::start();
    let german = Parlor::with_server(&server.url()).with_variable("LANG", "de_DE.UTF-8");
    assert!(german.ok(&["tables"]).starts_with("Keine Tische."));
    let english = Parlor::with_server(&server.url())
        .with_variable("LANG", "de_DE.UTF-8")
        .with_variable("PARLOR_CLI_LANG", "en");
    assert!(english.ok(&["tables"]).starts_with("No tables."));
    let by_file = Parlor::without_server();
    let folder = by_file.home().join(".config/parlor");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), format!("server = '{}'\nlang = 'de'", server.url())).unwrap();
    assert!(by_file.ok(&["tables"]).starts_with("Keine Tische."));
}

#[test]
fn table_is_created_listed_shown_joined_and_cancelled() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for lang in ["en", "de"] {
        let print = |args: &[&str]| parlor.ok(&[args, &["--lang", lang]].concat());
        assert_eq!(
            print(&["tables", "--game", "five_three_five"]).trim_end(),
            match lang {
                "en" => "No tables. Make one: parlor create five_three_five",
                _ => "Keine Tische. Mach einen: parlor create five_three_five",
            }
        );
        let created = parlor.json(&[
            "create",
            "gap",
            "--option",
            "target=15",
            "--seat",
            "open",
            "--seat",
            "bot:greedy",
            "--seat",
            "user:7=Ada",
            "--metadata",
            "round=3",
            "--clock",
            "30s",
            "--seed",
            "1",
            "--private",
        ]);
        let id = created["table_id"].as_str().unwrap().to_owned();
        let secrets = [(id.as_str(), "(table)")];
        insta::assert_snapshot!(format!("show_{lang}"), normalise(&print(&["show", &id]), &secrets));
        insta::assert_snapshot!(
            format!("tables_{lang}"),
            normalise(&print(&["tables", "--state", "open"]), &secrets)
        );
        let joined = print(&["join", &id, "--user", "7"]);
        let token = joined.trim_end().rsplit(' ').next().unwrap().to_owned();
        assert!(token.starts_with("pls_"), "{joined}");
        let url = server.url();
        let secrets = [(id.as_str(), "(table)"), (token.as_str(), "(token)"), (url.as_str(), "(server)")];
        insta::assert_snapshot!(format!("join_{lang}"), normalise(&joined, &secrets));
        insta::assert_snapshot!(
            format!("cancel_{lang}"),
            normalise(&print(&["cancel", &id, "--note", "rain"]), &secrets)
        );
        insta::assert_snapshot!(
            format!("show_cancelled_{lang}"),
            normalise(&print(&["show", &id]), &secrets)
        );
    }
}

#[test]
fn invites_are_created_listed_and_revoked() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created = parlor.json(&["create", "gap", "--players", "3", "--private"]);
    let id = created["table_id"].as_str().unwrap();
    let made = parlor.ok(&["invite", id]);
    let link = made.trim_end().rsplit(' ').next().unwrap();
    assert!(link.starts_with(&format!("{}/#invite=pli_", server.url())), "{made}");
    let second = parlor.json(&["invite", id, "--uses", "2", "--valid", "1h"]);
    assert!(second["secret"].as_str().unwrap().starts_with("pli_"));
    parlor.ok(&["invite", id, "--revoke", "1"]);
    let listed = parlor.ok(&["invite", id, "--list"]);
    assert_eq!(listed.lines().count(), 3, "{listed}");
    assert!(listed.contains("0/1") && listed.contains("revoked"), "{listed}");
    assert!(listed.contains("0/2") && listed.contains("open"), "{listed}");
    assert!(parlor.ok(&["invite", id, "--list", "--lang", "de"]).contains("zurückgezogen"));
    let refused = parlor.run(&["play", "--invite", link]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.contains("revoked"), "{refused:?}");
}

#[test]
fn play_takes_a_seat_with_the_link_of_an_invite() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created = parlor.json(&["create", "gap", "--seat", "open", "--seat", "bot:random", "--private"]);
    let id = created["table_id"].as_str().unwrap();
    let made = parlor.ok(&["invite", id]);
    let link = made.trim_end().rsplit(' ').next().unwrap();
    // At the end of the input the player leaves, and keeps the seat.
    let left = parlor.run(&["play", "--invite", link, "--name", "Gus", "--plain"]);
    assert!(left.stderr.contains("parlor play"), "{left:?}");
    assert!(parlor.ok(&["show", id]).contains("Gus"));
}

#[test]
fn tables_are_filtered_and_paginated() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let make = |args: &[&str]| {
        let created = parlor.json(&[&["create"], args].concat());
        created["table_id"].as_str().unwrap().to_owned()
    };
    let gap = make(&["gap"]);
    let five_three_five = make(&["five_three_five", "--players", "3", "--metadata", "cup=spring"]);
    let bots = make(&["gap", "--seat", "bot:greedy", "--seat", "bot:random", "--seat", "user:17"]);
    let found = |args: &[&str]| {
        let tables = parlor.json(&[&["tables"], args].concat());
        let ids = tables["tables"]
            .as_array()
            .unwrap()
            .iter()
            .map(|table| table["table_id"].as_str().unwrap().to_owned());
        (ids.collect::<Vec<_>>(), tables["next_page_token"].as_str().unwrap().to_owned())
    };
    let all = [bots.clone(), five_three_five.clone(), gap.clone()];
    assert_eq!(found(&[]), (all.to_vec(), String::new()));
    assert_eq!(found(&["--game", "gap"]).0, [bots.clone(), gap.clone()]);
    assert_eq!(found(&["--open-seat"]).0, [five_three_five.clone(), gap.clone()]);
    assert_eq!(found(&["--metadata", "cup=spring"]).0, [five_three_five.as_str()]);
    assert_eq!(found(&["--user", "17"]).0, [bots.as_str()]);
    assert_eq!(found(&["--state", "finished,cancelled"]).0, Vec::<String>::new());
    assert_eq!(found(&["--mine"]).0, all);
    let (first, page) = found(&["--limit", "2"]);
    assert_eq!(first, all[..2]);
    assert_eq!(found(&["--limit", "2", "--page", &page]), (all[2..].to_vec(), String::new()));
    assert_eq!(found(&["--limit", "1", "--all"]).0, all);
    let done = parlor.run(&["tables", "--limit", "2"]);
    assert!(done.stderr.contains("--page"), "{done:?}");
}

#[test]
fn request_id_makes_create_and_join_idempotent() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let make = || parlor.json(&["create", "gap", "--request-id", "one"])["table_id"].clone();
    let id = make();
    assert_eq!(id, make());
    let secret = "0b6e2b1c-52a4-4c53-9b0d-3f0b5d1c9a77";
    let join = || parlor.json(&["join", id.as_str().unwrap(), "--request-id", secret]);
    assert_eq!(join()["seat_token"], join()["seat_token"]);
    parlor.ok(&["join", id.as_str().unwrap()]);
    let shown = parlor.json(&["show", id.as_str().unwrap()]);
    assert_eq!(shown["state"], "TABLE_STATE_PLAYING");
    assert!(
        !shown.to_string().contains(&STANDARD.encode(secret)),
        "the id is a secret, not entropy: {shown}"
    );
}

#[test]
fn closed_stdout_pipe_is_no_error() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = parlor.command(&["rules", "gap"]);
    let output = command.stdout(writer).stderr(std::process::Stdio::piped()).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
