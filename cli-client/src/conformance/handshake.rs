//! The handshake check: validates the agent's hello.

use parlor_engine::GameId;
use parlor_sdk::wire;

use super::checks::ExamSettings;
use super::runner::CheckRunner;

/// Checks the fields of the first message, and welcomes the agent.
pub(super) async fn check_handshake(
    runner: &mut CheckRunner<'_>,
    settings: &ExamSettings,
    first: &wire::ConnectRequest,
    has_key: bool,
) {
    let Some(hello) = &first.hello else {
        runner.fault(
            "its first message has no hello: send hello first",
            "seine erste Nachricht hat kein hello: Sag zuerst, wer du bist",
        );
        return;
    };
    if !first.items.is_empty() {
        runner.fault(
            "its hello comes with items: wait for the welcome",
            "sein hello kommt mit Einträgen: Warte auf das welcome",
        );
    }
    let mut require = |holds: bool, field: &str, en: &str, de: &str| {
        if !holds {
            runner.fault(format!("hello.{field} {en}"), format!("hello.{field} {de}"));
        }
    };
    let letters =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let named = (1..=64).contains(&hello.name.len())
        && letters(&hello.name)
        && hello.name.starts_with(|first: char| first.is_ascii_alphanumeric());
    require(
        named,
        "name",
        "must be 1 to 64 letters, digits, and . _ -, beginning with a letter or digit",
        "muss aus 1 bis 64 Buchstaben, Ziffern und . _ - bestehen und mit Buchstabe oder Ziffer beginnen",
    );
    let expected = settings.agent.as_ref().is_none_or(|agent| *agent == hello.name);
    require(expected, "name", "is not the name given with --agent", "ist nicht der mit --agent genannte");
    let version =
        hello.version.len() <= 64 && hello.version.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    require(
        version,
        "version",
        "must be up to 64 printable ASCII characters",
        "darf bis zu 64 druckbare ASCII-Zeichen haben",
    );
    let key = (16..=64).contains(&hello.agent_key.len()) || (hello.agent_key.is_empty() && has_key);
    require(
        key,
        "agent_key",
        "must be 16 to 64 bytes, unless the call has an API key",
        "muss 16 bis 64 Bytes haben, außer mit API-Schlüssel",
    );
    let known = hello.games.iter().all(|id| GameId::from_id(id).is_some());
    let mut once = hello.games.clone();
    once.sort();
    once.dedup();
    require(
        !once.is_empty() && known && once.len() == hello.games.len(),
        "games",
        "must list ids of the catalogue, each once and at least one",
        "muss ids aus dem Katalog nennen, jede einmal und mindestens eine",
    );
    require(
        (1..=10_000).contains(&hello.max_tables),
        "max_tables",
        "must be 1 to 10000",
        "muss 1 bis 10000 sein",
    );
    if hello.version.is_empty() {
        runner.note(
            "its hello has no version: ratings belong to a name and a version",
            "er nennt keine Version: Wertungen gehören zu Name und Version",
        );
    }
    if !hello.adds_entropy {
        runner.note(
            "it adds no entropy: an agent that commits to some and reveals it need trust nobody for the shuffles of tournaments",
            "er gibt keine Entropie: Wer sich auf welche festlegt und sie aufdeckt, muss beim Mischen in Turnieren niemandem trauen",
        );
    }
    runner.welcome().await;
}
