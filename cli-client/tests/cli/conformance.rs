//! `parlor conformance` with correct and faulty agents: the program `tests/programs/test_agent.rs`.

use std::path::Path;

use parlor_testkit::example_program;
use serde_json::Value;

use super::support::{CommandOutput, Parlor};

/// Runs the checks against an agent with the given behaviour; returns the output and its JSON lines.
fn run_conformance(behaviour: &str, check: &str, patience: &str) -> (CommandOutput, Vec<Value>) {
    let parlor = Parlor::without_server().with_variable("PARLOR_TEST_AGENT", behaviour);
    let program = example_program("parlor-cli", "test_agent");
    let done = parlor.run(&[
        "--json",
        "conformance",
        "--listen",
        "127.0.0.1:0",
        "--games",
        "gap",
        "--tables",
        "8",
        "--check",
        check,
        "--patience",
        patience,
        "--",
        program.to_str().unwrap(),
    ]);
    let lines = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (done, lines)
}

/// Asserts that the agent fails a check, with the given words in the fault. Returns standard error.
fn assert_check_fails(behaviour: &str, check: &str, words: &str) -> String {
    let (done, lines) = run_conformance(behaviour, check, "5s");
    assert_eq!(done.code, 1, "{done:?}");
    let found = lines.iter().find(|line| line["check"] == check).unwrap_or_else(|| panic!("{done:?}"));
    assert_eq!(found["verdict"], "fail", "{done:?}");
    assert!(found["mend"].to_string().contains(words), "{done:?}");
    done.stderr
}

#[test]
fn correct_agent_passes_every_check() {
    let (done, lines) = run_conformance("good", "", "60s");
    assert_eq!(done.code, 0, "{done:?}");
    let checks: Vec<&str> = lines.iter().filter_map(|line| line["check"].as_str()).collect();
    let expected = "handshake game:gap itself many refused repeated slow unknown reconnect:asked reconnect:answered \
                    reconnect:decided restart replaced";
    assert_eq!(checks.join(" "), expected);
    assert_eq!(lines.last().unwrap()["passed"], checks.len());
}

#[test]
fn answering_twice_fails() {
    assert_check_fails("twice", "game:gap", "answer each decision once");
}

#[test]
fn illegal_answer_fails() {
    assert_check_fails("illegal", "game:gap", "was not legal");
}

#[test]
fn changed_answer_to_a_repeated_decision_fails() {
    assert_check_fails("otherwise", "repeated", "send the same one again");
}

#[test]
fn ignoring_a_repeated_decision_fails() {
    assert_check_fails("ignores repeats", "reconnect:answered", "repeated ones too");
}

#[test]
fn not_reconnecting_fails() {
    let stderr = assert_check_fails("stays away", "reconnect:asked", "did not reconnect");
    let process = stderr.lines().find_map(|line| line.strip_prefix("process ")).unwrap();
    assert!(!Path::new("/proc").join(process).exists(), "the agent outlives its checks");
}

#[test]
fn ended_command_fails_the_check_and_is_shown() {
    let (done, lines) = run_conformance("dies", "reconnect:asked", "60s");
    assert_eq!(done.code, 1, "{done:?}");
    let found = lines.iter().find(|line| line["check"] == "reconnect:asked").unwrap();
    assert!(found["mend"].to_string().contains("its command has ended"), "{done:?}");
    assert!(done.stderr.contains("has ended (exit status: 0)"), "{done:?}");
}

/// The wait for the agent is longer than any test may last: only the end of the command can end it.
#[test]
fn command_that_ends_before_it_connects_is_shown_with_its_last_lines() {
    let parlor = Parlor::without_server();
    let script = "for i in 1 2 3 4 5 6; do echo line $i; done; echo 'no module named parlor' >&2; exit 7";
    let done =
        parlor.run(&["conformance", "--listen", "127.0.0.1:0", "--wait", "1day", "--", "sh", "-c", script]);
    assert_eq!(done.code, 3, "{done:?}");
    assert!(done.stderr.contains("sh has ended (exit status: 7); its last lines:"), "{done:?}");
    assert!(done.stderr.contains("\n  sh| no module named parlor"), "{done:?}");
}

#[test]
fn reconnecting_after_agent_replaced_fails() {
    assert_check_fails("fights", "replaced", "AGENT_REPLACED");
}

#[test]
fn invalid_hello_fails() {
    assert_check_fails("nameless", "handshake", "hello.name");
}

#[test]
fn missing_agent_is_an_error() {
    let done = Parlor::without_server().run(&["conformance", "--listen", "127.0.0.1:0", "--wait", "10ms"]);
    assert_eq!(done.code, 3, "{done:?}");
    assert!(done.stderr.contains("no agent connected"), "{done:?}");
}
