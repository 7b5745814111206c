//! Values of random games survive the way from the engine over bytes and back, and the bytes are those of prost.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView, GameId, Lang, Outcome, Viewer};
use parlor_proto::convert::{InvalidField, card, card_code};
use parlor_proto::encode::{self, to_bytes};
use parlor_proto::v1;
use parlor_testkit::test_rng;
use prost::{Message, Name};
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor, Value};

use crate::descriptors::message;
use crate::games::{GameObserver, play_all};

/// Largest message of the server in bytes, unless a single item is larger.
const MAX_MESSAGE_LEN: usize = 256 * 1024;

/// Checks values, and records which messages and fields occurred.
#[derive(Default)]
struct RoundTrips {
    /// Checked values by type.
    count: BTreeMap<String, u32>,
    /// Full names of the fields that were set in some message.
    set_fields: BTreeSet<String>,
    largest_decision: usize,
}

impl RoundTrips {
    /// Checks the encoding of a value, and returns the message.
    fn check<E, W>(&mut self, value: &E, bytes: Vec<u8>) -> W
    where
        E: PartialEq + Debug + TryFrom<W, Error = InvalidField>,
        W: Message + Name + Default + Clone + Debug,
    {
        let message = W::decode(&*bytes).expect("an encoder's output decodes");
        // Each field once, in order, none that is unknown or has its default value.
        assert_eq!(message.encode_to_vec(), bytes, "{message:?}");
        assert_eq!(E::try_from(message.clone()).as_ref(), Ok(value), "{message:?}");
        let count = self.count.entry(W::NAME.to_owned()).or_default();
        *count += 1;
        // Reflection is slow, so the many actions and views are sampled.
        if !["GameAction", "GameView"].contains(&W::NAME) || count.is_multiple_of(16) {
            let dynamic = DynamicMessage::decode(crate::descriptors::message(W::NAME), &*bytes);
            self.record_fields(&dynamic.expect("a message of this type"));
        }
        message
    }

    fn record_fields(&mut self, message: &DynamicMessage) {
        assert_eq!(message.unknown_fields().count(), 0, "{message:?}");
        for (field, value) in message.fields() {
            if !self.set_fields.contains(field.full_name()) {
                self.set_fields.insert(field.full_name().to_owned());
            }
            let values = if let Value::List(values) = value { values } else { std::slice::from_ref(value) };
            values.iter().filter_map(Value::as_message).for_each(|inner| self.record_fields(inner));
        }
    }
}

impl GameObserver for RoundTrips {
    fn options(&mut self, options: AnyOptions) {
        let _: v1::GameOptions = self.check(&options, to_bytes(options));
    }

    fn legal(&mut self, actions: &[AnyAction], view: &AnyView) {
        let legal_actions = actions.iter().map(|action| self.check(action, to_bytes(action))).collect();
        let decision = v1::Decision {
            id: u32::MAX,
            view: Some(Box::new(view.clone().into())),
            legal_actions,
            ..Default::default()
        };
        self.largest_decision = self.largest_decision.max(decision.encoded_len());
    }

    fn event(&mut self, event: AnyEvent) {
        let _: v1::GameEvent = self.check(&event, to_bytes(event));
    }

    fn view(&mut self, view: AnyView) {
        for seed_given in [false, true] {
            let bytes = to_bytes(encode::GameView { game: &view, seed_given });
            let message: v1::GameView = self.check(&view, bytes);
            assert_eq!(message.seed_given, seed_given);
        }
    }

    fn outcome(&mut self, outcome: Outcome) {
        let _: v1::Outcome = self.check(&outcome, to_bytes(outcome));
    }
}

/// Full names of all fields of a message and of the messages in it.
fn all_fields(message: &MessageDescriptor, names: &mut BTreeSet<String>) {
    for field in message.fields() {
        if names.insert(field.full_name().to_owned())
            && let Kind::Message(inner) = field.kind()
        {
            all_fields(&inner, names);
        }
    }
}

#[test]
fn values_of_random_games_round_trip() {
    let mut rng = test_rng("values_of_random_games_round_trip");
    let mut trips = RoundTrips::default();
    play_all(3, &mut rng, &mut trips);
    println!("{:?}, largest decision {} bytes", trips.count, trips.largest_decision);
    for name in ["GameAction", "GameEvent", "GameView"] {
        assert!(trips.count[name] > 5_000, "{name}: only {}", trips.count[name]);
    }
    assert!(
        trips.largest_decision < MAX_MESSAGE_LEN / 2,
        "a decision of {} bytes does not fit into a message with others",
        trips.largest_decision
    );
    let mut fields = BTreeSet::new();
    for name in ["GameOptions", "GameAction", "GameEvent", "GameView"] {
        all_fields(&message(name), &mut fields);
    }
    // With some seeds, the rarest two events do not occur.
    let missing: Vec<_> = fields.difference(&trips.set_fields).collect();
    println!("never set: {missing:?}");
    assert!(missing.len() <= 4, "fields that no message has: {missing:?}");
}

#[test]
fn viewers_and_languages_round_trip() {
    for viewer in Viewer::all(6) {
        let message = v1::Viewer::from(viewer);
        assert_eq!(message.encode_to_vec(), to_bytes(viewer));
        assert_eq!(Viewer::try_from(message), Ok(viewer));
    }
    for lang in [Lang::En, Lang::De] {
        assert_eq!(Lang::from(v1::Language::from(lang)), lang);
    }
    assert_eq!(Lang::from(v1::Language::Unspecified), Lang::En);
}

#[test]
fn every_card_code_round_trips() {
    for game in GameId::ALL {
        let mut codes = 0;
        for code in 0..=u8::MAX {
            if let Some(card) = card(*game, code) {
                assert_eq!(card_code(card), Ok((*game, code)));
                codes += 1;
            }
        }
        assert!(codes >= 13, "{game:?} has {codes} cards");
    }
    let none = v1::GameCard { game: None };
    assert!(card_code(none).is_err());
}
