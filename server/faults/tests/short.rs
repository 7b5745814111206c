//! Short runs of the tool with the server in its own binary. Its ability to detect violations is covered by
//! the controls of the full run, `make faults`, and by the tests of the ledger.

use std::process::Command;

/// Runs some parts and returns the output.
fn faults(parts: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faults"));
    command.args(["--server", "itself", "--kills", "3", "--cuts", "5", "--tables", "12", "--deals", "1"]);
    command.args(["--only", parts]);
    let output = command.output().expect("the tool");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// Value of a count in the line with this prefix.
fn count(printed: &str, line: &str, name: &str) -> u64 {
    let line = printed.lines().find(|printed| printed.starts_with(line)).expect("the line");
    let value = line.split(' ').find_map(|word| word.strip_prefix(&format!("{name}=")));
    value.expect("the count").parse().expect("a number")
}

#[test]
fn kills_lose_nothing() {
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
fn tournaments_with_faults_have_the_same_results() {
    let printed = faults("tournament");
    assert_eq!(count(&printed, "faults tournament", "kills"), 3);
    assert_eq!(count(&printed, "faults tournament", "equal"), 1);
    assert_eq!(count(&printed, "faults tournament", "lost"), 0);
    assert_eq!(count(&printed, "faults tournament", "doubled"), 0);
}

#[test]
fn spectators_cost_the_same_in_a_crowd() {
    assert!(faults("spectators").starts_with("faults spectators cost_ratio="));
}
