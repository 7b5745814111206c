//! The end of response streams whose API key is removed.

use futures_util::{Stream, StreamExt, future, stream};
use tonic::Status;

use super::Failure;
use crate::identity::Caller;

/// The stream until its caller loses rights that it had when it opened the stream; then the reason. The stream of a
/// caller without an identity is unchanged.
pub(super) fn until_revoked<T: Send>(
    stream: impl Stream<Item = Result<T, Status>> + Send,
    caller: Option<Caller>,
) -> impl Stream<Item = Result<T, Status>> + Send {
    let revoked = match caller {
        Some(caller) => future::Either::Left(caller.revoked()),
        None => future::Either::Right(future::pending()),
    };
    stream::unfold(Some((Box::pin(stream), Box::pin(revoked))), |state| async move {
        let (mut stream, mut revoked) = state?;
        tokio::select! {
            // A busy stream ends, too.
            biased;
            error = &mut revoked => Some((Err(Failure::from(error).into()), None)),
            item = stream.next() => Some((item?, Some((stream, revoked)))),
        }
    })
}
