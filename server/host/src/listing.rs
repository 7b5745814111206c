//! Listing tables.

use futures_util::future::join_all;

use crate::TableId;
use crate::shard::commit::{state_code, visibility_code};
use crate::table::{Holder, SeatSetup, State, TableSummary, Visibility};
use crate::{Host, HostError, TableFilter};
use parlor_store::{LogFilter, LogKind, Millis, OwnerId, PageRequest, TableRow};

/// How many tables are looked at for one page, at the most. A page may then be short, and there is a next one.
const LOOKED_AT: usize = 2000;

impl Host {
    /// Up to `size` tables that pass the filter, the newest first, from those after the given one on; and where to go on,
    /// if there is more to look at.
    pub async fn tables(
        &self,
        filter: TableFilter,
        mut after: Option<TableId>,
        size: usize,
    ) -> Result<(Vec<TableSummary>, Option<TableId>), HostError> {
        self.ensure_running()?;
        let (mut found, mut looked_at) = (Vec::new(), 0);
        loop {
            let page = self
                .shared
                .log
                .list_tables(filter.rows()?, PageRequest { after, size: page_size(size) })
                .await?;
            looked_at += page.tables.len();
            let wanted: Vec<TableRow> = page.tables.into_iter().filter(|row| filter.wants(row)).collect();
            let looks = join_all(wanted.iter().map(|row| self.summary(row.id))).await;
            for (row, look) in wanted.iter().zip(looks) {
                let look = match look {
                    Ok(look) => look,
                    // It was deleted a moment ago, or it is damaged and says so to whoever asks for it.
                    Err(HostError::NotFound { .. } | HostError::Damaged { .. } | HostError::Log(_)) => {
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                if filter.passes(&look) {
                    found.push(look);
                }
                if found.len() == size {
                    return Ok((found, Some(row.id)));
                }
            }
            after = page.next;
            if after.is_none() || looked_at >= LOOKED_AT {
                return Ok((found, after));
            }
        }
    }
}

/// How many rows are read at once for a page of this size.
fn page_size(size: usize) -> u32 {
    u32::try_from(size.max(20)).unwrap_or(u32::MAX)
}

impl TableFilter {
    /// What the log itself can filter by.
    fn rows(&self) -> Result<LogFilter, HostError> {
        let owner = self.caller.as_ref().filter(|_| self.owned || self.is_private());
        Ok(LogFilter {
            kind: LogKind::Table,
            owner: owner.map(|owner| OwnerId::new(owner.as_str())).transpose()?,
            game: self.game.map(|game| game.info().id.to_owned()),
            tag: self.tags.first().cloned(),
            finished: (!self.states.is_empty() && self.states.iter().all(|state| state.is_over()))
                .then_some(true),
            since: self.since.map(Millis),
            before: self.before.map(Millis),
            state: if let [state] = self.states[..] { Some(state_code(state)) } else { None },
            visibility: self.caller.is_none().then_some(visibility_code(Visibility::Public)),
        })
    }

    /// Whether it asks for what only the owner knows.
    fn is_private(&self) -> bool {
        self.user.is_some() || !self.metadata.is_empty()
    }

    /// Whether a table may be meant, by how it is listed.
    fn wants(&self, row: &TableRow) -> bool {
        let owns = self.caller.as_ref().is_some_and(|caller| caller.as_str() == row.listing.owner.as_str());
        let is_public = row.listing.visibility == visibility_code(Visibility::Public);
        let in_state = |state: &State| state_code(*state) == row.listing.state;
        (owns || (is_public && !self.owned && !self.is_private()))
            && (self.states.is_empty() || self.states.iter().any(in_state))
            && self.tags.iter().all(|tag| row.listing.tags.contains(tag))
    }

    /// Whether a table is meant.
    fn passes(&self, look: &TableSummary) -> bool {
        let states = &self.states;
        let has_user = |user: &String| {
            let sits = look.seats.iter().any(|seat| match &seat.holder {
                Holder::Player { user: sitting, .. } => sitting.as_ref() == Some(user),
                Holder::Vacant | Holder::House { .. } | Holder::Agent { .. } => false,
            });
            let is_kept = |seat: &SeatSetup| matches!(seat, SeatSetup::Reserved { user: kept, .. } if kept.as_ref() == Some(user));
            sits || look.setup.seats.iter().any(is_kept)
        };
        let has_open_seat = || {
            let mut seats = look.seats.iter().zip(&look.setup.seats);
            look.state == State::Open
                && seats.any(|(seat, setup)| seat.holder == Holder::Vacant && *setup == SeatSetup::Open)
        };
        (states.is_empty() || states.contains(&look.state))
            && (!self.open_seat || has_open_seat())
            && self.user.as_ref().is_none_or(has_user)
            && self.metadata.iter().all(|(key, value)| look.setup.metadata.get(key) == Some(value))
    }
}
