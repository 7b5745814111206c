// The rules of a game, in the language of the page.

import { parlor } from "../api";
import { useStrings } from "../i18n";
import { useSettings } from "../settings";
import { Failure } from "./Failure";
import { useLoaded } from "./load";
import { Markdown } from "./Markdown";

export function Rules({ game }: { game: string }) {
  const t = useStrings();
  const { lang } = useSettings();
  const rules = useLoaded(`rules ${game} ${lang}`, () => parlor.rules(game, lang));
  if (rules.state === "loading") return <p class="muted">{t.loading}</p>;
  if (rules.state === "failed") return <Failure error={rules.error} again={rules.again} />;
  // The title stands above already, and the name that programs call the game by is for programs.
  return <Markdown text={rules.value.replace(/^# .*\n/, "").replace(/ \(`\w+`\)/, "")} />;
}
