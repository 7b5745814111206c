//! A seat at a table, and a place at the rail: what they are told, in order.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;

use crate::decision::ask;
use crate::session::{Bookmark, Channel, Told};
use crate::{Decision, Error, Event, Update, table, wire};

/// What seats and spectators share: the channel, and how the table stands by what was read from it.
struct Place {
    channel: Arc<Channel>,
    table_id: Arc<str>,
    table: Box<wire::Table>,
    seat: Option<u32>,
    /// The number of the last update that was read.
    number: u32,
    /// An error came: nothing more does.
    failed: bool,
}

impl Place {
    fn new(channel: Channel, seat: Option<u32>, table: wire::Table, number: u32) -> Place {
        let table_id = Arc::from(table.table_id.as_str());
        Place { channel: Arc::new(channel), table_id, table: Box::new(table), seat, number, failed: false }
    }

    fn bookmark(&self) -> Bookmark {
        Bookmark { table_id: self.table_id.as_ref().into(), seat: self.seat, number: self.number }
    }

    /// The next event, with the table brought up to date. `Ok(None)` at the end.
    fn poll_event(&mut self, context: &Context<'_>) -> Poll<Result<Option<Event>, Error>> {
        if self.failed {
            return Poll::Ready(Ok(None));
        }
        let told = match self.channel.poll_read(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(told) => told,
        };
        self.failed = told.is_err();
        Poll::Ready(told.map(|told| told.map(|told| self.event(told))))
    }

    fn event(&mut self, told: Told) -> Event {
        match told {
            Told::Snapshot(snapshot) => {
                self.number = snapshot.number;
                if let Some(table) = &snapshot.table {
                    self.table.as_mut().clone_from(table);
                }
                Event::Snapshot(snapshot)
            }
            Told::Update(update) => {
                self.number = update.number;
                table::follow(&mut self.table, &update.table_events);
                Event::Update(Update::from_wire(update))
            }
            Told::Decision(decision) => {
                Event::Decision(ask(&self.channel, &self.table_id, self.seat.unwrap_or_default(), *decision))
            }
            Told::Presence(presence) => Event::Presence(presence),
            Told::TimeLeft(time) => Event::TimeLeft(time),
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

/// What both can be asked.
macro_rules! place {
    ($name:ident) => {
        impl $name {
            /// The next thing that this place is told; none once the table is over and all was told. Waits for as long
            /// as it takes. An error is one that waiting does not mend, and the last thing that comes.
            pub async fn next(&mut self) -> Result<Option<Event>, Error> {
                poll_fn(|context| self.0.poll_event(context)).await
            }

            /// The id of the table.
            #[must_use]
            pub fn table_id(&self) -> &str {
                &self.0.table_id
            }

            /// The table, as it is after everything that was read.
            #[must_use]
            pub fn table(&self) -> &wire::Table {
                &self.0.table
            }

            /// How the table ended, once that was read.
            #[must_use]
            pub fn result(&self) -> Option<&wire::TableResult> {
                self.0.table.result.as_ref()
            }

            /// Where to go on after everything that was read. See
            /// [`resume`](crate::Attaching::resume).
            #[must_use]
            pub fn bookmark(&self) -> Bookmark {
                self.0.bookmark()
            }
        }

        /// The same as [`next`], as a stream that ends after an error.
        ///
        #[doc = concat!("[`next`]: ", stringify!($name), "::next")]
        impl Stream for $name {
            type Item = Result<Event, Error>;

            fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
                self.0.poll_event(context).map(Result::transpose)
            }
        }

        /// Shows no token.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.debug(stringify!($name), f)
            }
        }
    };
}

/// A seat that is taken, made by [`Session::seat`](crate::Session::seat). It is also a stream of [`Event`]s.
///
/// The seat counts as connected while it is not dropped. Dropping it resigns nothing: the table goes on, its clock runs,
/// and the seat can be taken again.
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
pub struct Seat(Place);

place!(Seat);

impl Seat {
    pub(crate) fn new(channel: Channel, seat: u32, table: wire::Table, number: u32) -> Seat {
        Seat(Place::new(channel, Some(seat), table, number))
    }

    /// The number of the seat, the first being 0.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.0.seat.unwrap_or_default()
    }

    /// Asks for the table itself. It helps an agent whose table ended while it was away, unless the table is private.
    pub(crate) async fn look_up(&mut self) {
        if let Ok(table) = self.0.channel.client().table(self.table_id()).await {
            *self.0.table = table;
        }
    }

    /// The next decision, passing over everything else; none once the table is over.
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

/// A place at the rail, made by [`Session::watch`](crate::Session::watch): all that everyone may see, and nobody's
/// hand. It is also a stream of [`Event`]s.
pub struct Spectator(Place);

place!(Spectator);

impl Spectator {
    pub(crate) fn new(channel: Channel, table: wire::Table, number: u32) -> Spectator {
        Spectator(Place::new(channel, None, table, number))
    }
}
