//! Entropy of tournaments: agents and the organiser commit to it after the tournament's commitment is shown, and reveal it
//! before the first deal.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, TournamentState as State, tournament_entropy::Step};

use crate::agent_client::{AgentClient, find_agent, hello};
use crate::client::{Client, error_reason};
use crate::restart::{crash, server_on_disk};
use crate::streams::answer_index;
use crate::test_server::{TestServer, ms, wait_until};
use crate::tournament_requests::{
    agent, create, entropy_commitment, house, organiser_entropy, reveal, round_robin, setup, start,
};

const OF_ANN: [u8; 32] = [1; 32];
const OF_BOB: [u8; 32] = [2; 32];

/// Connects an agent that adds entropy.
async fn connect(client: &Client, name: &str) -> AgentClient {
    AgentClient::connect(client, v1::AgentHello { adds_entropy: true, ..hello(name) }).await
}

/// Creates a tournament of the agents `ann` and `bob` and a house bot, with a seed of the server, and starts it with a
/// commitment of the organiser.
async fn start_tournament(client: &Client) -> String {
    let entrants = vec![agent("ann"), agent("bob"), house("random")];
    let setup =
        v1::TournamentSetup { entrants, given_seed: Vec::new(), ..setup(GameId::Gap, &[], round_robin(1)) };
    let made = client.create_tournament(create(setup)).await.expect("a tournament").tournament;
    let id = made.expect("a tournament").tournament_id;
    let entropy_commitment = organiser_entropy(&id).1;
    let asked = v1::StartTournamentRequest { entropy_commitment, ..start(&id) };
    let started = client.start_tournament(asked).await.expect("a start").tournament.expect("a tournament");
    assert_eq!(started.state(), State::Starting);
    id
}

async fn wait_for(client: &Client, id: &str, state: State) {
    wait_until(state.as_str_name(), async || client.tournament(id).await.state() == state).await;
}

/// Plays a tournament of `ann`, `bob` and `random` in the background, until the streams end.
fn play_on(agents: [AgentClient; 2]) {
    for mut agent in agents {
        tokio::spawn(async move { agent.play(usize::MAX).await });
    }
}

#[tokio::test]
async fn agents_commit_before_anyone_reveals() {
    let server = TestServer::new().await;
    let client = server.client();
    let (mut ann, mut bob) = (connect(&client, "ann").await, connect(&client, "bob").await);
    let id = start_tournament(&client).await;
    let shown = client.tournament(&id).await.shuffle.expect("a shuffle");
    for agent in [&mut ann, &mut bob] {
        let asked = agent.next_entropy_asked().await;
        assert_eq!((asked.tournament_id, asked.commitment), (id.clone(), shown.commitment.clone()));
        assert!(asked.entropy_commitments.is_empty());
    }
    let (organiser, commitment) = organiser_entropy(&id);
    assert_eq!(
        error_reason(client.reveal_tournament_entropy(reveal(&id, &organiser)).await),
        Reason::TournamentState,
        "not before all have committed"
    );
    let of_ann = entropy_commitment(&id, &OF_ANN);
    ann.add_entropy(&id, Step::Commitment(of_ann.clone())).await;
    // The first commitment counts, and a reveal comes too early.
    ann.add_entropy(&id, Step::Commitment(entropy_commitment(&id, &OF_BOB))).await;
    ann.add_entropy(&id, Step::Reveal(OF_ANN.to_vec())).await;
    let shuffle = client.tournament(&id).await.shuffle.expect("a shuffle");
    assert!(shuffle.entropy_commitments.is_empty() && shuffle.entropy.is_empty());
    let of_bob = entropy_commitment(&id, &OF_BOB);
    bob.add_entropy(&id, Step::Commitment(of_bob.clone())).await;
    let all = vec![commitment, of_ann, of_bob, Vec::new()];
    for agent in [&mut ann, &mut bob] {
        assert_eq!(agent.next_entropy_asked().await.entropy_commitments, all);
    }
    let wrong = client.reveal_tournament_entropy(reveal(&id, &OF_ANN)).await;
    assert_eq!(error_reason(wrong), Reason::EntropyMismatch);
    for _ in 0..2 {
        client.reveal_tournament_entropy(reveal(&id, &organiser)).await.expect("a reveal");
    }
    ann.add_entropy(&id, Step::Reveal(OF_BOB.to_vec())).await;
    bob.add_entropy(&id, Step::Reveal(OF_BOB.to_vec())).await;
    let shuffle = client.tournament(&id).await.shuffle.expect("a shuffle");
    assert!(
        shuffle.entropy_commitments == all && shuffle.entropy.is_empty(),
        "reveals are shown by the start"
    );
    ann.add_entropy(&id, Step::Reveal(OF_ANN.to_vec())).await;
    wait_for(&client, &id, State::Running).await;
    client.reveal_tournament_entropy(reveal(&id, &organiser)).await.expect("a repeat");
    let shuffle = client.tournament(&id).await.shuffle.expect("a shuffle");
    assert_eq!(shuffle.entropy, [organiser, OF_ANN.to_vec(), OF_BOB.to_vec(), Vec::new()]);
    play_on([ann, bob]);
    let (tournament, standings) = client.follow_to_end(&id).await;
    assert_eq!(tournament.shuffle.expect("a shuffle").entropy_commitments, all);
    assert!(standings.rows.iter().all(|row| !row.entropy_withheld));
    assert_eq!(find_agent(&client, "ann").await.times.expect("times").entropy_withheld, 0);
}

#[tokio::test]
async fn withheld_reveals_are_dealt_without_counted_and_flagged() {
    let server = TestServer::new().await;
    let client = server.client();
    let (mut ann, mut bob) = (connect(&client, "ann").await, connect(&client, "bob").await);
    let id = start_tournament(&client).await;
    ann.next_entropy_asked().await;
    let commitment = entropy_commitment(&id, &OF_ANN);
    ann.add_entropy(&id, Step::Commitment(commitment.clone())).await;
    // Items are carried out in order: once this is refused, the server has the commitment.
    ann.answer(99, answer_index(1, 0)).await;
    bob.next_entropy_asked().await;
    // Bob never commits, and ann and the organiser never reveal.
    server.advance_to_deadline(ms(10_000)).await;
    server.advance_to(ms(10_000));
    assert_eq!(ann.next_entropy_asked().await.entropy_commitments.len(), 4);
    server.advance_to_deadline(ms(20_000)).await;
    server.advance_to(ms(20_000));
    wait_for(&client, &id, State::Running).await;
    let late = client.reveal_tournament_entropy(reveal(&id, &organiser_entropy(&id).0)).await;
    assert_eq!(error_reason(late), Reason::TournamentState);
    let shuffle = client.tournament(&id).await.shuffle.expect("a shuffle");
    assert_eq!(shuffle.entropy, vec![Vec::<u8>::new(); 4]);
    assert_eq!(shuffle.entropy_commitments[1..], [commitment, Vec::new(), Vec::new()]);
    // Too late: it is ignored.
    ann.add_entropy(&id, Step::Reveal(OF_ANN.to_vec())).await;
    play_on([ann, bob]);
    let (tournament, standings) = client.follow_to_end(&id).await;
    assert_eq!(tournament.shuffle.expect("a shuffle").entropy, vec![Vec::<u8>::new(); 4]);
    for row in standings.rows {
        assert_eq!(row.entropy_withheld, row.name == "ann", "{row:?}");
    }
    for (name, withheld) in [("ann", 1), ("bob", 0)] {
        assert_eq!(
            find_agent(&client, name).await.times.expect("times").entropy_withheld,
            withheld,
            "{name}"
        );
    }
}

#[tokio::test]
async fn agents_are_asked_again_after_a_crash_and_a_reconnect() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server_on_disk(folder.path()).await;
    server.folder = Some(folder.path().to_owned());
    let client = server.client();
    let (mut ann, mut bob) = (connect(&client, "ann").await, connect(&client, "bob").await);
    let id = start_tournament(&client).await;
    let ask = ann.next_entropy_asked().await;
    ann.add_entropy(&id, Step::Commitment(entropy_commitment(&id, &OF_ANN))).await;
    bob.next_entropy_asked().await;
    drop((ann, bob));
    // Killed while commitments are collected.
    let (mut server, copy) = crash(server, ms(0)).await;
    server.folder = Some(copy.path().to_owned());
    let client = server.client();
    let (mut ann, mut bob) = (connect(&client, "ann").await, connect(&client, "bob").await);
    for (agent, entropy) in [(&mut ann, OF_ANN), (&mut bob, OF_BOB)] {
        assert_eq!(agent.next_entropy_asked().await, ask);
        agent.add_entropy(&id, Step::Commitment(entropy_commitment(&id, &entropy))).await;
    }
    let ask = ann.next_entropy_asked().await;
    assert_eq!(ask.entropy_commitments.len(), 4);
    ann.add_entropy(&id, Step::Reveal(OF_ANN.to_vec())).await;
    let organiser = organiser_entropy(&id).0;
    client.reveal_tournament_entropy(reveal(&id, &organiser)).await.expect("a reveal");
    drop((ann, bob));
    // Killed while entropy is revealed.
    let (server, _copy) = crash(server, ms(0)).await;
    let client = server.client();
    let (ann, mut bob) = (connect(&client, "ann").await, connect(&client, "bob").await);
    assert_eq!(bob.next_entropy_asked().await, ask);
    // A connection that breaks is asked again.
    drop(bob);
    let mut bob = connect(&client, "bob").await;
    assert_eq!(bob.next_entropy_asked().await, ask);
    bob.add_entropy(&id, Step::Reveal(OF_BOB.to_vec())).await;
    let mut ann = ann;
    if client.tournament(&id).await.state() == State::Starting {
        ann.add_entropy(&id, Step::Reveal(OF_ANN.to_vec())).await;
    }
    wait_for(&client, &id, State::Running).await;
    let shuffle = client.tournament(&id).await.shuffle.expect("a shuffle");
    assert_eq!(shuffle.entropy, [organiser, OF_ANN.to_vec(), OF_BOB.to_vec(), Vec::new()]);
}

/// Agents whose hello does not say that they add entropy are not asked, and the tournament starts at once.
#[tokio::test]
async fn tournament_without_commitments_starts_at_once() {
    let server = TestServer::new().await;
    let client = server.client();
    let _agents = [
        AgentClient::connect(&client, hello("ann")).await,
        AgentClient::connect(&client, hello("bob")).await,
    ];
    let entrants = vec![agent("ann"), agent("bob")];
    let setup =
        v1::TournamentSetup { entrants, given_seed: Vec::new(), ..setup(GameId::Gap, &[], round_robin(1)) };
    let id = client.new_tournament(setup).await;
    let started =
        client.start_tournament(start(&id)).await.expect("a start").tournament.expect("a tournament");
    assert_eq!(started.state(), State::Running);
    assert!(started.shuffle.expect("a shuffle").entropy_commitments.is_empty());
}

#[tokio::test]
async fn starting_tournament_can_be_cancelled() {
    let server = TestServer::new().await;
    let client = server.client();
    let (mut ann, _bob) = (connect(&client, "ann").await, connect(&client, "bob").await);
    let id = start_tournament(&client).await;
    ann.next_entropy_asked().await;
    let cancelled = client.cancel_tournament(crate::tournament_requests::cancel(&id, "rain")).await;
    assert_eq!(cancelled.expect("a response").tournament.expect("a tournament").state(), State::Cancelled);
    let shuffle = client.tournament(&id).await.shuffle.expect("a shuffle");
    assert!(shuffle.entropy.is_empty() && shuffle.entropy_commitments.is_empty());
    assert_eq!(shuffle.server_seed.len(), 32);
}
