//! A short run of the tool itself, on the server in its own binary. That it finds what is wrong is shown by the controls
//! of the whole run, `make faults`, and by the tests of its accounts.

use std::process::Command;

/// Runs some parts, and gives what was printed.
fn faults(parts: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faults"));
    command.args(["--server", "itself", "--kills", "3", "--cuts", "5", "--tables", "12", "--deals", "1"]);
    command.args(["--only", parts]);
    let output = command.output().expect("the tool");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// The value of a count in the line that begins so.
fn count(printed: &str, line: &str, name: &str) -> u64 {
    let line = printed.lines().find(|printed| printed.starts_with(line)).expect("the line");
    let value = line.split(' ').find_map(|word| word.strip_prefix(&format!("{name}=")));
    value.expect("the count").parse().expect("a number")
}

#[test]
fn a_killed_server_loses_nothing() {
    let printed = faults("kills");
    assert_eq!(count(&printed, "faults kills", "kills"), 3);
    assert_eq!(count(&printed, "faults kills", "lost"), 0);
    assert_eq!(count(&printed, "faults kills", "doubled"), 0);
    assert!(count(&printed, "faults kills", "acknowledged") > 0);
}

#[test]
fn cut_connections_lose_nothing() {
    let printed = faults("cuts");
    assert_eq!(count(&printed, "faults cuts", "cuts"), 5);
    assert_eq!(count(&printed, "faults cuts", "lost"), 0);
    assert_eq!(count(&printed, "faults cuts", "doubled"), 0);
}

#[test]
fn tournaments_come_out_the_same() {
    let printed = faults("tournament");
    assert_eq!(count(&printed, "faults tournament", "kills"), 3);
    assert_eq!(count(&printed, "faults tournament", "equal"), 1);
    assert_eq!(count(&printed, "faults tournament", "lost"), 0);
    assert_eq!(count(&printed, "faults tournament", "doubled"), 0);
}
