//! The real program, killed (SIGKILL) while a table or a tournament is starting: commitments and reveals that were
//! acknowledged are there after a restart, and nothing more is shown than before.

use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::table_service_client::TableServiceClient;
use parlor_proto::v1::tournament_service_client::TournamentServiceClient;
use parlor_proto::v1::{self, TableState, TournamentState, entrant_setup::Entrant};
use parlor_testkit::{ServerProcess, wait_until, with_timeout};
use sha2::{Digest, Sha256};
use tonic::transport::Channel;
use tonic::{Response, Status};

use crate::support::{Program, channel, reason};

const ONE: [u8; 32] = *b"entropy of seat 0, or organiser.";
const TWO: [u8; 32] = *b"entropy of the seat with number1";

/// Time to reveal that no test uses up.
const LONG: &str = "table.reveal_within=10m";
/// Time to reveal that is soon over.
const SHORT: &str = "table.reveal_within=1s";

async fn connect(server: &ServerProcess) -> Channel {
    channel(&format!("http://{}", server.address())).await
}

/// Starts the server with this setting, and everything in its log.
fn start(program: &Program, setting: &str) -> ServerProcess {
    program.start(&["--log-level", "trace", "--set", setting])
}

fn commitment(tag: &str, id: &str, entropy: &[u8]) -> Vec<u8> {
    let id = id.parse::<parlor_server::TableId>().expect("an id");
    Sha256::new().chain_update(tag).chain_update(id.as_bytes()).chain_update(entropy).finalize().to_vec()
}

async fn reveal(channel: &Channel, token: &str, entropy: &[u8]) -> Result<(), Status> {
    let reveal = v1::RevealEntropyRequest { seat_token: token.to_owned(), entropy: entropy.to_vec() };
    let mut play = PlayServiceClient::new(channel.clone());
    with_timeout(play.reveal_entropy(reveal)).await.map(|_: Response<_>| ())
}

async fn table(channel: &Channel, id: &str) -> v1::Table {
    let get = v1::GetTableRequest { table_id: id.to_owned(), ..Default::default() };
    let shown = with_timeout(TableServiceClient::new(channel.clone()).get_table(get)).await;
    shown.expect("a table").into_inner().table.expect("a table")
}

/// The entropy of each seat, as the table shows it.
fn entropy(table: &v1::Table) -> Vec<Vec<u8>> {
    let shuffle = table.shuffle.clone().expect("a shuffle");
    shuffle.entropy.into_iter().map(|seat| seat.entropy).collect()
}

/// A table of two seats that have committed to [`ONE`] and [`TWO`], and their tokens. The second one has revealed.
async fn starting_table(channel: &Channel) -> (String, [String; 2]) {
    let mut tables = TableServiceClient::new(channel.clone());
    let open = v1::SeatSetup { occupant: Some(v1::seat_setup::Occupant::Open(v1::OpenSeat {})) };
    let seats = vec![open; 2];
    let asked = v1::CreateTableRequest { game: "gap".to_owned(), seats, ..Default::default() };
    let created = with_timeout(tables.create_table(asked)).await.expect("a table").into_inner();
    let table_id = created.table.expect("a table").table_id;
    let mut tokens = [String::new(), String::new()];
    for (token, entropy) in tokens.iter_mut().zip([ONE, TWO]) {
        let entropy_commitment = commitment("parlor entropy commitment v1", &table_id, &entropy);
        let join =
            v1::JoinTableRequest { table_id: table_id.clone(), entropy_commitment, ..Default::default() };
        *token = with_timeout(tables.join_table(join)).await.expect("a seat").into_inner().seat_token;
    }
    reveal(channel, &tokens[1], &TWO).await.expect("a reveal");
    (table_id, tokens)
}

/// Kills a server, and asserts that its log, with everything in it, has none of the entropy.
fn kill_and_check_log(mut server: ServerProcess) {
    server.kill();
    let log = server.log.all();
    assert!(!log.is_empty());
    for secret in [ONE, TWO] {
        let hexadecimal: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let decimal = format!("{secret:?}");
        let text = String::from_utf8_lossy(&secret).into_owned();
        for form in [hexadecimal.as_str(), decimal.trim_matches(['[', ']']), &text] {
            assert!(!log.contains(form), "entropy in the log");
        }
    }
}

#[tokio::test]
async fn killed_server_goes_on_with_the_reveals_of_a_starting_table() {
    let program = Program::new();
    let server = start(&program, LONG);
    let before = connect(&server).await;
    let (id, tokens) = starting_table(&before).await;
    let shown = table(&before, &id).await;
    kill_and_check_log(server);

    let server = start(&program, LONG);
    let after = connect(&server).await;
    let again = table(&after, &id).await;
    assert_eq!((again.state(), entropy(&again)), (TableState::Starting, vec![Vec::new(); 2]));
    assert_eq!(again.shuffle, shown.shuffle, "the same commitments, and nothing more");
    // A repeat, a wrong one and what was missing.
    reveal(&after, &tokens[1], &TWO).await.expect("a repeat");
    let wrong = reveal(&after, &tokens[0], &TWO).await.expect_err("a wrong reveal");
    assert_eq!(reason(&wrong), "ENTROPY_MISMATCH");
    reveal(&after, &tokens[0], &ONE).await.expect("a reveal");
    let started = table(&after, &id).await;
    assert_eq!((started.state(), entropy(&started)), (TableState::Playing, vec![ONE.to_vec(), TWO.to_vec()]));
    assert!(started.seats.iter().all(|seat| !seat.entropy_withheld));
}

#[tokio::test]
async fn killed_server_deals_without_what_is_not_revealed_after_its_restart() {
    let program = Program::new();
    let mut server = start(&program, LONG);
    let (id, tokens) = starting_table(&connect(&server).await).await;
    server.kill();

    // The time to reveal begins again, and is over by itself.
    let server = start(&program, SHORT);
    let after = connect(&server).await;
    wait_until("the start", async || table(&after, &id).await.state() == TableState::Playing).await;
    let started = table(&after, &id).await;
    assert_eq!(entropy(&started), [Vec::new(), TWO.to_vec()]);
    let withheld: Vec<bool> = started.seats.iter().map(|seat| seat.entropy_withheld).collect();
    assert_eq!(withheld, [true, false]);
    let late = reveal(&after, &tokens[0], &ONE).await.expect_err("a late reveal");
    assert_eq!(reason(&late), "TABLE_STARTED");
}

async fn tournament(channel: &Channel, id: &str) -> v1::Tournament {
    let get = v1::GetTournamentRequest { tournament_id: id.to_owned() };
    let shown = with_timeout(TournamentServiceClient::new(channel.clone()).get_tournament(get)).await;
    shown.expect("a tournament").into_inner().tournament.expect("a tournament")
}

async fn reveal_of_organiser(channel: &Channel, id: &str) -> Result<(), Status> {
    let reveal = v1::RevealTournamentEntropyRequest { tournament_id: id.to_owned(), entropy: ONE.to_vec() };
    let mut tournaments = TournamentServiceClient::new(channel.clone());
    with_timeout(tournaments.reveal_tournament_entropy(reveal)).await.map(|_: Response<_>| ())
}

#[tokio::test]
async fn killed_server_waits_for_the_organiser_of_a_starting_tournament() {
    let program = Program::new();
    let server = start(&program, LONG);
    let before = connect(&server).await;
    let mut tournaments = TournamentServiceClient::new(before.clone());
    let house = |name: &str| Some(Entrant::HouseBot(v1::HouseBotSeat { name: name.to_owned() }));
    let setup = v1::TournamentSetup {
        name: "cup".to_owned(),
        game: "gap".to_owned(),
        entrants: ["greedy", "random"].map(|name| v1::EntrantSetup { entrant: house(name) }).to_vec(),
        format: Some(v1::tournament_setup::Format::RoundRobin(v1::RoundRobinFormat { groups: 1 })),
        ..v1::TournamentSetup::default()
    };
    let create = v1::CreateTournamentRequest { setup: Some(setup), ..Default::default() };
    let created =
        with_timeout(tournaments.create_tournament(create)).await.expect("a tournament").into_inner();
    let tournament_id = created.tournament.expect("a tournament").tournament_id;
    let id = tournament_id.clone();
    let entropy_commitment = commitment("parlor tournament entropy commitment v1", &id, &ONE);
    let asked = v1::StartTournamentRequest { tournament_id, entropy_commitment };
    with_timeout(tournaments.start_tournament(asked)).await.expect("a start");
    let committed = async || {
        let shown = tournament(&before, &id).await.shuffle.expect("a shuffle");
        !shown.entropy_commitments.is_empty()
    };
    wait_until("all commitments", committed).await;
    let shown = tournament(&before, &id).await;
    kill_and_check_log(server);

    let server = start(&program, LONG);
    let after = connect(&server).await;
    let again = tournament(&after, &id).await;
    assert_eq!((again.state(), &again.shuffle), (TournamentState::Starting, &shown.shuffle));
    reveal_of_organiser(&after, &id).await.expect("a reveal");
    wait_until("the end", async || tournament(&after, &id).await.state() == TournamentState::Finished).await;
    let shuffle = tournament(&after, &id).await.shuffle.expect("a shuffle");
    assert_eq!(shuffle.entropy, [ONE.to_vec(), Vec::new(), Vec::new()]);
}
