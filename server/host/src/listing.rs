//! Lists of tables.

use futures_util::future::join_all;

use crate::TableId;
use crate::shard::commit::{state_code, visibility_code};
use crate::table::{Holder, SeatSetup, State, TableSummary, Visibility};
use crate::{Host, HostError, TableFilter};
use parlor_store::{LogFilter, LogKind, Millis, OwnerId, PageRequest, TableRow};

/// Maximum number of tables scanned for one page. At the limit the page is short but has a successor.
const MAX_SCANNED_TABLES: usize = 2000;

impl Host {
    /// Lists up to `size` tables that match the filter, newest first, starting behind `after`. Also returns the cursor
    /// of the next page, if there are more tables to scan.
    pub async fn list_tables(
        &self,
        filter: TableFilter,
        mut after: Option<TableId>,
        size: usize,
    ) -> Result<(Vec<TableSummary>, Option<TableId>), HostError> {
        self.ensure_running()?;
        let (mut found, mut scanned) = (Vec::new(), 0);
        loop {
            let page = self
                .shared
                .log
                .list_tables(filter.log_filter()?, PageRequest { after, size: page_size(size) })
                .await?;
            scanned += page.tables.len();
            let rows: Vec<TableRow> = page.tables.into_iter().filter(|row| filter.matches_row(row)).collect();
            let summaries = join_all(rows.iter().map(|row| self.summary(row.id))).await;
            for (row, summary) in rows.iter().zip(summaries) {
                let summary = match summary {
                    Ok(summary) => summary,
                    // Deleted concurrently, or corrupt: a direct request for it reports that.
                    Err(HostError::NotFound { .. } | HostError::Damaged { .. } | HostError::Log(_)) => {
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                if filter.matches(&summary) {
                    found.push(summary);
                }
                if found.len() == size {
                    return Ok((found, Some(row.id)));
                }
            }
            after = page.next;
            if after.is_none() || scanned >= MAX_SCANNED_TABLES {
                return Ok((found, after));
            }
        }
    }
}

/// Number of rows to read at once for a page of this size.
fn page_size(size: usize) -> u32 {
    u32::try_from(size.max(20)).unwrap_or(u32::MAX)
}

impl TableFilter {
    /// The part of the filter that the log can evaluate.
    fn log_filter(&self) -> Result<LogFilter, HostError> {
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

    /// True if it filters by data that only the owner may see.
    fn is_private(&self) -> bool {
        self.user.is_some() || !self.metadata.is_empty()
    }

    /// True if a log row passes the parts of the filter that need no summary.
    fn matches_row(&self, row: &TableRow) -> bool {
        let owns = self.caller.as_ref().is_some_and(|caller| caller.as_str() == row.listing.owner.as_str());
        let is_public = row.listing.visibility == visibility_code(Visibility::Public);
        let in_state = |state: &State| state_code(*state) == row.listing.state;
        (owns || (is_public && !self.owned && !self.is_private()))
            && (self.states.is_empty() || self.states.iter().any(in_state))
            && self.tags.iter().all(|tag| row.listing.tags.contains(tag))
    }

    /// True if a table passes the rest of the filter.
    fn matches(&self, summary: &TableSummary) -> bool {
        let states = &self.states;
        let has_user = |user: &String| {
            let is_seated = summary.seats.iter().any(|seat| match &seat.holder {
                Holder::Player { user: seated, .. } => seated.as_ref() == Some(user),
                Holder::Vacant | Holder::House { .. } | Holder::Agent { .. } => false,
            });
            let is_reserved = |seat: &SeatSetup| matches!(seat, SeatSetup::Reserved { user: reserved, .. } if reserved.as_ref() == Some(user));
            is_seated || summary.setup.seats.iter().any(is_reserved)
        };
        let has_open_seat = || {
            let mut seats = summary.seats.iter().zip(&summary.setup.seats);
            summary.state == State::Open
                && seats.any(|(seat, setup)| seat.holder == Holder::Vacant && *setup == SeatSetup::Open)
        };
        (states.is_empty() || states.contains(&summary.state))
            && (!self.open_seat || has_open_seat())
            && self.user.as_ref().is_none_or(has_user)
            && self.metadata.iter().all(|(key, value)| summary.setup.metadata.get(key) == Some(value))
    }
}
