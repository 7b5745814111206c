//! Signatures of records: checked with a pinned or a given key, and a key that has changed.

use std::fs;
use std::path::PathBuf;

use crate::support::{Parlor, Server};

/// Plays a game against a house bot, fetches its record in every form, and returns the files.
fn fetched(parlor: &Parlor) -> [PathBuf; 3] {
    let created = parlor.json(&["create", "gap", "--seat", "bot:random", "--seat", "bot:greedy"]);
    let table = created["table_id"].as_str().unwrap().to_owned();
    // Watching waits for the end.
    parlor.ok(&["watch", &table, "--plain"]);
    ["json", "txt", "binpb"].map(|form| {
        let file = parlor.home().join(format!("game.{form}"));
        parlor.ok(&["record", "get", &table, "-o", file.to_str().unwrap()]);
        file
    })
}

/// The file of the pinned keys.
fn pin_file(parlor: &Parlor) -> PathBuf {
    parlor.home().join(".local/share/parlor/server-keys.json")
}

#[test]
fn signature_is_checked_with_the_pinned_key() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let stranger = Parlor::without_server();
    for file in fetched(&parlor) {
        let name = file.to_str().unwrap();
        let output = parlor.ok(&["verify", name]);
        assert!(output.contains(&format!(", pinned for {}", server.url())), "{output}");
        assert!(!output.contains("note"), "everything is proven: {output}");
        let output = stranger.ok(&["verify", name]);
        assert!(
            output.contains("note: the signature was not checked") && output.contains("names, options"),
            "{output}"
        );
    }
    let german = stranger.ok(&["verify", parlor.home().join("game.txt").to_str().unwrap(), "--lang", "de"]);
    assert!(german.contains("Hinweis: die Unterschrift wurde nicht geprüft"), "{german}");
}

#[test]
fn renamed_house_bot_is_found() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let stranger = Parlor::without_server();
    let [json, text, _] = fetched(&parlor);
    for file in [json, text] {
        let name = file.to_str().unwrap();
        let right = fs::read_to_string(&file).unwrap();
        fs::write(&file, right.replace("\"greedy\"", "\"search\"")).unwrap();
        let done = parlor.run(&["verify", name]);
        assert!(
            done.code == 1 && done.stdout.contains("signature: not the signature of this record"),
            "{done:?}"
        );
        let done = parlor.run(&["--json", "verify", name]);
        let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!((&report["right"], &report["signature"]), (&false.into(), &"invalid".into()));
        assert!(stranger.ok(&["verify", name]).contains("was not checked"), "only the key finds it");
    }
}

#[test]
fn given_key_must_have_signed_the_record() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let stranger = Parlor::without_server();
    let [_, file, _] = fetched(&parlor);
    let name = file.to_str().unwrap();
    let keys = parlor.json(&["keys"]);
    let key = keys["keys"][0]["public_key"].as_str().unwrap();
    assert_eq!(keys["keys"][0]["pinned"], true);
    assert!(stranger.ok(&["verify", "--key", key, name]).contains("  signed with key "));
    let key_file = stranger.home().join("server.pub");
    fs::write(&key_file, format!("# the server's\n{key}\n")).unwrap();
    assert!(
        stranger.ok(&["verify", "--key", key_file.to_str().unwrap(), name]).contains("  signed with key ")
    );
    let done = stranger.run(&["verify", "--key", &"11".repeat(32), name]);
    assert!(done.code == 1 && done.stdout.contains("WRONG (not signed with a given key)"), "{done:?}");
    let unsigned: String = fs::read_to_string(&file)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with("signature:"))
        .collect::<Vec<_>>()
        .join("\n");
    fs::write(&file, unsigned).unwrap();
    let done = stranger.run(&["verify", "--key", key, name]);
    assert!(done.code == 1 && done.stdout.contains("note: the record is not signed"), "{done:?}");
    fs::write(&key_file, "no key").unwrap();
    let done = stranger.run(&["verify", "--key", key_file.to_str().unwrap(), name]);
    assert!(done.code == 2 && done.stderr.contains("64 hexadecimal digits"), "{done:?}");
}

#[test]
fn changed_signing_key_is_said_loudly_and_not_pinned() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let [file, ..] = fetched(&parlor);
    let pinned = fs::read_to_string(pin_file(&parlor)).unwrap();
    let key = parlor.json(&["keys"])["keys"][0]["public_key"].as_str().unwrap().to_owned();
    // As if the server had shown another key the first time.
    fs::write(pin_file(&parlor), pinned.replace(&key, &"11".repeat(32))).unwrap();
    let tables = parlor.json(&["record", "list"]);
    let table = tables["records"][0]["table_id"].as_str().unwrap();
    let done = parlor.run(&["record", "get", table, "-o", file.to_str().unwrap()]);
    assert!(
        done.code == 0 && done.stderr.contains("HAS CHANGED") && done.stderr.contains("keys --accept"),
        "{done:?}"
    );
    let name = file.to_str().unwrap();
    assert!(parlor.ok(&["verify", name]).contains("was not checked"), "the new key is not pinned");
    assert!(parlor.ok(&["keys"]).contains("no"));
    assert!(parlor.ok(&["keys", "--accept", "--lang", "de"]).contains("ja"));
    let done = parlor.run(&["record", "get", table, "-o", name]);
    assert!(done.code == 0 && done.stderr.is_empty(), "{done:?}");
    assert!(parlor.ok(&["verify", name]).contains("  signed with key "));
}
