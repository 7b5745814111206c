//! Texts and boards on the streams: for every game they are those of the engine, in the language that each channel wants,
//! and a channel that wants none gets none.

use parlor_engine::{AnyAction, AnyEvent, GameId, Lang, Localise, Viewer};
use parlor_proto::table_text::DecidedText;
use parlor_proto::v1::{self, stream_item::Item};

use crate::players::{ChooseAction, WANT_VIEWS, engine_view, random_choice};
use crate::streams::{
    PlayStream, answer_index, answer_item, attach_item, open_follow, play_seat, resume_after, spectate,
    with_wants,
};
use crate::table_requests::{get, join, table};
use crate::test_server::TestServer;

/// The wants of most bots and the view of each update, with texts in this language and the board.
pub(crate) fn in_language(language: v1::Language) -> v1::Wants {
    v1::Wants { texts: language.into(), board: Some(true), ..WANT_VIEWS }
}

/// The texts of all parts, one after the other.
pub(crate) fn joined(text: &v1::RichText) -> String {
    text.parts.iter().map(|part| part.text.as_str()).collect()
}

/// A channel of the test: its viewer, and the language of its texts.
#[derive(Clone, Copy)]
struct TestChannel {
    viewer: Viewer,
    lang: Option<Lang>,
}

impl TestChannel {
    fn wants(self) -> v1::Wants {
        self.lang.map_or(WANT_VIEWS, |lang| in_language(lang.into()))
    }

    fn text(self, value: &impl Localise) -> Option<v1::RichText> {
        let rich = value.rich_text(self.lang?, self.viewer);
        let text = v1::RichText::from(rich.clone());
        assert_eq!(joined(&text), rich.to_string(), "the parts are the whole sentence");
        Some(text)
    }

    fn board(self, view: &v1::GameView, actions: &[AnyAction]) -> Option<v1::Board> {
        let lang = self.lang?;
        Some((engine_view(view).board(actions, lang), lang).into())
    }

    /// Compares the texts and the board of an item with those of the engine, which the item's view, events and actions
    /// give. Returns the item without them, and without presence, which depends on the order of the attachments.
    fn check(self, item: Item) -> Item {
        match item {
            Item::Snapshot(snapshot) => Item::Snapshot(Box::new(self.check_snapshot(*snapshot))),
            Item::Update(update) => Item::Update(self.check_update(update)),
            Item::Decision(decision) => Item::Decision(self.check_decision(decision)),
            other => other,
        }
    }

    fn check_snapshot(self, mut snapshot: v1::Snapshot) -> v1::Snapshot {
        let (texts, board) = (snapshot.texts.take(), snapshot.board.take());
        snapshot.presence.clear();
        assert_eq!(texts.is_some(), self.lang.is_some());
        let view = snapshot.view.as_deref();
        assert_eq!(board, view.and_then(|view| self.board(view, &[])));
        if let Some(texts) = texts {
            assert_eq!(texts.view, view.and_then(|view| self.text(&engine_view(view))));
            let result = snapshot.table.as_ref().expect("a table").result.as_ref();
            self.check_result(texts.result.as_ref(), result);
        }
        snapshot
    }

    fn check_update(self, mut update: v1::Update) -> v1::Update {
        let (texts, board) = (update.texts.take(), update.board.take());
        assert_eq!(texts.is_some(), self.lang.is_some());
        let view = update.view.as_deref();
        assert_eq!(board, view.and_then(|view| self.board(view, &[])));
        let Some(texts) = texts else { return update };
        assert_eq!(texts.view, view.and_then(|view| self.text(&engine_view(view))));
        let events = update.events.iter().map(|event| AnyEvent::try_from(event.clone()).expect("an event"));
        let events: Vec<_> = events.filter_map(|event| self.text(&event)).collect();
        assert_eq!(texts.events, events);
        let decided = update.decided.as_ref().and_then(|decided| {
            let action = AnyAction::try_from(decided.action.clone()?).expect("an action");
            self.text(&DecidedText { action, by: decided.by() })
        });
        assert_eq!(texts.decided, decided);
        assert_eq!(texts.table_events.len(), update.table_events.len());
        assert!(texts.table_events.iter().all(|text| joined(text).ends_with('.')), "{texts:?}");
        let over = update.table_events.iter().find_map(|event| match &event.event {
            Some(v1::table_event::Event::Over(over)) => over.result.as_ref(),
            _ => None,
        });
        self.check_result(texts.result.as_ref(), over);
        update
    }

    fn check_decision(self, mut decision: v1::Decision) -> v1::Decision {
        let (texts, board) = (decision.texts.take(), decision.board.take());
        assert_eq!(texts.is_some(), self.lang.is_some());
        let view = decision.view.as_deref().expect("a view");
        let actions = decision.legal_actions.iter().cloned().map(AnyAction::try_from);
        let actions: Vec<AnyAction> = actions.collect::<Result<_, _>>().expect("actions");
        assert_eq!(board, self.board(view, &actions));
        if let (Some(texts), Some(lang)) = (texts, self.lang) {
            let view = engine_view(view);
            assert_eq!(texts.view, self.text(&view));
            assert_eq!(texts.question, Some(view.question(lang).into()));
            assert_ne!(texts.question, Some(v1::RichText::default()), "a decision asks something");
            let expected: Vec<v1::RichText> =
                actions.iter().map(|action| view.action_text(action, lang).into()).collect();
            assert_eq!(texts.actions, expected, "in the order of the indices");
        }
        decision
    }

    /// A sentence for each seat with its points; the viewer's own is about "you".
    fn check_result(self, texts: Option<&v1::ResultTexts>, result: Option<&v1::TableResult>) {
        assert_eq!(texts.is_some(), result.is_some());
        let (Some(texts), Some(result)) = (texts, result) else { return };
        assert!(texts.reason.is_some());
        assert_eq!(texts.seats.len(), result.seats.len());
        let [you, seat_word] = match self.lang.expect("a language") {
            Lang::En => ["You ", "Seat "],
            Lang::De => ["Du ", "Sitz "],
        };
        for (text, seat) in texts.seats.iter().zip(&result.seats) {
            let text = joined(text);
            let own = self.viewer.seat().is_some_and(|own| own.index() == seat.seat as usize);
            assert!(text.starts_with(if own { you } else { seat_word }), "{text}");
            assert!(text.contains(&format!(" {} ", seat.points)), "{text}");
        }
    }
}

/// The items with the views that the server left out of decisions, because the snapshot or update before had them.
fn with_restored_views(mut items: Vec<Item>) -> Vec<Item> {
    let mut last_view = None;
    for item in &mut items {
        match item {
            Item::Snapshot(snapshot) => last_view.clone_from(&snapshot.view),
            Item::Update(update) => last_view.clone_from(&update.view),
            Item::Decision(decision) if decision.view.is_none() => decision.view.clone_from(&last_view),
            _ => {}
        }
    }
    items
}

/// Plays a game for two over one stream, whose channels see it without texts, in German and in English; then reads it
/// again from its record.
async fn play_in_all_languages(game: GameId) {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(table(game, 2)).await;
    let mut tokens = Vec::new();
    let channels: Vec<TestChannel> = Viewer::all(2)
        .flat_map(|viewer| [None, Some(Lang::De), Some(Lang::En)].map(|lang| TestChannel { viewer, lang }))
        .collect();
    let mut stream = PlayStream::open(&client).await;
    let attach = |channel: &TestChannel, tokens: &[String]| match channel.viewer {
        Viewer::Seat(seat) => with_wants(channel.wants(), play_seat(&tokens[seat.index()])),
        Viewer::Spectator => with_wants(channel.wants(), spectate(&id)),
    };
    let attached = |players: bool, tokens: &[String]| {
        let numbered = (0..).zip(&channels).filter(|(_, channel)| channel.viewer.seat().is_some() == players);
        numbered.map(|(number, channel)| attach_item(number, attach(channel, tokens))).collect()
    };
    stream.send(attached(false, &[])).await;
    for _ in 0..2 {
        tokens.push(client.join_table(join(&id)).await.expect("a seat").seat_token);
    }
    stream.send(attached(true, &tokens)).await;

    let mut seen: Vec<Vec<Item>> = vec![Vec::new(); channels.len()];
    let (mut choice, mut open) = (random_choice(5), channels.len());
    while open > 0 {
        let (number, item) = stream.reader.next().await;
        match &item {
            // The first of the three channels of a seat answers.
            Item::Decision(decision) if channels[number as usize].lang.is_none() => {
                let index = choice.choose(decision);
                stream.send(vec![answer_item(number, answer_index(decision.id, index))]).await;
            }
            Item::Closed(_) => open -= 1,
            Item::Answered(_) => continue,
            _ => {}
        }
        seen[number as usize].push(item);
    }
    let mut checked = Vec::new();
    for (channel, items) in channels.iter().zip(seen.clone()) {
        let items = with_restored_views(items);
        checked.push(items.into_iter().map(|item| channel.check(item)).collect::<Vec<_>>());
    }
    for same_viewer in checked.chunks(3) {
        assert_eq!(same_viewer[0], same_viewer[1], "nothing else changes with the texts");
        assert_eq!(same_viewer[0], same_viewer[2]);
        assert!(same_viewer[0].len() > 4);
    }

    // Again after the end: a snapshot, and the updates from the first.
    for (channel, items) in channels.iter().zip(&seen) {
        let attach = attach(channel, &tokens);
        let again = vec![(0, attach.clone()), (1, resume_after(0, attach))];
        let mut reader = open_follow(&client, again).await.expect("a stream");
        channel.check_snapshot(reader.snapshot(0).await);
        let updates: Vec<_> = items.iter().filter(|item| matches!(item, Item::Update(_))).collect();
        let Some(Item::Update(first)) = updates.first() else { panic!("no updates") };
        for number in 1..first.number {
            assert_eq!(channel.check_update(reader.update(1).await).number, number);
        }
        for update in updates {
            assert_eq!(&Item::Update(reader.update(1).await), update, "from the record as live");
        }
    }
}

/// One test for each game of the catalogue.
macro_rules! suite {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$(
        mod $module {
            #[tokio::test]
            async fn texts_and_boards_are_those_of_the_engine() {
                super::play_in_all_languages(parlor_engine::GameId::$variant).await;
            }
        }
    )*};
}

parlor_engine::for_all_games!(suite);

/// Texts and boards do not need the views, events and actions that they are made from.
#[tokio::test]
async fn texts_and_boards_come_without_views_events_and_actions() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = client.new_seated_table(table(GameId::HighCard, 2)).await;
    let nothing = v1::Wants {
        events: Some(false),
        decision_views: Some(false),
        legal_actions: Some(false),
        ..v1::Wants::default()
    };
    let texts = v1::Wants { texts: v1::Language::English.into(), ..nothing };
    let boards = v1::Wants { board: Some(true), ..nothing };
    let mut stream = PlayStream::open(&client).await;
    let attach = |wants| with_wants(wants, play_seat(&seated.tokens[0]));
    stream.send(vec![attach_item(0, attach(texts)), attach_item(1, attach(boards))]).await;
    let snapshots = [stream.reader.snapshot(0).await, stream.reader.snapshot(1).await];
    assert!(snapshots[0].texts.is_some() && snapshots[0].board.is_none());
    assert!(snapshots[1].texts.is_none() && snapshots[1].board.is_some());
    let decisions = [stream.reader.decision(0).await, stream.reader.decision(1).await];
    for decision in &decisions {
        assert!(decision.view.is_none() && decision.legal_actions.is_empty() && decision.legal_count == 3);
    }
    let asked = decisions[0].texts.as_ref().expect("texts");
    assert_eq!(joined(asked.question.as_ref().expect("a question")), "Play a card.");
    assert!(asked.actions.len() == 3 && decisions[0].board.is_none());
    let board = decisions[1].board.as_ref().expect("a board");
    assert!(board.targets.len() == 3 && board.zones[0].label == "Hand" && decisions[1].texts.is_none());

    stream.answer(0, answer_index(1, 0)).await;
    let updates = [stream.reader.update(0).await, stream.reader.update(1).await];
    assert!(updates.iter().all(|update| update.view.is_none() && update.events.is_empty()));
    let told = updates[0].texts.as_ref().expect("texts");
    let decided = joined(told.decided.as_ref().expect("a decision"));
    assert!(decided.starts_with("Your move: play "), "{decided}");
    let [event] = told.events.as_slice() else { panic!("{told:?}") };
    assert!(joined(event).starts_with("You play "), "{event:?}");
    assert!(told.view.is_some() && updates[0].board.is_none());
    assert!(updates[1].board.as_ref().is_some_and(|board| board.targets.is_empty()));
}

#[tokio::test]
async fn get_table_has_result_texts_for_the_caller() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = client.new_seated_table(table(GameId::HighCard, 2)).await;
    let asked = |token: &str, texts: v1::Language| v1::GetTableRequest {
        token: token.to_owned(),
        texts: texts.into(),
        ..get(&seated.id)
    };
    let running = client.get_table(asked("", v1::Language::English)).await.expect("a table");
    assert_eq!(running.result_texts, None);
    server.play_seats(&seated).await;
    let none = client.get_table(get(&seated.id)).await.expect("a table");
    assert_eq!(none.result_texts, None);
    for (token, language, start) in [
        ("", v1::Language::English, "Seat 0 comes "),
        ("", v1::Language::German, "Sitz 0 belegt Platz "),
        (seated.tokens[0].as_str(), v1::Language::English, "You come "),
        (seated.tokens[0].as_str(), v1::Language::German, "Du belegst Platz "),
    ] {
        let texts = client.get_table(asked(token, language)).await.expect("a table").result_texts;
        let texts = texts.expect("texts");
        assert!(joined(&texts.seats[0]).starts_with(start), "{texts:?}");
        assert_eq!(texts.seats.len(), 2);
    }
    let wrong = v1::GetTableRequest { texts: 9, ..get(&seated.id) };
    assert_eq!(client.get_table(wrong).await.expect_err("no language").fields, ["texts"]);
}
