//! `parlor conformance` with agents that are good and agents that are not: this very test program, asked to be one.

use std::collections::BTreeSet;
use std::env;
use std::time::Duration;

use futures_util::stream;
use parlor_proto::v1::agent_service_client::AgentServiceClient;
use parlor_sdk::wire;
use serde_json::Value;
use tokio::sync::mpsc;
use tonic::transport::Channel;
use wire::play_request_item::Item as Say;
use wire::stream_item::Item;

use super::support::{Done, Parlor};

/// The variable that makes this test program an agent: how it behaves.
const AGENT: &str = "PARLOR_TEST_AGENT";

/// Examines an agent that behaves so; gives the report, and what became of each check.
fn examine(behaviour: &str, check: &str, patience: &str) -> (Done, Vec<Value>) {
    let parlor = Parlor::alone().with(AGENT, behaviour);
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
        "conformance::plays_if_it_is_told_to",
        "--nocapture",
    ]);
    let lines = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (done, lines)
}

/// The agent must fail at this check, with these words about what to mend.
fn fails(behaviour: &str, check: &str, words: &str) {
    let (done, lines) = examine(behaviour, check, "5s");
    assert_eq!(done.code, 1, "{done:?}");
    let found = lines.iter().find(|line| line["check"] == check).unwrap_or_else(|| panic!("{done:?}"));
    assert_eq!(found["verdict"], "fail", "{done:?}");
    assert!(found["mend"].to_string().contains(words), "{done:?}");
}

#[test]
fn a_good_agent_passes() {
    let (done, lines) = examine("good", "", "60s");
    assert_eq!(done.code, 0, "{done:?}");
    let checks: Vec<&str> = lines.iter().filter_map(|line| line["check"].as_str()).collect();
    let expected = "handshake game:gap itself many refused repeated slow unknown reconnect:asked reconnect:answered \
                    reconnect:decided restart replaced";
    assert_eq!(checks.join(" "), expected);
    assert_eq!(lines.last().unwrap()["passed"], checks.len());
}

#[test]
fn one_that_answers_twice_is_told_so() {
    fails("twice", "game:gap", "answer each decision once");
}

#[test]
fn one_that_breaks_the_rules_is_told_so() {
    fails("illegal", "game:gap", "was not legal");
}

#[test]
fn one_that_answers_otherwise_the_second_time_is_told_so() {
    fails("otherwise", "repeated", "send the same one again");
}

#[test]
fn one_that_ignores_what_comes_again_is_told_so() {
    fails("ignores repeats", "reconnect:answered", "also one that comes again");
}

#[test]
fn one_that_dies_with_its_connection_is_told_so() {
    fails("dies", "reconnect:asked", "did not come back");
}

#[test]
fn one_that_fights_for_its_name_is_told_so() {
    fails("fights", "replaced", "AGENT_REPLACED");
}

#[test]
fn one_with_a_wrong_hello_is_told_so() {
    fails("nameless", "handshake", "hello.name");
}

#[test]
fn nobody_at_all_is_an_error() {
    let done = Parlor::alone().run(&["conformance", "--listen", "127.0.0.1:0", "--wait", "10ms"]);
    assert_eq!(done.code, 3, "{done:?}");
    assert!(done.stderr.contains("no agent connected"), "{done:?}");
}

/// Not a test of anything: an agent, if the variable is set.
#[test]
fn plays_if_it_is_told_to() {
    let Ok(behaviour) = env::var(AGENT) else { return };
    let address = env::var("PARLOR_ADDRESS").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let channel = Channel::from_shared(format!("http://{address}")).unwrap().connect_lazy();
        let mut agent = Agent { behaviour, answered: BTreeSet::new(), seats: Vec::new() };
        let mut in_vain = 0;
        // Whoever examines it may be gone for good.
        while in_vain < 50 && agent.one_stream(AgentServiceClient::new(channel.clone()), &mut in_vain).await {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
}

struct Agent {
    behaviour: String,
    /// The decisions that it has seen: table, seat, id.
    answered: BTreeSet<(String, u32, u32)>,
    /// The seats of the stream that is open, with their channels.
    seats: Vec<(u32, String, u32)>,
}

impl Agent {
    fn is(&self, behaviour: &str) -> bool {
        self.behaviour == behaviour
    }

    /// Plays over one stream. Whether it comes back.
    async fn one_stream(&mut self, mut rpc: AgentServiceClient<Channel>, in_vain: &mut u32) -> bool {
        *in_vain += 1;
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
        *in_vain = 0;
        let mut responses = opened.into_inner();
        while let Ok(Some(response)) = responses.message().await {
            let mut items = Vec::new();
            for item in response.items {
                self.hear(item, &mut items);
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

    fn hear(&mut self, item: wire::StreamItem, out: &mut Vec<wire::PlayRequestItem>) {
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
        let item = wire::PlayRequestItem { channel, item: Some(Say::Answer(answer)) };
        out.extend(std::iter::repeat_n(item, if self.is("twice") { 2 } else { 1 }));
    }
}
