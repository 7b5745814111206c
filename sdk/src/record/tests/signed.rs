//! Signatures: they survive the forms and the loss of texts, and no change of any field of a record.

use std::collections::HashSet;

use parlor_engine::{GameId, Seat, Viewer};
use parlor_fair::SigningKey;
use parlor_proto::{reflect, signing};
use parlor_server::grpc::convert::sign_record;
use parlor_server::identity::SigningKeys;
use prost::Message;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value};

use super::fixtures::{TableSpec, all_table_specs, deal, table};
use crate::record::{self, PublicKey, RecordFormat, SignatureCheck, Unproven, check_signature, read};
use crate::wire;

/// Fields that are not signed.
const TEXTS: [&str; 3] = [".result_texts", ".steps.told.text", ".steps.decided.text"];

/// Secret bytes of the key of these tests.
const KEY: [u8; 32] = [8; 32];

fn public_key() -> PublicKey {
    SigningKey::from_bytes(KEY).public_key()
}

fn signed(mut record: wire::Record) -> wire::Record {
    sign_record(&mut record, &SigningKeys::from_bytes(KEY));
    record
}

#[test]
fn signature_survives_every_form() {
    let viewers = [None, Some(Viewer::Spectator), Some(Viewer::Seat(Seat::FIRST))];
    for (table, viewer) in all_table_specs().into_iter().zip(viewers.into_iter().cycle()) {
        let mut record = signed(table.record(viewer));
        for form in [RecordFormat::Json, RecordFormat::Text, RecordFormat::Binary, RecordFormat::Text] {
            record = read(&form.write(&record).unwrap()).unwrap().remove(0);
            assert_eq!(
                check_signature(&record, &[public_key()]),
                SignatureCheck::Valid(public_key()),
                "{form:?}"
            );
        }
    }
}

/// The test vector of docs/fairness.md.
#[test]
fn signed_bytes_are_those_of_the_documentation() {
    let record = signed(wire::Record {
        version: 1,
        table_id: "00041061050r3gg28a1c60t3gf".to_owned(),
        game: "gap".to_owned(),
        ..wire::Record::default()
    });
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let signed = signing::record_bytes(&record);
    let (tag, message) = signed.split_at(26);
    assert_eq!(tag, b"parlor record signature v1");
    let page = include_str!("../../../../docs/fairness.md");
    let signature = record.signature.expect("a signature");
    let (first, last) = signature.signature.split_at(32);
    for value in [&hex(message), &public_key().to_string(), &signature.key_id, &hex(first), &hex(last)] {
        assert!(page.contains(&format!("`{value}`")), "{value} is not in the page");
    }
}

#[test]
fn texts_are_not_signed() {
    let game = table(GameId::Gap, 2, 1);
    let with_texts = signed(game.record_with_texts(None));
    assert_eq!(with_texts.signature, signed(game.record(None)).signature);
    let without = signing::without_texts(&with_texts);
    assert_eq!(check_signature(&without, &[public_key()]), SignatureCheck::Valid(public_key()));
}

#[test]
fn verification_says_what_the_signature_proves() {
    let record = signed(table(GameId::Gap, 2, 1).record(None));
    let unproven = |record: &wire::Record, keys: &[PublicKey]| record::verify_signed(record, keys).unproven;
    assert_eq!(unproven(&record, &[public_key()]), []);
    assert_eq!(unproven(&record, &[PublicKey::from_bytes([1; 32])]), [Unproven::SignatureUnchecked]);
    let unsigned = wire::Record { signature: None, ..record.clone() };
    assert_eq!(unproven(&unsigned, &[public_key()]), [Unproven::Unsigned]);
    let mut renamed = record;
    let Some(wire::record_seat::Occupant::HouseBot(bot)) = &mut renamed.seats[1].occupant else {
        panic!("a house bot has seat 1")
    };
    bot.name = "search".to_owned();
    let report = record::verify_signed(&renamed, &[public_key()]);
    assert!(report.findings.iter().any(|finding| finding.path == "signature"), "{:?}", report.findings);
    assert!(record::verify(&renamed).is_valid(), "nothing else proves the name of a bot");
}

/// Records of every game, that together have every kind of event.
fn doctored_tables() -> Vec<TableSpec> {
    let games = GameId::ALL.iter().flat_map(|game| {
        let plain = table(*game, 3, 5);
        let chance = deal(7, true, false);
        [TableSpec { disruptions: true, ..plain.clone() }, TableSpec { chance, ..plain }]
    });
    games.chain([TableSpec { cancelled: true, ..table(GameId::Gap, 2, 100) }]).collect()
}

/// Changes each field of each message of a record, by the descriptors, so that new fields are covered: those that are set to
/// another value, those that are not to some value, and lists by an entry more and one less.
#[test]
fn every_doctored_field_is_refused() {
    let mut doctor = Doctor::default();
    let viewers = [None, Some(Viewer::Seat(Seat::FIRST))];
    let records = doctored_tables().into_iter().flat_map(|table| {
        viewers.map(|viewer| match viewer {
            None if table.chance.deal().is_some() => table.record_with_proof(7),
            viewer => table.record(viewer),
        })
    });
    for record in records {
        let record = signed(record);
        let doctored = doctor.changes(&record.game, &reflect::dynamic(&record));
        for (path, changed) in doctored {
            let changed: wire::Record = changed.transcode_to().unwrap();
            assert_ne!(changed, record, "{path}");
            let check = check_signature(&changed, &[public_key()]);
            let is_text = TEXTS.iter().any(|text| path.contains(text));
            assert_eq!(check == SignatureCheck::Valid(public_key()), is_text, "{path}: {check:?}");
        }
    }
    let seen = doctor.seen;
    assert!(seen.len() > 1000, "{} fields", seen.len());
    let has = |path: &str| {
        seen.iter().any(|doctored| doctored.split_once('.').is_some_and(|(_, rest)| rest == path))
    };
    for path in [
        "seats.house_bot.name",
        "options.gap.rounds",
        "steps.after_ms",
        "steps.decided.think_ms",
        "create_time.seconds",
        "shuffle.deal_group.tournament_seed",
        "signature.signature",
        "signature.key_id",
        "result.note",
    ] {
        assert!(has(path), "{path} was not doctored");
    }
}

/// Maker of changed messages: one for each field that it has not changed before.
#[derive(Default)]
struct Doctor {
    /// Paths of the changed fields, without the places in lists.
    seen: HashSet<String>,
}

impl Doctor {
    /// The message with one change each, and the path of the changed field.
    fn changes(&mut self, prefix: &str, message: &DynamicMessage) -> Vec<(String, DynamicMessage)> {
        let mut changes = Vec::new();
        for field in message.descriptor().fields() {
            let path = format!("{prefix}.{}", field.name());
            for (path, value) in self.field_changes(path, message, &field) {
                let mut changed = message.clone();
                changed.set_field(&field, value);
                changes.push((path, changed));
            }
        }
        changes
    }

    /// Other values of a field.
    fn field_changes(
        &mut self,
        path: String,
        message: &DynamicMessage,
        field: &FieldDescriptor,
    ) -> Vec<(String, Value)> {
        if !message.has_field(field) {
            let value = sample(&field.kind());
            let value = if field.is_list() { Value::List(vec![value]) } else { value };
            return self.once(format!("{path} set"), value);
        }
        let value = message.get_field(field).into_owned();
        let Value::List(entries) = value else { return self.value_changes(path, &value) };
        let longer = Value::List([&entries[..], &[sample(&field.kind())]].concat());
        let mut changes = self.once(format!("{path} longer"), longer);
        changes.extend(self.once(format!("{path} shorter"), Value::List(entries[1..].to_vec())));
        for (index, entry) in entries.iter().enumerate() {
            for (path, changed) in self.value_changes(path.clone(), entry) {
                let mut entries = entries.clone();
                entries[index] = changed;
                changes.push((path, Value::List(entries)));
            }
        }
        changes
    }

    /// Other values than this one: of a message, one with each change of its fields.
    fn value_changes(&mut self, path: String, value: &Value) -> Vec<(String, Value)> {
        match value {
            Value::Message(message) => {
                let changes = self.changes(&path, message).into_iter();
                changes.map(|(path, changed)| (path, Value::Message(changed))).collect()
            }
            other => self.once(path, another(other)),
        }
    }

    /// The change, unless the field was changed before.
    fn once(&mut self, path: String, value: Value) -> Vec<(String, Value)> {
        if self.seen.insert(path.clone()) { vec![(path, value)] } else { Vec::new() }
    }
}

/// Another value of the same kind.
fn another(value: &Value) -> Value {
    match value {
        Value::Bool(value) => Value::Bool(!value),
        Value::I32(value) => Value::I32(value ^ 1),
        Value::I64(value) => Value::I64(value ^ 1),
        Value::U32(value) => Value::U32(value ^ 1),
        Value::U64(value) => Value::U64(value ^ 1),
        Value::EnumNumber(value) => Value::EnumNumber(value ^ 1),
        Value::String(value) => Value::String(format!("{value}.")),
        Value::Bytes(value) => Value::Bytes([&value[..], &[0]].concat().into()),
        other => panic!("no message of a record has {other:?}"),
    }
}

/// Some value of a kind that is not the default.
fn sample(kind: &Kind) -> Value {
    match kind {
        Kind::Message(message) => Value::Message(DynamicMessage::new(message.clone())),
        kind => another(&Value::default_value(kind)),
    }
}

/// The descriptors of all messages that a record consists of.
fn record_messages() -> Vec<MessageDescriptor> {
    let mut all = vec![reflect::descriptor::<wire::Record>(), reflect::descriptor::<wire::ExportManifest>()];
    let mut index = 0;
    while let Some(message) = all.get(index).cloned() {
        let inner = message.fields().filter_map(|field| field.kind().as_message().cloned());
        for inner in inner.collect::<Vec<_>>() {
            if !all.contains(&inner) {
                all.push(inner);
            }
        }
        index += 1;
    }
    all
}

/// The encoding is the same in every library: no maps, no floating-point numbers, and no field between those of a
/// `oneof`, which some libraries write in one place.
#[test]
fn messages_of_records_have_one_encoding() {
    let messages = record_messages();
    assert!(messages.len() > 100, "{} messages", messages.len());
    for message in messages {
        for field in message.fields() {
            assert!(!field.is_map(), "{}", field.full_name());
            assert!(!matches!(field.kind(), Kind::Float | Kind::Double), "{}", field.full_name());
        }
        for oneof in message.oneofs().filter(|oneof| oneof.fields().len() > 1) {
            let numbers: Vec<u32> = oneof.fields().map(|field| field.number()).collect();
            let (first, last) = (numbers.iter().min(), numbers.iter().max());
            let is_between = |field: &FieldDescriptor| {
                Some(&field.number()) > first
                    && Some(&field.number()) < last
                    && !numbers.contains(&field.number())
            };
            let between: Vec<String> =
                message.fields().filter(is_between).map(|field| field.full_name().to_owned()).collect();
            // Never set in what a record tells: the seats there have just been taken.
            let known = ["parlor.v1.TableSeat.forfeited"];
            assert!(between.iter().all(|field| known.contains(&field.as_str())), "{between:?}");
        }
    }
}

/// The bytes of prost are those of fields in the order of their numbers.
#[test]
fn fields_are_encoded_in_the_order_of_their_numbers() {
    for table in all_table_specs() {
        let record = signing::without_texts(&table.record(None));
        // A dynamic message keeps its fields by number.
        assert_eq!(reflect::dynamic(&record).encode_to_vec(), record.encode_to_vec());
    }
}
