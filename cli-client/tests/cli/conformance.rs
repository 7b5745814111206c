//! `parlor conformance` with correct and faulty agents. The agent is this test program, started again with
//! [`AGENT`] set.

use std::collections::BTreeSet;
use std::env;
use std::time::Duration;

use futures_util::stream;
use parlor_proto::v1::agent_service_client::AgentServiceClient;
use parlor_sdk::wire;
use serde_json::Value;
use tokio::sync::mpsc;
use tonic::transport::Channel;
use wire::play_request_item::Item as RequestItem;
use wire::stream_item::Item;

use super::support::{CommandOutput, Parlor};

/// Environment variable that turns this test program into an agent, with the behaviour as its value.
const AGENT: &str = "PARLOR_TEST_AGENT";

/// Runs the checks against an agent with the given behaviour; returns the output and its JSON lines.
fn run_conformance(behaviour: &str, check: &str, patience: &str) -> (CommandOutput, Vec<Value>) {
    let parlor = Parlor::without_server().with_variable(AGENT, behaviour);
    let program = env::current_exe().unwrap();
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
        "--exact",
        "conformance::test_agent_process",
        "--nocapture",
    ]);
    let lines = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (done, lines)
}

/// Asserts that the agent fails a check, with the given words in the fault.
fn assert_check_fails(behaviour: &str, check: &str, words: &str) {
    let (done, lines) = run_conformance(behaviour, check, "5s");
    assert_eq!(done.code, 1, "{done:?}");
    let found = lines.iter().find(|line| line["check"] == check).unwrap_or_else(|| panic!("{done:?}"));
    assert_eq!(found["verdict"], "fail", "{done:?}");
    assert!(found["mend"].to_string().contains(words), "{done:?}");
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
    assert_check_fails("dies", "reconnect:asked", "did not reconnect");
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

/// Entry point of the agent process; not a test. Does nothing unless [`AGENT`] is set.
#[test]
fn test_agent_process() {
    let Ok(behaviour) = env::var(AGENT) else { return };
    let address = env::var("PARLOR_ADDRESS").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let channel = Channel::from_shared(format!("http://{address}")).unwrap().connect_lazy();
        let mut agent = TestAgent { behaviour, answered: BTreeSet::new(), seats: Vec::new() };
        let mut failed_attempts = 0;
        // The server may be gone for good.
        while failed_attempts < 50
            && agent.run_stream(AgentServiceClient::new(channel.clone()), &mut failed_attempts).await
        {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
}

struct TestAgent {
    behaviour: String,
    /// Decisions received so far: table, seat, id.
    answered: BTreeSet<(String, u32, u32)>,
    /// Channel, table and seat of each assigned seat of the open stream.
    seats: Vec<(u32, String, u32)>,
}

impl TestAgent {
    fn is(&self, behaviour: &str) -> bool {
        self.behaviour == behaviour
    }

    /// Plays over one stream. Returns `true` if the agent reconnects.
    async fn run_stream(&mut self, mut rpc: AgentServiceClient<Channel>, failed_attempts: &mut u32) -> bool {
        *failed_attempts += 1;
        self.seats.clear();
        let (out, requests) = mpsc::channel(64);
        let hello = wire::AgentHello {
            name: if self.is("nameless") { String::new() } else { "raw".into() },
            version: "1".into(),
            agent_key: b"0123456789abcdef".to_vec(),
            games: vec!["gap".into()],
            max_tables: 10,
            ..Default::default()
        };
        out.send(wire::ConnectRequest { hello: Some(hello), items: Vec::new() }).await.unwrap();
        let requests = stream::unfold(requests, async |mut requests: mpsc::Receiver<_>| {
            Some((requests.recv().await?, requests))
        });
        let Ok(opened) = rpc.connect(requests).await else { return !self.is("dies") };
        *failed_attempts = 0;
        let mut responses = opened.into_inner();
        while let Ok(Some(response)) = responses.message().await {
            let mut items = Vec::new();
            for item in response.items {
                self.handle_item(item, &mut items);
            }
            if !items.is_empty() && out.send(wire::ConnectRequest { hello: None, items }).await.is_err() {
                break;
            }
            if let Some(ending) = response.ending {
                return self.is("fights") || ending.reason() != wire::ErrorReason::AgentReplaced;
            }
        }
        !self.is("dies")
    }

    fn handle_item(&mut self, item: wire::StreamItem, out: &mut Vec<wire::PlayRequestItem>) {
        let channel = item.channel;
        let decision = match item.item {
            Some(Item::SeatGiven(given)) => {
                self.seats.push((channel, given.table_id, given.seat));
                return;
            }
            Some(Item::Decision(decision)) => decision,
            _ => return,
        };
        let (_, table, seat) = self.seats.iter().find(|(known, ..)| *known == channel).cloned().unwrap();
        let again = !self.answered.insert((table, seat, decision.id));
        if again && self.is("ignores repeats") {
            return;
        }
        let index = match self.behaviour.as_str() {
            "illegal" => decision.legal_count,
            "otherwise" if again => (decision.default_index + 1) % decision.legal_count,
            _ => decision.default_index,
        };
        let choice = Some(wire::answer::Choice::Index(index));
        let answer = wire::Answer { decision_id: decision.id, choice, think_ms: Some(0) };
        let item = wire::PlayRequestItem { channel, item: Some(RequestItem::Answer(answer)) };
        out.extend(std::iter::repeat_n(item, if self.is("twice") { 2 } else { 1 }));
    }
}
