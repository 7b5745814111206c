//! Generates the encoders of `src/encode.rs` from the descriptors.
//!
//! Each encoder is a plain struct with the fields of its message, generic over the values in them, and an `Encode`
//! implementation that knows the field numbers. A `oneof` is an enum in a module named after its message, as in prost:
//!
//! ```text
//! pub struct GapPlayed<Seat, Card, Taken> {
//!     pub seat: Seat,
//!     pub card: Card,
//!     pub taken: Taken,
//! }
//!
//! impl<Seat, Card, Taken> Encode for self::GapPlayed<Seat, Card, Taken>
//! where
//!     Seat: Uint32,
//!     Card: Encode<Wire = v1::GapCard>,
//!     Taken: IntoIterator<Item: Encode<Wire = v1::GapCard>>,
//! {
//!     type Wire = v1::GapPlayed;
//!     fn encode(self, to: &mut Encoder<'_>) {
//!         to.uint32(1, self.seat);
//!         to.message(2, self.card);
//!         to.messages(3, self.taken);
//!     }
//! }
//! ```
//!
//! A conversion is thus a struct literal, and a field that is added to the .proto file and forgotten there does not
//! compile.

use std::collections::BTreeMap;
use std::fmt::Write;

use protox::prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor, OneofDescriptor};

const PACKAGE: &str = "parlor.v1";

/// Messages with encoders for themselves and for every message inside them.
const DEEP: &[&str] = &["GameOptions", "GameAction", "GameEvent", "GameView", "GameCard"];

/// Messages with encoders for themselves alone: rare messages inside them are built with prost.
const SHALLOW: &[&str] = &["Answered", "Decided", "Decision", "StreamItem", "Update"];

/// Fields whose number becomes a constant of the prost type, such as `v1::PlayResponse::ITEMS_FIELD_NUMBER`.
const NUMBERED: &[(&str, &str)] = &[
    ("PlayResponse", "items"),
    ("FollowResponse", "items"),
    ("ConnectResponse", "items"),
    ("StreamItem", "channel"),
];

/// Generates the source text of all encoders and field numbers.
pub(crate) fn generate(pool: &DescriptorPool) -> String {
    let message = |name: &str| {
        let found = pool.get_message_by_name(&format!("{PACKAGE}.{name}"));
        found.unwrap_or_else(|| panic!("{PACKAGE} has no message {name}"))
    };
    let mut messages = BTreeMap::new();
    for name in DEEP {
        collect(message(name), &mut messages);
    }
    for name in SHALLOW {
        messages.insert((*name).to_owned(), message(name));
    }

    let mut code = String::new();
    for message in messages.values() {
        emit_message(message, &mut code);
        emit_oneofs(message, &mut code);
    }
    for (name, field) in NUMBERED {
        let field = message(name).get_field_by_name(field).unwrap_or_else(|| panic!("{name} has no {field}"));
        emit_field_number(name, &field, &mut code);
    }
    code
}

/// Adds the message and the messages of its fields.
fn collect(message: MessageDescriptor, messages: &mut BTreeMap<String, MessageDescriptor>) {
    if messages.insert(message.name().to_owned(), message.clone()).is_none() {
        for field in message.fields() {
            if let Kind::Message(inner) = field.kind() {
                collect(inner, messages);
            }
        }
    }
}

/// One field of a struct, or one variant of an enum.
struct Member {
    /// The number of the field; of a `oneof`, its lowest.
    number: u32,
    name: String,
    /// The declaration in the .proto file, which is the doc comment.
    declaration: String,
    /// The type, and the bound of the type parameter in it, if it has one.
    field_type: String,
    bound: Option<String>,
    /// The expression that encodes `{value}`.
    call: String,
    /// The expression for `{value}` as a `u32`, of a `uint32` or enum field without presence.
    as_uint32: Option<String>,
}

impl Member {
    fn of_field(field: &FieldDescriptor) -> Member {
        let number = field.number();
        let is_optional = field.containing_oneof().is_some_and(|oneof| oneof.is_synthetic());
        let is_variant = field.containing_oneof().is_some_and(|oneof| !oneof.is_synthetic());
        let label = match (field.is_list(), is_optional) {
            (true, _) => "repeated ",
            (_, true) => "optional ",
            _ => "",
        };
        let parameter = upper_camel(field.name());
        let generic = |bound: &str, method: &str| {
            (parameter.clone(), Some(bound.to_owned()), format!("to.{method}({number}, {{value}})"))
        };
        let mut as_uint32 = None;
        let (kind, (field_type, bound, call)) = match field.kind() {
            Kind::Uint32 if field.is_list() => {
                ("uint32".to_owned(), generic("IntoIterator<Item: Uint32>", "repeated_uint32"))
            }
            Kind::Uint32 if is_optional => {
                let (parameter, bound, call) = generic("Uint32", "optional_uint32");
                ("uint32".to_owned(), (format!("Option<{parameter}>"), bound, call))
            }
            Kind::Uint32 if is_variant => ("uint32".to_owned(), generic("Uint32", "present_uint32")),
            Kind::Uint32 => {
                as_uint32 = Some("{value}.to_uint32()".to_owned());
                ("uint32".to_owned(), generic("Uint32", "uint32"))
            }
            Kind::Sint32 if field.is_list() => {
                ("sint32".to_owned(), generic("IntoIterator<Item = i32>", "repeated_sint32"))
            }
            Kind::Sint32 if !is_optional && !is_variant => {
                ("sint32".to_owned(), ("i32".to_owned(), None, format!("to.sint32({number}, {{value}})")))
            }
            Kind::Bool if !field.is_list() && !is_optional && !is_variant => {
                ("bool".to_owned(), ("bool".to_owned(), None, format!("to.bool({number}, {{value}})")))
            }
            Kind::Enum(kind) if !field.is_list() && !is_optional => {
                let name = kind.name();
                let bound = format!("Into<v1::{name}>");
                let method = if is_variant { "present_enumeration" } else { "enumeration" };
                if !is_variant {
                    as_uint32 = Some(format!("Into::<v1::{name}>::into({{value}}) as u32"));
                }
                (name.to_owned(), generic(&bound, &format!("{method}::<v1::{name}>")))
            }
            Kind::Message(message) if message.package_name() == PACKAGE && !field.is_map() => {
                let name = message.name();
                let bound = format!("Encode<Wire = v1::{name}>");
                let parts = if field.is_list() {
                    generic(&format!("IntoIterator<Item: {bound}>"), "messages")
                } else {
                    generic(&bound, "message")
                };
                (name.to_owned(), parts)
            }
            _ => panic!("{}: add a method to Encoder and a case here", field.full_name()),
        };
        Member {
            number,
            name: field.name().to_owned(),
            declaration: format!("{label}{kind} {} = {number}", field.name()),
            field_type,
            bound,
            call,
            as_uint32,
        }
    }

    fn of_oneof(oneof: &OneofDescriptor) -> Member {
        let path = format!("{}::{}", snake(oneof.parent_message().name()), upper_camel(oneof.name()));
        Member {
            number: oneof.fields().map(|field| field.number()).min().unwrap_or_default(),
            name: oneof.name().to_owned(),
            declaration: format!("oneof {}", oneof.name()),
            field_type: upper_camel(oneof.name()),
            bound: Some(format!("Encode<Wire = v1::{path}>")),
            call: "{value}.encode(to)".to_owned(),
            as_uint32: None,
        }
    }
}

/// The members of a message in the order in which prost encodes them: by number.
fn members(message: &MessageDescriptor) -> Vec<Member> {
    let is_plain =
        |field: &FieldDescriptor| field.containing_oneof().is_none_or(|oneof| oneof.is_synthetic());
    let plain = message.fields().filter(is_plain).map(|field| Member::of_field(&field));
    let oneofs = message.oneofs().filter(|oneof| !oneof.is_synthetic());
    let mut members: Vec<Member> = plain.chain(oneofs.map(|oneof| Member::of_oneof(&oneof))).collect();
    members.sort_by_key(|member| member.number);
    members
}

/// The type parameters `<A, B>` and the clause `where A: ..., B: ...` of some members.
fn generics(members: &[Member]) -> (String, String) {
    let parameters: Vec<(String, &String)> = members
        .iter()
        .filter_map(|member| Some((upper_camel(&member.name), member.bound.as_ref()?)))
        .collect();
    if parameters.is_empty() {
        return (String::new(), String::new());
    }
    let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let bounds: String = parameters.iter().map(|(name, bound)| format!("    {name}: {bound},\n")).collect();
    (format!("<{}>", names.join(", ")), format!("where\n{bounds}"))
}

/// Emits the struct of a message and its `Encode`.
fn emit_message(message: &MessageDescriptor, code: &mut String) {
    let name = message.name();
    let members = members(message);
    let (parameters, bounds) = generics(&members);
    let fields: String = members
        .iter()
        .map(|Member { name, declaration, field_type, .. }| {
            format!("    /// `{declaration}`\n    pub {name}: {field_type},\n")
        })
        .collect();
    let statement = |member: &Member| {
        let value = format!("self.{}", member.name);
        format!("        {};\n", member.call.replace("{value}", &value))
    };
    let statements: String = members.iter().map(statement).collect();
    let encode_field = two_numbers(&members).unwrap_or_default();
    let to = if members.is_empty() { "_" } else { "to" };
    emit(
        code,
        format_args!(
            "/// Encoder of [`v1::{name}`].
pub struct {name}{parameters} {{
{fields}}}

impl{parameters} Encode for self::{name}{parameters}
{bounds}{{
    type Wire = v1::{name};

    #[inline]
    fn encode(self, {to}: &mut Encoder<'_>) {{
{statements}    }}
{encode_field}}}
"
        ),
    );
}

/// `encode_field` of a message of exactly two numbers in the fields 1 and 2, as most cards are: they have a faster path.
fn two_numbers(members: &[Member]) -> Option<String> {
    let [first, second] = members else { return None };
    if (first.number, second.number) != (1, 2) {
        return None;
    }
    let number = |member: &Member| {
        let value = format!("self.{}", member.name);
        Some(member.as_uint32.as_ref()?.replace("{value}", &value))
    };
    let (first, second) = (number(first)?, number(second)?);
    Some(format!(
        "
    #[inline]
    fn encode_field(self, field: u32, to: &mut Encoder<'_>) {{
        to.message_of_two(field, [{first}, {second}]);
    }}
"
    ))
}

/// Emits the enums of the `oneof`s of a message, in a module with the name of the message.
fn emit_oneofs(message: &MessageDescriptor, code: &mut String) {
    let oneofs = message.oneofs().filter(|oneof| !oneof.is_synthetic());
    let enums: Vec<String> = oneofs.map(|oneof| oneof_enum(&oneof)).collect();
    if enums.is_empty() {
        return;
    }
    let name = message.name();
    let module = snake(name);
    let indent = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    let enums: String = enums.join("\n").lines().map(indent).collect();
    emit(
        code,
        format_args!(
            "/// The `oneof` of [`v1::{name}`].
pub mod {module} {{
    use super::*;

{enums}}}
"
        ),
    );
}

/// The enum of a `oneof` and its `Encode`.
fn oneof_enum(oneof: &OneofDescriptor) -> String {
    let (module, name) = (snake(oneof.parent_message().name()), upper_camel(oneof.name()));
    let members: Vec<Member> = oneof.fields().map(|field| Member::of_field(&field)).collect();
    let (parameters, bounds) = generics(&members);
    let mut variants = String::new();
    let mut arms = String::new();
    for member in &members {
        let variant = upper_camel(&member.name);
        let Member { declaration, field_type, call, .. } = member;
        let call = call.replace("{value}", "value");
        variants += &format!("    /// `{declaration}`\n    {variant}({field_type}),\n");
        arms += &format!("            self::{name}::{variant}(value) => {call},\n");
    }
    format!(
        "/// Encoder of [`v1::{module}::{name}`].
pub enum {name}{parameters} {{
{variants}}}

impl{parameters} Encode for self::{name}{parameters}
{bounds}{{
    type Wire = v1::{module}::{name};

    #[inline]
    fn encode(self, to: &mut Encoder<'_>) {{
        match self {{
{arms}        }}
    }}
}}
"
    )
}

/// Emits the number of a field as a constant of the prost type.
fn emit_field_number(message: &str, field: &FieldDescriptor, code: &mut String) {
    let (name, number) = (field.name(), field.number());
    let constant = name.to_uppercase();
    emit(
        code,
        format_args!(
            "impl v1::{message} {{
    /// Number of the field `{name}`.
    pub const {constant}_FIELD_NUMBER: u32 = {number};
}}
"
        ),
    );
}

fn emit(code: &mut String, item: std::fmt::Arguments<'_>) {
    writeln!(code, "{item}").expect("writing to a string");
}

/// `played_x2` as `PlayedX2`.
fn upper_camel(name: &str) -> String {
    let words = name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect()
}

/// `GapEvent` as `gap_event`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
