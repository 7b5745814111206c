//! Errors of bots.

use parlor_engine::ImpossibleView;

/// Reason for which a bot does not exist or cannot answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// Unknown name of a bot.
    #[error(
        "there is no house bot `{name}`: choose random, greedy, search, or search:N with N from 1 to {max_iterations}"
    )]
    UnknownBot {
        /// The requested name, truncated to 40 characters.
        name: String,
        /// Maximum number of iterations of a search.
        max_iterations: u32,
    },
    /// The list of legal actions is empty.
    #[error("the list of legal actions is empty: ask only seats that are to act")]
    NoLegalActions,
    /// The view is a spectator's.
    #[error("the view is a spectator's: ask with the view of the seat that is to act")]
    SpectatorView,
    /// An action belongs to another game than the view.
    #[error("the view and the list of legal actions are of different games")]
    GameMismatch,
    /// The list is not the list of legal actions of the view.
    #[error("the list is not the list of legal actions of this view: pass on both as the game gives them")]
    ActionsMismatch,
    /// The bot panicked.
    #[error("the bot broke down while it thought: this is a fault in the bot")]
    Panicked,
    /// No game state is consistent with the view.
    #[error(transparent)]
    ImpossibleView(#[from] ImpossibleView),
}
