//! [`AttachBuilder`]: attaches a seat or a spectator to a session.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use super::{Session, SessionHandle, SubscriptionHandle};
use crate::error::Reason;
use crate::{Error, Seat, Spectator, wire};

/// A seat or spectator about to be attached: set what to receive, and `.await` it.
///
/// ```no_run
/// # async fn example(session: parlor_sdk::Session, token: parlor_sdk::SeatToken) -> Result<(), parlor_sdk::Error> {
/// use parlor_sdk::wire::Wants;
///
/// let plain = session.seat(token.clone()).await?;
/// let wants = Wants { update_views: Some(true), ..Default::default() };
/// let with_views = session.seat(token).wants(wants).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is taken before it is awaited"]
pub struct AttachBuilder<T> {
    session: Arc<SessionHandle>,
    viewer: wire::attach::Viewer,
    wants: Option<wire::Wants>,
    bookmark: Option<Bookmark>,
    viewer_type: PhantomData<fn() -> T>,
}

/// Position in a seat's or spectator's stream of updates: enough to resume there, in another process or on
/// another day.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bookmark {
    /// Id of the table.
    pub table_id: String,
    /// The seat; `None` for a spectator.
    pub seat: Option<u32>,
    /// Number of the last update read.
    pub number: u32,
}

impl<T> AttachBuilder<T> {
    pub(super) fn new(session: &Session, viewer: wire::attach::Viewer) -> AttachBuilder<T> {
        let session = Arc::clone(&session.handle);
        AttachBuilder { session, viewer, wants: None, bookmark: None, viewer_type: PhantomData }
    }

    /// Parts of messages that the server sends. What is not set has its default: events with updates, views and
    /// legal actions with decisions.
    pub fn wants(mut self, wants: wire::Wants) -> AttachBuilder<T> {
        self.wants = Some(wants);
        self
    }

    /// Resumes after a bookmark with the updates since, instead of with a snapshot.
    pub fn resume(mut self, bookmark: Bookmark) -> AttachBuilder<T> {
        self.bookmark = Some(bookmark);
        self
    }

    /// Attaches; returns the subscription, the seat if it is one, and the table.
    async fn attach(self) -> Result<(SubscriptionHandle, Option<u32>, wire::Table), Error> {
        let AttachBuilder { session, viewer, wants, bookmark, .. } = self;
        let Some(bookmark) = bookmark else {
            let subscription = SubscriptionHandle::new(session, viewer, wants, None)?;
            let (viewer, table) = subscription.first_snapshot().await?;
            let seat = match viewer.viewer {
                Some(wire::viewer::Viewer::Seat(seat)) => Some(seat),
                _ => None,
            };
            return Ok((subscription, seat, table));
        };
        let token = match &viewer {
            wire::attach::Viewer::SeatToken(token) | wire::attach::Viewer::SpectatorToken(token) => token,
            wire::attach::Viewer::TableId(_) => "",
        };
        let table = session.client.table_with_token(&bookmark.table_id, token).await?;
        let subscription = SubscriptionHandle::new(session, viewer, wants, Some(bookmark.number))?;
        Ok((subscription, bookmark.seat, table))
    }
}

type AttachFuture<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

impl IntoFuture for AttachBuilder<Seat> {
    type Output = Result<Seat, Error>;
    type IntoFuture = AttachFuture<Seat>;

    fn into_future(self) -> AttachFuture<Seat> {
        Box::pin(async {
            let number = self.bookmark.as_ref().map_or(0, |bookmark| bookmark.number);
            let (subscription, seat, table) = self.attach().await?;
            let seat = seat.ok_or_else(|| {
                Error::new(Reason::Settings, "the token or bookmark is a spectator's, not a seat's")
            })?;
            Ok(Seat::new(subscription, seat, table, number))
        })
    }
}

impl IntoFuture for AttachBuilder<Spectator> {
    type Output = Result<Spectator, Error>;
    type IntoFuture = AttachFuture<Spectator>;

    fn into_future(self) -> AttachFuture<Spectator> {
        Box::pin(async {
            let number = self.bookmark.as_ref().map_or(0, |bookmark| bookmark.number);
            let (subscription, _, table) = self.attach().await?;
            Ok(Spectator::new(subscription, table, number))
        })
    }
}

/// Omits the token.
impl<T> fmt::Debug for AttachBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttachBuilder")
            .field("wants", &self.wants)
            .field("bookmark", &self.bookmark)
            .finish_non_exhaustive()
    }
}
