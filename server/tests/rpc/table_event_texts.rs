//! Sentences about the events of a table, for each reader in both languages; and the validation of the wanted language.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, stream_item::Item};

use crate::agent_client::{AgentClient, hello};
use crate::streams::{PlayStream, attach_item, open_follow, play_seat, spectate, with_wants};
use crate::table_requests::{cancel, clock, join, rematch, replace, resign, table, timed};
use crate::test_server::{TestServer, ms};
use crate::texts::{in_language, joined};

const LANGUAGES: [v1::Language; 2] = [v1::Language::English, v1::Language::German];

/// Reads a channel up to the next table event whose sentence contains this text.
async fn sentence(stream: &mut PlayStream, channel: u32, part: &str) -> v1::RichText {
    loop {
        match stream.reader.next_on(channel).await {
            Item::Update(update) => {
                let texts = update.texts.expect("texts");
                if let Some(found) = texts.table_events.into_iter().find(|text| joined(text).contains(part)) {
                    return found;
                }
            }
            Item::Closed(closed) => panic!("no sentence with {part:?}: {closed:?}"),
            _ => {}
        }
    }
}

/// Channels 0 and 1 are a spectator in English and German, 2 and 3 the player of seat 0.
struct Readers(PlayStream);

impl Readers {
    async fn check(&mut self, sentences: [&str; 4]) {
        for (channel, expected) in (0..).zip(sentences) {
            assert_eq!(joined(&sentence(&mut self.0, channel, expected).await), expected);
        }
    }
}

#[tokio::test]
async fn table_events_are_told_to_each_reader() {
    let server = TestServer::new().await;
    let client = server.client();
    let request = timed(clock(1_000, 0, 0, 2), table(GameId::HighCard, 2));
    let id = client.new_table(request).await;
    let mut readers = Readers(PlayStream::open(&client).await);
    let wants = |language| v1::Wants { rematch: Some(true), ..in_language(language) };
    let spectators = (0..).zip(LANGUAGES.map(|language| with_wants(wants(language), spectate(&id))));
    readers.0.send(spectators.map(|(channel, attach)| attach_item(channel, attach)).collect()).await;
    readers.0.reader.snapshot(0).await;
    let named = v1::JoinTableRequest { display_name: "Ada".to_owned(), ..join(&id) };
    let ada = client.join_table(named).await.expect("a seat").seat_token;
    let from_start = |language| v1::Attach { after: Some(0), ..with_wants(wants(language), play_seat(&ada)) };
    let players = (2..).zip(LANGUAGES.map(from_start));
    readers.0.send(players.map(|(channel, attach)| attach_item(channel, attach)).collect()).await;
    let [en, de] = ["Ada takes seat 0.", "Ada nimmt Sitz 0."];
    readers.check([en, de, "You take seat 0.", "Du nimmst Sitz 0."]).await;
    client.join_table(join(&id)).await.expect("a seat");
    let [en, de] = ["A player takes seat 1.", "Ein Spieler nimmt Sitz 1."];
    readers.check([en, de, en, de]).await;
    let [en, de] = ["All seats are taken: the game begins.", "Alle Sitze sind besetzt: Das Spiel beginnt."];
    readers.check([en, de, en, de]).await;

    server.advance_to_deadline(ms(1_000)).await;
    server.advance_to(ms(1_000));
    readers
        .check([
            "Seat 0 runs out of time; the clock plays.",
            "Sitz 0 überschreitet die Zeit; die Uhr spielt.",
            "You run out of time; the clock plays for you.",
            "Du überschreitest die Zeit; die Uhr spielt für dich.",
        ])
        .await;
    client.replace_seat(replace(&id, 1, "random")).await.expect("a bot");
    let [en, de] = ["The bot random takes over seat 1.", "Der Bot random übernimmt Sitz 1."];
    readers.check([en, de, en, de]).await;
    let [en, de] = ["The game was played to its end.", "Das Spiel ist zu Ende gespielt."];
    readers.check([en, de, en, de]).await;
    client.rematch(rematch(&id)).await.expect("a rematch");
    for (channel, start) in (0..).zip(["There is a rematch: table ", "Es gibt eine Revanche: Tisch "]) {
        let text = joined(&sentence(&mut readers.0, channel, start).await);
        assert!(text.starts_with(start), "{text}");
    }
}

#[tokio::test]
async fn forfeits_and_cancellations_have_their_reasons() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = client.new_seated_table(table(GameId::HighCard, 3)).await;
    let mut readers = Readers(PlayStream::open(&client).await);
    let attach = |channel: u32, language| {
        let viewer = if channel < 2 { spectate(&seated.id) } else { play_seat(&seated.tokens[0]) };
        attach_item(channel, with_wants(in_language(language), viewer))
    };
    let channels = (0..).zip(LANGUAGES.into_iter().cycle()).take(4);
    readers.0.send(channels.map(|(channel, language)| attach(channel, language)).collect()).await;
    readers.0.reader.snapshot(3).await;
    client.resign_seat(resign(&seated.tokens[0])).await.expect("a resignation");
    readers
        .check([
            "Seat 0 resigned and can no longer win.",
            "Sitz 0 hat aufgegeben und kann nicht mehr gewinnen.",
            "You resigned and can no longer win.",
            "Du hast aufgegeben und kannst nicht mehr gewinnen.",
        ])
        .await;
    let late = v1::CancelTableRequest { note: "it is late".to_owned(), ..cancel(&seated.id) };
    client.cancel_table(late).await.expect("a running table");
    let en = "The table was cancelled; nobody scores. The reason given: it is late";
    let de = "Der Tisch wurde abgesagt; niemand punktet. Die Begründung: it is late";
    readers.check([en, de, en, de]).await;
}

/// A client puts names in the place of seats: the joined seat is a part of its own, with the name.
#[tokio::test]
async fn a_seat_in_a_sentence_is_a_part() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(table(GameId::HighCard, 2)).await;
    let attach = with_wants(in_language(v1::Language::English), spectate(&id));
    let mut stream = PlayStream::open_attached(&client, 1, attach).await;
    stream.reader.snapshot(1).await;
    let named = v1::JoinTableRequest { display_name: "Ada".to_owned(), ..join(&id) };
    client.join_table(named).await.expect("a seat");
    let text = sentence(&mut stream, 1, "Ada").await;
    let parts: Vec<_> = text.parts.iter().map(|part| (part.text.as_str(), part.subject.clone())).collect();
    let seat = Some(v1::text_part::Subject::Seat(0));
    assert_eq!(parts, [("Ada", seat), (" takes seat 0.", None)]);
}

#[tokio::test]
async fn unknown_language_names_its_field() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(table(GameId::HighCard, 2)).await;
    let wants = v1::Wants { texts: 9, ..v1::Wants::default() };
    let attach = with_wants(wants, spectate(&id));
    let message = "wants.texts: has no value 9";
    let mut stream = PlayStream::open_attached(&client, 1, attach.clone()).await;
    let closed = stream.reader.closed(1).await;
    assert_eq!((closed.reason(), closed.message.as_str()), (Reason::InvalidField, message));
    let mut follow = open_follow(&client, vec![(1, attach)]).await.expect("a stream");
    let closed = follow.closed(1).await;
    assert_eq!((closed.reason(), closed.message.as_str()), (Reason::InvalidField, message));
    let agent = v1::AgentHello { wants: Some(wants), ..hello("ann") };
    let refused = AgentClient::try_connect(&client, agent).await.err().expect("an unknown language");
    assert_eq!(
        (refused.reason, refused.fields),
        (Reason::InvalidField, vec!["hello.wants.texts".to_owned()])
    );
}

#[tokio::test]
async fn agents_get_the_texts_and_boards_that_they_want() {
    let server = TestServer::new().await;
    let client = server.client();
    let wants = Some(in_language(v1::Language::German));
    let mut agent = AgentClient::connect(&client, v1::AgentHello { wants, ..hello("ann") }).await;
    let seats = vec![crate::agent_client::agent_seat("ann"), crate::table_requests::house("random")];
    let request = v1::CreateTableRequest { seats, ..table(GameId::HighCard, 2) };
    client.new_table(request).await;
    let (channel, _) = agent.next_seat().await;
    let snapshot = agent.reader.snapshot(channel).await;
    assert!(snapshot.texts.is_some() && snapshot.board.is_some());
    let decision = agent.reader.decision(channel).await;
    let texts = decision.texts.expect("texts");
    assert_eq!(joined(&texts.question.expect("a question")), "Spiele eine Karte.");
    assert_eq!(decision.board.expect("a board").targets.len(), texts.actions.len());
}
