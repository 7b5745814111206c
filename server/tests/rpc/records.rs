//! GetRecord: a full record replays to the same game, a viewer's record has exactly what that viewer
//! received, and access follows the visibility of the table.

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyOptions, Audience, Chance, EventSink, GameId, Seat, ShuffleId, Viewer,
};
use parlor_proto::convert::{card_code, seat, seats, shuffle};
use parlor_proto::v1::{self, ErrorReason as Reason, record_telling::Told};
use parlor_server::identity::Scope;

use crate::client::{Client, error_reason};
use crate::players::{PlayedTable, Transcript};
use crate::streams::answer_index;
use crate::table_requests::{
    cancel, delete, fresh, gap, private, seeded, spectator_token, table, unknown_table_id,
};
use crate::test_server::{TestServer, api_key, ms, wait_until};

pub(crate) fn get(table_id: &str) -> v1::GetRecordRequest {
    v1::GetRecordRequest { table_id: table_id.to_owned(), ..Default::default() }
}

pub(crate) fn for_viewer(viewer: Viewer, request: v1::GetRecordRequest) -> v1::GetRecordRequest {
    v1::GetRecordRequest { viewer: Some(viewer.into()), ..request }
}

impl Client {
    pub(crate) async fn record(&self, request: v1::GetRecordRequest) -> v1::Record {
        self.get_record(request).await.expect("a record").record.expect("a record in the response")
    }
}

/// Collects the events and shuffles of a replay.
#[derive(Default)]
struct ReplayEvents {
    told: Vec<(Audience, AnyEvent)>,
    shuffled: Vec<(ShuffleId, Vec<u8>)>,
}

impl EventSink<AnyEvent> for ReplayEvents {
    fn emit(&mut self, to: Audience, event: AnyEvent) {
        self.told.push((to, event));
    }

    fn record_shuffle(&mut self, name: ShuffleId, codes: impl Iterator<Item = u8>) {
        self.shuffled.push((name, codes.collect()));
    }
}

fn orders(record: &v1::Record) -> Vec<(ShuffleId, Vec<u8>)> {
    let code = |card: &v1::GameCard| card_code(*card).expect("a card").1;
    let order = |one: &v1::RecordShuffle| {
        let name = shuffle(one.round, one.purpose, one.count).expect("a name");
        (name, one.cards.iter().map(code).collect())
    };
    record.shuffles.iter().map(order).collect()
}

/// The game events of a step, with their audiences.
fn game_events(step: &v1::RecordStep) -> Vec<(Audience, AnyEvent)> {
    let to = |telling: &v1::RecordTelling| match telling.audience.clone().expect("an audience") {
        v1::record_telling::Audience::Everyone(_) => Audience::Everyone,
        v1::record_telling::Audience::Only(number) => Audience::Only(seat(number, "only").expect("a seat")),
        v1::record_telling::Audience::AllBut(but) => {
            Audience::AllBut(seats(but.seats, "seats").expect("seats"))
        }
    };
    let event = |telling: &v1::RecordTelling| match &telling.told {
        Some(Told::Game(event)) => Some((to(telling), AnyEvent::try_from(event.clone()).expect("an event"))),
        _ => None,
    };
    step.told.iter().filter_map(event).collect()
}

/// Replays a record from its shuffles alone, with an unrelated seed, checking every step; returns the last
/// position.
pub(crate) fn replay(record: &v1::Record) -> AnyGame {
    let options = AnyOptions::try_from(record.options.expect("options")).expect("options");
    let chance = Chance::scripted([0x5a; 32], orders(record));
    let players = u8::try_from(record.seats.len()).expect("at most 6 players");
    let mut all = ReplayEvents::default();
    let mut game = AnyGame::new(record.rules_version, options, players, chance, &mut all).expect("a game");
    for (viewer, view) in Viewer::all(players).zip(&record.views) {
        assert_eq!(v1::GameView::from(game.view(viewer)), v1::GameView { seed_given: false, ..view.clone() });
    }
    assert_eq!(record.views.len(), usize::from(players) + 1);
    let (mut has_begun, mut shuffled) = (false, 0);
    for (place, step) in record.steps.iter().enumerate() {
        for made in &step.decided {
            let seat = seat(made.seat, "seat").expect("a seat");
            let action = AnyAction::try_from(made.action.clone().expect("an action")).expect("an action");
            let legal = game.legal_actions(seat);
            assert_eq!(legal.get(made.index as usize), Some(&action));
            game.apply(seat, action, &mut all).expect("a recorded action is legal");
        }
        let told = game_events(step);
        has_begun |= !told.is_empty();
        if has_begun {
            assert_eq!(std::mem::take(&mut all.told), told, "step {place}");
        }
        // The shuffles of the deal belong to the step that started the game.
        let due = record.shuffles.iter().filter(|shuffle| shuffle.step as usize <= place).count();
        if has_begun {
            assert_eq!(all.shuffled.len(), due, "step {place}");
            shuffled = due;
        }
    }
    assert_eq!(shuffled, record.shuffles.len());
    assert_eq!(all.shuffled, orders(record));
    game
}

fn check_full_record(record: &v1::Record, table: &v1::Table) {
    assert_eq!((record.version, &record.viewer), (1, &None));
    assert_eq!((&record.table_id, &record.game), (&table.table_id, &table.game));
    assert_eq!((record.rules_version, &record.options), (table.rules_version, &table.options));
    assert_eq!((&record.clock, &record.shuffle), (&table.clock, &table.shuffle));
    assert_eq!((&record.create_time, &record.start_time), (&table.create_time, &table.start_time));
    assert_eq!((&record.end_time, &record.result), (&table.end_time, &table.result));
    let outcome = replay(record).outcome().expect("an outcome");
    let result = record.result.as_ref().expect("a result");
    let standings: Vec<_> = outcome.standings().map(|one| (one.points, u32::from(one.place))).collect();
    assert_eq!(standings, result.seats.iter().map(|seat| (seat.points, seat.place)).collect::<Vec<_>>());
}

/// Compares the record of a viewer with the transcript of its stream.
fn check_viewer_record(record: &v1::Record, viewer: Viewer, seen: &Transcript) {
    assert_eq!(record.viewer, Some(viewer.into()));
    assert_eq!((record.shuffles.len(), record.views.len()), (0, 1));
    let last = seen.updates().last().expect("updates").number;
    assert_eq!(record.steps.len(), last as usize, "one step per update number");
    let audiences = record.steps.iter().flat_map(|step| &step.told);
    assert!(audiences.into_iter().all(|telling| telling.audience.is_none()));
    let mut asked = Vec::new();
    for update in seen.updates() {
        let step = &record.steps[update.number as usize - 1];
        let events = step.told.iter().filter_map(|telling| match &telling.told {
            Some(Told::Game(event)) => Some(event),
            _ => None,
        });
        assert!(events.eq(&update.events), "update {}", update.number);
        let table_events = step.told.iter().filter_map(|telling| match &telling.told {
            Some(Told::Table(event)) => Some(event),
            _ => None,
        });
        assert!(table_events.eq(&update.table_events), "update {}", update.number);
        let made = |made: &v1::RecordDecision| v1::Decided {
            decision_id: made.decision_id,
            action: made.action.clone(),
            by: made.by,
            think_ms: made.think_ms,
            bank_left_ms: made.bank_left_ms,
            index: made.index,
        };
        assert_eq!(step.decided.iter().map(made).collect::<Vec<_>>(), Vec::from_iter(update.decided.clone()));
        let own = viewer.seat().map(|seat| seat.index() as u32);
        assert!(step.decided.iter().all(|made| Some(made.seat) == own));
        assert!(step.asked.iter().all(|seat| Some(*seat) == own));
        asked.extend(step.asked.iter().map(|_| update.number));
    }
    let snapshot = seen.snapshot().number;
    let decisions = seen.decisions().map(|decision| decision.after).filter(|after| *after > snapshot);
    assert!(decisions.eq(asked), "decisions at the same updates as on the stream");
}

async fn check_records(server: &TestServer, played: &PlayedTable) {
    let client = server.client();
    let table = client.table(&played.id).await;
    let record = client.record(get(&played.id)).await;
    check_full_record(&record, &table);
    let players = u8::try_from(played.players.len()).expect("at most 6 players");
    for (viewer, seen) in Viewer::all(players).zip(played.players.iter().chain([&played.spectator])) {
        let own = client.record(for_viewer(viewer, get(&played.id))).await;
        check_viewer_record(&own, viewer, seen);
        let slot = viewer.seat().map_or(usize::from(players), Seat::index);
        assert_eq!(own.views[0], record.views[slot]);
    }
}

async fn check_records_of_game(game: GameId) {
    let server = TestServer::new().await;
    let info = game.info();
    for players in info.min_players..=info.max_players {
        let played = server.play_to_end(table(game, players.into())).await;
        check_records(&server, &played).await;
    }
    // With fresh chance.
    let played = server.play_to_end(fresh(table(game, info.min_players.into()))).await;
    check_records(&server, &played).await;
}

/// One test for each game of the catalogue.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            #[tokio::test]
            async fn records_at_every_player_count() {
                super::check_records_of_game(parlor_engine::GameId::$variant).await;
            }
        }
    )*};
}

parlor_engine::for_all_games!(suite);

#[tokio::test]
async fn reported_think_time_is_recorded() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = server.new_seated_table(seeded([1; 32], gap(2))).await;
    let answer = v1::Answer { think_ms: Some(417), ..answer_index(1, 0) };
    client.act(crate::table_requests::act(&seated.tokens[0], answer)).await.expect("an answer");
    server.play_seats(&seated).await;
    let record = client.record(get(&seated.id)).await;
    let reported: Vec<Option<u32>> =
        record.steps.iter().flat_map(|step| &step.decided).map(|made| made.reported_ms).collect();
    assert_eq!(reported[0], Some(417));
    assert!(reported.len() > 1 && reported[1..].iter().all(Option::is_none));
}

/// Requests for the records of a private table by its owner, an admin, its players, its spectators and
/// strangers.
#[tokio::test]
async fn private_record_is_visible_to_the_owner_and_own_views_to_token_holders() {
    let scopes = [Scope::Tables, Scope::Play, Scope::SeededTables];
    let (anna, ben, root) =
        (api_key("anna", &scopes), api_key("ben", &scopes), api_key("root", &[Scope::Admin]));
    let server = TestServer::with_keys([&anna, &ben, &root]).await;
    let owner = server.client_with_key(&anna);
    let seated = owner.new_seated_table(private(gap(2))).await;
    let spectator =
        owner.create_spectator_token(spectator_token(&seated.id, false)).await.unwrap().spectator_token;
    server.play_seats(&seated).await;

    let stranger = server.client_with_key(&ben);
    for client in [&server.client(), &stranger] {
        assert_eq!(error_reason(client.get_record(get(&seated.id)).await), Reason::TableNotFound);
        assert_eq!(
            error_reason(client.get_record(for_viewer(Viewer::Spectator, get(&seated.id))).await),
            Reason::TableNotFound
        );
    }
    for client in [&owner, &server.client_with_key(&root)] {
        assert_eq!(client.record(get(&seated.id)).await.viewer, None);
        for viewer in Viewer::all(2) {
            let record = client.record(for_viewer(viewer, get(&seated.id))).await;
            assert_eq!(record.viewer, Some(viewer.into()));
        }
    }
    let with = |token: &str| v1::GetRecordRequest { token: token.to_owned(), ..get(&seated.id) };
    let tokens = seated.tokens.iter().chain([&spectator]);
    for (own, token) in Viewer::all(2).zip(tokens) {
        let whole = owner.record(for_viewer(own, get(&seated.id))).await;
        for client in [&server.client(), &stranger] {
            assert_eq!(client.record(with(token)).await, whole, "a token selects its own view by default");
            for viewer in Viewer::all(2) {
                let answer = client.get_record(for_viewer(viewer, with(token))).await;
                if viewer == own {
                    assert_eq!(answer.unwrap().record, Some(whole.clone()));
                } else {
                    assert_eq!(error_reason(answer), Reason::NotOwner);
                }
            }
        }
    }
    assert_eq!(error_reason(stranger.get_record(with("pls_x")).await), Reason::TokenInvalid);
    let other = owner.new_seated_table(gap(2)).await;
    let refused = owner.get_record(with(&other.tokens[0])).await.unwrap_err();
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["token".to_owned()]));
    owner.reissue_seat_token(crate::table_requests::reissue(&other.id, 0)).await.expect("a new token");
    let old = v1::GetRecordRequest { token: other.tokens[0].clone(), ..get(&other.id) };
    assert_eq!(error_reason(server.client().get_record(old).await), Reason::TokenExpired);
}

#[tokio::test]
async fn invalid_get_record_requests_are_refused() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = server.new_seated_table(gap(2)).await;
    assert_eq!(error_reason(client.get_record(get(&seated.id)).await), Reason::TableNotOver);
    server.play_seats(&seated).await;
    assert_eq!(error_reason(client.get_record(get(&unknown_table_id())).await), Reason::TableNotFound);
    let no_seat = v1::Viewer { viewer: Some(v1::viewer::Viewer::Seat(2)) };
    let asked = v1::GetRecordRequest { viewer: Some(no_seat), ..get(&seated.id) };
    assert_eq!(error_reason(client.get_record(asked).await), Reason::SeatNotFound);
    let far = v1::Viewer { viewer: Some(v1::viewer::Viewer::Seat(u32::MAX)) };
    for (request, field) in [
        (get(""), "table_id"),
        (get("a table"), "table_id"),
        (v1::GetRecordRequest { viewer: Some(far), ..get(&seated.id) }, "viewer.seat"),
        (v1::GetRecordRequest { viewer: Some(v1::Viewer::default()), ..get(&seated.id) }, "viewer"),
    ] {
        let refused = client.get_record(request).await.unwrap_err();
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec![field.to_owned()]));
    }
    client.delete_table(delete(&seated.id)).await.expect("a table that is over");
    assert_eq!(error_reason(client.get_record(get(&seated.id)).await), Reason::TableNotFound);
}

#[tokio::test]
async fn cancelled_and_expired_tables_have_records() {
    let server = TestServer::new().await;
    let client = server.client();
    let cancelled = client.new_seated_table(gap(2)).await;
    client
        .act(crate::table_requests::act(&cancelled.tokens[0], answer_index(1, 0)))
        .await
        .expect("an answer");
    let note = "the power went out".to_owned();
    client
        .cancel_table(v1::CancelTableRequest { note: note.clone(), ..cancel(&cancelled.id) })
        .await
        .expect("an accepted request");
    let record = client.record(get(&cancelled.id)).await;
    let result = record.result.clone().expect("a result");
    assert_eq!((result.reason(), result.note), (v1::EndReason::Cancelled, note));
    assert_eq!((record.views.len(), record.shuffles.len()), (3, 1));
    assert!(replay(&record).outcome().is_none());

    let expired = client.new_table(v1::CreateTableRequest { fill_ms: Some(1_000), ..gap(2) }).await;
    server.advance(ms(1_000));
    wait_until("expired", async || client.table(&expired).await.state() == v1::TableState::Expired).await;
    let record = client.record(get(&expired)).await;
    assert_eq!(record.result.expect("a result").reason(), v1::EndReason::Expired);
    assert_eq!((record.views.len(), record.shuffles.len(), record.start_time), (0, 0, None));
    assert_eq!(record.seats, [0, 1].map(|seat| v1::RecordSeat { seat, occupant: None }));
    let own = client.record(for_viewer(Viewer::Spectator, get(&expired))).await;
    assert_eq!((own.views.len(), own.steps.len()), (0, 1));
}
