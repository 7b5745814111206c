//! Records of finished tables.

use std::sync::Arc;

use parlor_engine::Viewer;

use crate::identity::Owner;
use crate::shard::commit::visibility_code;
use crate::shard::load::{Loaded, load};
use crate::table::{CommandError, Record, Visibility};
use crate::tags::{parse_deal_tag, tournament_tag};
use crate::tournaments::log_id::log_id;
use crate::{Host, HostError, ViewerCredential};
use crate::{TableId, TournamentId};
use parlor_store::{LogError, LogFilter, LogKind, PageRequest, limits};

impl Host {
    /// Returns the record of a finished table and the viewer to limit it to; `None` is the whole record.
    ///
    /// The whole record of a public table is visible to everyone, that of a private one to its owner. A token of a
    /// private table gives access to the part of its own viewer.
    ///
    /// # Errors
    /// The table is not over, or the caller may not see it or not as the requested viewer.
    pub async fn record(
        &self,
        credential: &ViewerCredential,
        requested: Option<Viewer>,
    ) -> Result<(Record, Option<Viewer>), HostError> {
        let (summary, admitted_as) = self.admit(credential).await?;
        let table = credential.table();
        let sees_all = summary.setup.visibility == Visibility::Public
            || matches!(credential, ViewerCredential::NoToken { .. });
        let viewer = match requested {
            None if sees_all => None,
            None => Some(admitted_as),
            Some(viewer) if sees_all || viewer == admitted_as => Some(viewer),
            Some(_) => return Err(HostError::NotOwner { table }),
        };
        Ok((self.load_record(table, viewer).await?, viewer))
    }

    /// Returns the record of a finished table without authorisation.
    ///
    /// # Errors
    /// The table is not over, or it has no such viewer.
    pub async fn load_record(&self, table: TableId, viewer: Option<Viewer>) -> Result<Record, HostError> {
        self.ensure_running()?;
        let mut record = match load(&*self.shared.log, self.shared.codecs.payloads, table).await {
            Loaded::Finished(record) => Arc::unwrap_or_clone(record),
            Loaded::Live(_) => return Err(HostError::NotOver { table }),
            Loaded::Failed(error) => return Err(error),
        };
        self.shared.deals.check(record.summary.setup.chance.deal())?;
        record.summary.reveal_deal();
        let last = record.summary.seats.len() as u8 - 1;
        if let Some(Viewer::Seat(seat)) = viewer
            && seat.index() > usize::from(last)
        {
            return Err(CommandError::NoSuchSeat { seat, last }.into());
        }
        Ok(record)
    }

    /// Lists the finished tables of a tournament by deal and rotation.
    ///
    /// # Errors
    /// The tournament does not exist or is hidden from the caller.
    pub async fn tournament_tables(
        &self,
        tournament: TournamentId,
        caller: Option<&Owner>,
        admin: bool,
    ) -> Result<Vec<TableId>, HostError> {
        self.ensure_running()?;
        let log = &self.shared.log;
        let hidden = HostError::NoSuchTournament { tournament };
        let row = match log.find(log_id(tournament)).await {
            Err(LogError::NoSuchTable { .. }) => return Err(hidden),
            found => found?,
        };
        let owns = admin || caller.is_some_and(|caller| caller.as_str() == row.listing.owner.as_str());
        let is_public = row.listing.visibility == visibility_code(Visibility::Public);
        if row.listing.kind != LogKind::Tournament || !(owns || is_public) {
            return Err(hidden);
        }
        let filter =
            LogFilter { tag: Some(tournament_tag(tournament)), finished: Some(true), ..LogFilter::default() };
        let (mut tables, mut after) = (Vec::new(), None);
        loop {
            let page =
                log.list_tables(filter.clone(), PageRequest { after, size: limits::MAX_PAGE_SIZE }).await?;
            tables.extend(page.tables.iter().map(|row| (parse_deal_tag(&row.listing.tags), row.id)));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        tables.sort_unstable();
        Ok(tables.into_iter().map(|(_, table)| table).collect())
    }
}
