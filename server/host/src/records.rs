//! Records of tables that are over.

use std::sync::Arc;

use parlor_engine::Viewer;

use crate::TableId;
use crate::identity::Owner;
use crate::shard::commit::visibility_code;
use crate::shard::load::{Loaded, load};
use crate::table::{CommandError, Record, Visibility};
use crate::tags::{deal_of, tournament_tag};
use crate::{Host, HostError, ViewerCredential};
use parlor_store::{LogError, LogFilter, LogKind, PageRequest, limits};

impl Host {
    /// The record of a table that is over, to somebody who may see it, and whose record is meant: with `None`, all of it.
    ///
    /// Of a public table everyone may see everything, of a private one its owner. The holder of a token of a private table
    /// sees what was shown to the holders of that token.
    pub async fn record(
        &self,
        who: &ViewerCredential,
        asked: Option<Viewer>,
    ) -> Result<(Record, Option<Viewer>), HostError> {
        let (look, seen_as) = self.admit(who).await?;
        let table = who.table();
        let sees_all =
            look.setup.visibility == Visibility::Public || matches!(who, ViewerCredential::Rail { .. });
        let viewer = match asked {
            None if sees_all => None,
            None => Some(seen_as),
            Some(viewer) if sees_all || viewer == seen_as => Some(viewer),
            Some(_) => return Err(HostError::NotOwner { table }),
        };
        Ok((self.record_of(table, viewer).await?, viewer))
    }

    /// The record of a table that is over, whoever may see it, if it has this viewer.
    pub async fn record_of(&self, table: TableId, viewer: Option<Viewer>) -> Result<Record, HostError> {
        self.ensure_running()?;
        let mut record = match load(&*self.shared.log, self.shared.codecs.payloads, table).await {
            Loaded::Finished(record) => Arc::unwrap_or_clone(record),
            Loaded::Live(_) => return Err(HostError::NotOver { table }),
            Loaded::Failed(error) => return Err(error),
        };
        self.shared.deals.check(record.look.setup.chance.deal())?;
        record.look.reveal_deal();
        let last = record.look.seats.len() as u8 - 1;
        if let Some(Viewer::Seat(seat)) = viewer
            && seat.index() > usize::from(last)
        {
            return Err(CommandError::NoSuchSeat { seat, last }.into());
        }
        Ok(record)
    }

    /// The tables of a tournament that are over, in the order of the deals and, within a deal, of the rotations; to
    /// somebody who may see the tournament.
    pub async fn tables_of(
        &self,
        tournament: TableId,
        caller: Option<&Owner>,
        admin: bool,
    ) -> Result<Vec<TableId>, HostError> {
        self.ensure_running()?;
        let log = &self.shared.log;
        let hidden = HostError::NoSuchTournament { tournament };
        let row = match log.find(tournament).await {
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
            tables.extend(page.tables.iter().map(|row| (deal_of(&row.listing.tags), row.id)));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        tables.sort_unstable();
        Ok(tables.into_iter().map(|(_, table)| table).collect())
    }
}
