// A tournament as it goes on: its standings over one stream, which the SDK opens again when it breaks.

import { useEffect, useState } from "preact/hooks";
import { newClient, type Standings, type Tournament } from "../api";

/** A tournament as far as it is known. */
export interface Followed {
  readonly tournament: Tournament | undefined;
  readonly standings: Standings | undefined;
  /** Why it cannot be followed. */
  readonly error: unknown;
}

export function useTournament(tournamentId: string): Followed {
  const [followed, setFollowed] = useState<Followed>({
    tournament: undefined,
    standings: undefined,
    error: undefined,
  });
  useEffect(() => {
    const client = newClient();
    let current = true;
    const follow = async () => {
      try {
        for await (const { tournament, standings } of client.followTournament(tournamentId)) {
          if (!current) return;
          setFollowed((before) => ({
            tournament: tournament ?? before.tournament,
            standings: standings ?? before.standings,
            error: undefined,
          }));
        }
      } catch (error) {
        if (current) setFollowed((before) => ({ ...before, error }));
      }
    };
    void follow();
    return () => {
      current = false;
      client.close();
    };
  }, [tournamentId]);
  return followed;
}
