//! The baseline: bare tonic with no rules, no identity and no store. Two players a table, a stream each; a move of one is
//! told to both, in messages as large as Parlor's own. Runtime, allocator, codec and the settings of HTTP/2 are the server's.

mod load;
mod server;

pub(crate) use load::{Load, load};
pub(crate) use server::serve;

/// The messages and the service.
#[allow(clippy::all, missing_docs, unreachable_pub, reason = "generated")]
mod wire {
    tonic::include_proto!("parlor.bench");
}

/// How large the messages are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::Args)]
pub(crate) struct Sizes {
    /// The bytes of a view.
    #[arg(long)]
    pub(crate) view: usize,
    /// The bytes of the events of a move.
    #[arg(long)]
    pub(crate) events: usize,
}

impl Sizes {
    /// As arguments of this program.
    pub(crate) fn arguments(self) -> [String; 2] {
        [format!("--view={}", self.view), format!("--events={}", self.events)]
    }
}

/// How many play at a table.
const PLAYERS: usize = 2;
