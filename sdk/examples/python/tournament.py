"""An organiser: runs a tournament between an agent and two house bots, and prints the standings.

python tournament.py [AGENT] [GAME] [HOST:PORT]    (or PARLOR_ADDRESS; an API key, if needed, in PARLOR_KEY)

The agent must be connected, such as agent.py. At the end the sums of the standings are checked: points and ratings are
zero-sum. It fails if they are not.
"""
import math, os, sys, time, uuid
import grpc
from parlor.v1 import table_pb2 as t, tournament_pb2 as o, tournament_pb2_grpc

AGENT = sys.argv[1] if len(sys.argv) > 1 else "python-random"
GAME = sys.argv[2] if len(sys.argv) > 2 else "gap"
ADDRESS = sys.argv[3] if len(sys.argv) > 3 else os.environ.get("PARLOR_ADDRESS", "127.0.0.1:7766")
GROUPS = 5  # deals per pair; each is played once from either seat
metadata = [("authorization", "Bearer " + os.environ["PARLOR_KEY"])] if "PARLOR_KEY" in os.environ else None


def create(stub):
    """Creates the tournament: a round robin with two players per table."""
    setup = o.TournamentSetup(name=f"{AGENT} against the house", game=GAME, players=2)
    setup.entrants.add().agent.name = AGENT
    for bot in ["random", "greedy"]:
        setup.entrants.add().house_bot.name = bot
    setup.round_robin.groups = GROUPS
    # The request id makes a repeat harmless.
    new = o.CreateTournamentRequest(request_id=str(uuid.uuid4()), setup=setup)
    return stub.CreateTournament(new, metadata=metadata, timeout=30).tournament


def follow(stub, tournament):
    """Prints the progress until the end. Each message is complete, so a new stream simply continues."""
    printed = None
    while True:
        try:
            request = o.FollowTournamentRequest(tournament_id=tournament.tournament_id)
            for news in stub.FollowTournament(request, metadata=metadata):
                standings = news.standings
                line = f"{standings.tables_over} of {standings.tables_expected} tables over"
                if line != printed:
                    print(line, flush=True)
                printed = line
                if standings.state in (o.TOURNAMENT_STATE_FINISHED, o.TOURNAMENT_STATE_CANCELLED):
                    return standings
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                raise
            print(error.details(), file=sys.stderr)
            time.sleep(1)


def check_sums(standings, tables):
    """Checks invariants of any tournament with two players per table."""
    rows = standings.rows
    assert standings.state == o.TOURNAMENT_STATE_FINISHED, "the tournament was cancelled"
    assert standings.groups_counted == standings.groups_expected == GROUPS * len(rows) * (len(rows) - 1) // 2
    assert standings.tables_over == standings.tables_expected == len(tables) == 2 * standings.groups_counted
    assert all(table.over and table.has_record for table in tables), "a table is not over"
    # Each game has two players, each deal two games, and all pairs meet equally often.
    assert all(row.games == 2 * row.groups == 2 * GROUPS * (len(rows) - 1) for row in rows), "games are missing"
    assert all(sum(count.games for count in row.finishes) == row.games for row in rows), "a finish is missing"
    # A game awards one place point in all, and scores are zero-sum.
    assert math.isclose(sum(row.place_points for row in rows), standings.tables_over), "places do not add up"
    assert math.isclose(sum(row.mean for row in rows), 0, abs_tol=1e-6), "scores do not add up"
    assert math.isclose(sum(row.rating for row in rows), 0, abs_tol=1e-6), "ratings do not add up"
    # The tables' points give the standings, unless a seat was forfeited, which scores the lowest of its table.
    if all(result.finish == t.SEAT_FINISH_PLAYED_OUT for table in tables for result in table.results):
        scores = {row.entrant: 0 for row in rows}
        for table in tables:
            first, second = (result.points for result in sorted(table.results, key=lambda result: result.seat))
            scores[table.entrants[0]] += first - second
            scores[table.entrants[1]] += second - first
        for row in rows:
            mean = scores[row.entrant] / row.games
            assert math.isclose(mean, row.mean, abs_tol=1e-6), f"{row.name} has {row.mean}, but its tables give {mean}"


def main():
    channel = grpc.insecure_channel(ADDRESS.removeprefix("http://"), [("grpc.keepalive_time_ms", 10000)])
    stub = tournament_pb2_grpc.TournamentServiceStub(channel)
    tournament = create(stub)
    print(f"tournament {tournament.tournament_id}", flush=True)
    start = o.StartTournamentRequest(tournament_id=tournament.tournament_id)
    stub.StartTournament(start, metadata=metadata, timeout=30)
    standings = follow(stub, tournament)
    # One page of 1000 tables holds them all.
    listing = o.ListTournamentTablesRequest(tournament_id=tournament.tournament_id, page_size=1000)
    check_sums(standings, stub.ListTournamentTables(listing, metadata=metadata, timeout=30).tables)
    for row in standings.rows:
        print(f"{row.rank}. {row.name}: {row.mean:+.2f} points a game, rating {row.rating:+.0f}")


main()
