//! Sentences about tables, in English and German: their events, their ends and their results. The server sends them, and
//! clients that make their own texts show the same.
//!
//! ```
//! use parlor_engine::{Lang, Localise, Seat, Viewer};
//! use parlor_proto::{table_text::TableEventText, v1};
//!
//! let event = TableEventText::SeatForfeited { seat: Seat::FIRST, why: v1::SeatFinish::Resigned };
//! let text = event.rich_text(Lang::En, Viewer::Seat(Seat::FIRST));
//! assert_eq!(text.to_string(), "You resigned and can no longer win.");
//! assert_eq!(event.in_lang(Lang::De).to_string(), "Sitz 0 hat aufgegeben und kann nicht mehr gewinnen.");
//! ```

use parlor_engine::{AnyAction, Lang, Localise, Role, Seat, Standing, Text, TextBuilder};

use crate::v1;

/// An event of a table, as the sentence about it names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableEventText<'a> {
    /// A player took a seat.
    SeatJoined {
        /// The seat.
        seat: Seat,
        /// Display name of the player; may be empty.
        name: &'a str,
    },
    /// All seats are taken, and entropy for the shuffle is revealed.
    Starting,
    /// The game began.
    Started,
    /// The clock of a seat ran out.
    ClockRanOut {
        /// The seat.
        seat: Seat,
    },
    /// A seat can no longer win.
    SeatForfeited {
        /// The seat.
        seat: Seat,
        /// The reason.
        why: v1::SeatFinish,
    },
    /// A house bot took over a seat.
    SeatReplaced {
        /// The seat.
        seat: Seat,
        /// Name of the bot.
        bot: &'a str,
    },
    /// The table is over.
    Over(TableEndText<'a>),
    /// There is a rematch.
    Rematch {
        /// Id of the new table.
        table_id: String,
    },
}

impl Localise for TableEventText<'_> {
    fn write_text(&self, out: &mut TextBuilder) {
        match self {
            TableEventText::SeatJoined { seat, name } => write_joined(*seat, name, out),
            TableEventText::Starting => Text {
                en: "All seats are taken: the players reveal what they add to the shuffle.",
                de: "Alle Sitze sind besetzt: Die Spieler decken auf, was sie zum Mischen beitragen.",
            }
            .write_text(out),
            TableEventText::Started => Text {
                en: "All seats are taken: the game begins.",
                de: "Alle Sitze sind besetzt: Das Spiel beginnt.",
            }
            .write_text(out),
            TableEventText::ClockRanOut { seat } => write_clock_ran_out(*seat, out),
            TableEventText::SeatForfeited { seat, why } => {
                out.seat_or_you(*seat, Role::Subject);
                out.plain(" ");
                write_forfeit(*seat, *why, out);
                let own = out.is_reader(*seat);
                out.plain(match (out.lang(), own) {
                    (Lang::En, _) => "can no longer win.",
                    (Lang::De, false) => "kann nicht mehr gewinnen.",
                    (Lang::De, true) => "kannst nicht mehr gewinnen.",
                });
            }
            TableEventText::SeatReplaced { seat, bot } => write_replaced(*seat, bot, out),
            TableEventText::Over(end) => end.write_text(out),
            TableEventText::Rematch { table_id } => match out.lang() {
                Lang::En => write!(out, "There is a rematch: table {table_id}."),
                Lang::De => write!(out, "Es gibt eine Revanche: Tisch {table_id}."),
            },
        }
    }
}

fn write_joined(seat: Seat, name: &str, out: &mut TextBuilder) {
    match (out.lang(), out.is_reader(seat)) {
        (Lang::En, true) => write!(out, "You take seat {seat}."),
        (Lang::De, true) => write!(out, "Du nimmst Sitz {seat}."),
        (lang, false) => {
            const NO_NAME: Text = Text { en: "A player", de: "Ein Spieler" };
            out.seat_as(seat, if name.is_empty() { NO_NAME.get(lang) } else { name });
            match lang {
                Lang::En => write!(out, " takes seat {seat}."),
                Lang::De => write!(out, " nimmt Sitz {seat}."),
            }
        }
    }
}

fn write_clock_ran_out(seat: Seat, out: &mut TextBuilder) {
    let own = out.is_reader(seat);
    match out.lang() {
        Lang::En => out.subject(seat, "runs", "run"),
        Lang::De => out.subject(seat, "überschreitet", "überschreitest"),
    }
    out.plain(match (out.lang(), own) {
        (Lang::En, false) => " out of time; the clock plays.",
        (Lang::En, true) => " out of time; the clock plays for you.",
        (Lang::De, false) => " die Zeit; die Uhr spielt.",
        (Lang::De, true) => " die Zeit; die Uhr spielt für dich.",
    });
}

fn write_replaced(seat: Seat, bot: &str, out: &mut TextBuilder) {
    let own = out.is_reader(seat);
    let bot = match out.lang() {
        Lang::En => format!("The bot {bot}"),
        Lang::De => format!("Der Bot {bot}"),
    };
    if own {
        out.plain(&bot);
    } else {
        out.seat_as(seat, bot);
    }
    match (out.lang(), own) {
        (Lang::En, false) => write!(out, " takes over seat {seat}."),
        (Lang::En, true) => out.plain(" takes over your seat."),
        (Lang::De, false) => write!(out, " übernimmt Sitz {seat}."),
        (Lang::De, true) => out.plain(" übernimmt deinen Sitz."),
    }
}

/// Appends the reason of a forfeit as the first predicate of a sentence, with the conjunction after it: "resigned and ".
/// Nothing if the seat played to the end.
fn write_forfeit(seat: Seat, why: v1::SeatFinish, out: &mut TextBuilder) {
    let [third, second] = match (why, out.lang()) {
        (v1::SeatFinish::Unspecified | v1::SeatFinish::PlayedOut, _) => return,
        (v1::SeatFinish::TimedOut, Lang::En) => ["ran out of time too often"; 2],
        (v1::SeatFinish::TimedOut, Lang::De) => {
            ["hat die Zeit zu oft überschritten", "hast die Zeit zu oft überschritten"]
        }
        (v1::SeatFinish::Resigned, Lang::En) => ["resigned"; 2],
        (v1::SeatFinish::Resigned, Lang::De) => ["hat aufgegeben", "hast aufgegeben"],
        (v1::SeatFinish::Disconnected, Lang::En) => ["was away for too long", "were away for too long"],
        (v1::SeatFinish::Disconnected, Lang::De) => {
            ["war zu lange nicht verbunden", "warst zu lange nicht verbunden"]
        }
        (v1::SeatFinish::SetAside, Lang::En) => ["was set aside", "were set aside"],
        (v1::SeatFinish::SetAside, Lang::De) => ["wurde ausgesetzt", "wurdest ausgesetzt"],
    };
    out.plain(if out.is_reader(seat) { second } else { third });
    out.plain(Text { en: " and ", de: " und " }.get(out.lang()));
}

/// The end of a table, as a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableEndText<'a> {
    /// How the table ended.
    pub reason: v1::EndReason,
    /// The owner's reason for a cancellation; may be empty. Appended for a cancelled table alone.
    pub note: &'a str,
}

impl Localise for TableEndText<'_> {
    fn write_text(&self, out: &mut TextBuilder) {
        end_reason(self.reason).write_text(out);
        if self.reason == v1::EndReason::Cancelled && !self.note.is_empty() {
            match out.lang() {
                Lang::En => write!(out, " The reason given: {}", self.note),
                Lang::De => write!(out, " Die Begründung: {}", self.note),
            }
        }
    }
}

/// The end of a table, as a sentence without the owner's note.
#[must_use]
pub const fn end_reason(reason: v1::EndReason) -> Text {
    reason.text()
}

/// The result of a seat, as a sentence: "Seat 2 resigned and comes 3rd with 4."
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatResultText {
    /// Place and points at this table, where a seat that forfeited ranks last.
    pub standing: Standing,
    /// How the seat came to its end.
    pub finish: v1::SeatFinish,
}

impl Localise for SeatResultText {
    fn write_text(&self, out: &mut TextBuilder) {
        let seat = self.standing.seat;
        out.seat_or_you(seat, Role::Subject);
        out.plain(" ");
        write_forfeit(seat, self.finish, out);
        self.standing.write_predicate(out);
        out.plain(".");
    }
}

/// A decision of the reader, as a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecidedText {
    /// The action.
    pub action: AnyAction,
    /// Maker of the decision.
    pub by: v1::DecidedBy,
}

impl Localise for DecidedText {
    fn write_text(&self, out: &mut TextBuilder) {
        let by_player = matches!(self.by, v1::DecidedBy::Unspecified | v1::DecidedBy::Player);
        out.plain(match (out.lang(), by_player) {
            (Lang::En, true) => "Your move: ",
            (Lang::En, false) => "Played for you: ",
            (Lang::De, true) => "Dein Zug: ",
            (Lang::De, false) => "Für dich gespielt: ",
        });
        self.action.write_text(out);
        out.plain(".");
    }
}

#[cfg(test)]
mod tests;
