//! The response stream of FollowTables: numbered news of tables and, if wanted, unnumbered turns.

use futures_util::{Stream, StreamExt, stream};
use parlor_host::{OwnerFeed, TurnFeed};
use parlor_proto::v1;
use tonic::Status;

use super::{Failure, convert};

/// The response stream of an owner's feeds. The first message comes at once, with the cursor and no items.
pub(super) fn feed_stream(
    feed: OwnerFeed,
    turns: Option<TurnFeed>,
) -> impl Stream<Item = Result<v1::FollowTablesResponse, Status>> + Send {
    let first = v1::FollowTablesResponse { number: feed.number(), ..Default::default() };
    let rest = stream::unfold(Some((feed, turns)), |feeds| async move {
        let (mut feed, mut turns) = feeds?;
        let next_turns = async {
            match &mut turns {
                Some(turns) => turns.next().await,
                None => std::future::pending().await,
            }
        };
        let message = tokio::select! {
            // That a table has started is told before whose turn it is.
            biased;
            items = feed.next() => items.map(|items| v1::FollowTablesResponse {
                news: items.iter().map(convert::table_news).collect(),
                number: feed.number(),
                turns: Vec::new(),
            }),
            changes = next_turns => changes.map(|changes| v1::FollowTablesResponse {
                news: Vec::new(),
                number: feed.number(),
                turns: changes.iter().map(convert::turn_change).collect(),
            }),
        };
        Some(match message {
            Ok(message) => (Ok(message), Some((feed, turns))),
            Err(error) => (Err(Failure::from(error).into()), None),
        })
    });
    stream::iter([Ok(first)]).chain(rest)
}
