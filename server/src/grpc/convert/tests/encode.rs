//! Encoding of stream items and of the owner feed.

use std::sync::Arc;

use parlor_engine::{AnyView, GameId, Lang, Localise, Refusal, Seats, Viewer};
use parlor_host::agents::{EntropyRequest, SeatAssignment};
use parlor_host::table::{
    CommandError, DecisionId, Ending, Entry, Record, SeatFinish, State, Table, TableEvent, TableSummary,
    Update,
};
use parlor_host::{
    AnswerOutcome, AnswerRefused, Answered, Channel, Closed, DecisionPrompt, HostError, ItemBatch,
    OwnerEvent, OwnerFeedItem, Presence, SeatTime, Snapshot, StreamItem, StreamKind, ViewerUpdate, Wants,
};
use parlor_proto::convert::InvalidField;
use parlor_proto::v1;
use parlor_proto::v1::stream_item::Item as Wire;
use prost::Message;

use super::field_coverage::FieldCoverage;
use super::table::table_summary;
use super::{OTHER, TABLE, seat};
use crate::grpc::convert::persistence_tests::games::{NOW, Played, play_all, play_out};
use crate::grpc::convert::persistence_tests::test_rng;
use crate::grpc::convert::{ApiItemEncoder, closed, invalid_reveal, stream_ending, table, table_news};

fn encode(item: &StreamItem<'_>) -> v1::StreamItem {
    let mut items = ItemBatch::default();
    items.push(&ApiItemEncoder, StreamKind::Client, Channel(9), item);
    let mut message = v1::PlayResponse::decode(items.as_bytes()).expect("a message");
    assert_eq!(message.encode_to_vec(), items.as_bytes(), "same bytes as the generated code");
    message.items.pop().expect("an item")
}

const ALL_WANTS: Wants = Wants {
    events: true,
    update_views: true,
    decision_views: true,
    legal_actions: true,
    rematch: true,
    time_left: true,
    texts: Some(Lang::De),
    board: true,
};

/// An update for a subscription that wants everything.
fn viewer_update(update: Update, viewer: Viewer, view: Option<AnyView>) -> ViewerUpdate {
    ViewerUpdate { update, viewer, view, wants: ALL_WANTS, seed_given: false, timed: true }
}

fn snapshot(table: &Table, viewer: Viewer) -> Snapshot {
    let presence = Presence { seat: seat(1), connected: true, grace_left: Some(500) };
    let time = SeatTime { seat: seat(1), decision: 900, bank: 800, running: true };
    Snapshot {
        number: table.numbers().get(viewer),
        viewer,
        summary: table.summary(),
        view: table.view(viewer),
        presence: vec![presence],
        time_left: Some(vec![time]),
        wants: ALL_WANTS,
    }
}

/// Encodes the tables, news and stream items of whole games, and checks that together they set every field.
#[test]
fn tables_owner_feed_and_stream_items_set_every_field() {
    let mut rng = test_rng("all_of_it_is_said");
    let mut coverage = FieldCoverage::new();
    play_all(&mut rng, |Played { log, table: over }| {
        let open = Table::from_first_entry(&log[0].1).expect("a first entry");
        let given = over.shuffle().given;
        let mut revealed = over.summary();
        revealed.reveal_deal();
        let starting = TableSummary { state: State::Starting, reveal_before: Some(NOW), ..open.summary() };
        let waiting = TableSummary { waiting_for: Seats::from_iter([seat(1)]), ..open.summary() };
        let rematch = TableSummary { rematch: Some(OTHER), ..over.summary() };
        for summary in [open.summary(), starting, waiting, revealed, rematch] {
            coverage.record("Table", &table(&summary, true));
        }
        for event in
            [OwnerEvent::Created(Arc::new(open.summary())), OwnerEvent::Over(Arc::new(over.summary()))]
        {
            let item = OwnerFeedItem { number: 3, table: over.setup().table, at: NOW, event };
            coverage.record("TableNews", &table_news(&item));
        }
        let record = Record::from_log(&log).expect("a log");
        // Only a record has the commitment of its tournament.
        if over.setup().chance.deal().is_some() {
            let (commitment, server_seed) = (vec![1; 32], vec![2; 32]);
            let proof = v1::TournamentShuffle { commitment, server_seed, ..Default::default() };
            let mut proven = crate::grpc::convert::record(&record, None, None);
            crate::grpc::convert::prove_deal(&mut proven, Some(&proof));
            coverage.record("FairShuffle", &proven.shuffle.expect("a shuffle"));
        }
        for viewer in Viewer::all(over.players()) {
            coverage.record("StreamItem", &encode(&StreamItem::Snapshot(&snapshot(&over, viewer))));
            for update in record.updates(viewer, 0) {
                let expected = update.update.clone();
                // Texts and boards of the first updates only, which is enough and saves time.
                let is_first = expected.number <= 20;
                let wants =
                    if is_first { ALL_WANTS } else { Wants { update_views: true, ..Wants::default() } };
                let update = viewer_update(update.update, viewer, update.view);
                let update = ViewerUpdate { seed_given: given, wants, ..update };
                let item = encode(&StreamItem::Update(&update));
                if is_first {
                    coverage.record("StreamItem", &item);
                }
                let Some(Wire::Update(update)) = item.item else { panic!("{item:?}") };
                assert_eq!(u64::from(update.number), expected.number);
                assert_eq!(update.events.len(), expected.events.len());
                assert!(update.view.is_none_or(|view| view.seed_given == given));
            }
        }
    });
    other_items(|item| coverage.record("StreamItem", &encode(item)));
    let refused = Wire::Revealed(invalid_reveal(InvalidField::at("entropy", "must be shorter")));
    coverage.record("StreamItem", &v1::StreamItem { channel: 9, item: Some(refused) });
    for event in [
        OwnerEvent::Joined { seat: seat(2), user: Some("u".to_owned()), name: "Ann".to_owned() },
        OwnerEvent::Started,
        OwnerEvent::Forfeited { seat: seat(2), finish: SeatFinish::Resigned },
        OwnerEvent::Replaced { seat: seat(2), bot: "greedy".to_owned() },
        OwnerEvent::Deleted,
    ] {
        coverage.record("TableNews", &table_news(&OwnerFeedItem { number: 3, table: TABLE, at: NOW, event }));
    }
    for name in ["Table", "TableNews", "StreamItem"] {
        coverage.assert_all_set(name);
    }
}

/// Stream items that the logs of the played games do not contain.
fn other_items(mut visit: impl FnMut(&StreamItem<'_>)) {
    let shuffle = Box::new(table_summary().shuffle);
    let ending = |ending| TableEvent::Ended { ending, shuffle: shuffle.clone() };
    let table_events = vec![
        TableEvent::Joined { seat: seat(1), name: "Ann".to_owned() },
        TableEvent::Starting { shuffle: shuffle.clone() },
        TableEvent::Started { shuffle: shuffle.clone() },
        TableEvent::TimedOut { seat: seat(1), times: 2 },
        TableEvent::Forfeited { seat: seat(1), finish: SeatFinish::TimedOut },
        TableEvent::Replaced { seat: seat(1), bot: "greedy".to_owned() },
        ending(Ending::Cancelled { note: "late".to_owned() }),
        ending(Ending::Faulted { reason: "a fault".to_owned() }),
        ending(Ending::Expired),
        TableEvent::Rematch { table: OTHER },
    ];
    let update = Update { number: 3, table_events, decided: None, events: Vec::new() };
    let update = viewer_update(update, Viewer::Spectator, None);
    let answered = |refused| {
        let outcome = AnswerOutcome::Refused(refused);
        Answered { decision: DecisionId(4), outcome }
    };
    let closed = Closed { why: Some(HostError::TooSlow), number: 3, retry: true };
    let given = SeatAssignment {
        table: TABLE,
        seat: seat(1),
        game: GameId::Gap,
        tournament: Some(parlor_host::TournamentId::from_bytes(*OTHER.as_bytes())),
    };
    let request = EntropyRequest {
        tournament: parlor_host::TournamentId::from_bytes(*OTHER.as_bytes()),
        commitment: parlor_fair::Commitment::from_bytes([1; 32]),
        commitments: vec![None, Some(parlor_fair::EntropyCommitment::from_bytes([2; 32]))],
    };
    for item in [
        StreamItem::SeatAssigned(given),
        StreamItem::EntropyRequested(&request),
        StreamItem::Update(&update),
        StreamItem::Decision(&decision_prompt()),
        StreamItem::Answered(&answered(AnswerRefused::Illegal(Refusal::NOT_IN_HAND))),
        StreamItem::Answered(&answered(AnswerRefused::Command(CommandError::NoSuchIndex {
            index: 9,
            count: 3,
        }))),
        StreamItem::Answered(&super::answer::accepted()),
        StreamItem::Revealed(&Ok(())),
        StreamItem::Revealed(&Err(HostError::TableBusy { table: TABLE })),
        StreamItem::Presence(Presence { seat: seat(1), connected: true, grace_left: Some(5) }),
        StreamItem::TimeLeft(vec![SeatTime { seat: seat(1), decision: 9, bank: 8, running: true }]),
        StreamItem::Closed(closed),
    ] {
        visit(&item);
    }
}

/// The first decision of a random game.
fn decision_prompt() -> DecisionPrompt {
    let mut rng = test_rng("asked");
    let played = play_out(GameId::Gap.default_options(), 2, &mut rng);
    let mut table = Table::from_first_entry(&played.log[0].1).expect("a first entry");
    for (at, entry) in &played.log[1..] {
        table.fold(*at, entry).expect("an entry");
        if matches!(entry, Entry::Started) {
            break;
        }
    }
    let seat = table.game().expect("a game").to_act().first().expect("a seat to act");
    DecisionPrompt {
        id: DecisionId(1),
        after: 2,
        view: table.view(Viewer::Seat(seat)),
        wants: ALL_WANTS,
        seed_given: true,
        legal: table.legal_actions(seat),
        default_index: 3,
        time_left: Some(900),
        bank_left: Some(800),
        secret: true,
    }
}

#[test]
fn decision_is_encoded_with_every_field() {
    let prompt = decision_prompt();
    let legal = prompt.legal.iter().copied().map(v1::GameAction::from).collect::<Vec<_>>();
    let view = v1::GameView { seed_given: true, ..prompt.view.clone().expect("a view").into() };
    let lang = Lang::De;
    let engine_view = prompt.view.as_ref().expect("a view");
    let actions = prompt.legal.iter().map(|action| engine_view.action_text(action, lang).into());
    let texts = v1::DecisionTexts {
        question: Some(engine_view.question(lang).into()),
        actions: actions.collect(),
        view: Some(engine_view.rich_text(lang, engine_view.viewer()).into()),
    };
    let board = (engine_view.board(&prompt.legal, lang), lang).into();
    let Some(Wire::Decision(decision)) = encode(&StreamItem::Decision(&prompt)).item else { panic!() };
    assert_eq!(
        decision,
        v1::Decision {
            id: 1,
            after: 2,
            view: Some(Box::new(view)),
            legal_count: legal.len() as u32,
            legal_actions: legal,
            default_index: 3,
            time_left_ms: Some(900),
            bank_left_ms: Some(800),
            hidden: true,
            texts: Some(texts),
            board: Some(board),
        }
    );
}

#[test]
fn unwanted_parts_are_not_encoded() {
    let wants = Wants { events: false, decision_views: false, legal_actions: false, ..Wants::default() };
    let prompt = DecisionPrompt { wants, ..decision_prompt() };
    let Some(Wire::Decision(decision)) = encode(&StreamItem::Decision(&prompt)).item else { panic!() };
    let expected = v1::Decision {
        id: 1,
        after: 2,
        legal_count: prompt.legal.len() as u32,
        default_index: 3,
        time_left_ms: Some(900),
        bank_left_ms: Some(800),
        hidden: true,
        ..Default::default()
    };
    assert_eq!(decision, expected);

    let mut rng = test_rng("unwanted_parts_are_not_encoded");
    let played = play_out(GameId::Gap.default_options(), 2, &mut rng);
    let record = Record::from_log(&played.log).expect("a log");
    for recorded in record.updates(Viewer::Spectator, 0) {
        let update =
            ViewerUpdate { wants, ..viewer_update(recorded.update, Viewer::Spectator, recorded.view) };
        let Some(Wire::Update(update)) = encode(&StreamItem::Update(&update)).item else { panic!() };
        let v1::Update { number: _, table_events: _, decided: _, events, view, texts, board } = update;
        assert_eq!((events, view, texts, board), (Vec::new(), None, None, None));
    }
    let snapshot = Snapshot { wants, ..snapshot(&played.table, Viewer::Spectator) };
    let Some(Wire::Snapshot(snapshot)) = encode(&StreamItem::Snapshot(&snapshot)).item else { panic!() };
    assert_eq!((snapshot.texts, snapshot.board), (None, None));
}

/// A stream does not know its caller, so its tables never have owner-only fields.
#[test]
fn snapshot_has_no_owner_only_fields() {
    let mut rng = test_rng("a_snapshot_is_public");
    let played = play_out(GameId::Gap.default_options(), 2, &mut rng);
    let item = encode(&StreamItem::Snapshot(&snapshot(&played.table, Viewer::Spectator)));
    let Some(Wire::Snapshot(message)) = item.item else { panic!() };
    assert_eq!(message.table, Some(table(&played.table.summary(), false)));
    assert_eq!(message.view.expect("a view").seed_given, played.table.shuffle().given);
}

#[test]
fn bank_is_encoded_only_with_a_clock() {
    let mut rng = test_rng("without_a_clock_there_is_no_bank");
    let record = Record::from_log(&play_out(GameId::Gap.default_options(), 2, &mut rng).log).expect("a log");
    let update = Viewer::all(2).flat_map(|viewer| record.updates(viewer, 0)).map(|update| update.update);
    let update = update.into_iter().find(|update| update.decided.is_some()).expect("a decision");
    let bank = update.decided.expect("a decision").bank;
    for (timed, left) in [(true, Some(bank)), (false, None)] {
        let update = ViewerUpdate { timed, ..viewer_update(update.clone(), Viewer::Spectator, None) };
        let Some(Wire::Update(message)) = encode(&StreamItem::Update(&update)).item else { panic!() };
        assert_eq!(message.decided.expect("a decision").bank_left_ms, left);
    }
}

#[test]
fn update_numbers_saturate_at_u32_max() {
    for (number, expected) in [(0, 0), (7, 7), (u64::from(u32::MAX), u32::MAX), (u64::MAX, u32::MAX)] {
        assert_eq!(closed(None, number, false).number, expected);
    }
}

#[test]
fn closed_channel_has_reason_and_message_without_internals() {
    let closed = |why| {
        let item = encode(&StreamItem::Closed(Closed { why, number: 12, retry: true }));
        assert_eq!(item.channel, 9);
        let Some(Wire::Closed(closed)) = item.item else { panic!() };
        assert!(closed.number == 12 && closed.retry);
        (closed.reason(), closed.message)
    };
    assert_eq!(closed(None), (v1::ErrorReason::Unspecified, String::new()));
    let (reason, message) = closed(Some(HostError::TooSlow));
    assert_eq!((reason, message), (v1::ErrorReason::TooSlow, HostError::TooSlow.to_string()));
    let fault = HostError::Fault { reason: "at /srv/parlor.db".to_owned() };
    let (reason, message) = closed(Some(fault));
    assert_eq!(reason, v1::ErrorReason::ServerFault);
    assert!(!message.contains("/srv") && !message.is_empty(), "{message}");
}

#[test]
fn stream_ending_has_reason_and_retry_delay() {
    let ending = stream_ending(HostError::Stopping);
    assert_eq!(ending.reason(), v1::ErrorReason::ServerStopping);
    assert_eq!(ending.message, HostError::Stopping.to_string());
    assert!(ending.retry_ms > 0);
    let ending = stream_ending(HostError::TooSlow);
    assert_eq!((ending.reason(), ending.retry_ms), (v1::ErrorReason::TooSlow, 0));
}
