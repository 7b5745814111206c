//! Language selection and the user-interface texts.

pub(crate) mod words;

pub use words::next_commands;

use parlor_engine::{Lang, Text};
use parlor_sdk::wire::SeatFinish;

/// Selects the language: the requested one, else that of the locale, else English.
///
/// The locale is the first non-empty variable of `LC_ALL`, `LC_MESSAGES` and `LANG`, as in POSIX.
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

/// Reason for which a seat forfeited; `None` if it played to the end.
#[must_use]
pub fn forfeit_reason(finish: SeatFinish) -> Option<Text> {
    match finish {
        SeatFinish::Unspecified | SeatFinish::PlayedOut => None,
        why => Some(why.text()),
    }
}

/// Language of a locale tag such as `de`, `de_AT.UTF-8` or `en-GB`; `None` if unsupported.
#[must_use]
pub fn from_tag(tag: &str) -> Option<Lang> {
    let language = tag.split(['_', '-', '.', '@']).next().unwrap_or_default();
    match language.to_ascii_lowercase().as_str() {
        "de" => Some(Lang::De),
        "en" => Some(Lang::En),
        _ => None,
    }
}

/// The English or the German text.
#[must_use]
pub const fn localise(lang: Lang, en: &'static str, de: &'static str) -> &'static str {
    match lang {
        Lang::En => en,
        Lang::De => de,
    }
}

/// A text in English and German: the owned counterpart of the engine's [`Text`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BilingualText {
    /// The English text.
    pub en: String,
    /// The German text.
    pub de: String,
}

impl BilingualText {
    /// Builds a text from its two versions.
    pub fn new(en: impl Into<String>, de: impl Into<String>) -> BilingualText {
        BilingualText { en: en.into(), de: de.into() }
    }

    /// The version in one language.
    #[must_use]
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::De => &self.de,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locale_selects_the_language_unless_overridden() {
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
