//! The language of everything that is printed, and the words that are not the engine's.

pub(crate) mod words;

use parlor_engine::{Lang, Text};
use parlor_sdk::wire::SeatFinish;

use crate::table::Finish;

/// The language to speak: the one asked for, or that of the locale, or English.
///
/// Of the variables that a locale is set with, the first one that is not empty counts, as in POSIX: `LC_ALL`,
/// `LC_MESSAGES`, `LANG`.
///
/// ```
/// use parlor_cli::lang::choose;
/// use parlor_engine::Lang;
///
/// let german = |name: &str| (name == "LANG").then(|| "de_CH.UTF-8".to_owned());
/// assert_eq!(choose(None, german), Lang::De);
/// assert_eq!(choose(Some(Lang::En), german), Lang::En);
/// ```
#[must_use]
pub fn choose(asked: Option<Lang>, variable: impl Fn(&str) -> Option<String>) -> Lang {
    let of_the_locale = || {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .find_map(|name| variable(name).filter(|value| !value.is_empty()))?;
        from_tag(&locale)
    };
    asked.or_else(of_the_locale).unwrap_or_default()
}

/// Why a seat did not play to the end, in words; nothing if it did, or is not there yet.
#[must_use]
pub fn forfeit(finish: SeatFinish) -> Option<Text> {
    match Finish::from(finish) {
        Finish::PlayedOut => None,
        why => Some(words::finish(why)),
    }
}

/// The language that a tag such as `de`, `de_AT.UTF-8` or `en-GB` begins with, if Parlor speaks it.
#[must_use]
pub fn from_tag(tag: &str) -> Option<Lang> {
    let language = tag.split(['_', '-', '.', '@']).next().unwrap_or_default();
    match language.to_ascii_lowercase().as_str() {
        "de" => Some(Lang::De),
        "en" => Some(Lang::En),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides_unless_a_language_is_asked_for() {
        let check = |asked, variables: &[(&str, &str)], expected| {
            let variable = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(choose(asked, variable), expected, "{variables:?}");
        };
        check(None, &[], Lang::En);
        check(None, &[("LANG", "de_DE.UTF-8")], Lang::De);
        check(None, &[("LANG", "de")], Lang::De);
        check(None, &[("LANG", "DE@euro")], Lang::De);
        check(None, &[("LANG", "fr_FR.UTF-8")], Lang::En);
        check(None, &[("LANG", "C")], Lang::En);
        check(None, &[("LANG", "deutsch")], Lang::En);
        check(None, &[("LC_MESSAGES", "en_GB"), ("LANG", "de_DE")], Lang::En);
        check(None, &[("LC_ALL", "de_AT"), ("LC_MESSAGES", "en_GB")], Lang::De);
        check(None, &[("LC_ALL", ""), ("LC_MESSAGES", "de_AT")], Lang::De);
        check(None, &[("LC_ALL", "C.UTF-8"), ("LANG", "de_DE")], Lang::En);
        check(Some(Lang::De), &[("LANG", "en_GB")], Lang::De);
    }
}
