//! HTML builder: static markup is added as it is, all other text is escaped.

use std::fmt::Write;

use parlor_engine::Lang;

/// An HTML document under construction.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Begins a page.
    pub(super) fn begin(&mut self, lang: Lang, title: &str) -> &mut Html {
        let code = match lang {
            Lang::En => "en",
            Lang::De => "de",
        };
        self.raw("<!doctype html>\n<html lang=\"").raw(code).raw("\">\n<head>\n<meta charset=\"utf-8\">\n");
        self.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
        self.text(title).raw("</title>\n<style>\n").raw(include_str!("style.css"));
        self.raw("</style>\n</head>\n<body>\n<main>\n")
    }

    /// Ends a page.
    pub(super) fn end(&mut self) -> &mut Html {
        self.raw("</main>\n</body>\n</html>\n")
    }

    /// Adds markup. A `&'static str` cannot hold text from outside.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Adds escaped text, inside an element or a double-quoted attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Html {
        for c in crate::text::sanitise(text).chars() {
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

    /// Adds a number with the given number of decimals.
    pub(super) fn number(&mut self, number: f64, digits: usize) -> &mut Html {
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, "{:.digits$}", normalise_zero(number, digits));
        self
    }

    /// Adds a number with its sign and the given number of decimals.
    pub(super) fn signed(&mut self, number: f64, digits: usize) -> &mut Html {
        let _ = write!(self.0, "{:+.digits$}", normalise_zero(number, digits));
        self
    }

    /// Adds an integer.
    pub(super) fn whole(&mut self, number: impl Into<u64>) -> &mut Html {
        let _ = write!(self.0, "{}", number.into());
        self
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Maps numbers that would print as `-0`, and non-finite ones, to 0.
pub(super) fn normalise_zero(number: f64, digits: usize) -> f64 {
    let smallest = 0.5 * 10f64.powi(-(digits as i32));
    if !number.is_finite() || number.abs() < smallest { 0.0 } else { number }
}
