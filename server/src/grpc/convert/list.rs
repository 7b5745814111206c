//! ListTables, and page tokens that are table ids.

use std::str::FromStr;

use parlor_engine::GameId;
use parlor_host::TableFilter;
use parlor_host::TableId;
use parlor_host::table::State;
use parlor_proto::convert::field::{InvalidField, one_of};
use parlor_proto::v1;

use super::ToMessage;
use super::validate::{metadata, page_size, user_id};
use crate::grpc::Failure;
use crate::identity::{ApiKeyError, Caller};

/// Page sizes of ListTables.
const DEFAULT_PAGE_SIZE: u32 = 20;
const MAX_PAGE_SIZE: u32 = 100;

/// A page of ListTables or ListRecords.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TablePage {
    /// Selects the tables.
    pub filter: TableFilter,
    /// The last table of the previous page.
    pub after: Option<TableId>,
    /// Maximum number of tables.
    pub size: usize,
}

/// Decodes ListTables of this caller.
pub fn list_tables(wire: v1::ListTablesRequest, caller: Option<&Caller>) -> Result<TablePage, Failure> {
    let v1::ListTablesRequest {
        game,
        states: values,
        owned,
        open_seat,
        user_id: user,
        metadata,
        page_size: size,
        page_token: token,
    } = wire;
    let game = game_filter(&game)?;
    let mut states = Vec::new();
    for (index, value) in values.into_iter().enumerate() {
        let state = state(value).map_err(|wrong| wrong.in_list(index).within("states"))?;
        if !states.contains(&state) {
            states.push(state);
        }
    }
    let (user, metadata) = (user_id(user, "user_id")?, self::metadata(metadata)?);
    let is_owner_only = owned || user.is_some() || !metadata.is_empty();
    if is_owner_only && caller.is_none() {
        return Err(ApiKeyError::Missing.into());
    }
    let size = page_size(size, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)?;
    let after = page_token(&token)?;
    let filter = TableFilter {
        game,
        states,
        caller: caller.map(|caller| caller.owner().clone()),
        owned,
        open_seat,
        user,
        metadata,
        ..TableFilter::default()
    };
    Ok(TablePage { filter, after, size })
}

/// Parses the game of a filter; empty means any game.
pub(super) fn game_filter(id: &str) -> Result<Option<GameId>, Failure> {
    match id {
        "" => Ok(None),
        id => GameId::from_id(id).map(Some).ok_or(Failure::NoSuchGame),
    }
}

/// Parses a page token, the id of the last table or tournament of the previous page; empty for the first
/// page.
pub fn page_token<T: FromStr>(token: &str) -> Result<Option<T>, InvalidField> {
    if token.is_empty() {
        return Ok(None);
    }
    token.parse().map(Some).map_err(|_| invalid_page_token())
}

/// The error of an invalid page token.
pub(super) fn invalid_page_token() -> InvalidField {
    InvalidField::at("page_token", "must be next_page_token of the page before")
}

fn state(value: i32) -> Result<State, InvalidField> {
    one_of(value, "", |state: v1::TableState| {
        State::ALL.into_iter().find(|known| state == known.to_message())
    })
}
