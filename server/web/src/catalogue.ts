// The games and bots of the server: asked once, as they do not change while it runs.

import { useEffect, useState } from "preact/hooks";
import { type GameInfo, type HouseBotInfo, parlor } from "./api";

interface Catalogue {
  readonly games: readonly GameInfo[];
  readonly bots: readonly HouseBotInfo[];
}

let asked: Promise<Catalogue> | undefined;
let known: Catalogue | undefined;

/** Asks for the catalogue; a failure is asked for again the next time. */
export function loadCatalogue(): Promise<Catalogue> {
  asked ??= Promise.all([parlor.games(), parlor.houseBots()]).then(
    ([games, bots]) => (known = { games, bots }),
    (error: unknown) => {
      asked = undefined;
      throw error;
    },
  );
  return asked;
}

/** The catalogue as far as it is known: empty until it has come. */
export function useCatalogue(): Catalogue {
  const [catalogue, setCatalogue] = useState(known ?? { games: [], bots: [] });
  useEffect(() => {
    let current = true;
    loadCatalogue().then(
      (value) => current && setCatalogue(value),
      () => {},
    );
    return () => void (current = false);
  }, []);
  return catalogue;
}

/** The name of a game in the language of the page; its id until the catalogue has come. */
export function useGameName(): (game: string, lang: "en" | "de") => string {
  const { games } = useCatalogue();
  return (game, lang) => games.find((info) => info.game === game)?.name?.[lang] ?? game;
}
