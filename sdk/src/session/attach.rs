//! Taking a seat, or a place at the rail.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use super::{Channel, Handle, Session};
use crate::error::Reason;
use crate::{Error, Seat, Spectator, wire};

/// A seat or a place at the rail that is about to be taken: say what you want of it, and `.await` it.
///
/// ```no_run
/// # async fn example(session: parlor_sdk::Session, token: parlor_sdk::SeatToken) -> Result<(), parlor_sdk::Error> {
/// use parlor_sdk::wire::Wants;
///
/// let plain = session.seat(token.clone()).await?;
/// let wants = Wants { events: true, update_views: true, ..Default::default() };
/// let with_views = session.seat(token).wants(wants).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is taken before it is awaited"]
pub struct Attaching<T> {
    session: Arc<Handle>,
    viewer: wire::attach::Viewer,
    wants: Option<wire::Wants>,
    bookmark: Option<Bookmark>,
    place: PhantomData<fn() -> T>,
}

/// Where a seat or spectator is in what it was told: enough to go on there, in another process or on another day.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bookmark {
    /// The id of the table.
    pub table_id: String,
    /// The seat; none for a spectator.
    pub seat: Option<u32>,
    /// The number of the last update that was read.
    pub number: u32,
}

impl<T> Attaching<T> {
    pub(super) fn new(session: &Session, viewer: wire::attach::Viewer) -> Attaching<T> {
        let session = Arc::clone(&session.handle);
        Attaching { session, viewer, wants: None, bookmark: None, place: PhantomData }
    }

    /// What to be sent. Not said: what most bots need, which is events with updates, and views and legal actions with
    /// decisions.
    pub fn wants(mut self, wants: wire::Wants) -> Attaching<T> {
        self.wants = Some(wants);
        self
    }

    /// Goes on after a bookmark, with the updates that came since, instead of with a snapshot.
    pub fn resume(mut self, bookmark: Bookmark) -> Attaching<T> {
        self.bookmark = Some(bookmark);
        self
    }

    /// Attaches; gives the channel, the seat if it is one, and the table.
    async fn attach(self) -> Result<(Channel, Option<u32>, wire::Table), Error> {
        let Attaching { session, viewer, wants, bookmark, .. } = self;
        let Some(bookmark) = bookmark else {
            let channel = Channel::new(session, viewer, wants, None)?;
            let (viewer, table) = channel.first_snapshot().await?;
            let seat = match viewer.viewer {
                Some(wire::viewer::Viewer::Seat(seat)) => Some(seat),
                _ => None,
            };
            return Ok((channel, seat, table));
        };
        let token = match &viewer {
            wire::attach::Viewer::SeatToken(token) | wire::attach::Viewer::SpectatorToken(token) => token,
            wire::attach::Viewer::TableId(_) => "",
        };
        let table = session.client.table_with_token(&bookmark.table_id, token).await?;
        let channel = Channel::new(session, viewer, wants, Some(bookmark.number))?;
        Ok((channel, bookmark.seat, table))
    }
}

type Taken<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

impl IntoFuture for Attaching<Seat> {
    type Output = Result<Seat, Error>;
    type IntoFuture = Taken<Seat>;

    fn into_future(self) -> Taken<Seat> {
        Box::pin(async {
            let number = self.bookmark.as_ref().map_or(0, |bookmark| bookmark.number);
            let (channel, seat, table) = self.attach().await?;
            let seat = seat.ok_or_else(|| {
                Error::new(
                    Reason::Settings,
                    "a seat was to be taken with the token or bookmark of a spectator",
                )
            })?;
            Ok(Seat::new(channel, seat, table, number))
        })
    }
}

impl IntoFuture for Attaching<Spectator> {
    type Output = Result<Spectator, Error>;
    type IntoFuture = Taken<Spectator>;

    fn into_future(self) -> Taken<Spectator> {
        Box::pin(async {
            let number = self.bookmark.as_ref().map_or(0, |bookmark| bookmark.number);
            let (channel, _, table) = self.attach().await?;
            Ok(Spectator::new(channel, table, number))
        })
    }
}

/// Shows no token.
impl<T> fmt::Debug for Attaching<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attaching")
            .field("wants", &self.wants)
            .field("bookmark", &self.bookmark)
            .finish_non_exhaustive()
    }
}
