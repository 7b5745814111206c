//! Why a bot cannot answer.

use parlor_engine::ImpossibleView;

/// Why there is no such bot, or no answer from it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// No bot has this name.
    #[error(
        "there is no house bot `{name}`: choose random, greedy, search, or search:N with N from 1 to {most}"
    )]
    UnknownBot {
        /// The name asked for, shortened if it is long.
        name: String,
        /// The most iterations that a search can be given.
        most: u32,
    },
    /// Nothing can be chosen from an empty list.
    #[error("the list of legal actions is empty: ask only seats that are to act")]
    NothingToChoose,
    /// The view is a spectator's.
    #[error("the view is a spectator's: ask with the view of the seat that is to act")]
    NoSeat,
    /// An action is one of another game than the view.
    #[error("the view and the list of legal actions are of different games")]
    OtherGame,
    /// The list is not what the rules give for the view.
    #[error("the list is not the list of legal actions of this view: pass on both as the game gives them")]
    OtherActions,
    /// The bot broke down while it thought.
    #[error("the bot broke down while it thought: this is a fault in the bot")]
    Panicked,
    /// No game can look like the view.
    #[error(transparent)]
    ImpossibleView(#[from] ImpossibleView),
}
