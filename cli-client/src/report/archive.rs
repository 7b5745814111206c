//! Games in the page: one compressed archive, and the script that shows a game of it.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Game, Games, ReportPage};

impl ReportPage<'_> {
    /// Adds the archive, a dialog and the script. Without games nothing is added.
    pub(super) fn archive(&mut self) {
        let Games::InPage(games) = &self.report.games else { return };
        if games.is_empty() {
            return;
        }
        let entry = |(id, game): (&String, &Game)| {
            (id.clone(), serde_json::json!({ "record": game.record, "replay": game.replay }))
        };
        let all: serde_json::Map<String, serde_json::Value> = games.iter().map(entry).collect();
        let archive = STANDARD.encode(compress(serde_json::Value::Object(all).to_string().as_bytes()));
        let save = self.localise("Save the record", "Aufzeichnung speichern");
        let close = self.localise("Close", "Schließen");
        let old = self.localise(
            "This browser cannot unpack the games: use a newer one.",
            "Dieser Browser kann die Spiele nicht entpacken: Nimm einen neueren.",
        );
        let out = &mut self.out;
        out.raw("<dialog id=\"game\" aria-labelledby=\"game-title\"><h2 id=\"game-title\"></h2><ol class=\"replay\"></ol>");
        out.raw("<p class=\"buttons\"><a id=\"save\" class=\"button\">").text(save);
        out.raw("</a> <button id=\"close\" class=\"button\">").text(close).raw("</button></p></dialog>\n");
        out.raw("<script type=\"text/plain\" id=\"games\" data-old=\"").text(old).raw("\">");
        out.text(&archive).raw("</script>\n<script>\n").raw(include_str!("archive.js")).raw("</script>\n");
    }
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to a `Vec` cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
