//! An agent for the tests of `parlor conformance`, correct or faulty in the way that `PARLOR_TEST_AGENT` names.

#![allow(clippy::unwrap_used, reason = "a test program may panic on None or Err")]

use std::collections::BTreeSet;
use std::env;
use std::time::Duration;

use futures_util::stream;
use parlor_proto::v1::agent_service_client::AgentServiceClient;
use parlor_sdk::wire;
use tokio::sync::mpsc;
use tonic::transport::Channel;
use wire::play_request_item::Item as RequestItem;
use wire::stream_item::Item;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (behaviour, address) = (env::var("PARLOR_TEST_AGENT").unwrap(), env::var("PARLOR_ADDRESS").unwrap());
    let channel = Channel::from_shared(format!("http://{address}")).unwrap().connect_lazy();
    let mut agent = TestAgent { behaviour, answered: BTreeSet::new(), seats: Vec::new() };
    let mut failed_attempts = 0;
    // The server may be gone for good.
    while failed_attempts < 50
        && agent.run_stream(AgentServiceClient::new(channel.clone()), &mut failed_attempts).await
    {
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    if agent.is("stays away") {
        eprintln!("process {}", std::process::id());
        std::future::pending::<()>().await;
    }
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
        let Ok(opened) = rpc.connect(requests).await else { return self.reconnects() };
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
        self.reconnects()
    }

    fn reconnects(&self) -> bool {
        !self.is("dies") && !self.is("stays away")
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
