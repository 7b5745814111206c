//! ListRecords, and ExportRecords: all records of a tournament over one stream.

use std::sync::Arc;

use parlor_engine::{GameId, Viewer};
use parlor_host::persistence::{decode_record, encode_record};
use parlor_host::table::{ChanceSetup, Deal, Holder, Visibility};
use parlor_host::{agent_tag, tournament_tag};
use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::grpc::convert::ApiCodec;
use parlor_server::identity::Scope;
use parlor_server::{TableId, TournamentId};
use parlor_store::{Append, Listing, Log, LogKind, Millis, NewPlace, OwnerId};
use prost::Message;

use crate::agent_client::{AgentClient, hello};
use crate::client::{Client, RpcError, error_reason};
use crate::records::{for_viewer, get, replay};
use crate::table_requests::{cancel, delete, gap, private, table, unknown_table_id};
use crate::test_server::{TestServer, api_key, ms, with_timeout};
use crate::tournament_requests;

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

fn everything() -> v1::ListRecordsRequest {
    v1::ListRecordsRequest::default()
}

/// The table ids on all pages of a list.
async fn list(client: &Client, mut request: v1::ListRecordsRequest) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let page = client.list_records(request.clone()).await.expect("a page");
        let max = if request.page_size == 0 { 100 } else { request.page_size };
        assert!(page.records.len() <= max as usize);
        all.extend(page.records.into_iter().map(|record| record.table_id));
        if page.next_page_token.is_empty() {
            return all;
        }
        request.page_token = page.next_page_token;
    }
}

#[tokio::test]
async fn list_records_filters_and_hides_private_records() {
    let (anna, ben) = (api_key("anna", OWNER), api_key("ben", OWNER));
    let server = TestServer::with_keys([&anna, &ben]).await;
    let (owner, other) = (server.client_with_key(&anna), server.client_with_key(&ben));
    let cancelled_table = async |client: &Client, request| {
        let id = client.new_table(request).await;
        client.cancel_table(cancel(&id)).await.expect("an accepted request");
        server.advance(ms(1_000));
        id
    };
    let first = cancelled_table(&owner, gap(2)).await;
    let hidden = cancelled_table(&owner, private(gap(2))).await;
    let five_three_five = cancelled_table(&other, table(GameId::FiveThreeFive, 3)).await;
    let played = owner.new_seated_table(gap(2)).await;
    server.play_seats(&played).await;
    let deleted = cancelled_table(&owner, gap(2)).await;
    owner.delete_table(delete(&deleted)).await.expect("a table that is over");
    owner.new_table(gap(2)).await;
    owner.new_seated_table(gap(2)).await;
    let (first, hidden, five_three_five, played) =
        (first.as_str(), hidden.as_str(), five_three_five.as_str(), played.id.as_str());

    let anonymous = server.client();
    assert_eq!(list(&anonymous, everything()).await, [played, five_three_five, first]);
    assert_eq!(list(&owner, everything()).await, [played, five_three_five, hidden, first]);
    assert_eq!(list(&other, everything()).await, [played, five_three_five, first]);
    for page_size in 1..5 {
        let request = v1::ListRecordsRequest { page_size, ..everything() };
        assert_eq!(list(&owner, request).await, [played, five_three_five, hidden, first]);
    }
    let owned = v1::ListRecordsRequest { owned: true, ..everything() };
    assert_eq!(list(&owner, owned.clone()).await, [played, hidden, first]);
    assert_eq!(list(&other, owned.clone()).await, [five_three_five]);
    assert_eq!(error_reason(anonymous.list_records(owned).await), Reason::CredentialsMissing);
    let game = |game: &str| v1::ListRecordsRequest { game: game.to_owned(), ..everything() };
    assert_eq!(list(&anonymous, game("five_three_five")).await, [five_three_five]);
    assert_eq!(list(&anonymous, game("gap")).await, [played, first]);
    assert_eq!(list(&anonymous, game("no_dice")).await, [""; 0]);

    let created = owner.table(five_three_five).await.create_time;
    let since = v1::ListRecordsRequest { created_since: created, ..everything() };
    let before = v1::ListRecordsRequest { created_before: created, ..everything() };
    assert_eq!(list(&owner, since.clone()).await, [played, five_three_five]);
    assert_eq!(list(&owner, before).await, [hidden, first]);
    let both = v1::ListRecordsRequest { created_before: created, ..since };
    assert_eq!(list(&owner, both).await, [""; 0]);

    let records = owner.list_records(everything()).await.unwrap().records;
    for summary in records {
        let record = owner.record(get(&summary.table_id)).await;
        let shown = v1::RecordSummary {
            table_id: record.table_id,
            game: record.game,
            seats: record.seats,
            create_time: record.create_time,
            end_time: record.end_time,
            result: record.result,
            deal_group: None,
        };
        assert_eq!(summary, shown);
    }
}

#[tokio::test]
async fn invalid_list_records_requests_are_refused() {
    let server = TestServer::new().await;
    let client = server.client();
    let chess = v1::ListRecordsRequest { game: "chess".into(), ..everything() };
    assert_eq!(error_reason(client.list_records(chess).await), Reason::GameNotFound);
    let time = |seconds, nanos| Some(prost_types::Timestamp { seconds, nanos });
    for (field, request) in [
        ("agent", v1::ListRecordsRequest { agent: "a b".into(), ..everything() }),
        ("agent", v1::ListRecordsRequest { agent: "a".repeat(65), ..everything() }),
        ("tournament_id", v1::ListRecordsRequest { tournament_id: "x".into(), ..everything() }),
        ("created_since", v1::ListRecordsRequest { created_since: time(0, -1), ..everything() }),
        ("created_before", v1::ListRecordsRequest { created_before: time(0, 1_000_000_000), ..everything() }),
        ("created_before", v1::ListRecordsRequest { created_before: time(i64::MAX, 0), ..everything() }),
        ("page_size", v1::ListRecordsRequest { page_size: 1_001, ..everything() }),
        ("page_token", v1::ListRecordsRequest { page_token: "next".into(), ..everything() }),
    ] {
        let refused = client.list_records(request).await.unwrap_err();
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec![field.to_owned()]));
    }
    // A bound before 1970 is valid and matches nothing.
    let early = v1::ListRecordsRequest { created_before: time(-5, 5), ..everything() };
    assert_eq!(list(&client, early).await, [""; 0]);
}

/// Appends a tournament to the log that no task runs.
async fn put_tournament(log: &dyn Log, id: TournamentId, owner: &str, public: bool) {
    let listing = Listing {
        kind: LogKind::Tournament,
        owner: OwnerId::new(owner).expect("a name"),
        game: "gap".into(),
        state: 1,
        visibility: if public { 1 } else { 2 },
        tags: Vec::new(),
    };
    let append = Append {
        listing: Some(listing),
        place: Some(NewPlace::AtRest { wakes_at: None }),
        ..Append::new(TableId::from_bytes(*id.as_bytes()), 0, Millis(1), vec![Vec::new().into()])
    };
    log.append(append).await.expect("a new tournament");
}

/// Appends a copy of a finished table as a table of a deal, with an agent on its first seat.
async fn put_table(log: &dyn Log, model: TableId, id: TableId, deal: Deal, public: bool) {
    let bytes = log.record(model).await.expect("a table").expect("a record");
    let mut record = decode_record(&bytes, &ApiCodec).expect("a record");
    let tags = vec![
        agent_tag("robo"),
        tournament_tag(deal.tournament),
        format!("deal:{}:{}", deal.number, deal.rotation),
    ];
    let row = log.find(model).await.expect("a table");
    let setup = Arc::make_mut(&mut record.summary.setup);
    setup.table = id;
    setup.chance = ChanceSetup::Deal(Box::new(deal));
    setup.visibility = if public { Visibility::Public } else { Visibility::Private };
    record.summary.seats[0].holder = Holder::Agent { name: "robo".into(), version: "2".into() };
    let listing = Listing { tags, visibility: if public { 1 } else { 2 }, ..row.listing };
    let append = Append {
        listing: Some(listing),
        place: Some(NewPlace::Finished { record: encode_record(&record, &ApiCodec) }),
        ..Append::new(TableId::from_bytes(*id.as_bytes()), 0, Millis(1), vec![Vec::new().into()])
    };
    log.append(append).await.expect("a new table");
}

fn deal(tournament: TournamentId, number: u32, rotation: u8) -> Deal {
    let (server_seed, entropy) = ([9; 32], Vec::new());
    Deal { tournament, number, rotation, server_seed, entropy, recolour: false, given: true }
}

/// All messages of ExportRecords.
pub(crate) async fn export(
    client: &Client,
    tournament_id: &str,
    viewer: Option<Viewer>,
) -> Result<Vec<v1::ExportRecordsResponse>, RpcError> {
    let request =
        v1::ExportRecordsRequest { tournament_id: tournament_id.to_owned(), viewer: viewer.map(Into::into) };
    let refused = |status| RpcError::from_status(&status);
    let mut stream =
        with_timeout(client.records().export_records(request)).await.map_err(refused)?.into_inner();
    let mut messages = Vec::new();
    while let Some(message) = with_timeout(stream.message()).await.map_err(refused)? {
        messages.push(message);
    }
    Ok(messages)
}

/// The records of an export, whose last message alone has the manifest.
fn exported(messages: Result<Vec<v1::ExportRecordsResponse>, RpcError>) -> Vec<v1::Record> {
    let messages = messages.expect("an export");
    let last = messages.len() - 1;
    assert!((0..).zip(&messages).all(|(place, message)| message.manifest.is_some() == (place == last)));
    messages.into_iter().flat_map(|message| message.records).collect()
}

/// Appends tables of a tournament in an order other than that of their deals: their ids in the order of the
/// deals.
async fn append_deals(
    server: &TestServer,
    tournament: TournamentId,
    count: u32,
    public: bool,
) -> Vec<String> {
    let client = server.client();
    let seated = client.new_seated_table(table(GameId::NoDice, 4)).await;
    server.play_seats(&seated).await;
    let model: TableId = seated.id.parse().expect("an id");
    let mut ids = Vec::new();
    for place in 0..count {
        let (number, rotation) = (place / 2, (place % 2) as u8);
        // Ids sort differently from deals.
        let id = TableId::new(u64::from(1_000_000 + place * 7 % count), [place as u8; 10]);
        put_table(&*server.log, model, id, deal(tournament, number, rotation), public).await;
        ids.push(id.to_string());
    }
    client.delete_table(delete(&seated.id)).await.expect("a table that is over");
    ids
}

#[tokio::test]
async fn export_has_all_records_in_deal_order_in_bounded_messages() {
    let server = TestServer::new().await;
    let client = server.client();
    let tournament = TournamentId::new(5, [1; 10]);
    put_tournament(&*server.log, tournament, "anna", true).await;
    let name = tournament.to_string();
    assert_eq!(exported(export(&client, &name, None).await), []);
    let count = 80;
    let ids = append_deals(&server, tournament, count, true).await;

    let messages = export(&client, &name, None).await.expect("an export");
    let bytes: Vec<usize> = messages.iter().map(Message::encoded_len).collect();
    assert!(messages.len() > 1, "{bytes:?}: too few messages for a meaningful test");
    for (message, bytes) in messages.iter().zip(&bytes) {
        assert!(*bytes <= 258 << 10 || message.records.len() == 1, "{bytes}");
    }
    let records: Vec<&v1::Record> = messages.iter().flat_map(|message| &message.records).collect();
    assert!(records.iter().map(|record| &record.table_id).eq(&ids));
    for (place, record) in (0..).zip(&records) {
        let group = record.shuffle.as_ref().and_then(|shuffle| shuffle.deal_group.as_ref()).expect("a deal");
        assert_eq!((group.number, group.rotation), (Some(place / 2), Some(place % 2)));
        assert_eq!(**record, client.record(get(&record.table_id)).await);
    }
    let viewer = Viewer::Spectator;
    let records = exported(export(&client, &name, Some(viewer)).await);
    assert_eq!(records[7], client.record(for_viewer(viewer, get(&ids[7]))).await);

    let of_tournament = v1::ListRecordsRequest { tournament_id: name, ..everything() };
    let mut newest = ids.clone();
    newest.sort_by(|one, other| other.cmp(one));
    assert_eq!(list(&client, of_tournament.clone()).await, newest);
    for (agent, found) in [("robo", count as usize), ("nobody", 0)] {
        let by_agent = v1::ListRecordsRequest { agent: agent.into(), ..everything() };
        assert_eq!(list(&client, by_agent).await.len(), found);
        let by_both = v1::ListRecordsRequest { agent: agent.into(), page_size: 5, ..of_tournament.clone() };
        assert_eq!(list(&client, by_both).await.len(), found);
    }
    let none = v1::ListRecordsRequest { tournament_id: unknown_table_id(), ..everything() };
    assert_eq!(list(&client, none).await, [""; 0]);
    let summary = client.list_records(of_tournament).await.unwrap().records.remove(0);
    assert_eq!(summary.deal_group.expect("a deal").tournament_id, tournament.to_string());
    assert!(matches!(summary.seats[0].occupant, Some(v1::record_seat::Occupant::Agent(_))));
}

/// The export of a finished tournament has a replayable record of every table.
#[tokio::test]
async fn finished_tournament_is_exported() {
    let server = TestServer::new().await;
    let client = server.client();
    let setup =
        tournament_requests::setup(GameId::Gap, &["random", "greedy"], tournament_requests::round_robin(2));
    let id = client.start_new_tournament(setup).await;
    client.follow_to_end(&id).await;
    let tables = client.tournament_tables(&id).await;
    assert!(tables.len() >= 4 && tables.iter().all(|table| table.has_record));
    let records = exported(export(&client, &id, None).await);
    let ids =
        |records: &[v1::Record]| records.iter().map(|record| record.table_id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&records), tables.iter().map(|table| table.table_id.clone()).collect::<Vec<_>>());
    for (record, table) in records.iter().zip(&tables) {
        assert_eq!(record.result.as_ref().map(|result| &result.seats), Some(&table.results));
        assert!(replay(record).outcome().is_some());
        let shuffle = record.shuffle.as_ref().expect("a shuffle");
        assert!(!shuffle.server_seed.is_empty(), "the seed is revealed");
    }
}

#[tokio::test]
async fn records_of_a_deal_are_hidden_until_its_last_table_is_over() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let entrants = vec![tournament_requests::agent("ann"), tournament_requests::house("random")];
    let setup = tournament_requests::setup(GameId::Gap, &[], tournament_requests::round_robin(1));
    let id = client.start_new_tournament(v1::TournamentSetup { entrants, ..setup }).await;
    let (_, given) = ann.next_seat().await;
    let first = given.table_id;
    assert_eq!(error_reason(client.get_record(get(&first)).await), Reason::TableNotOver);
    ann.play(1).await;
    ann.next_seat().await;
    // The first table of the deal is over, and the second is being played.
    let refused = client.get_record(get(&first)).await.unwrap_err();
    assert_eq!(refused.reason, Reason::DealNotOver);
    assert_eq!(refused.metadata.get("tournament_id"), Some(&id));
    let of_tournament = v1::ListRecordsRequest { tournament_id: id.clone(), ..everything() };
    assert_eq!(list(&client, of_tournament.clone()).await, [""; 0]);
    assert_eq!(exported(export(&client, &id, None).await), []);
    ann.play(1).await;
    client.follow_to_end(&id).await;
    assert_eq!(client.record(get(&first)).await.table_id, first);
    let by_agent = v1::ListRecordsRequest { agent: "ann".into(), ..of_tournament };
    assert_eq!(list(&client, by_agent).await.len(), 2);
    let records = exported(export(&client, &id, None).await);
    assert_eq!((records.len(), &records[0].table_id), (2, &first));
}

#[tokio::test]
async fn export_of_an_unknown_or_private_tournament_is_not_found() {
    let (anna, ben, root) = (api_key("anna", OWNER), api_key("ben", OWNER), api_key("root", &[Scope::Admin]));
    let server = TestServer::with_keys([&anna, &ben, &root]).await;
    let tournament = TournamentId::new(5, [1; 10]);
    put_tournament(&*server.log, tournament, "anna", false).await;
    let name = tournament.to_string();
    for client in [server.client_with_key(&anna), server.client_with_key(&root)] {
        assert_eq!(exported(export(&client, &name, None).await), []);
    }
    let other = server.client_with_key(&ben);
    for client in [&server.client(), &other] {
        assert_eq!(error_reason(export(client, &name, None).await), Reason::TournamentNotFound);
    }
    assert_eq!(error_reason(export(&other, &unknown_table_id(), None).await), Reason::TournamentNotFound);
    let table = other.new_table(gap(2)).await;
    assert_eq!(
        error_reason(export(&other, &table, None).await),
        Reason::TournamentNotFound,
        "a table is not a tournament"
    );
    // A tournament is not a table.
    assert_eq!(
        error_reason(server.client_with_key(&anna).get_table(crate::table_requests::get(&name)).await),
        Reason::TableNotFound
    );
    assert_eq!(
        error_reason(server.client_with_key(&anna).get_record(get(&name)).await),
        Reason::TableNotFound
    );
    assert_eq!(
        error_reason(server.client_with_key(&anna).delete_table(delete(&name)).await),
        Reason::TableNotFound
    );
    let refused = export(&other, "x", None).await.unwrap_err();
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["tournament_id".to_owned()]));
    let request = v1::ExportRecordsRequest { tournament_id: name, viewer: Some(v1::Viewer::default()) };
    let refused =
        RpcError::from_status(&with_timeout(other.records().export_records(request)).await.unwrap_err());
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["viewer".to_owned()]));
}
