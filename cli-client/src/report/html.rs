//! HTML as it grows: what is ours goes in as it is, what is anybody else's is escaped.

use std::fmt::Write;

/// A page that grows.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Adds markup of our own. It cannot hold anything that came from outside: such a text is not known at compile time.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Adds text, whatever is in it, inside of an element or of an attribute in double quotes.
    pub(super) fn text(&mut self, text: &str) -> &mut Html {
        for c in crate::text::clean(text).chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        self
    }

    /// Adds a number with so many digits after the point.
    pub(super) fn number(&mut self, number: f64, digits: usize) -> &mut Html {
        // Writing to a text cannot fail.
        let _ = write!(self.0, "{:.digits$}", tidy(number, digits));
        self
    }

    /// Adds a whole number.
    pub(super) fn whole(&mut self, number: impl Into<u64>) -> &mut Html {
        let _ = write!(self.0, "{}", number.into());
        self
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// The number, but 0 where it would be printed as minus nothing, and where it is none.
pub(super) fn tidy(number: f64, digits: usize) -> f64 {
    let smallest = 0.5 * 10f64.powi(-(digits as i32));
    if !number.is_finite() || number.abs() < smallest { 0.0 } else { number }
}
