//! Messages that come from no game: random ones, and real ones with a field changed. No conversion panics, and every
//! error has the path of a field.

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView, Outcome, Viewer, below};
use parlor_proto::convert::InvalidField;
use parlor_proto::v1;
use parlor_testkit::test_rng;
use prost::Message;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use crate::descriptors::message;
use crate::games::{GameObserver, play_all};

/// A random number, often near the ends of the ranges that fields have.
fn any_number(rng: &mut ChaCha8Rng) -> u32 {
    match below(8, rng) {
        0 => 0,
        1 => u32::MAX,
        2 => 1 << below(32, rng),
        3 => (1 << below(32, rng)) - 1,
        4 => rng.next_u32(),
        _ => below(15, rng),
    }
}

fn any_value(kind: &Kind, depth: u32, rng: &mut ChaCha8Rng) -> Value {
    let number = any_number(rng);
    match kind {
        Kind::Bool => Value::Bool(number.is_multiple_of(2)),
        Kind::Uint32 => Value::U32(number),
        Kind::Sint32 => Value::I32(number as i32),
        Kind::Enum(_) => {
            Value::EnumNumber(if below(4, rng) == 0 { number as i32 } else { below(7, rng) as i32 })
        }
        Kind::Message(message) => Value::Message(any_message(message, depth, rng)),
        other => panic!("add random values of the kind {other:?}"),
    }
}

fn any_field(field: &FieldDescriptor, depth: u32, rng: &mut ChaCha8Rng) -> Value {
    if field.is_list() {
        let length = below(9, rng);
        Value::List((0..length).map(|_| any_value(&field.kind(), depth, rng)).collect())
    } else {
        any_value(&field.kind(), depth, rng)
    }
}

/// A random message with about five of six fields set; of a `oneof`, the last one that is set remains.
fn any_message(message: &MessageDescriptor, depth: u32, rng: &mut ChaCha8Rng) -> DynamicMessage {
    let mut random = DynamicMessage::new(message.clone());
    if depth == 0 {
        return random;
    }
    let mut fields: Vec<FieldDescriptor> = message.fields().collect();
    parlor_engine::shuffle(&mut fields, rng);
    for field in fields {
        if below(6, rng) > 0 {
            random.set_field(&field, any_field(&field, depth - 1, rng));
        }
    }
    random
}

/// Changes or clears one field at any depth.
fn corrupt(message: &mut DynamicMessage, rng: &mut ChaCha8Rng) {
    let fields: Vec<FieldDescriptor> = message.descriptor().fields().collect();
    let set: Vec<&FieldDescriptor> = fields.iter().filter(|field| message.has_field(field)).collect();
    // Mostly descends into a set field, so that deep fields are changed too.
    if !set.is_empty() && below(5, rng) > 0 {
        let field = set[below(set.len() as u32, rng) as usize];
        match message.get_field_mut(field) {
            Value::Message(inner) => return corrupt(inner, rng),
            Value::List(list) if !list.is_empty() => {
                let index = below(list.len() as u32, rng) as usize;
                match (&mut list[index], below(4, rng)) {
                    (_, 0) => {
                        let twice = list[index].clone();
                        list.push(twice);
                    }
                    (Value::Message(inner), _) => corrupt(inner, rng),
                    (scalar, _) => *scalar = any_value(&field.kind(), 0, rng),
                }
                return;
            }
            scalar => {
                *scalar = any_field(field, 0, rng);
                return;
            }
        }
    }
    if !fields.is_empty() {
        let field = &fields[below(fields.len() as u32, rng) as usize];
        if below(3, rng) == 0 {
            message.clear_field(field);
        } else {
            message.set_field(field, any_field(field, 4, rng));
        }
    }
}

/// Reports whether the path names a field or a list entry of this message, or a `oneof` with nothing set.
fn path_exists(message: &DynamicMessage, path: &str) -> bool {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let (name, index) = match step.split_once('[') {
        Some((name, index)) => (name, index.trim_end_matches(']').parse::<usize>().ok()),
        None => (step, None),
    };
    let Some(field) = message.descriptor().get_field_by_name(name) else {
        return rest.is_none() && message.descriptor().oneofs().any(|oneof| oneof.name() == name);
    };
    let value = message.get_field(&field);
    let value = match (&*value, index) {
        (Value::List(list), Some(index)) => match list.get(index) {
            Some(value) => value,
            None => return false,
        },
        (_, Some(_)) => return false,
        (value, None) => value,
    };
    match (rest, value) {
        (None, _) => true,
        (Some(rest), Value::Message(inner)) => path_exists(inner, rest),
        (Some(_), _) => false,
    }
}

/// Counts of accepted and rejected messages.
#[derive(Default, Debug)]
struct Tally {
    accepted: u32,
    rejected: u32,
}

/// Converts the message. An accepted one round-trips from then on; an error names a field.
fn check<W, E>(message: &DynamicMessage, tally: &mut Tally)
where
    W: Message + Default + From<E>,
    E: TryFrom<W, Error = InvalidField> + Clone + PartialEq + std::fmt::Debug,
{
    let wire = W::decode(&*message.encode_to_vec()).expect("a message of this type");
    match E::try_from(wire) {
        Ok(value) => {
            tally.accepted += 1;
            assert_eq!(E::try_from(W::from(value.clone())), Ok(value), "{message:?}");
        }
        Err(error) => {
            tally.rejected += 1;
            let path = error.path();
            assert!(path.is_empty() || path_exists(message, path), "{error}\n{message:?}");
            assert!(!error.why().is_empty());
        }
    }
}

fn check_any(name: &str, message: &DynamicMessage, tally: &mut Tally) {
    match name {
        "GameOptions" => check::<v1::GameOptions, AnyOptions>(message, tally),
        "GameAction" => check::<v1::GameAction, AnyAction>(message, tally),
        "GameEvent" => check::<v1::GameEvent, AnyEvent>(message, tally),
        "GameView" => check::<v1::GameView, AnyView>(message, tally),
        "Outcome" => check::<v1::Outcome, Outcome>(message, tally),
        "Viewer" => check::<v1::Viewer, Viewer>(message, tally),
        other => panic!("{other}"),
    }
}

#[test]
fn random_messages_convert_or_fail_with_a_field_path() {
    let mut rng = test_rng("random_messages_convert_or_fail_with_a_field_path");
    for name in ["GameOptions", "GameAction", "GameEvent", "GameView", "Outcome", "Viewer"] {
        let message = message(name);
        let mut tally = Tally::default();
        for _ in 0..5_000 {
            let random = any_message(&message, 6, &mut rng);
            check_any(name, &random, &mut tally);
        }
        println!("{name}: {tally:?}");
        assert!(tally.rejected > 100, "{name}: {tally:?}");
    }
}

/// Corrupts messages of real games once or twice, and checks them.
struct Corruptor {
    rng: ChaCha8Rng,
    tally: Tally,
}

impl Corruptor {
    fn check(&mut self, name: &str, wire: &impl Message) {
        let mut message = DynamicMessage::new(message(name));
        message.transcode_from(wire).expect("a message of this type");
        assert!(message.unknown_fields().next().is_none());
        for _ in 0..=below(2, &mut self.rng) {
            corrupt(&mut message, &mut self.rng);
        }
        check_any(name, &message, &mut self.tally);
    }
}

impl GameObserver for Corruptor {
    fn options(&mut self, options: AnyOptions) {
        self.check("GameOptions", &v1::GameOptions::from(options));
    }

    fn legal(&mut self, actions: &[AnyAction], _: &AnyView) {
        // A few of a long list: its actions are much alike.
        for action in actions.iter().step_by(1 + actions.len() / 4) {
            self.check("GameAction", &v1::GameAction::from(*action));
        }
    }

    fn event(&mut self, event: AnyEvent) {
        self.check("GameEvent", &v1::GameEvent::from(event));
    }

    fn view(&mut self, view: AnyView) {
        // One of three: consecutive views differ little.
        if below(3, &mut self.rng) > 0 {
            return;
        }
        self.check("GameView", &v1::GameView::from(view));
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.check("Outcome", &v1::Outcome::from(outcome));
    }
}

#[test]
fn corrupted_messages_convert_or_fail_with_a_field_path() {
    let mut rng = test_rng("corrupted_messages_convert_or_fail_with_a_field_path");
    let mut corruptor = Corruptor { rng: test_rng("corruption"), tally: Tally::default() };
    play_all(1, &mut rng, &mut corruptor);
    println!("{:?}", corruptor.tally);
    assert!(corruptor.tally.accepted > 1_000 && corruptor.tally.rejected > 1_000);
}
