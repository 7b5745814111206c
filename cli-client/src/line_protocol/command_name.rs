//! Programs by their commands: how they are written among bots and entrants, and what they are called.

/// Prefix of a program among bots and entrants.
pub const EXEC_PREFIX: &str = "exec:";

/// Name of a program by its command: the names of its files, without flags. Fit for an agent.
#[must_use]
pub fn short_name(command: &str) -> String {
    let words = command.split_whitespace().filter(|word| !word.starts_with('-'));
    let files: Vec<&str> = words.map(|word| word.rsplit('/').next().unwrap_or(word)).collect();
    let allowed = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let name: String = files.join("-").chars().filter(allowed).take(48).collect();
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    if name.is_empty() { "program".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_after_their_files() {
        for (command, expected) in [
            ("./bot.py", "bot.py"),
            ("python3 -u bots/ada.py --fast", "python3-ada.py"),
            ("  ", "program"),
            ("./_x", "x"),
        ] {
            assert_eq!(short_name(command), expected, "{command}");
        }
    }
}
