//! Messages that no game gave: some made up from nothing, some real ones with a field spoilt. None of them makes a
//! conversion panic, and whatever is refused is refused by a path that leads to a field.

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView, Outcome, Viewer, below};
use parlor_proto::convert::WrongField;
use parlor_proto::{FILE_DESCRIPTOR_SET, v1};
use prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value,
};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use crate::games::{Watch, play_all, test_rng};

fn pool() -> DescriptorPool {
    DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("the descriptors are whole")
}

fn descriptor(pool: &DescriptorPool, name: &str) -> MessageDescriptor {
    pool.get_message_by_name(&format!("parlor.v1.{name}")).expect(name)
}

/// Numbers near the ends of every range that a field can have, and any others.
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
        other => panic!("no game has fields of the kind {other:?} yet: say here what they can be"),
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

/// A message with about five of six fields set; of a `oneof`, whichever comes last.
fn any_message(message: &MessageDescriptor, depth: u32, rng: &mut ChaCha8Rng) -> DynamicMessage {
    let mut made = DynamicMessage::new(message.clone());
    if depth == 0 {
        return made;
    }
    let mut fields: Vec<FieldDescriptor> = message.fields().collect();
    parlor_engine::shuffle(&mut fields, rng);
    for field in fields {
        if below(6, rng) > 0 {
            made.set_field(&field, any_field(&field, depth - 1, rng));
        }
    }
    made
}

/// Changes or clears one field, somewhere in the message.
fn spoil(message: &mut DynamicMessage, rng: &mut ChaCha8Rng) {
    let fields: Vec<FieldDescriptor> = message.descriptor().fields().collect();
    let set: Vec<&FieldDescriptor> = fields.iter().filter(|field| message.has_field(field)).collect();
    // Down into what is set, most of the time, so that the fields at the end of a long path are spoilt too.
    if !set.is_empty() && below(5, rng) > 0 {
        let field = set[below(set.len() as u32, rng) as usize];
        match message.get_field_mut(field) {
            Value::Message(inner) => return spoil(inner, rng),
            Value::List(list) if !list.is_empty() => {
                let place = below(list.len() as u32, rng) as usize;
                match (&mut list[place], below(4, rng)) {
                    (_, 0) => {
                        let twice = list[place].clone();
                        list.push(twice);
                    }
                    (Value::Message(inner), _) => spoil(inner, rng),
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

/// Whether the path leads to a field, or an entry of a list, of this message. A name that is not a field's is one of a
/// `oneof` of which nothing is set.
fn leads_somewhere(message: &DynamicMessage, path: &str) -> bool {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let (name, place) = match step.split_once('[') {
        Some((name, place)) => (name, place.trim_end_matches(']').parse::<usize>().ok()),
        None => (step, None),
    };
    let Some(field) = message.descriptor().get_field_by_name(name) else {
        return rest.is_none() && message.descriptor().oneofs().any(|oneof| oneof.name() == name);
    };
    let value = message.get_field(&field);
    let value = match (&*value, place) {
        (Value::List(list), Some(place)) => match list.get(place) {
            Some(value) => value,
            None => return false,
        },
        (_, Some(_)) => return false,
        (value, None) => value,
    };
    match (rest, value) {
        (None, _) => true,
        (Some(rest), Value::Message(inner)) => leads_somewhere(inner, rest),
        (Some(_), _) => false,
    }
}

/// How many messages were taken and refused.
#[derive(Default, Debug)]
struct Tally {
    taken: u32,
    refused: u32,
}

/// Converts the message. What is taken round-trips from then on; what is refused names a field.
fn check<W, E>(message: &DynamicMessage, tally: &mut Tally)
where
    W: Message + Default + From<E>,
    E: TryFrom<W, Error = WrongField> + Clone + PartialEq + std::fmt::Debug,
{
    let wire = W::decode(&*message.encode_to_vec()).expect("a message of this type");
    match E::try_from(wire) {
        Ok(value) => {
            tally.taken += 1;
            assert_eq!(E::try_from(W::from(value.clone())), Ok(value), "{message:?}");
        }
        Err(error) => {
            tally.refused += 1;
            let path = error.path();
            assert!(path.is_empty() || leads_somewhere(message, path), "{error}\n{message:?}");
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
fn made_up_messages_are_taken_or_refused_by_name() {
    let mut rng = test_rng("made_up_messages_are_taken_or_refused_by_name");
    let pool = pool();
    for name in ["GameOptions", "GameAction", "GameEvent", "GameView", "Outcome", "Viewer"] {
        let message = descriptor(&pool, name);
        let mut tally = Tally::default();
        for _ in 0..5_000 {
            let made = any_message(&message, 6, &mut rng);
            check_any(name, &made, &mut tally);
        }
        println!("{name}: {tally:?}");
        assert!(tally.refused > 100, "{name}: {tally:?}");
    }
}

/// Takes what a game gives, spoils it once or twice, and checks it.
struct Spoiler {
    pool: DescriptorPool,
    rng: ChaCha8Rng,
    tally: Tally,
}

impl Spoiler {
    fn spoil(&mut self, name: &str, wire: &impl Message) {
        let mut message = DynamicMessage::new(descriptor(&self.pool, name));
        message.transcode_from(wire).expect("a message of this type");
        assert!(message.unknown_fields().next().is_none());
        for _ in 0..=below(2, &mut self.rng) {
            spoil(&mut message, &mut self.rng);
        }
        check_any(name, &message, &mut self.tally);
    }
}

impl Watch for Spoiler {
    fn options(&mut self, options: AnyOptions) {
        self.spoil("GameOptions", &v1::GameOptions::from(options));
    }

    fn legal(&mut self, actions: &[AnyAction], _: &AnyView) {
        // Of a long list a few: its actions are much alike.
        for action in actions.iter().step_by(1 + actions.len() / 4) {
            self.spoil("GameAction", &v1::GameAction::from(*action));
        }
    }

    fn event(&mut self, event: AnyEvent) {
        self.spoil("GameEvent", &v1::GameEvent::from(event));
    }

    fn view(&mut self, view: AnyView) {
        // One of three: there are many, and they change little from one to the next.
        if below(3, &mut self.rng) > 0 {
            return;
        }
        self.spoil("GameView", &v1::GameView::from(view));
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.spoil("Outcome", &v1::Outcome::from(outcome));
    }
}

#[test]
fn spoilt_messages_are_taken_or_refused_by_name() {
    let mut rng = test_rng("spoilt_messages_are_taken_or_refused_by_name");
    let mut spoiler = Spoiler { pool: pool(), rng: test_rng("what to spoil"), tally: Tally::default() };
    play_all(1, &mut rng, &mut spoiler);
    println!("{:?}", spoiler.tally);
    assert!(spoiler.tally.taken > 1_000 && spoiler.tally.refused > 1_000);
}
