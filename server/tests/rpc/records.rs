//! Records: replayed from their shuffles they give the same game, each viewer's holds what that viewer saw, and who may
//! not see a table does not see its record.

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyOptions, Audience, Chance, Events, GameId, Seat, Shuffle, Viewer,
};
use parlor_proto::convert::{card_code, seat, seats, shuffle};
use parlor_proto::v1::{self, ErrorReason as Reason, record_telling::Told};
use parlor_server::identity::Scope;

use crate::client::{Caller, why};
use crate::players::{Game, Seen};
use crate::streams::index;
use crate::table_requests::{cancel, delete, fresh, gap, no_table, private, seeded, spectators, table};
use crate::test_server::{Scene, key, ms, until};

pub(crate) fn get(table_id: &str) -> v1::GetRecordRequest {
    v1::GetRecordRequest { table_id: table_id.to_owned(), ..Default::default() }
}

pub(crate) fn of(viewer: Viewer, request: v1::GetRecordRequest) -> v1::GetRecordRequest {
    v1::GetRecordRequest { viewer: Some(viewer.into()), ..request }
}

impl Caller {
    pub(crate) async fn record(&self, request: v1::GetRecordRequest) -> v1::Record {
        self.get_record(request).await.expect("a record").record.expect("one in the answer")
    }
}

/// All that a game does.
#[derive(Default)]
struct All {
    told: Vec<(Audience, AnyEvent)>,
    shuffled: Vec<(Shuffle, Vec<u8>)>,
}

impl Events<AnyEvent> for All {
    fn tell(&mut self, to: Audience, event: AnyEvent) {
        self.told.push((to, event));
    }

    fn shuffled(&mut self, name: Shuffle, codes: impl Iterator<Item = u8>) {
        self.shuffled.push((name, codes.collect()));
    }
}

fn orders(record: &v1::Record) -> Vec<(Shuffle, Vec<u8>)> {
    let code = |card: &v1::GameCard| card_code(*card).expect("a card").1;
    let order = |one: &v1::RecordShuffle| {
        let name = shuffle(one.round, one.purpose, one.count).expect("a name");
        (name, one.cards.iter().map(code).collect())
    };
    record.shuffles.iter().map(order).collect()
}

/// What a step told of the game, and to whom.
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

/// Plays a record again from its shuffles alone: another seed is behind them. Gives the game at its end.
pub(crate) fn replay(record: &v1::Record) -> AnyGame {
    let options = AnyOptions::try_from(record.options.expect("options")).expect("options");
    let chance = Chance::scripted([0x5a; 32], orders(record));
    let players = u8::try_from(record.seats.len()).expect("a few");
    let mut all = All::default();
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
            game.apply(seat, action, &mut all).expect("it was legal");
        }
        let told = game_events(step);
        has_begun |= !told.is_empty();
        if has_begun {
            assert_eq!(std::mem::take(&mut all.told), told, "step {place}");
        }
        // The shuffles of the deal come with the step in which the game began.
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

fn check_full(record: &v1::Record, table: &v1::Table) {
    assert_eq!((record.version, &record.viewer), (1, &None));
    assert_eq!((&record.table_id, &record.game), (&table.table_id, &table.game));
    assert_eq!((record.rules_version, &record.options), (table.rules_version, &table.options));
    assert_eq!((&record.clock, &record.shuffle), (&table.clock, &table.shuffle));
    assert_eq!((&record.create_time, &record.start_time), (&table.create_time, &table.start_time));
    assert_eq!((&record.end_time, &record.result), (&table.end_time, &table.result));
    let outcome = replay(record).outcome().expect("it was played to its end");
    let result = record.result.as_ref().expect("a result");
    let standings: Vec<_> = outcome.standings().map(|one| (one.points, u32::from(one.place))).collect();
    assert_eq!(standings, result.seats.iter().map(|seat| (seat.points, seat.place)).collect::<Vec<_>>());
}

/// Holds the record of a viewer against what that viewer saw over its stream.
fn check_viewer(record: &v1::Record, viewer: Viewer, seen: &Seen) {
    assert_eq!(record.viewer, Some(viewer.into()));
    assert_eq!((record.shuffles.len(), record.views.len()), (0, 1));
    let last = seen.updates().last().expect("updates").number;
    assert_eq!(record.steps.len(), last as usize, "one step for each number");
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
    assert!(decisions.eq(asked), "asked when the stream asked");
}

async fn check(scene: &Scene, played: &Game) {
    let caller = scene.anyone();
    let table = caller.look(&played.id).await;
    let record = caller.record(get(&played.id)).await;
    check_full(&record, &table);
    let players = u8::try_from(played.players.len()).expect("a few");
    for (viewer, seen) in Viewer::all(players).zip(played.players.iter().chain([&played.spectator])) {
        let own = caller.record(of(viewer, get(&played.id))).await;
        check_viewer(&own, viewer, seen);
        let slot = viewer.seat().map_or(usize::from(players), Seat::index);
        assert_eq!(own.views[0], record.views[slot]);
    }
}

async fn check_all(game: GameId) {
    let scene = Scene::new().await;
    let info = game.info();
    for players in info.min_players..=info.max_players {
        let played = scene.play_out(table(game, players.into())).await;
        check(&scene, &played).await;
    }
    // With a seed that nobody chose.
    let played = scene.play_out(fresh(table(game, info.min_players.into()))).await;
    check(&scene, &played).await;
}

#[tokio::test]
async fn the_records_of_habe_fertig() {
    check_all(GameId::HabeFertig).await;
}

#[tokio::test]
async fn the_records_of_gap() {
    check_all(GameId::Gap).await;
}

#[tokio::test]
async fn the_records_of_flush() {
    check_all(GameId::Flush).await;
}

#[tokio::test]
async fn the_records_of_no_dice() {
    check_all(GameId::NoDice).await;
}

/// A game that is added to the catalogue is added above.
#[test]
fn no_game_is_left_out() {
    assert_eq!(GameId::ALL, [GameId::HabeFertig, GameId::Gap, GameId::Flush, GameId::NoDice]);
}

#[tokio::test]
async fn what_players_say_of_their_time_is_on_record() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = scene.seat_all(seeded([1; 32], gap(2))).await;
    let answer = v1::Answer { think_ms: Some(417), ..index(1, 0) };
    caller.act(crate::table_requests::act(&seated.tokens[0], answer)).await.expect("an answer");
    scene.play_seats(&seated).await;
    let record = caller.record(get(&seated.id)).await;
    let said: Vec<Option<u32>> =
        record.steps.iter().flat_map(|step| &step.decided).map(|made| made.reported_ms).collect();
    assert_eq!(said[0], Some(417));
    assert!(said.len() > 1 && said[1..].iter().all(Option::is_none));
}

/// The records of a table that anna owns, asked for in every way.
#[tokio::test]
async fn a_private_record_is_for_its_owner_and_each_player_sees_their_own() {
    let scopes = [Scope::Tables, Scope::Play, Scope::SeededTables];
    let (anna, ben, root) = (key("anna", &scopes), key("ben", &scopes), key("root", &[Scope::Admin]));
    let scene = Scene::with_keys([&anna, &ben, &root]).await;
    let owner = scene.holder(&anna);
    let seated = owner.seat_all(private(gap(2))).await;
    let guest = owner.create_spectator_token(spectators(&seated.id, false)).await.unwrap().spectator_token;
    scene.play_seats(&seated).await;

    let stranger = scene.holder(&ben);
    for caller in [&scene.anyone(), &stranger] {
        assert_eq!(why(caller.get_record(get(&seated.id)).await), Reason::TableNotFound);
        assert_eq!(
            why(caller.get_record(of(Viewer::Spectator, get(&seated.id))).await),
            Reason::TableNotFound
        );
    }
    for caller in [&owner, &scene.holder(&root)] {
        assert_eq!(caller.record(get(&seated.id)).await.viewer, None);
        for viewer in Viewer::all(2) {
            let record = caller.record(of(viewer, get(&seated.id))).await;
            assert_eq!(record.viewer, Some(viewer.into()));
        }
    }
    let with = |token: &str| v1::GetRecordRequest { token: token.to_owned(), ..get(&seated.id) };
    let tokens = seated.tokens.iter().chain([&guest]);
    for (own, token) in Viewer::all(2).zip(tokens) {
        let whole = owner.record(of(own, get(&seated.id))).await;
        for caller in [&scene.anyone(), &stranger] {
            assert_eq!(caller.record(with(token)).await, whole, "their own, unless they say otherwise");
            for viewer in Viewer::all(2) {
                let answer = caller.get_record(of(viewer, with(token))).await;
                if viewer == own {
                    assert_eq!(answer.unwrap().record, Some(whole.clone()));
                } else {
                    assert_eq!(why(answer), Reason::NotOwner);
                }
            }
        }
    }
    assert_eq!(why(stranger.get_record(with("pls_x")).await), Reason::TokenInvalid);
    let other = owner.seat_all(gap(2)).await;
    let refused = owner.get_record(with(&other.tokens[0])).await.unwrap_err();
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["token".to_owned()]));
    owner.reissue_seat_token(crate::table_requests::reissue(&other.id, 0)).await.expect("a new token");
    let old = v1::GetRecordRequest { token: other.tokens[0].clone(), ..get(&other.id) };
    assert_eq!(why(scene.anyone().get_record(old).await), Reason::TokenExpired);
}

#[tokio::test]
async fn what_is_asked_wrongly_is_refused() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = scene.seat_all(gap(2)).await;
    assert_eq!(why(caller.get_record(get(&seated.id)).await), Reason::TableNotOver);
    scene.play_seats(&seated).await;
    assert_eq!(why(caller.get_record(get(&no_table())).await), Reason::TableNotFound);
    let nobody = v1::Viewer { viewer: Some(v1::viewer::Viewer::Seat(2)) };
    let asked = v1::GetRecordRequest { viewer: Some(nobody), ..get(&seated.id) };
    assert_eq!(why(caller.get_record(asked).await), Reason::SeatNotFound);
    let far = v1::Viewer { viewer: Some(v1::viewer::Viewer::Seat(u32::MAX)) };
    for (request, field) in [
        (get(""), "table_id"),
        (get("a table"), "table_id"),
        (v1::GetRecordRequest { viewer: Some(far), ..get(&seated.id) }, "viewer.seat"),
        (v1::GetRecordRequest { viewer: Some(v1::Viewer::default()), ..get(&seated.id) }, "viewer"),
    ] {
        let refused = caller.get_record(request).await.unwrap_err();
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec![field.to_owned()]));
    }
    caller.delete_table(delete(&seated.id)).await.expect("it is over");
    assert_eq!(why(caller.get_record(get(&seated.id)).await), Reason::TableNotFound);
}

#[tokio::test]
async fn a_table_that_was_not_played_to_its_end_has_a_record_too() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let called_off = caller.seat_all(gap(2)).await;
    caller.act(crate::table_requests::act(&called_off.tokens[0], index(1, 0))).await.expect("an answer");
    let note = "the power went out".to_owned();
    caller
        .cancel_table(v1::CancelTableRequest { note: note.clone(), ..cancel(&called_off.id) })
        .await
        .expect("it can be done");
    let record = caller.record(get(&called_off.id)).await;
    let result = record.result.clone().expect("a result");
    assert_eq!((result.reason(), result.note), (v1::EndReason::Cancelled, note));
    assert_eq!((record.views.len(), record.shuffles.len()), (3, 1));
    assert!(replay(&record).outcome().is_none());

    let never = caller.make(v1::CreateTableRequest { fill_ms: Some(1_000), ..gap(2) }).await;
    scene.advance(ms(1_000));
    until("expired", async || caller.look(&never).await.state() == v1::TableState::Expired).await;
    let record = caller.record(get(&never)).await;
    assert_eq!(record.result.expect("a result").reason(), v1::EndReason::Expired);
    assert_eq!((record.views.len(), record.shuffles.len(), record.start_time), (0, 0, None));
    assert_eq!(record.seats, [0, 1].map(|seat| v1::RecordSeat { seat, occupant: None }));
    let own = caller.record(of(Viewer::Spectator, get(&never))).await;
    assert_eq!((own.views.len(), own.steps.len()), (0, 1));
}
