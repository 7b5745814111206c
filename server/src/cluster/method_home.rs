//! Homes of methods: which field of a request says on which node the call is served.

use std::collections::HashMap;
use std::sync::LazyLock;

use parlor_fair::Partition;
use parlor_host::{TableId, TournamentId};
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use prost_types::FileDescriptorSet;
use sha2::{Digest, Sha256};

use crate::identity::unverified_table;

/// The place where the calls of a method are served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    /// On any node, from its memory or the store.
    Anywhere,
    /// On the node of a table: the first of these fields that is set names it, by id, token or invite. A dot leads into a
    /// message.
    Table(&'static [&'static str]),
    /// On the node of the tournament that this field names.
    Tournament(&'static str),
    /// On the node of the agent whose name this field of the first message has.
    Agent(&'static str),
    /// On the nodes of its channels, each by itself.
    Channels,
}

/// A call without effect, or with an effect that happens once however often it is made.
const REPEATABLE: bool = true;
/// A call that must not be made twice.
const ONCE: bool = false;

const TABLE: Home = Home::Table(&["table_id"]);
const TABLE_OR_TOKEN: Home = Home::Table(&["table_id", "token"]);
const TOURNAMENT: Home = Home::Tournament("tournament_id");

/// Every method of the API: its home, and whether it may be repeated when its outcome is unknown.
const METHODS: &[(&str, Home, bool)] = &[
    ("parlor.v1.AgentService/Connect", Home::Agent("hello.name"), ONCE),
    ("parlor.v1.AgentService/ListAgents", Home::Anywhere, REPEATABLE),
    ("parlor.v1.CatalogueService/GetRules", Home::Anywhere, REPEATABLE),
    ("parlor.v1.CatalogueService/ListEnumTexts", Home::Anywhere, REPEATABLE),
    ("parlor.v1.CatalogueService/ListGames", Home::Anywhere, REPEATABLE),
    ("parlor.v1.CatalogueService/ListHouseBots", Home::Anywhere, REPEATABLE),
    ("parlor.v1.CatalogueService/ListSigningKeys", Home::Anywhere, REPEATABLE),
    ("parlor.v1.PlayService/Act", Home::Table(&["seat_token"]), REPEATABLE),
    ("parlor.v1.PlayService/Follow", Home::Channels, ONCE),
    ("parlor.v1.PlayService/Play", Home::Channels, ONCE),
    ("parlor.v1.PlayService/RevealEntropy", Home::Table(&["seat_token"]), REPEATABLE),
    // The node of the tournament knows which of its deals may be shown.
    ("parlor.v1.RecordService/ExportRecords", TOURNAMENT, ONCE),
    ("parlor.v1.RecordService/GetRecord", TABLE_OR_TOKEN, REPEATABLE),
    ("parlor.v1.RecordService/ListRecords", Home::Anywhere, REPEATABLE),
    ("parlor.v1.RecordService/Replay", TABLE_OR_TOKEN, ONCE),
    ("parlor.v1.TableService/CancelTable", TABLE, REPEATABLE),
    ("parlor.v1.TableService/CreateInvite", TABLE, ONCE),
    ("parlor.v1.TableService/CreateSpectatorToken", TABLE, ONCE),
    // A table is made on the node that was asked.
    ("parlor.v1.TableService/CreateTable", Home::Anywhere, ONCE),
    ("parlor.v1.TableService/DeleteTable", TABLE, ONCE),
    ("parlor.v1.TableService/FollowTables", Home::Anywhere, ONCE),
    ("parlor.v1.TableService/GetTable", TABLE_OR_TOKEN, REPEATABLE),
    ("parlor.v1.TableService/JoinTable", Home::Table(&["table_id", "invite"]), ONCE),
    ("parlor.v1.TableService/ListInvites", TABLE, REPEATABLE),
    ("parlor.v1.TableService/ListTables", Home::Anywhere, REPEATABLE),
    ("parlor.v1.TableService/ReissueSeatToken", TABLE, ONCE),
    ("parlor.v1.TableService/Rematch", Home::Table(&["table_id", "seat_token"]), REPEATABLE),
    ("parlor.v1.TableService/ReplaceSeat", TABLE, ONCE),
    ("parlor.v1.TableService/ResignSeat", Home::Table(&["seat_token", "seat_at_table.table_id"]), REPEATABLE),
    ("parlor.v1.TableService/RevokeInvite", TABLE, REPEATABLE),
    ("parlor.v1.TournamentService/CancelTournament", TOURNAMENT, ONCE),
    ("parlor.v1.TournamentService/CreateTournament", Home::Anywhere, ONCE),
    ("parlor.v1.TournamentService/FollowTournament", TOURNAMENT, ONCE),
    ("parlor.v1.TournamentService/GetStandings", TOURNAMENT, REPEATABLE),
    ("parlor.v1.TournamentService/GetTournament", TOURNAMENT, REPEATABLE),
    ("parlor.v1.TournamentService/ListTournamentTables", TOURNAMENT, REPEATABLE),
    ("parlor.v1.TournamentService/ListTournaments", Home::Anywhere, REPEATABLE),
    ("parlor.v1.TournamentService/PauseTournament", TOURNAMENT, ONCE),
    ("parlor.v1.TournamentService/ResumeTournament", TOURNAMENT, ONCE),
    ("parlor.v1.TournamentService/RevealTournamentEntropy", TOURNAMENT, ONCE),
    ("parlor.v1.TournamentService/StartTournament", TOURNAMENT, ONCE),
    ("parlor.v1.TournamentService/VoidGroup", TOURNAMENT, ONCE),
    ("parlor.v1.TournamentService/WithdrawEntrant", TOURNAMENT, ONCE),
];

/// Numbers of nested fields, outermost first.
type FieldPath = Vec<u32>;

/// The home of a method whose calls are served on one node, with its fields by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MethodHome {
    kind: HomeKind,
    fields: Vec<FieldPath>,
    /// True if the call may be repeated when its outcome is unknown.
    pub(super) is_repeatable: bool,
    is_client_streaming: bool,
    /// True if the response may last, so that it ends when the caller loses its rights.
    pub(super) is_streaming: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HomeKind {
    Table,
    Tournament,
    Agent,
}

/// The forwarded methods, by request path.
static HOMES: LazyLock<HashMap<String, MethodHome>> = LazyLock::new(|| {
    let set = FileDescriptorSet::decode(parlor_proto::FILE_DESCRIPTOR_SET).expect("compiled descriptors");
    let mut homes = HashMap::new();
    for (name, home, is_repeatable) in METHODS {
        let (kind, fields) = match home {
            Home::Anywhere | Home::Channels => continue,
            Home::Table(fields) => (HomeKind::Table, *fields),
            Home::Tournament(field) => (HomeKind::Tournament, std::slice::from_ref(field)),
            Home::Agent(field) => (HomeKind::Agent, std::slice::from_ref(field)),
        };
        let (service, method) = name.rsplit_once('/').expect("a service and a method");
        let method = set
            .file
            .iter()
            .flat_map(|file| file.service.iter().map(move |service| (file.package(), service)))
            .find(|(package, found)| format!("{package}.{}", found.name()) == service)
            .and_then(|(_, service)| service.method.iter().find(|found| found.name() == method))
            .unwrap_or_else(|| panic!("the API has no method {name}"));
        let fields = fields.iter().map(|path| field_path(&set, method.input_type(), path)).collect();
        let is_client_streaming = method.client_streaming();
        let is_streaming = is_client_streaming || method.server_streaming();
        let home =
            MethodHome { kind, fields, is_repeatable: *is_repeatable, is_client_streaming, is_streaming };
        homes.insert(format!("/{name}"), home);
    }
    homes
});

/// The numbers of a path of field names in a message.
fn field_path(set: &FileDescriptorSet, message: &str, path: &str) -> FieldPath {
    let (mut numbers, mut message) = (Vec::new(), message.to_owned());
    for name in path.split('.') {
        let found = set.file.iter().flat_map(|file| {
            file.message_type
                .iter()
                .map(move |found| (format!(".{}.{}", file.package(), found.name()), found))
        });
        let fields = found.into_iter().find(|(name, _)| *name == message).map(|(_, found)| &found.field);
        let field = fields.and_then(|fields| fields.iter().find(|field| field.name() == name));
        let field = field.unwrap_or_else(|| panic!("{message} has no field {name}"));
        numbers.push(field.number() as u32);
        field.type_name().clone_into(&mut message);
    }
    numbers
}

impl MethodHome {
    /// The home of the method with this request path; `None` if calls are served by the node that is asked, or channel by
    /// channel.
    pub(crate) fn of(path: &str) -> Option<&'static MethodHome> {
        HOMES.get(path)
    }

    /// True if the client streams, so that the response must begin before the first message has come.
    pub(crate) const fn is_client_streaming(&self) -> bool {
        self.is_client_streaming
    }

    /// The partition that an encoded request belongs to; `None` if it names none, which whoever serves it will refuse.
    pub(super) fn partition(&self, message: &[u8]) -> Option<Partition> {
        let text =
            self.fields.iter().find_map(|path| text_field(message, path).filter(|text| !text.is_empty()))?;
        match self.kind {
            HomeKind::Table => match text.parse::<TableId>() {
                Ok(table) => Some(table.partition()),
                Err(_) => unverified_table(text).map(|table| table.partition()),
            },
            HomeKind::Tournament => text.parse::<TournamentId>().ok().map(|id| id.partition()),
            HomeKind::Agent => Some(agent_partition(text)),
        }
    }
}

/// The partition of an agent's name, whose node is the agent's home.
#[must_use]
pub fn agent_partition(name: &str) -> Partition {
    Partition::new(Sha256::digest(name)[0])
}

/// The last text at a path of fields of an encoded message.
fn text_field<'a>(message: &'a [u8], path: &[u32]) -> Option<&'a str> {
    let (field, nested) = path.split_first()?;
    let bytes = bytes_field(message, *field)?;
    if nested.is_empty() { std::str::from_utf8(bytes).ok() } else { text_field(bytes, nested) }
}

/// The last length-delimited field with this number.
fn bytes_field(mut message: &[u8], wanted: u32) -> Option<&[u8]> {
    let mut found = None;
    while !message.is_empty() {
        let (field, wire_type) = decode_key(&mut message).ok()?;
        if field == wanted && wire_type == WireType::LengthDelimited {
            let length = usize::try_from(decode_varint(&mut message).ok()?).ok()?;
            let (bytes, rest) = message.split_at_checked(length)?;
            (found, message) = (Some(bytes), rest);
        } else {
            skip_field(wire_type, field, &mut message, DecodeContext::default()).ok()?;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use parlor_host::identity::Generation;
    use parlor_proto::v1;
    use proptest::prelude::*;

    use super::*;
    use crate::identity::ServerKey;

    /// A new method must say where it is served.
    #[test]
    fn every_method_of_the_api_has_a_home() {
        let set = FileDescriptorSet::decode(parlor_proto::FILE_DESCRIPTOR_SET).expect("descriptors");
        let mut all: Vec<String> = Vec::new();
        for file in &set.file {
            for service in &file.service {
                let name = |method: &str| format!("{}.{}/{method}", file.package(), service.name());
                all.extend(service.method.iter().map(|method| name(method.name())));
            }
        }
        all.sort();
        let classified: Vec<&str> = METHODS.iter().map(|(name, ..)| *name).collect();
        assert_eq!(all, classified, "give the method its line in METHODS, in this order");
    }

    #[test]
    fn requests_are_found_by_id_token_and_nested_field() {
        let table = TableId::new(1_700_000_000_000, [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]);
        let key = ServerKey::from_bytes([7; 32]);
        let seat = parlor_engine::Seat::FIRST;
        let token = key.seat_token(table, seat, Generation::FIRST).reveal().clone();
        let invite = key.invite(table, 4).reveal().clone();
        let of = |method: &str, message: Vec<u8>| {
            MethodHome::of(&format!("/parlor.v1.{method}")).expect("a home").partition(&message)
        };
        let home = Some(table.partition());
        let id = table.to_string();
        let get = v1::GetTableRequest { table_id: id.clone(), ..Default::default() };
        assert_eq!(of("TableService/GetTable", get.encode_to_vec()), home);
        let get = v1::GetTableRequest { token: token.clone(), ..Default::default() };
        assert_eq!(of("TableService/GetTable", get.encode_to_vec()), home);
        let join = v1::JoinTableRequest { invite, ..Default::default() };
        assert_eq!(of("TableService/JoinTable", join.encode_to_vec()), home);
        let act = v1::ActRequest { seat_token: token, ..Default::default() };
        assert_eq!(of("PlayService/Act", act.encode_to_vec()), home);
        let seat = v1::resign_seat_request::Seat::SeatAtTable(v1::SeatAtTable { table_id: id, seat: 1 });
        let resign = v1::ResignSeatRequest { seat: Some(seat) };
        assert_eq!(of("TableService/ResignSeat", resign.encode_to_vec()), home);
        let none = v1::GetTableRequest { table_id: "nonsense".to_owned(), ..Default::default() };
        assert_eq!(of("TableService/GetTable", none.encode_to_vec()), None);
        assert_eq!(of("TableService/GetTable", vec![0x0a, 0xff]), None, "damaged");
    }

    proptest! {
        /// Requests come from clients.
        #[test]
        fn arbitrary_requests_have_a_home_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for home in HOMES.values() {
                let _partition = home.partition(&bytes);
            }
        }

        #[test]
        fn arbitrary_tokens_name_a_table_or_none(token in "pl[svio]_.{0,80}") {
            let _table = unverified_table(&token);
        }
    }

    #[test]
    fn agents_are_found_by_the_name_in_their_hello() {
        let hello = v1::AgentHello { name: "deep thought".to_owned(), ..Default::default() };
        let first = v1::ConnectRequest { hello: Some(hello), ..Default::default() }.encode_to_vec();
        let home = MethodHome::of("/parlor.v1.AgentService/Connect").expect("a home");
        assert!(home.is_client_streaming);
        assert_eq!(home.partition(&first), Some(agent_partition("deep thought")));
    }
}
