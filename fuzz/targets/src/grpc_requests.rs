//! Requests of every method: decoded, validated and converted as its handler does, without a host.
//!
//! The first byte selects the method, the others are the message.

use std::sync::Arc;

use futures_util::FutureExt;
use parlor_proto::v1::{self, catalogue_service_server::CatalogueService};
use parlor_server::grpc::{Catalogue, Failure, OfferedGames, convert};
use parlor_server::identity::{Caller, SigningKeys};
use prost::Message;
use tonic::{Request, Status};

use crate::callers::{CALLERS, SETTINGS, server_key};
use crate::stream_items;

/// A method: its path, and the conversion of its encoded request.
pub struct Method {
    /// Path of the HTTP request.
    pub path: &'static str,
    decode: fn(&[u8], &Caller) -> Result<(), Status>,
}

/// Decodes a message and converts it. The value of the conversion is dropped, its error becomes a status.
fn convert<M: Message + Default, T, E: Into<Failure>>(
    bytes: &[u8],
    convert: impl FnOnce(M) -> Result<T, E>,
) -> Result<(), Status> {
    let message = M::decode(bytes).map_err(|error| Status::internal(error.to_string()))?;
    convert(message).map(drop).map_err(|error| error.into().into())
}

/// Calls a handler of the catalogue, which has no state and never waits.
fn catalogue<M: Message + Default, T>(
    bytes: &[u8],
    call: impl AsyncFnOnce(&Catalogue, Request<M>) -> Result<T, Status>,
) -> Result<(), Status> {
    let message = M::decode(bytes).map_err(|error| Status::internal(error.to_string()))?;
    let catalogue = Catalogue {
        games: OfferedGames { test_games: true },
        keys: Arc::new(SigningKeys::from_bytes([8; 32])),
    };
    let called = call(&catalogue, Request::new(message)).now_or_never();
    called.expect("the catalogue waits for nothing").map(drop)
}

macro_rules! methods {
    ($($path:literal: $convert:expr,)*) => {
        /// All methods of all services, as a corpus file counts them: a new one stands at the end.
        pub const METHODS: &[Method] = &[$(Method { path: $path, decode: $convert },)*];
    };
}

methods! {
    "/parlor.v1.CatalogueService/ListGames": |bytes, _| catalogue(bytes, async |to, request| to.list_games(request).await),
    "/parlor.v1.CatalogueService/GetRules": |bytes, _| catalogue(bytes, async |to, request| to.get_rules(request).await),
    "/parlor.v1.CatalogueService/ListHouseBots": |bytes, _| catalogue(bytes, async |to, request| to.list_house_bots(request).await),
    "/parlor.v1.CatalogueService/ListEnumTexts": |bytes, _| catalogue(bytes, async |to, request| to.list_enum_texts(request).await),
    "/parlor.v1.TableService/CreateTable": |bytes, _| convert(bytes, |wire| convert::create_table(wire, &SETTINGS.table, &SETTINGS.bots, false)),
    "/parlor.v1.TableService/JoinTable": |bytes, caller| convert(bytes, |wire| convert::join_table(wire, &server_key(), Some(caller))),
    "/parlor.v1.TableService/GetTable": |bytes, caller| convert(bytes, |wire| convert::get_table(&wire, &server_key(), Some(caller))),
    "/parlor.v1.TableService/ListTables": |bytes, caller| convert(bytes, |wire| convert::list_tables(wire, Some(caller))),
    "/parlor.v1.TableService/FollowTables": |bytes, _| convert(bytes, Ok::<v1::FollowTablesRequest, Failure>),
    "/parlor.v1.TableService/ReplaceSeat": |bytes, caller| convert(bytes, |wire| convert::replace_seat(wire, &SETTINGS.bots, Some(caller))),
    "/parlor.v1.TableService/Rematch": |bytes, _| convert(bytes, |wire| convert::rematch(&wire, &server_key())),
    "/parlor.v1.TableService/ResignSeat": |bytes, _| convert(bytes, |wire| convert::resign_seat(wire, &server_key())),
    "/parlor.v1.TableService/CancelTable": |bytes, _| convert(bytes, convert::cancel_table),
    "/parlor.v1.TableService/DeleteTable": |bytes, _| convert(bytes, |wire| convert::delete_table(&wire)),
    "/parlor.v1.TableService/CreateSpectatorToken": |bytes, _| convert(bytes, |wire| convert::create_spectator_token(&wire)),
    "/parlor.v1.TableService/ReissueSeatToken": |bytes, caller| convert(bytes, |wire| convert::reissue_seat_token(&wire, Some(caller))),
    "/parlor.v1.PlayService/Play": |bytes, caller| convert(bytes, |wire| stream_items::play(wire, caller)),
    "/parlor.v1.PlayService/Follow": |bytes, caller| convert(bytes, |wire| stream_items::follow(wire, caller)),
    "/parlor.v1.PlayService/Act": |bytes, _| convert(bytes, |wire| convert::act(wire, &server_key())),
    "/parlor.v1.AgentService/Connect": |bytes, caller| convert(bytes, |wire| stream_items::connect(wire, caller)),
    "/parlor.v1.AgentService/ListAgents": |bytes, _| convert(bytes, convert::list_agents),
    "/parlor.v1.RecordService/GetRecord": |bytes, caller| convert(bytes, |wire| convert::get_record(wire, &server_key(), Some(caller))),
    "/parlor.v1.RecordService/ListRecords": |bytes, caller| convert(bytes, |wire| convert::list_records(wire, Some(caller))),
    "/parlor.v1.RecordService/Replay": |bytes, caller| convert(bytes, |wire| convert::replay(wire, &server_key(), Some(caller))),
    "/parlor.v1.RecordService/ExportRecords": |bytes, _| convert(bytes, convert::export_records),
    "/parlor.v1.TournamentService/CreateTournament": |bytes, _| convert(bytes, |wire| convert::create_tournament(wire, &SETTINGS.table, &SETTINGS.bots)),
    "/parlor.v1.TournamentService/StartTournament": |bytes, _| convert(bytes, |wire: v1::StartTournamentRequest| {
        convert::tournament_id(&wire.tournament_id)?;
        convert::entropy_commitment(&wire.entropy_commitment, "entropy_commitment")
    }),
    "/parlor.v1.TournamentService/GetTournament": |bytes, _| convert(bytes, |wire: v1::GetTournamentRequest| convert::tournament_id(&wire.tournament_id)),
    "/parlor.v1.TournamentService/ListTournaments": |bytes, _| convert(bytes, |wire: v1::ListTournamentsRequest| {
        convert::tournament_page_size(wire.page_size)?;
        convert::page_token::<parlor_fair::TournamentId>(&wire.page_token)
    }),
    "/parlor.v1.TournamentService/GetStandings": |bytes, _| convert(bytes, |wire: v1::GetStandingsRequest| convert::tournament_id(&wire.tournament_id)),
    "/parlor.v1.TournamentService/FollowTournament": |bytes, _| convert(bytes, |wire: v1::FollowTournamentRequest| convert::tournament_id(&wire.tournament_id)),
    "/parlor.v1.TournamentService/ListTournamentTables": |bytes, _| convert(bytes, |wire: v1::ListTournamentTablesRequest| {
        convert::tournament_id(&wire.tournament_id)?;
        convert::tournament_page_size(wire.page_size)?;
        convert::parse_table_cursor(&wire.page_token)
    }),
    "/parlor.v1.TournamentService/PauseTournament": |bytes, _| convert(bytes, |wire: v1::PauseTournamentRequest| convert::tournament_id(&wire.tournament_id)),
    "/parlor.v1.TournamentService/ResumeTournament": |bytes, _| convert(bytes, |wire: v1::ResumeTournamentRequest| convert::tournament_id(&wire.tournament_id)),
    "/parlor.v1.TournamentService/CancelTournament": |bytes, _| convert(bytes, |wire: v1::CancelTournamentRequest| {
        convert::tournament_id(&wire.tournament_id)?;
        convert::tournament_reason(wire.reason, 0)
    }),
    "/parlor.v1.TournamentService/WithdrawEntrant": |bytes, _| convert(bytes, |wire: v1::WithdrawEntrantRequest| convert::tournament_id(&wire.tournament_id)),
    "/parlor.v1.TournamentService/VoidGroup": |bytes, _| convert(bytes, |wire: v1::VoidGroupRequest| {
        convert::tournament_id(&wire.tournament_id)?;
        convert::tournament_reason(wire.reason, 1)
    }),
    "/parlor.v1.CatalogueService/ListSigningKeys": |bytes, _| catalogue(bytes, async |to, request| to.list_signing_keys(request).await),
    "/parlor.v1.PlayService/RevealEntropy": |bytes, _| convert(bytes, |wire| convert::reveal_entropy(&wire, &server_key())),
    "/parlor.v1.TournamentService/RevealTournamentEntropy": |bytes, _| convert(bytes, |wire: v1::RevealTournamentEntropyRequest| {
        convert::tournament_id(&wire.tournament_id)?;
        convert::revealed_entropy(&wire.entropy, "entropy")
    }),
    "/parlor.v1.TableService/CreateInvite": |bytes, caller| convert(bytes, |wire| convert::create_invite(&wire, Some(caller))),
    "/parlor.v1.TableService/ListInvites": |bytes, _| convert(bytes, |wire| convert::list_invites(&wire)),
    "/parlor.v1.TableService/RevokeInvite": |bytes, _| convert(bytes, |wire| convert::revoke_invite(&wire)),
}

/// The method that a byte selects.
pub(crate) fn method(selector: u8) -> &'static Method {
    &METHODS[usize::from(selector) % METHODS.len()]
}

/// The byte that selects the method with this path.
///
/// # Panics
/// If there is no such method.
pub fn method_index(path: &str) -> u8 {
    let index = METHODS.iter().position(|method| method.path == path);
    index.and_then(|index| u8::try_from(index).ok()).unwrap_or_else(|| panic!("there is no method {path}"))
}

pub(crate) fn run(input: &[u8]) {
    let Some((selector, message)) = input.split_first() else { return };
    for caller in CALLERS.iter() {
        // A refusal is as good as a value.
        let _refused = (method(*selector).decode)(message, caller);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use prost_types::FileDescriptorSet;

    use super::*;

    #[test]
    fn every_method_of_the_api_is_a_target() {
        let set = FileDescriptorSet::decode(parlor_proto::FILE_DESCRIPTOR_SET).expect("descriptors");
        let files = set.file.iter().filter(|file| file.package() == "parlor.v1");
        let services = files.flat_map(|file| &file.service);
        let declared: BTreeSet<String> = services
            .flat_map(|service| {
                let path = |name: &str| format!("/parlor.v1.{}/{name}", service.name());
                service.method.iter().map(move |method| path(method.name()))
            })
            .collect();
        let targets: BTreeSet<String> = METHODS.iter().map(|method| method.path.to_owned()).collect();
        assert_eq!(targets, declared);
        assert_eq!(METHODS.len(), declared.len(), "each method once");
    }
}
