//! Replay: each viewer sees what it saw live, all hands show every hand, and access is that of GetRecord.

use parlor_engine::{AnyAction, AnyEvent, GameId, Lang, Localise, Viewer};
use parlor_proto::convert::seat;
use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::identity::Scope;
use prost::Message;

use crate::agent_client::{AgentClient, hello};
use crate::client::{Client, RpcError, error_reason};
use crate::players::{PlayedTable, Transcript, WANT_VIEWS};
use crate::records;
use crate::table_requests::{cancel, gap, private, spectator_token, table, unknown_table_id};
use crate::test_server::{TestServer, api_key, with_timeout};
use crate::tournament_requests;

fn all_hands(table_id: &str) -> v1::ReplayRequest {
    v1::ReplayRequest {
        table_id: table_id.to_owned(),
        language: v1::Language::German.into(),
        ..Default::default()
    }
}

fn of(viewer: Viewer, table_id: &str) -> v1::ReplayRequest {
    v1::ReplayRequest { viewer: Some(viewer.into()), ..all_hands(table_id) }
}

impl Client {
    /// The messages of a replay.
    async fn replay_messages(&self, request: v1::ReplayRequest) -> Result<Vec<v1::ReplayResponse>, RpcError> {
        let opened = with_timeout(self.records().replay(request)).await;
        let mut stream = opened.map_err(|status| RpcError::from_status(&status))?.into_inner();
        let mut messages = Vec::new();
        while let Some(message) =
            with_timeout(stream.message()).await.map_err(|status| RpcError::from_status(&status))?
        {
            messages.push(message);
        }
        Ok(messages)
    }

    /// The steps of a replay. Checks the numbers, the count, the sizes of the messages, and that the last step alone has
    /// the result.
    async fn replay(&self, request: v1::ReplayRequest) -> Result<Vec<v1::ReplayStep>, RpcError> {
        let first = request.first_step;
        let messages = self.replay_messages(request).await?;
        for message in &messages {
            assert!(message.encoded_len() <= 258 << 10 || message.steps.len() == 1);
        }
        let count = messages.first().expect("a message").step_count;
        assert!(messages.iter().all(|message| message.step_count == count && !message.steps.is_empty()));
        let steps: Vec<v1::ReplayStep> = messages.into_iter().flat_map(|message| message.steps).collect();
        assert!(steps.iter().map(|step| step.number).eq(first..count));
        assert!(steps.iter().all(|step| step.result.is_some() == (step.number + 1 == count)));
        Ok(steps)
    }
}

fn plain(text: &v1::RichText) -> String {
    text.parts.iter().map(|part| part.text.as_str()).collect()
}

/// The wants of a viewer to whom a replay is compared.
const WANT_TEXTS: v1::Wants =
    v1::Wants { texts: v1::Language::German as i32, board: Some(true), ..WANT_VIEWS };

/// Compares a replay with what its viewer received live.
fn check_viewer_replay(steps: &[v1::ReplayStep], viewer: Viewer, seen: &Transcript) {
    // Updates before the viewer attached are not in its transcript.
    let is_shown = |update: &&v1::Update| {
        !(update.table_events.is_empty() && update.events.is_empty() && update.decided.is_none())
    };
    let after_start = seen.updates().skip_while(|update| {
        seen.snapshot().view.is_none()
            && !update
                .table_events
                .iter()
                .any(|event| matches!(event.event, Some(v1::table_event::Event::Started(_))))
    });
    let updates: Vec<&v1::Update> = after_start.filter(is_shown).collect();
    let live = &steps[steps.len() - updates.len()..];
    for (step, update) in live.iter().zip(&updates) {
        assert_eq!(step.board, update.board, "step {}", step.number);
        let texts = update.texts.as_ref().expect("texts");
        assert_eq!(step.result, texts.result);
        // A replay keeps table events and game events in their order; step 0 also has what happened before the start.
        let mut told = step.texts.iter().collect::<Vec<_>>();
        for text in texts.table_events.iter().chain(&texts.events) {
            let place = told.iter().position(|told| *told == text);
            told.swap_remove(place.unwrap_or_else(|| panic!("step {}: {}", step.number, plain(text))));
        }
        assert!(step.number == 0 || told.is_empty(), "step {}: {told:?}", step.number);
        let made: Vec<v1::Decided> = update.decided.clone().into_iter().collect();
        assert_eq!(step.decisions.len(), made.len());
        for (shown, made) in step.decisions.iter().zip(made) {
            let action = AnyAction::try_from(made.action.expect("an action")).expect("an action");
            let expected = v1::ReplayDecision {
                seat: viewer.seat().expect("a player").index() as u32,
                decision_id: made.decision_id,
                index: made.index,
                action: Some(action.rich_text(Lang::De, viewer).into()),
                by: made.by,
                think_ms: made.think_ms,
            };
            assert_eq!(*shown, expected);
        }
    }
    assert!(!live.is_empty(), "{viewer:?} saw no step live");
    if seen.snapshot().board.is_some() {
        let before = &steps[steps.len() - updates.len() - 1];
        assert_eq!(before.board, seen.snapshot().board, "the snapshot is the step before");
    }
}

fn hand(step: &v1::ReplayStep, owner: u32) -> &v1::Zone {
    let zones = &step.board.as_ref().expect("a board").zones;
    let is_hand = |zone: &&v1::Zone| zone.kind() == v1::ZoneKind::Hand && zone.owner == Some(owner);
    zones.iter().find(is_hand).expect("a hand")
}

/// Checks that all hands show every card of every hand, and every decision.
async fn check_all_hands(client: &Client, played: &PlayedTable, own: &[Vec<v1::ReplayStep>]) {
    let steps = client.replay(all_hands(&played.id)).await.expect("a replay");
    for step in &steps {
        assert!(
            (0..own.len() as u32).all(|owner| hand(step, owner).unknown_cards == 0),
            "step {}",
            step.number
        );
        if let Some(board) = &step.board {
            assert!(board.targets.is_empty());
        }
    }
    for (owner, own) in (0..).zip(own) {
        assert_eq!(hand(&steps[0], owner).cards, hand(&own[0], owner).cards, "the deal of seat {owner}");
        let [last, own_last] = [&steps, own].map(|steps| steps.last().expect("a step"));
        assert_eq!(hand(last, owner).cards, hand(own_last, owner).cards);
    }
    let decisions = |steps: &[v1::ReplayStep]| -> Vec<(u32, u32, u32)> {
        let all = steps.iter().flat_map(|step| &step.decisions);
        let mut all: Vec<_> = all.map(|made| (made.seat, made.decision_id, made.index)).collect();
        all.sort_unstable();
        all
    };
    let mut expected: Vec<_> = own.iter().flat_map(|own| decisions(own)).collect();
    expected.sort_unstable();
    assert_eq!(decisions(&steps), expected);
    // The deal names each seat, and nobody is addressed before such a prefix.
    let private = |owner: u32| {
        let prefix = format!("Sitz {owner}: ");
        steps[0].texts.iter().any(|text| plain(text).starts_with(&prefix))
    };
    assert!((0..own.len() as u32).all(private), "{:?}", steps[0].texts.iter().map(plain).collect::<Vec<_>>());
}

async fn check_replays_of_game(game: GameId) {
    let server = TestServer::new().await;
    let client = server.client();
    let info = game.info();
    for players in [info.min_players, info.max_players] {
        let played = server.play_to_end_with(WANT_TEXTS, table(game, players.into())).await;
        let mut own = Vec::new();
        for (viewer, seen) in Viewer::all(players).zip(played.players.iter().chain([&played.spectator])) {
            let steps = client.replay(of(viewer, &played.id)).await.expect("a replay");
            check_viewer_replay(&steps, viewer, seen);
            own.push(steps);
        }
        own.pop();
        check_all_hands(&client, &played, &own).await;
    }
}

/// One test for each game of the catalogue.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            #[tokio::test]
            async fn replays_equal_the_live_game_and_show_all_hands() {
                super::check_replays_of_game(parlor_engine::GameId::$variant).await;
            }
        }
    )*};
}

parlor_engine::for_all_games!(suite);

#[tokio::test]
async fn long_replay_comes_in_bounded_messages_from_any_step() {
    let server = TestServer::new().await;
    let client = server.client();
    let played = server.play_to_end(table(GameId::HabeFertig, 4)).await;
    let messages = client.replay_messages(all_hands(&played.id)).await.expect("a replay");
    assert!(messages.len() > 1, "{} steps: too few for a meaningful test", messages[0].step_count);
    let steps = client.replay(all_hands(&played.id)).await.expect("a replay");
    let count = steps.len() as u32;
    for first_step in [1, count / 2, count - 1] {
        let rest = client.replay(v1::ReplayRequest { first_step, ..all_hands(&played.id) }).await;
        assert_eq!(rest.expect("a replay"), steps[first_step as usize..]);
    }
    for first_step in [count, u32::MAX] {
        let refused =
            client.replay(v1::ReplayRequest { first_step, ..all_hands(&played.id) }).await.unwrap_err();
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["first_step".to_owned()]));
    }
}

#[tokio::test]
async fn replay_is_in_the_language_asked_for() {
    let server = TestServer::new().await;
    let client = server.client();
    let played = server.play_to_end(table(GameId::HighCard, 2)).await;
    let language = |language: i32| v1::ReplayRequest { language, ..of(Viewer::Spectator, &played.id) };
    let steps = async |number: i32| client.replay(language(number)).await.expect("a replay");
    let [unset, english, german] = [steps(0).await, steps(1).await, steps(2).await];
    assert_eq!(unset, english);
    let texts = |steps: &[v1::ReplayStep]| -> Vec<String> {
        steps.iter().flat_map(|step| step.texts.iter().map(plain)).collect()
    };
    assert!(texts(&english).iter().any(|text| text.contains(" plays ")), "{:?}", texts(&english));
    assert!(texts(&german).iter().any(|text| text.contains(" spielt ")), "{:?}", texts(&german));
    let refused = client.replay(language(9)).await.unwrap_err();
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["language".to_owned()]));
    let texts = v1::GetRecordRequest { texts: 9, ..records::get(&played.id) };
    let refused = client.get_record(texts).await.unwrap_err();
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["texts".to_owned()]));
}

#[tokio::test]
async fn private_replay_is_visible_to_the_owner_and_own_views_to_token_holders() {
    let scopes = [Scope::Tables, Scope::Play, Scope::SeededTables];
    let (anna, ben) = (api_key("anna", &scopes), api_key("ben", &scopes));
    let server = TestServer::with_keys([&anna, &ben]).await;
    let owner = server.client_with_key(&anna);
    let seated = owner.new_seated_table(private(gap(2))).await;
    let spectator =
        owner.create_spectator_token(spectator_token(&seated.id, false)).await.unwrap().spectator_token;
    assert_eq!(error_reason(owner.replay(all_hands(&seated.id)).await), Reason::TableNotOver);
    server.play_seats(&seated).await;
    let stranger = server.client_with_key(&ben);
    for client in [&server.client(), &stranger] {
        for request in [all_hands(&seated.id), of(Viewer::Spectator, &seated.id)] {
            assert_eq!(error_reason(client.replay(request).await), Reason::TableNotFound);
        }
    }
    let hands = owner.replay(all_hands(&seated.id)).await.expect("a replay");
    assert!((0..2).all(|seat| hand(&hands[0], seat).unknown_cards == 0));
    let with = |token: &str| v1::ReplayRequest { token: token.to_owned(), ..all_hands(&seated.id) };
    for (own, token) in Viewer::all(2).zip(seated.tokens.iter().chain([&spectator])) {
        let whole = owner.replay(of(own, &seated.id)).await.expect("a replay");
        assert_eq!(
            stranger.replay(with(token)).await.expect("a replay"),
            whole,
            "a token selects its own view"
        );
        for viewer in Viewer::all(2) {
            let asked = v1::ReplayRequest { viewer: Some(viewer.into()), ..with(token) };
            let replay = stranger.replay(asked).await;
            if viewer == own {
                assert_eq!(replay.expect("a replay"), whole);
            } else {
                assert_eq!(error_reason(replay), Reason::NotOwner);
            }
        }
        for step in &whole {
            let others = (0..2).filter(|other| own != Viewer::Seat(seat(*other, "seat").expect("a seat")));
            assert!(others.into_iter().all(|other| hand(step, other).cards.is_empty()), "no other hand");
        }
    }
    assert_eq!(error_reason(stranger.replay(with("pls_x")).await), Reason::TokenInvalid);
    assert_eq!(error_reason(stranger.replay(all_hands(&unknown_table_id())).await), Reason::TableNotFound);
}

#[tokio::test]
async fn replay_of_a_game_that_never_started_is_one_step() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(gap(2)).await;
    client.join_table(crate::table_requests::join(&id)).await.expect("a seat");
    client.cancel_table(cancel(&id)).await.expect("an open table");
    let steps = client.replay(all_hands(&id)).await.expect("a replay");
    let [step] = steps.as_slice() else { panic!("{steps:?}") };
    assert_eq!((step.texts.len(), &step.board, step.decisions.len()), (2, &None, 0));
    let far = v1::Viewer { viewer: Some(v1::viewer::Viewer::Seat(2)) };
    let asked = v1::ReplayRequest { viewer: Some(far), ..all_hands(&id) };
    assert_eq!(error_reason(client.replay(asked).await), Reason::SeatNotFound);
}

#[tokio::test]
async fn replay_of_a_deal_is_hidden_until_its_last_table_is_over() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let entrants = vec![tournament_requests::agent("ann"), tournament_requests::house("random")];
    let setup = tournament_requests::setup(GameId::Gap, &[], tournament_requests::round_robin(1));
    let id = client.start_new_tournament(v1::TournamentSetup { entrants, ..setup }).await;
    let (_, given) = ann.next_seat().await;
    ann.play(1).await;
    ann.next_seat().await;
    // The first table of the deal is over, and the second is being played.
    for request in [all_hands(&given.table_id), of(Viewer::Spectator, &given.table_id)] {
        assert_eq!(error_reason(client.replay(request).await), Reason::DealNotOver);
    }
    ann.play(1).await;
    client.follow_to_end(&id).await;
    client.replay(all_hands(&given.table_id)).await.expect("a replay after the deal");
}

/// The texts of a record: in the full one for nobody or for the one seat that was told, in a viewer's own for the viewer.
#[tokio::test]
async fn record_has_texts_when_asked() {
    let server = TestServer::new().await;
    let client = server.client();
    for game in GameId::ALL {
        let played = server.play_to_end(table(*game, 2)).await;
        let viewers = Viewer::all(2).map(Some).chain([None]);
        for viewer in viewers {
            let request = v1::GetRecordRequest { viewer: viewer.map(Into::into), ..records::get(&played.id) };
            let without = client.record(request.clone()).await;
            let with =
                client.record(v1::GetRecordRequest { texts: v1::Language::German.into(), ..request }).await;
            check_record_texts(&with, viewer);
            let mut stripped = with;
            stripped.result_texts = None;
            for step in &mut stripped.steps {
                step.told.iter_mut().for_each(|telling| telling.text = None);
                step.decided.iter_mut().for_each(|decision| decision.text = None);
            }
            assert_eq!(stripped, without);
        }
    }
}

fn check_record_texts(record: &v1::Record, viewer: Option<Viewer>) {
    for telling in record.steps.iter().flat_map(|step| &step.told) {
        let text = telling.text.as_ref().expect("a text");
        let reader = match (viewer, &telling.audience) {
            (Some(viewer), _) => viewer,
            (None, Some(v1::record_telling::Audience::Only(only))) => {
                Viewer::Seat(seat(*only, "only").expect("a seat"))
            }
            (None, _) => Viewer::Spectator,
        };
        match &telling.told {
            Some(v1::record_telling::Told::Game(event)) => {
                let event = AnyEvent::try_from(event.clone()).expect("an event");
                assert_eq!(*text, event.rich_text(Lang::De, reader).into());
            }
            _ => assert!(!plain(text).is_empty()),
        }
    }
    for made in record.steps.iter().flat_map(|step| &step.decided) {
        assert!(!plain(made.text.as_ref().expect("a text")).is_empty());
    }
    assert_eq!(record.result_texts.as_ref().expect("texts of the result").seats.len(), 2);
}
