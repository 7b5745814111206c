// The agents that the server knows: who is here, and how they do; and the bots of the house.

import { useEffect } from "preact/hooks";
import { AgentState, parlor, toDate } from "../api";
import { useCatalogue, useGameName } from "../catalogue";
import { useStrings } from "../i18n";
import { useSettings } from "../settings";
import { strength } from "../table/players";
import { enumTexts } from "../tournaments/format";
import { enumText } from "../tournaments/Tournaments";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import { useEvery, useLoaded } from "../ui/load";

/** A time in milliseconds, or microseconds where it is short. */
function thinkTime(us: number): string {
  if (us === 0) return "–";
  return us < 1000
    ? `${us} µs`
    : us < 1_000_000
      ? `${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms`
      : `${(us / 1_000_000).toFixed(1)} s`;
}

export function AgentsPage() {
  const t = useStrings();
  const { lang } = useSettings();
  const gameName = useGameName();
  const { bots } = useCatalogue();
  const loaded = useLoaded("agents", async () => {
    const [{ agents }, texts] = await Promise.all([
      parlor.calls.agents.listAgents({ pageSize: 500 }),
      enumTexts(),
    ]);
    return { agents, texts };
  });
  useEvery(5000, loaded.again);
  useEffect(() => void (document.title = `${t.agents} – ${t.brand}`));
  const time = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" });
  return (
    <div class="page">
      <h1>{t.agents}</h1>
      <p class="muted">{t.agentsIntro}</p>
      {loaded.state === "loading" && <p class="muted">{t.loading}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} again={loaded.again} />}
      {loaded.state === "ready" && loaded.value.agents.length === 0 && (
        <p class="panel muted">{t.noAgents}</p>
      )}
      {loaded.state === "ready" && loaded.value.agents.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="region" aria-label={t.agents}>
          <table class="data">
            <thead>
              <tr>
                {[
                  t.agent,
                  t.state,
                  t.plays,
                  t.playingNow,
                  t.answers,
                  t.refused,
                  t.timeouts,
                  t.meanTime,
                  t.longestTime,
                ].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {loaded.value.agents.map((agent) => {
                const seen = toDate(agent.lastSeenTime);
                const times = agent.times;
                return (
                  <tr key={agent.name}>
                    <th scope="row">
                      <Icon name="bot" /> {agent.name} <small class="muted">{agent.version}</small>
                    </th>
                    <td>
                      <span class={`agent-state agent-state-${agent.state}`}>
                        {enumText(loaded.value.texts, "AgentState", agent.state, lang)}
                      </span>
                      {agent.state !== AgentState.HERE && seen && (
                        <small class="muted"> {t.lastSeen(time.format(seen))}</small>
                      )}
                      {agent.setAside && (
                        <small class="muted">
                          {" "}
                          {enumText(loaded.value.texts, "SetAsideReason", agent.setAside.reason, lang)}
                        </small>
                      )}
                    </td>
                    <td>{agent.games.map((game) => gameName(game, lang)).join(", ")}</td>
                    <td class="number">
                      {agent.playing}/{agent.maxTables}
                    </td>
                    <td class="number">{times?.answers ?? 0}</td>
                    <td class="number">{times?.refused ?? 0}</td>
                    <td class="number">{times?.clocksRunOut ?? 0}</td>
                    <td class="number">{thinkTime(times?.meanUs ?? 0)}</td>
                    <td class="number">{thinkTime(times?.longestUs ?? 0)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      <h2 class="section-head">{t.houseBots}</h2>
      <p class="muted">{t.houseBotsIntro}</p>
      <ul class="house-bots">
        {bots.map((bot) => (
          <li key={bot.name} class="panel">
            <b>
              <Icon name="bot" /> {bot.name}
            </b>{" "}
            <small class="muted">{strength(bot.name, t)}</small>
            <p>{bot.summary![lang]}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
