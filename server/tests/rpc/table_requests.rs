//! Builders of TableService requests, and helpers that create tables and fill their seats.

use parlor_engine::{AnyGame, Chance as Deal, GameId, NoEvents};
use parlor_proto::v1::{self, create_table_request::Chance, seat_setup::Occupant};
use sha2::{Digest, Sha256};

use crate::client::Client;
use crate::test_server::TestServer;

/// The default options of a game; GAP is shortened to one round.
pub(crate) fn options(game: GameId) -> v1::GameOptions {
    let mut options = v1::GameOptions::from(game.default_options());
    if let Some(v1::game_options::Game::Gap(gap)) = &mut options.game {
        gap.length = Some(v1::gap_options::Length::Rounds(1));
    }
    options
}

/// A public table of this game with `players` open seats, without a clock, and with a fixed seed.
pub(crate) fn table(game: GameId, players: usize) -> v1::CreateTableRequest {
    v1::CreateTableRequest {
        options: Some(options(game)),
        seats: vec![open(); players],
        clock: Some(v1::ClockSettings { decision_ms: Some(0), ..v1::ClockSettings::default() }),
        chance: Some(Chance::GivenSeed(v1::GivenSeed { seed: vec![7; 32] })),
        ..v1::CreateTableRequest::default()
    }
}

/// The same request with this seed.
pub(crate) fn seeded(seed: [u8; 32], request: v1::CreateTableRequest) -> v1::CreateTableRequest {
    let chance = Some(Chance::GivenSeed(v1::GivenSeed { seed: seed.to_vec() }));
    v1::CreateTableRequest { chance, ..request }
}

/// The same request with fresh chance: the server draws the seed.
pub(crate) fn fresh(request: v1::CreateTableRequest) -> v1::CreateTableRequest {
    v1::CreateTableRequest { chance: Some(Chance::Fresh(v1::FreshChance {})), ..request }
}

/// The same request with a clock.
pub(crate) fn timed(clock: v1::ClockSettings, request: v1::CreateTableRequest) -> v1::CreateTableRequest {
    v1::CreateTableRequest { clock: Some(clock), ..request }
}

/// The same request for a private table.
pub(crate) fn private(request: v1::CreateTableRequest) -> v1::CreateTableRequest {
    v1::CreateTableRequest { visibility: v1::Visibility::Private.into(), ..request }
}

/// The first seed of 32 equal bytes whose deal passes the predicate.
pub(crate) fn find_seed(game: GameId, players: u8, wanted: impl Fn(&AnyGame) -> bool) -> [u8; 32] {
    let (version, options) = (game.info().rules_version, game.default_options());
    let deals = |byte: &u8| {
        let chance = Deal::seeded([*byte; 32]);
        wanted(&AnyGame::new(version, options, players, chance, &mut NoEvents).expect("a game"))
    };
    let byte = (0..=u8::MAX).find(deals).expect("a deal that passes among 256 seeds");
    [byte; 32]
}

/// A table of GAP, a game with one decision at a time.
pub(crate) fn gap(players: usize) -> v1::CreateTableRequest {
    table(GameId::Gap, players)
}

/// A valid id that no table or tournament has.
pub(crate) fn unknown_table_id() -> String {
    parlor_server::TableId::from_bytes([1; 16]).to_string()
}

pub(crate) fn open() -> v1::SeatSetup {
    v1::SeatSetup { occupant: Some(Occupant::Open(v1::OpenSeat {})) }
}

pub(crate) fn house(name: &str) -> v1::SeatSetup {
    v1::SeatSetup { occupant: Some(Occupant::HouseBot(bot(name))) }
}

pub(crate) fn bot(name: &str) -> v1::HouseBotSeat {
    v1::HouseBotSeat { name: name.to_owned() }
}

pub(crate) fn reserved(user_id: &str, display_name: &str) -> v1::SeatSetup {
    let reserved = v1::ReservedSeat { user_id: user_id.to_owned(), display_name: display_name.to_owned() };
    v1::SeatSetup { occupant: Some(Occupant::Reserved(reserved)) }
}

/// A clock with these times in milliseconds; a seat forfeits after `forfeit_after` timeouts.
pub(crate) fn clock(decision: u32, bank: u32, grace: u32, forfeit_after: u32) -> v1::ClockSettings {
    v1::ClockSettings {
        decision_ms: Some(decision),
        bank_ms: Some(bank),
        grace_ms: Some(grace),
        forfeit_after: Some(forfeit_after),
        hidden_window_ms: Some(500),
        constant_hidden_windows: Some(false),
    }
}

pub(crate) fn join(table_id: &str) -> v1::JoinTableRequest {
    v1::JoinTableRequest { table_id: table_id.to_owned(), ..v1::JoinTableRequest::default() }
}

pub(crate) fn get(table_id: &str) -> v1::GetTableRequest {
    v1::GetTableRequest { table_id: table_id.to_owned(), ..Default::default() }
}

pub(crate) fn cancel(table_id: &str) -> v1::CancelTableRequest {
    v1::CancelTableRequest { table_id: table_id.to_owned(), note: String::new() }
}

pub(crate) fn delete(table_id: &str) -> v1::DeleteTableRequest {
    v1::DeleteTableRequest { table_id: table_id.to_owned() }
}

pub(crate) fn replace(table_id: &str, seat: u32, name: &str) -> v1::ReplaceSeatRequest {
    v1::ReplaceSeatRequest {
        request_id: String::new(),
        table_id: table_id.to_owned(),
        seat,
        house_bot: Some(bot(name)),
    }
}

pub(crate) fn rematch(table_id: &str) -> v1::RematchRequest {
    v1::RematchRequest { table_id: table_id.to_owned(), ..v1::RematchRequest::default() }
}

pub(crate) fn reissue(table_id: &str, seat: u32) -> v1::ReissueSeatTokenRequest {
    v1::ReissueSeatTokenRequest { request_id: String::new(), table_id: table_id.to_owned(), seat }
}

pub(crate) fn new_invite(table_id: &str) -> v1::CreateInviteRequest {
    v1::CreateInviteRequest { table_id: table_id.to_owned(), ..Default::default() }
}

pub(crate) fn revoke_invite(table_id: &str, number: u32) -> v1::RevokeInviteRequest {
    v1::RevokeInviteRequest { table_id: table_id.to_owned(), number }
}

/// JoinTable with an invite and nothing else.
pub(crate) fn accept(invite: &str) -> v1::JoinTableRequest {
    v1::JoinTableRequest { invite: invite.to_owned(), ..v1::JoinTableRequest::default() }
}

pub(crate) fn spectator_token(table_id: &str, revoke_earlier: bool) -> v1::CreateSpectatorTokenRequest {
    v1::CreateSpectatorTokenRequest { table_id: table_id.to_owned(), revoke_earlier }
}

pub(crate) fn resign(token: &str) -> v1::ResignSeatRequest {
    v1::ResignSeatRequest { seat: Some(v1::resign_seat_request::Seat::SeatToken(token.to_owned())) }
}

/// A resignation by the table's owner in place of the player.
pub(crate) fn resign_by_owner(table_id: &str, seat: u32) -> v1::ResignSeatRequest {
    let at = v1::SeatAtTable { table_id: table_id.to_owned(), seat };
    v1::ResignSeatRequest { seat: Some(v1::resign_seat_request::Seat::SeatAtTable(at)) }
}

pub(crate) fn act(token: &str, answer: v1::Answer) -> v1::ActRequest {
    v1::ActRequest { seat_token: token.to_owned(), answer: Some(answer), reveal_entropy: None }
}

/// A table whose open seats are all taken: its id, and the seat tokens in the order of the seats.
#[derive(Clone, Debug)]
pub(crate) struct SeatedTable {
    pub(crate) id: String,
    pub(crate) tokens: Vec<String>,
}

impl Client {
    /// Creates a table, and returns its id.
    pub(crate) async fn new_table(&self, request: v1::CreateTableRequest) -> String {
        let made = self.create_table(request).await.expect("a table");
        made.table.expect("a table").table_id
    }

    /// GetTable.
    pub(crate) async fn table(&self, table_id: &str) -> v1::Table {
        self.get_table(get(table_id)).await.expect("a table").table.expect("a table")
    }

    /// Creates a table and joins every open seat.
    pub(crate) async fn new_seated_table(&self, request: v1::CreateTableRequest) -> SeatedTable {
        let is_open = |seat: &&v1::SeatSetup| matches!(seat.occupant, None | Some(Occupant::Open(_)));
        let players = request.seats.iter().filter(is_open).count();
        let id = self.new_table(request).await;
        let mut tokens = Vec::new();
        for _ in 0..players {
            tokens.push(self.join_table(join(&id)).await.expect("a seat").seat_token);
        }
        SeatedTable { id, tokens }
    }
}

impl TestServer {
    /// Creates a table and joins every open seat.
    pub(crate) async fn new_seated_table(&self, request: v1::CreateTableRequest) -> SeatedTable {
        self.client().new_seated_table(request).await
    }
}

/// Joins with a commitment to this entropy, as table.proto specifies it.
pub(crate) fn commit(id: &str, entropy: &[u8]) -> v1::JoinTableRequest {
    let table = id.parse::<parlor_server::TableId>().expect("an id");
    let hash = Sha256::new().chain_update(b"parlor entropy commitment v1").chain_update(table.as_bytes());
    let entropy_commitment = hash.chain_update(entropy).finalize().to_vec();
    v1::JoinTableRequest { entropy_commitment, ..join(id) }
}

/// Reveals the entropy of a seat with Act.
pub(crate) fn act_reveal(token: &str, entropy: &[u8]) -> v1::ActRequest {
    let reveal_entropy = Some(entropy.to_vec());
    v1::ActRequest { seat_token: token.to_owned(), answer: None, reveal_entropy }
}

/// Reveals the entropy of a seat.
pub(crate) fn reveal(token: &str, entropy: &[u8]) -> v1::RevealEntropyRequest {
    v1::RevealEntropyRequest { seat_token: token.to_owned(), entropy: entropy.to_vec() }
}
