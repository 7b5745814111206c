//! Deals of a tournament of another node: hidden until they are known to be over.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason};

use crate::agent_client::{AgentClient, hello};
use crate::client::error_reason;
use crate::cluster::TestCluster;
use crate::test_server::wait_until;
use crate::tournament_requests::{agent, house, round_robin, setup};

#[tokio::test]
async fn deals_of_another_node_are_hidden_until_they_are_known_to_be_over() {
    let (cluster, a, b) = TestCluster::two().await;
    let (at_a, at_b) = (a.client(), b.client());
    let mut ann = AgentClient::connect(&at_b, hello("ann")).await;
    let entrants = vec![agent("ann"), house("random")];
    let cup = v1::TournamentSetup { entrants, ..setup(GameId::Gap, &[], round_robin(1)) };
    let tournament = at_b.start_new_tournament(cup).await;
    let (_, given) = ann.next_seat().await;
    let first = given.table_id;
    ann.play(1).await;
    ann.next_seat().await;

    // The tournament stays where it is, and the finished table is on the other node.
    cluster.move_table(&first, Some(&a));
    if !cluster.assign(&tournament, &b) {
        // Both ids are in one partition, once in 256 runs: there is nothing to ask another node.
        return;
    }
    let asked = v1::GetRecordRequest { table_id: first.clone(), ..Default::default() };
    let list = v1::ListRecordsRequest { tournament_id: tournament.clone(), ..Default::default() };
    for _ in 0..5 {
        assert_eq!(error_reason(at_a.get_record(asked.clone()).await), Reason::DealNotOver);
        assert!(at_a.list_records(list.clone()).await.expect("a list").records.is_empty());
        let shuffle = at_a.table(&first).await.shuffle.expect("a shuffle");
        assert!(shuffle.server_seed.is_empty() && shuffle.game_seed.is_empty());
    }

    // The node that knows cannot be reached.
    let reachable = b.link_address;
    b.links.set_upstream(parlor_testkit::unused_address());
    b.links.cut();
    ann.play(1).await;
    at_b.follow_to_end(&tournament).await;
    for _ in 0..5 {
        assert_eq!(error_reason(at_a.get_record(asked.clone()).await), Reason::DealNotOver);
    }
    b.links.set_upstream(reachable);
    wait_until("the record is shown", async || at_a.get_record(asked.clone()).await.is_ok()).await;
    a.stop().await;
    b.stop().await;
}
