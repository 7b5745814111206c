//! [`Seat`] and [`Spectator`]: ordered event streams of one viewer of a table.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;

use crate::session::{Bookmark, InboxItem, SubscriptionHandle};
use crate::{Decision, Error, Event, Update, decision, table, wire};

/// State shared by seats and spectators: the subscription, and the table folded from the events read so far.
struct ViewerState {
    subscription: Arc<SubscriptionHandle>,
    table_id: Arc<str>,
    table: Box<wire::Table>,
    seat: Option<u32>,
    /// Number of the last update read.
    number: u32,
    /// Set after an error: the stream has ended.
    failed: bool,
}

impl ViewerState {
    fn new(
        subscription: SubscriptionHandle,
        seat: Option<u32>,
        table: wire::Table,
        number: u32,
    ) -> ViewerState {
        let table_id = Arc::from(table.table_id.as_str());
        ViewerState {
            subscription: Arc::new(subscription),
            table_id,
            table: Box::new(table),
            seat,
            number,
            failed: false,
        }
    }

    fn bookmark(&self) -> Bookmark {
        Bookmark { table_id: self.table_id.as_ref().into(), seat: self.seat, number: self.number }
    }

    /// Next event, with the table brought up to date. `Ok(None)` at the end.
    fn poll_event(&mut self, context: &Context<'_>) -> Poll<Result<Option<Event>, Error>> {
        if self.failed {
            return Poll::Ready(Ok(None));
        }
        let item = match self.subscription.poll_read(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(item) => item,
        };
        self.failed = item.is_err();
        Poll::Ready(item.map(|item| item.map(|item| self.event(item))))
    }

    fn event(&mut self, item: InboxItem) -> Event {
        match item {
            InboxItem::Snapshot(snapshot) => {
                self.number = snapshot.number;
                if let Some(table) = &snapshot.table {
                    self.table.as_mut().clone_from(table);
                }
                Event::Snapshot(snapshot)
            }
            InboxItem::Update(update) => {
                self.number = update.number;
                table::apply_events(&mut self.table, &update.table_events);
                Event::Update(Update::from_wire(update))
            }
            InboxItem::Decision(decision) => Event::Decision(decision::from_wire(
                &self.subscription,
                &self.table_id,
                self.seat.unwrap_or_default(),
                *decision,
            )),
            InboxItem::Presence(presence) => Event::Presence(presence),
            InboxItem::TimeLeft(time) => Event::TimeLeft(time),
        }
    }

    fn debug(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct(name);
        debug.field("table_id", &self.table_id);
        if let Some(seat) = self.seat {
            debug.field("seat", &seat);
        }
        debug.field("number", &self.number).finish_non_exhaustive()
    }
}

/// Methods common to [`Seat`] and [`Spectator`].
macro_rules! impl_viewer {
    ($name:ident) => {
        impl $name {
            /// Waits for the next event, through reconnects. `None` once the table is over and all events
            /// were read. An error is permanent and the last item.
            pub async fn next(&mut self) -> Result<Option<Event>, Error> {
                poll_fn(|context| self.0.poll_event(context)).await
            }

            /// Id of the table.
            #[must_use]
            pub fn table_id(&self) -> &str {
                &self.0.table_id
            }

            /// The table after all events read so far.
            #[must_use]
            pub fn table(&self) -> &wire::Table {
                &self.0.table
            }

            /// Result of the table, once it was read.
            #[must_use]
            pub fn result(&self) -> Option<&wire::TableResult> {
                self.0.table.result.as_ref()
            }

            /// Position after all events read so far. See [`resume`](crate::AttachBuilder::resume).
            #[must_use]
            pub fn bookmark(&self) -> Bookmark {
                self.0.bookmark()
            }
        }

        /// Stream form of [`next`]; ends after an error.
        ///
        #[doc = concat!("[`next`]: ", stringify!($name), "::next")]
        impl Stream for $name {
            type Item = Result<Event, Error>;

            fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
                self.0.poll_event(context).map(Result::transpose)
            }
        }

        /// Omits the token.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.debug(stringify!($name), f)
            }
        }
    };
}

/// A seat at a table, made by [`Session::seat`](crate::Session::seat). Also a `Stream` of [`Event`]s.
///
/// The seat counts as connected until it is dropped. Dropping it does not resign: the game continues, the
/// seat's clock runs, and the seat can be attached again.
///
/// ```no_run
/// # async fn example(mut seat: parlor_sdk::Seat) -> Result<(), parlor_sdk::Error> {
/// while let Some(decision) = seat.next_decision().await? {
///     decision.choose_index(0).await?;
/// }
/// println!("{:?}", seat.result());
/// # Ok(())
/// # }
/// ```
pub struct Seat(ViewerState);

impl_viewer!(Seat);

impl Seat {
    pub(crate) fn new(subscription: SubscriptionHandle, seat: u32, table: wire::Table, number: u32) -> Seat {
        Seat(ViewerState::new(subscription, Some(seat), table, number))
    }

    /// Number of the seat, counted from 0.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.0.seat.unwrap_or_default()
    }

    /// Fetches the table. Needed by an agent whose table ended while it was disconnected; fails silently if
    /// the table is private.
    pub(crate) async fn refresh_table(&mut self) {
        if let Ok(table) = self.0.subscription.client().table(self.table_id()).await {
            *self.0.table = table;
        }
    }

    /// Skips to the next decision; `None` once the table is over.
    pub async fn next_decision(&mut self) -> Result<Option<Decision>, Error> {
        loop {
            match self.next().await? {
                Some(Event::Decision(decision)) => return Ok(Some(decision)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }
}

/// A spectator of a table, made by [`Session::watch`](crate::Session::watch): sees what is public, and
/// nobody's hand. Also a `Stream` of [`Event`]s.
pub struct Spectator(ViewerState);

impl_viewer!(Spectator);

impl Spectator {
    pub(crate) fn new(subscription: SubscriptionHandle, table: wire::Table, number: u32) -> Spectator {
        Spectator(ViewerState::new(subscription, None, table, number))
    }
}
