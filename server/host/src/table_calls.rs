//! Calls of the host that concern one table: summaries, joining, changes, deletion and answers.

use parlor_engine::{Seat, Viewer};
use parlor_fair::Entropy;
use parlor_store::{Delete, Millis, NewFeedItem, OwnerId};

use crate::authorization::AccessCheck;
use crate::identity::{Generation, VerifiedInvite, VerifiedSeatToken};
use crate::persistence;
use crate::shard::ShardMessage;
use crate::shard::reply::Revealer;
use crate::shard::table_message::{Change, TableMessage};
use crate::table::{
    CommandError, DecisionAnswer, IdempotencyKey, Invite, NewInvite, State, TableSummary, find_invite,
};
use crate::{
    Actor, Answered, Host, HostError, JoinRequest, OwnerEvent, TableId, ViewerCredential, run_to_end,
};

/// Result of a join.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joined {
    /// The seat taken.
    pub seat: Seat,
    /// The valid generation of the seat's token.
    pub generation: Generation,
    /// The table after the join.
    pub summary: TableSummary,
}

impl Host {
    /// Summary of a table, in memory, at rest or finished.
    pub async fn summary(&self, table: TableId) -> Result<TableSummary, HostError> {
        self.request(table, TableMessage::Summary).await.map(|summary| self.with_revealed_deal(summary))
    }

    /// Summary of a table for the holder of a credential, with the viewer that the credential stands for.
    pub async fn admit(&self, credential: &ViewerCredential) -> Result<(TableSummary, Viewer), HostError> {
        let owned = credential.clone();
        let admitted =
            self.request(credential.table(), |to| TableMessage::Admit { credential: owned, to }).await;
        admitted.map(|(summary, viewer)| (self.with_revealed_deal(summary), viewer))
    }

    /// Reveals the seeds of the table's deal if the deal is complete.
    fn with_revealed_deal(&self, mut summary: TableSummary) -> TableSummary {
        if self.shared.deals.check(summary.setup.chance.deal()).is_ok() {
            summary.reveal_deal();
        }
        summary
    }

    /// Takes a seat at a table.
    pub async fn join(&self, table: TableId, mut join: JoinRequest) -> Result<Joined, HostError> {
        if let Some(previous) = join.previous {
            join.seat_request.previous = Some(self.previous_seat(table, previous).await?);
        }
        let (seat, summary) =
            self.request(table, |to| TableMessage::Join { join: Box::new(join), to }).await?;
        Ok(Joined { seat, generation: Generation(summary.seats[seat.index()].generation), summary })
    }

    /// Seat of this token at the previous table, if `table` is that table's rematch.
    async fn previous_seat(&self, table: TableId, previous: VerifiedSeatToken) -> Result<Seat, HostError> {
        let (before, _) = self.admit(&ViewerCredential::Seat(previous)).await?;
        if before.rematch == Some(table) { Ok(previous.seat()) } else { Err(HostError::NotFound { table }) }
    }

    async fn change(&self, table: TableId, by: Actor, change: Change) -> Result<TableSummary, HostError> {
        self.request(table, |to| TableMessage::Change { by, change, to }).await
    }

    /// Replaces the player of a seat by a house bot for the rest of the game.
    pub async fn replace(
        &self,
        table: TableId,
        by: Actor,
        seat: Seat,
        bot: String,
        request: Option<IdempotencyKey>,
    ) -> Result<TableSummary, HostError> {
        self.change(table, by, Change::Replace { seat, bot, request }).await
    }

    /// Resigns a seat. Idempotent.
    pub async fn resign(&self, table: TableId, by: Actor, seat: Seat) -> Result<(), HostError> {
        self.change(table, by, Change::Resign { seat }).await.map(|_| ())
    }

    /// Makes the seat of a suspended agent play default actions to the end and rank last. Idempotent.
    pub async fn suspend_agent_seat(&self, table: TableId, seat: Seat) -> Result<TableSummary, HostError> {
        self.change(table, Actor::Tournament, Change::SuspendAgent { seat }).await
    }

    /// Ends a table without a score. Idempotent.
    pub async fn cancel(&self, table: TableId, by: Actor, note: String) -> Result<TableSummary, HostError> {
        self.change(table, by, Change::Cancel { note }).await
    }

    /// Reissues the token of a seat; returns its new generation.
    pub async fn reissue_token(
        &self,
        table: TableId,
        by: Actor,
        seat: Seat,
        request: Option<IdempotencyKey>,
    ) -> Result<Generation, HostError> {
        let summary = self.change(table, by, Change::Reissue { seat, request }).await?;
        Ok(Generation(summary.seats[seat.index()].generation))
    }

    /// Valid generation of spectator tokens. With `revoke`, all tokens issued before are revoked first.
    pub async fn spectator_generation(
        &self,
        table: TableId,
        by: Actor,
        revoke: bool,
    ) -> Result<Generation, HostError> {
        let summary = if revoke {
            self.change(table, by, Change::RevokeSpectators).await?
        } else {
            let summary = self.summary(table).await?;
            AccessCheck::from(&summary).authorise_change(&by, None)?;
            summary
        };
        Ok(Generation(summary.spectators))
    }

    /// Creates an invite. A repeated request returns the invite that it created before, as it is now.
    pub async fn create_invite(
        &self,
        table: TableId,
        by: Actor,
        new: NewInvite,
    ) -> Result<Invite, HostError> {
        let request = new.request.clone();
        let summary = self.change(table, by, Change::CreateInvite(new)).await?;
        let is_of_request = |invite: &&Invite| request.is_none() || invite.request == request;
        // The reply has the state right after the invite was created, so that the last one is the new one.
        let created = summary.invites.iter().rev().find(is_of_request).cloned();
        created.ok_or_else(|| HostError::Fault { reason: "an invite was not created".to_owned() })
    }

    /// All invites of a table that has not started; none afterwards.
    pub async fn invites(&self, table: TableId, by: Actor) -> Result<Vec<Invite>, HostError> {
        let summary = self.summary(table).await?;
        AccessCheck::from(&summary).authorise_change(&by, None)?;
        Ok(summary.invites)
    }

    /// Revokes an invite. Idempotent.
    pub async fn revoke_invite(&self, table: TableId, by: Actor, number: u32) -> Result<(), HostError> {
        self.change(table, by, Change::RevokeInvite { number }).await.map(|_| ())
    }

    /// Summary of a table for the holder of an invite that gives a seat now.
    pub async fn invited_summary(&self, invite: VerifiedInvite) -> Result<TableSummary, HostError> {
        let summary = self.summary(invite.table()).await?;
        match summary.state {
            State::Open => {
                let found = find_invite(&summary.invites, invite.number());
                found
                    .and_then(|found| found.check(self.shared.clock.now_ms()))
                    .map_err(CommandError::from)?;
                Ok(summary)
            }
            State::Playing => Err(CommandError::AlreadyStarted.into()),
            _ => Err(CommandError::Over.into()),
        }
    }

    /// Deletes a finished table with all stored data.
    pub async fn delete(&self, table: TableId, by: Actor) -> Result<(), HostError> {
        let summary = self.summary(table).await?;
        AccessCheck::from(&summary).authorise_change(&by, None)?;
        if !summary.state.is_over() {
            return Err(HostError::NotOver { table });
        }
        let owner = OwnerId::new(&summary.setup.owner)?;
        // To the end: streams that wait for a rematch of the table must be closed even if the requester has gone away.
        let host = self.clone();
        run_to_end(async move { host.delete_for_owner(table, owner).await }).await
    }

    async fn delete_for_owner(&self, table: TableId, owner: OwnerId) -> Result<(), HostError> {
        let feed = vec![NewFeedItem {
            owner,
            payload: persistence::encode_feed_item(table, &OwnerEvent::Deleted, self.shared.codecs.payloads),
        }];
        self.shared.log.delete(Delete { table, at: Millis(self.shared.clock.now_ms()), feed }).await?;
        self.shards.send(table, ShardMessage::Deleted(table)).await
    }

    /// Reveals the entropy that a seat committed to. Idempotent.
    pub async fn reveal_entropy(&self, token: VerifiedSeatToken, entropy: Entropy) -> Result<(), HostError> {
        let entropy = Box::new(entropy);
        let message = |to| TableMessage::Reveal { token, entropy, to: Revealer::Call(to) };
        self.request(token.table(), message).await
    }

    /// Submits the answer of a seat to a decision.
    pub async fn act(&self, token: VerifiedSeatToken, answer: DecisionAnswer) -> Result<Answered, HostError> {
        let arrived = self.shared.clock.now();
        self.request(token.table(), |to| TableMessage::Act { token, answer, arrived, to }).await
    }
}
