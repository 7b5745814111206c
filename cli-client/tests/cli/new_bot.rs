//! `parlor new-bot`: the files that it writes. `sdk/examples/check` and the tests of the TypeScript SDK run them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::Parlor;

#[test]
fn new_bots_are_written_once() {
    let parlor = Parlor::without_server();
    let folder = |name: &str| parlor.home().join(name).to_str().unwrap().to_owned();
    let lines = folder("lines");
    assert!(parlor.ok(&["new-bot", "lines", &lines]).contains("is ready: cd"));
    for bot in ["bot.py", "bot.mjs", "bot.pl", "bot.sh", "bot.c"] {
        let path = parlor.home().join("lines").join(bot);
        let count = fs::read_to_string(&path).unwrap().lines().count();
        assert!(count <= 15, "{bot} has {count} lines");
        let is_executable = fs::metadata(&path).unwrap().permissions().mode() & 0o111 != 0;
        assert_eq!(is_executable, bot != "bot.c", "{bot}");
    }
    let again = parlor.run(&["new-bot", "lines", &lines]);
    assert!(again.code == 2 && again.stderr.contains("is not empty"), "{again:?}");

    let sdk = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk");
    for (kind, file, expected) in [
        ("python", "setup.sh", "--descriptor_set_in"),
        ("rust", "Cargo.toml", "path = \""),
        ("typescript", "package.json", "file:/"),
    ] {
        parlor.ok(&["new-bot", kind, &folder(kind), "--sdk", sdk]);
        let text = fs::read_to_string(parlor.home().join(kind).join(file)).unwrap();
        assert!(text.contains(expected), "{text}");
    }
    let wrong = parlor.run(&["new-bot", "rust", &folder("other"), "--sdk", &lines]);
    assert!(wrong.code == 2 && wrong.stderr.contains("folder sdk of a checkout"), "{wrong:?}");
}
