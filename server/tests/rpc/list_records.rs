//! Lists of records, and all records of a tournament over one stream.

use std::sync::Arc;

use parlor_engine::{GameId, Viewer};
use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::TableId;
use parlor_server::host::{agent_tag, tournament_tag};
use parlor_server::identity::Scope;
use parlor_server::log::{Append, Kind, Listing, Log, Millis, NewPlace, OwnerId};
use parlor_server::stored::{decode_record, encode_record};
use parlor_server::table::{ChanceSetup, Deal, Holder, Visibility};
use prost::Message;

use crate::agent_client::{Agent, hello};
use crate::client::{Caller, Refused, why};
use crate::records::{get, of, replay};
use crate::table_requests::{cancel, delete, gap, no_table, private, table};
use crate::test_server::{Scene, key, ms, soon};
use crate::tournament_requests as tournament;

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

fn everything() -> v1::ListRecordsRequest {
    v1::ListRecordsRequest::default()
}

/// The ids on all pages of a list, put together.
async fn list(caller: &Caller, mut request: v1::ListRecordsRequest) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let page = caller.list_records(request.clone()).await.expect("a page");
        let most = if request.page_size == 0 { 100 } else { request.page_size };
        assert!(page.records.len() <= most as usize);
        all.extend(page.records.into_iter().map(|record| record.table_id));
        if page.next_page_token.is_empty() {
            return all;
        }
        request.page_token = page.next_page_token;
    }
}

#[tokio::test]
async fn lists_find_what_is_over_and_may_be_seen() {
    let (anna, ben) = (key("anna", OWNER), key("ben", OWNER));
    let scene = Scene::with_keys([&anna, &ben]).await;
    let (owner, other) = (scene.holder(&anna), scene.holder(&ben));
    let over = async |caller: &Caller, request| {
        let id = caller.make(request).await;
        caller.cancel_table(cancel(&id)).await.expect("it can be done");
        scene.advance(ms(1_000));
        id
    };
    let first = over(&owner, gap(2)).await;
    let hidden = over(&owner, private(gap(2))).await;
    let flush = over(&other, table(GameId::Flush, 3)).await;
    let played = owner.seat_all(gap(2)).await;
    scene.play_seats(&played).await;
    let deleted = over(&owner, gap(2)).await;
    owner.delete_table(delete(&deleted)).await.expect("it is over");
    owner.make(gap(2)).await;
    owner.seat_all(gap(2)).await;
    let (first, hidden, flush, played) =
        (first.as_str(), hidden.as_str(), flush.as_str(), played.id.as_str());

    let nobody = scene.anyone();
    assert_eq!(list(&nobody, everything()).await, [played, flush, first]);
    assert_eq!(list(&owner, everything()).await, [played, flush, hidden, first]);
    assert_eq!(list(&other, everything()).await, [played, flush, first]);
    for page_size in 1..5 {
        let request = v1::ListRecordsRequest { page_size, ..everything() };
        assert_eq!(list(&owner, request).await, [played, flush, hidden, first]);
    }
    let owned = v1::ListRecordsRequest { owned: true, ..everything() };
    assert_eq!(list(&owner, owned.clone()).await, [played, hidden, first]);
    assert_eq!(list(&other, owned.clone()).await, [flush]);
    assert_eq!(why(nobody.list_records(owned).await), Reason::CredentialsMissing);
    let game = |game: &str| v1::ListRecordsRequest { game: game.to_owned(), ..everything() };
    assert_eq!(list(&nobody, game("flush")).await, [flush]);
    assert_eq!(list(&nobody, game("gap")).await, [played, first]);
    assert_eq!(list(&nobody, game("no_dice")).await, [""; 0]);

    let made = owner.look(flush).await.create_time;
    let since = v1::ListRecordsRequest { created_since: made, ..everything() };
    let before = v1::ListRecordsRequest { created_before: made, ..everything() };
    assert_eq!(list(&owner, since.clone()).await, [played, flush]);
    assert_eq!(list(&owner, before).await, [hidden, first]);
    let both = v1::ListRecordsRequest { created_before: made, ..since };
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
async fn a_list_that_is_asked_wrongly_is_refused() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let chess = v1::ListRecordsRequest { game: "chess".into(), ..everything() };
    assert_eq!(why(caller.list_records(chess).await), Reason::GameNotFound);
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
        let refused = caller.list_records(request).await.unwrap_err();
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec![field.to_owned()]));
    }
    // Nobody made a table before 1970.
    let early = v1::ListRecordsRequest { created_before: time(-5, 5), ..everything() };
    assert_eq!(list(&caller, early).await, [""; 0]);
}

/// A tournament in the log that nobody runs.
async fn put_tournament(log: &dyn Log, id: TableId, owner: &str, public: bool) {
    let listing = Listing {
        kind: Kind::Tournament,
        owner: OwnerId::new(owner).expect("a name"),
        game: "gap".into(),
        state: 1,
        visibility: if public { 1 } else { 2 },
        tags: Vec::new(),
    };
    let append = Append {
        listing: Some(listing),
        place: Some(NewPlace::AtRest { wakes_at: None }),
        ..Append::new(id, 0, Millis(1), vec![Vec::new().into()])
    };
    log.append(append).await.expect("a new tournament");
}

/// A copy of a finished table as one of a deal, with an agent on its first seat.
async fn put_table(log: &dyn Log, model: TableId, id: TableId, deal: Deal, public: bool) {
    let bytes = log.record(model).await.expect("a table").expect("a record");
    let mut record = decode_record(&bytes).expect("a record");
    let tags = vec![
        agent_tag("robo"),
        tournament_tag(deal.tournament),
        format!("deal:{}:{}", deal.number, deal.rotation),
    ];
    let row = log.find(model).await.expect("a table");
    let setup = Arc::make_mut(&mut record.look.setup);
    setup.table = id;
    setup.chance = ChanceSetup::Deal(Box::new(deal));
    setup.visibility = if public { Visibility::Public } else { Visibility::Private };
    record.look.seats[0].holder = Holder::Agent { name: "robo".into(), version: "2".into() };
    let listing = Listing { tags, visibility: if public { 1 } else { 2 }, ..row.listing };
    let append = Append {
        listing: Some(listing),
        place: Some(NewPlace::Finished { record: encode_record(&record) }),
        ..Append::new(id, 0, Millis(1), vec![Vec::new().into()])
    };
    log.append(append).await.expect("a new table");
}

fn deal(tournament: TableId, number: u32, rotation: u8) -> Deal {
    let (server_seed, entropy) = ([9; 32], Vec::new());
    Deal { tournament, number, rotation, server_seed, entropy, recolour: false, given: true }
}

/// All messages of an export.
pub(crate) async fn export(
    caller: &Caller,
    tournament_id: &str,
    viewer: Option<Viewer>,
) -> Result<Vec<v1::ExportRecordsResponse>, Refused> {
    let request =
        v1::ExportRecordsRequest { tournament_id: tournament_id.to_owned(), viewer: viewer.map(Into::into) };
    let refused = |status| Refused::of(&status);
    let mut stream = soon(caller.records().export_records(request)).await.map_err(refused)?.into_inner();
    let mut messages = Vec::new();
    while let Some(message) = soon(stream.message()).await.map_err(refused)? {
        messages.push(message);
    }
    Ok(messages)
}

/// Tables of a tournament, put into the log in no order: the ids in the order of their deals.
async fn some_deals(scene: &Scene, tournament: TableId, count: u32, public: bool) -> Vec<String> {
    let caller = scene.anyone();
    let seated = caller.seat_all(table(GameId::NoDice, 4)).await;
    scene.play_seats(&seated).await;
    let model: TableId = seated.id.parse().expect("an id");
    let mut ids = Vec::new();
    for place in 0..count {
        let (number, rotation) = (place / 2, (place % 2) as u8);
        // The order of their ids is another one.
        let id = TableId::new(u64::from(1_000_000 + place * 7 % count), [place as u8; 10]);
        put_table(&*scene.log, model, id, deal(tournament, number, rotation), public).await;
        ids.push(id.to_string());
    }
    caller.delete_table(delete(&seated.id)).await.expect("it is over");
    ids
}

#[tokio::test]
async fn an_export_has_all_records_in_the_order_of_the_deals_and_no_message_is_large() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let tournament = TableId::new(5, [1; 10]);
    put_tournament(&*scene.log, tournament, "anna", true).await;
    let name = tournament.to_string();
    assert_eq!(export(&caller, &name, None).await.expect("none yet"), []);
    let count = 80;
    let ids = some_deals(&scene, tournament, count, true).await;

    let messages = export(&caller, &name, None).await.expect("an export");
    let bytes: Vec<usize> = messages.iter().map(Message::encoded_len).collect();
    assert!(messages.len() > 1, "{bytes:?}: too little to test anything");
    for (message, bytes) in messages.iter().zip(&bytes) {
        assert!(*bytes <= 258 << 10 || message.records.len() == 1, "{bytes}");
    }
    let records: Vec<&v1::Record> = messages.iter().flat_map(|message| &message.records).collect();
    assert!(records.iter().map(|record| &record.table_id).eq(&ids));
    for (place, record) in (0..).zip(&records) {
        let group = record.shuffle.as_ref().and_then(|shuffle| shuffle.deal_group.as_ref()).expect("a deal");
        assert_eq!((group.number, group.rotation), (Some(place / 2), Some(place % 2)));
        assert_eq!(**record, caller.record(get(&record.table_id)).await);
    }
    let viewer = Viewer::Spectator;
    let messages = export(&caller, &name, Some(viewer)).await.expect("an export");
    let records: Vec<v1::Record> = messages.into_iter().flat_map(|message| message.records).collect();
    assert_eq!(records[7], caller.record(of(viewer, get(&ids[7]))).await);

    let of_it = v1::ListRecordsRequest { tournament_id: name, ..everything() };
    let mut newest = ids.clone();
    newest.sort_by(|one, other| other.cmp(one));
    assert_eq!(list(&caller, of_it.clone()).await, newest);
    for (agent, found) in [("robo", count as usize), ("nobody", 0)] {
        let by_agent = v1::ListRecordsRequest { agent: agent.into(), ..everything() };
        assert_eq!(list(&caller, by_agent).await.len(), found);
        let by_both = v1::ListRecordsRequest { agent: agent.into(), page_size: 5, ..of_it.clone() };
        assert_eq!(list(&caller, by_both).await.len(), found);
    }
    let none = v1::ListRecordsRequest { tournament_id: no_table(), ..everything() };
    assert_eq!(list(&caller, none).await, [""; 0]);
    let summary = caller.list_records(of_it).await.unwrap().records.remove(0);
    assert_eq!(summary.deal_group.expect("a deal").tournament_id, tournament.to_string());
    assert!(matches!(summary.seats[0].occupant, Some(v1::record_seat::Occupant::Agent(_))));
}

/// What an export has, once the tournament is over: every table of it, each dealt the hands that its deal says.
#[tokio::test]
async fn a_tournament_is_exported() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let setup = tournament::setup(GameId::Gap, &["random", "greedy"], tournament::round_robin(2));
    let id = caller.begin(setup).await;
    caller.to_the_end(&id).await;
    let tables = caller.tables_of(&id).await;
    assert!(tables.len() >= 4 && tables.iter().all(|table| table.has_record));
    let messages = export(&caller, &id, None).await.expect("an export");
    let records: Vec<v1::Record> = messages.into_iter().flat_map(|message| message.records).collect();
    let ids =
        |records: &[v1::Record]| records.iter().map(|record| record.table_id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&records), tables.iter().map(|table| table.table_id.clone()).collect::<Vec<_>>());
    for (record, table) in records.iter().zip(&tables) {
        assert_eq!(record.result.as_ref().map(|result| &result.seats), Some(&table.results));
        assert!(replay(record).outcome().is_some());
        let shuffle = record.shuffle.as_ref().expect("a shuffle");
        assert!(!shuffle.server_seed.is_empty(), "it is over");
    }
}

#[tokio::test]
async fn nothing_of_a_deal_is_on_record_before_it_is_over() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let entrants = vec![tournament::agent("ann"), tournament::house("random")];
    let setup = tournament::setup(GameId::Gap, &[], tournament::round_robin(1));
    let id = caller.begin(v1::TournamentSetup { entrants, ..setup }).await;
    let (_, given) = ann.given().await;
    let first = given.table_id;
    assert_eq!(why(caller.get_record(get(&first)).await), Reason::TableNotOver);
    ann.play(1).await;
    ann.given().await;
    // Now the first table of the deal is over, and the second is being played.
    let refused = caller.get_record(get(&first)).await.unwrap_err();
    assert_eq!(refused.reason, Reason::DealNotOver);
    assert_eq!(refused.metadata.get("tournament_id"), Some(&id));
    let of_it = v1::ListRecordsRequest { tournament_id: id.clone(), ..everything() };
    assert_eq!(list(&caller, of_it.clone()).await, [""; 0]);
    assert_eq!(export(&caller, &id, None).await.expect("nothing yet"), []);
    ann.play(1).await;
    caller.to_the_end(&id).await;
    assert_eq!(caller.record(get(&first)).await.table_id, first);
    let by_agent = v1::ListRecordsRequest { agent: "ann".into(), ..of_it };
    assert_eq!(list(&caller, by_agent).await.len(), 2);
    let messages = export(&caller, &id, None).await.expect("an export");
    let records: Vec<v1::Record> = messages.into_iter().flat_map(|message| message.records).collect();
    assert_eq!((records.len(), &records[0].table_id), (2, &first));
}

#[tokio::test]
async fn a_tournament_that_is_not_there_or_not_to_be_seen_has_no_export() {
    let (anna, ben, root) = (key("anna", OWNER), key("ben", OWNER), key("root", &[Scope::Admin]));
    let scene = Scene::with_keys([&anna, &ben, &root]).await;
    let tournament = TableId::new(5, [1; 10]);
    put_tournament(&*scene.log, tournament, "anna", false).await;
    let name = tournament.to_string();
    for caller in [scene.holder(&anna), scene.holder(&root)] {
        assert_eq!(export(&caller, &name, None).await.expect("an export"), []);
    }
    let other = scene.holder(&ben);
    for caller in [&scene.anyone(), &other] {
        assert_eq!(why(export(caller, &name, None).await), Reason::TournamentNotFound);
    }
    assert_eq!(why(export(&other, &no_table(), None).await), Reason::TournamentNotFound);
    let table = other.make(gap(2)).await;
    assert_eq!(why(export(&other, &table, None).await), Reason::TournamentNotFound, "a table is none");
    // And a tournament is no table.
    assert_eq!(
        why(scene.holder(&anna).get_table(crate::table_requests::get(&name)).await),
        Reason::TableNotFound
    );
    assert_eq!(why(scene.holder(&anna).get_record(get(&name)).await), Reason::TableNotFound);
    assert_eq!(why(scene.holder(&anna).delete_table(delete(&name)).await), Reason::TableNotFound);
    let refused = export(&other, "x", None).await.unwrap_err();
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["tournament_id".to_owned()]));
    let request = v1::ExportRecordsRequest { tournament_id: name, viewer: Some(v1::Viewer::default()) };
    let refused = Refused::of(&soon(other.records().export_records(request)).await.unwrap_err());
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["viewer".to_owned()]));
}
