//! Listing tables.

use parlor_engine::GameId;
use parlor_proto::convert::field::{InvalidField, number, one_of};
use parlor_proto::v1;

use super::ToMessage;
use super::id::table_id;
use super::validate::{metadata, user_id};
use crate::grpc::Failure;
use crate::identity::{ApiKeyError, Caller};
use parlor_host::TableFilter;
use parlor_host::TableId;
use parlor_host::table::State;

/// How many tables a page has if the caller does not say, and at most.
const USUAL_PAGE: u32 = 20;
const LARGEST_PAGE: u32 = 100;

/// One page of tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Which tables.
    pub filter: TableFilter,
    /// Where the page before ended.
    pub after: Option<TableId>,
    /// How many at most.
    pub size: usize,
}

/// Listing tables for this caller.
pub fn list_tables(wire: v1::ListTablesRequest, caller: Option<&Caller>) -> Result<Listing, Failure> {
    let game = game(&wire.game)?;
    let mut states = Vec::new();
    for (place, value) in wire.states.into_iter().enumerate() {
        let state = state(value).map_err(|wrong| wrong.in_list(place).within("states"))?;
        if !states.contains(&state) {
            states.push(state);
        }
    }
    let (user, metadata) = (user_id(wire.user_id, "user_id")?, metadata(wire.metadata)?);
    let is_about_own = wire.owned || user.is_some() || !metadata.is_empty();
    if is_about_own && caller.is_none() {
        return Err(ApiKeyError::Missing.into());
    }
    let size: u32 = match wire.page_size {
        0 => USUAL_PAGE,
        size => number(size, 1..=LARGEST_PAGE, "page_size")?,
    };
    let after = page_token(&wire.page_token)?;
    let filter = TableFilter {
        game,
        states,
        caller: caller.map(|caller| caller.owner().clone()),
        owned: wire.owned,
        open_seat: wire.open_seat,
        user,
        metadata,
        ..TableFilter::default()
    };
    Ok(Listing { filter, after, size: size as usize })
}

/// The game that is meant, if one is.
pub(super) fn game(id: &str) -> Result<Option<GameId>, Failure> {
    match id {
        "" => Ok(None),
        id => GameId::from_id(id).map(Some).ok_or(Failure::NoSuchGame),
    }
}

/// Where the page before ended, if there was one: with a table, whose id is the token.
pub(super) fn page_token(token: &str) -> Result<Option<TableId>, InvalidField> {
    let wrong = |_| InvalidField::at("page_token", "must be next_page_token of the page before");
    if token.is_empty() { Ok(None) } else { table_id(token, "page_token").map(Some).map_err(wrong) }
}

fn state(value: i32) -> Result<State, InvalidField> {
    one_of(value, "", |state: v1::TableState| {
        State::ALL.into_iter().find(|known| state == known.to_message())
    })
}
