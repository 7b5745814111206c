//! Decoding of attach items, Follow channels, and Play messages.

use parlor_engine::Lang;
use parlor_host::{Channel, ViewerCredential, Wants};
use parlor_proto::v1;
use parlor_proto::v1::attach::Viewer;

use super::{TABLE, caller, check_bound, key, seat, seat_token, spectator_token, wrong};
use crate::grpc::Failure;
use crate::grpc::convert::{AttachParams, attach, follow_channels, play_items};

fn attach_as(viewer: Option<Viewer>) -> Result<AttachParams, Failure> {
    attach(v1::Attach { viewer, after: None, wants: None }, &key(), None)
}

#[test]
fn attach_needs_a_token_or_a_table_id() {
    let player = attach_as(Some(Viewer::SeatToken(seat_token(TABLE)))).expect("a token");
    assert_eq!((player.credential.table(), player.credential.seat()), (TABLE, Some(seat(1))));
    let spectator = attach_as(Some(Viewer::SpectatorToken(spectator_token(TABLE)))).expect("a token");
    assert!(
        matches!(spectator.credential, ViewerCredential::Spectator(_))
            && spectator.credential.table() == TABLE
    );
    let rail = |caller, admin| ViewerCredential::NoToken { table: TABLE, caller, admin };
    let public = Viewer::TableId(TABLE.to_string());
    assert_eq!(attach_as(Some(public.clone())).expect("a table").credential, rail(None, false));
    let wire = v1::Attach { viewer: Some(public), ..Default::default() };
    let known = attach(wire, &key(), Some(&caller())).expect("a table");
    assert_eq!(known.credential, rail(Some(caller().owner().clone()), true));

    assert_eq!(wrong(attach_as(None)), "must have a seat_token, a table_id or a spectator_token");
    assert!(wrong(attach_as(Some(Viewer::TableId("x".to_owned())))).starts_with("table_id: "));
    let swapped = [Viewer::SeatToken(spectator_token(TABLE)), Viewer::SpectatorToken(seat_token(TABLE))];
    for viewer in swapped {
        let error = attach_as(Some(viewer)).expect_err("a token of the wrong kind");
        assert_eq!(error.reason(), v1::ErrorReason::TokenInvalid);
    }
}

#[test]
fn attach_decodes_cursor_and_wants() {
    let viewer = Some(Viewer::TableId(TABLE.to_string()));
    let default = attach_as(viewer.clone()).expect("a table");
    assert_eq!((default.after, default.wants), (None, Wants::default()));
    for after in [0, 1, u32::MAX] {
        let wire = v1::Attach { viewer: viewer.clone(), after: Some(after), wants: None };
        assert_eq!(attach(wire, &key(), None).expect("a table").after, Some(after.into()));
    }
    let read = |wants| {
        let wire = v1::Attach { viewer: viewer.clone(), after: None, wants: Some(wants) };
        attach(wire, &key(), None).expect("a table").wants
    };
    assert_eq!(read(v1::Wants::default()), Wants::default());
    let flags = |wants: Wants| {
        let Wants { events, update_views, decision_views, legal_actions, rematch, time_left, texts, board } =
            wants;
        assert_eq!(texts, None);
        [events, update_views, decision_views, legal_actions, rematch, time_left, board]
    };
    let defaults = flags(Wants::default());
    // Each want by itself, so that none is mistaken for another and none changes another's default.
    for want in 0..7 {
        for value in [false, true] {
            let set = |flag: usize| (flag == want).then_some(value);
            let wants = v1::Wants {
                events: set(0),
                update_views: set(1),
                decision_views: set(2),
                legal_actions: set(3),
                rematch: set(4),
                time_left: set(5),
                board: set(6),
                texts: 0,
            };
            let mut expected = defaults;
            expected[want] = value;
            assert_eq!(flags(read(wants)), expected, "{want} set to {value}");
        }
    }
}

#[test]
fn wanted_language_of_texts_is_known() {
    let attach_with = |texts| {
        let viewer = Some(Viewer::TableId(TABLE.to_string()));
        let wants = Some(v1::Wants { texts, ..Default::default() });
        attach(v1::Attach { viewer, after: None, wants }, &key(), None)
    };
    for (texts, expected) in [(0, None), (1, Some(Lang::En)), (2, Some(Lang::De))] {
        assert_eq!(attach_with(texts).expect("a table").wants.texts, expected);
    }
    for texts in [-1, 3, i32::MAX] {
        assert_eq!(wrong(attach_with(texts)), format!("wants.texts: has no value {texts}"));
    }
}

fn follow_request(channels: impl IntoIterator<Item = u32>) -> v1::FollowRequest {
    let entry = |channel| v1::FollowChannel { channel, attach: Some(v1::Attach::default()) };
    v1::FollowRequest { channels: channels.into_iter().map(entry).collect(), heartbeat_ms: None }
}

#[test]
fn follow_channels_are_distinct_and_1_to_64() {
    let channels = follow_channels(follow_request([7, 0, u32::MAX])).expect("channels");
    let numbers: Vec<Channel> = channels.channels.into_iter().map(|(channel, _)| channel).collect();
    assert_eq!(numbers, [Channel(7), Channel(0), Channel(u32::MAX)]);
    check_bound(&[1, 64], &[0, 65, 300], "channels", |count| {
        Ok(follow_channels(follow_request(0..count as u32))?)
    });
    let twice = wrong(follow_channels(follow_request([3, 4, 3])));
    assert_eq!(twice, "channels[2].channel: must be a number of its own: another entry has 3");
    let mut wire = follow_request([3, 4]);
    wire.channels[1].attach = None;
    assert_eq!(wrong(follow_channels(wire)), "channels[1].attach: must be set");
}

#[test]
fn play_message_has_at_most_1024_items() {
    check_bound(&[0, 1, 1024], &[1025], "items", |count| {
        let items = vec![v1::PlayRequestItem::default(); count as usize];
        let read = play_items(v1::PlayRequest { items })?;
        assert_eq!(read.len() as u64, count);
        Ok(read)
    });
}
