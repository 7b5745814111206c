//! Lists of tables.

use futures_util::future::join_all;

use crate::TableId;
use crate::shard::commit::{state_code, visibility_code};
use crate::table::{Holder, SeatSetup, State, TableSummary, Visibility};
use crate::{Host, HostError, TableFilter};
use parlor_store::{LogFilter, LogKind, Millis, OwnerId, PageRequest, TableRow};

/// Maximum number of log pages read for one page of a listing. The log bounds the rows that it scans for each.
const MAX_LOG_PAGES: usize = 4;
/// Maximum number of tables loaded for one page of a listing: each costs up to a whole log or record.
const MAX_LOADED_TABLES: usize = 200;

impl Host {
    /// Lists up to `size` tables that match the filter, newest first, starting behind `after`. Also returns the cursor
    /// of the next page, if there are more tables to scan.
    ///
    /// The cost has a bound that does not depend on the number of tables: at the bound the page is short, or even empty,
    /// and has a next one.
    pub async fn list_tables(
        &self,
        filter: TableFilter,
        mut after: Option<TableId>,
        size: usize,
    ) -> Result<(Vec<TableSummary>, Option<TableId>), HostError> {
        self.ensure_running()?;
        let Some(log_filter) = filter.log_filter()? else { return Ok((Vec::new(), None)) };
        let (mut found, mut loaded) = (Vec::new(), 0);
        for _ in 0..MAX_LOG_PAGES {
            let rows = (MAX_LOADED_TABLES - loaded).min(size.max(MAX_LOADED_TABLES / MAX_LOG_PAGES));
            let request = PageRequest { after, size: u32::try_from(rows).unwrap_or(u32::MAX) };
            let page = self.shared.log.list_tables(log_filter.clone(), request).await?;
            // The log has scanned as much as it does at once.
            let is_bounded = page.tables.len() < rows;
            let rows: Vec<TableRow> = page.tables.into_iter().filter(|row| filter.matches_row(row)).collect();
            loaded += rows.len();
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
            if after.is_none() || is_bounded || loaded == MAX_LOADED_TABLES {
                break;
            }
        }
        Ok((found, after))
    }
}

impl TableFilter {
    /// The part of the filter that the log can evaluate; `None` if no table passes.
    fn log_filter(&self) -> Result<Option<LogFilter>, HostError> {
        let state = match self.states[..] {
            // Only an open table has an open seat.
            _ if self.open_seat && (self.states.is_empty() || self.states.contains(&State::Open)) => {
                Some(State::Open)
            }
            _ if self.open_seat => return Ok(None),
            [state] => Some(state),
            _ => None,
        };
        let owner = self.caller.as_ref().filter(|_| self.owned || self.is_private());
        Ok(Some(LogFilter {
            kind: LogKind::Table,
            owner: owner.map(|owner| OwnerId::new(owner.as_str())).transpose()?,
            game: self.game.map(|game| game.info().id.to_owned()),
            tag: self.tags.first().cloned(),
            finished: (!self.states.is_empty() && self.states.iter().all(|state| state.is_over()))
                .then_some(true),
            since: self.since.map(Millis),
            before: self.before.map(Millis),
            state: state.map(state_code),
            visibility: self.caller.is_none().then_some(visibility_code(Visibility::Public)),
        }))
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
