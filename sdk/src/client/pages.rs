//! Pagination: turns page-by-page calls into one stream.

use futures_util::Stream;
use futures_util::stream::try_unfold;

use crate::Error;

/// Streams the items of all pages. `fetch` returns the page of a token and the token of the next page, empty
/// after the last. Pages are fetched on demand.
pub(super) fn pages<Q, T, F, P>(request: Q, fetch: F) -> impl Stream<Item = Result<T, Error>> + Send
where
    Q: Paged,
    T: Send,
    F: Fn(Q, String) -> P + Send,
    P: Future<Output = Result<(Vec<T>, String), Error>> + Send,
{
    struct Pages<Q, T, F> {
        request: Q,
        fetch: F,
        page: std::vec::IntoIter<T>,
        /// Token of the next page; `None` after the last.
        next: Option<String>,
    }
    let next = Some(request.token());
    try_unfold(Pages { request, fetch, page: Vec::new().into_iter(), next }, |mut pages| async move {
        loop {
            if let Some(item) = pages.page.next() {
                return Ok(Some((item, pages)));
            }
            let Some(token) = pages.next.take() else { return Ok(None) };
            let (page, next) = (pages.fetch)(pages.request.clone(), token).await?;
            pages.next = Some(next).filter(|next| !next.is_empty());
            pages.page = page.into_iter();
        }
    })
}

/// A request with a page token.
pub(super) trait Paged: Clone + Send {
    /// Token of the requested page.
    fn token(&self) -> String;
}

macro_rules! paged {
    ($($request:ident),*) => {
        $(impl Paged for crate::wire::$request {
            fn token(&self) -> String {
                self.page_token.clone()
            }
        })*
    };
}

paged!(ListAgentsRequest, ListRecordsRequest, ListTablesRequest, ListTournamentTablesRequest);
