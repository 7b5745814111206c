"""An agent: connects under a name, is assigned seats at many tables over one stream, and plays them at random.

python agent.py [NAME] [HOST:PORT]    (or PARLOR_ADDRESS; an API key, if needed, in PARLOR_KEY)

It reconnects after every break, with bookmarks of all its tables, and answers each decision once. It ends when another
program connects under its name, or when the server rejects it.
"""
import hashlib, os, queue, random, sys, time
import grpc
from parlor.v1 import agent_pb2 as a, agent_pb2_grpc, catalogue_pb2, catalogue_pb2_grpc
from parlor.v1 import error_pb2 as e, game_pb2, play_pb2 as p

NAME = sys.argv[1] if len(sys.argv) > 1 else "python-random"
ADDRESS = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("PARLOR_ADDRESS", "127.0.0.1:7766")
# Secret that owns the name. Choose one that cannot be guessed, and keep it: without it the name is lost.
SECRET = os.environ.get("PARLOR_AGENT_KEY", "a secret of the example, known to all").encode()
SALT = os.urandom(32)  # of the choices of this run
metadata = [("authorization", "Bearer " + os.environ["PARLOR_KEY"])] if "PARLOR_KEY" in os.environ else None
# Permanent errors: the name has another owner, another program uses it, or the hello is invalid.
PERMANENT = {grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.INVALID_ARGUMENT}


def decide(table, decision):
    """Your strategy: decision.view is all you know, decision.legal_actions all you can do.

    This one plays at random, but repeats its choice if the same decision comes again after a reconnect.
    """
    seed = hashlib.sha256(f"{table.table_id} {table.seat} {decision.id}".encode() + SALT).digest()
    return random.Random(seed).randrange(decision.legal_count)


def list_games(channel):
    """Ids of the server's games; those of the .proto files for a server without a catalogue (parlor conformance)."""
    try:
        stub = catalogue_pb2_grpc.CatalogueServiceStub(channel)
        reply = stub.ListGames(catalogue_pb2.ListGamesRequest(), metadata=metadata, timeout=30)
        return [game.game for game in reply.games]
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.UNIMPLEMENTED:
            raise
        return [field.name for field in game_pb2.GameOptions.DESCRIPTOR.fields]


numbers = {}  # (table, seat): number of the last update received


def one_stream(stub, games):
    """Plays over one stream until it ends. Returns the seconds to wait before the next; None: do not reconnect."""
    requests = queue.SimpleQueue()  # messages to send
    hello = a.AgentHello(name=NAME, version="1.0", agent_key=SECRET, games=games, max_tables=100)
    hello.bookmarks.extend(a.AgentBookmark(table_id=t, seat=s, after=n) for (t, s), n in numbers.items())
    requests.put(a.ConnectRequest(hello=hello))
    before = dict(numbers)
    numbers.clear()  # a table that is not assigned again ended meanwhile
    seats, defaults = {}, {}  # per channel of this stream: the seat, and the index of its default action
    for message in stub.Connect(iter(requests.get, None), metadata=metadata):
        if message.HasField("welcome"):
            print(f"{NAME} is connected, up to {message.welcome.max_tables} tables at once", flush=True)
        if message.HasField("set_aside"):
            print(f"{NAME} gets no new seats for a while: {message.set_aside.message}", flush=True)
        answers = []
        for item in message.items:
            kind = item.WhichOneof("item")
            if kind == "seat_given":  # the first item of a channel
                seats[item.channel] = given = item.seat_given
                if (given.table_id, given.seat) in before:
                    numbers[given.table_id, given.seat] = before[given.table_id, given.seat]
                continue
            table = seats.get(item.channel)
            if table is None or kind is None:
                continue  # an item kind of a newer server
            seat = (table.table_id, table.seat)
            if kind == "snapshot":
                numbers[seat] = item.snapshot.number
            elif kind == "update":
                numbers[seat] = item.update.number
                for event in item.update.table_events:
                    if event.HasField("over"):
                        own = [s for s in event.over.result.seats if s.seat == table.seat]
                        result = f"place {own[0].place} with {own[0].points} points" if own else "no result"
                        print(f"{table.game} {table.table_id}: {result}", flush=True)
            elif kind == "decision":
                begun = time.monotonic()
                defaults[item.channel] = item.decision.default_index
                index = decide(table, item.decision)
                think_ms = int((time.monotonic() - begun) * 1000)
                answer = p.Answer(decision_id=item.decision.id, index=index, think_ms=think_ms)
                answers.append(p.PlayRequestItem(channel=item.channel, answer=answer))
            elif kind == "answered" and item.answered.refusal.reason == e.ERROR_REASON_ILLEGAL_ACTION:
                # The decision is still open, and its clock runs: play the default action.
                print(f"refused: {item.answered.refusal.text.en}", file=sys.stderr)
                answer = p.Answer(decision_id=item.answered.decision_id, index=defaults[item.channel])
                answers.append(p.PlayRequestItem(channel=item.channel, answer=answer))
            elif kind == "closed":
                seats.pop(item.channel)
                if item.closed.reason == e.ERROR_REASON_UNSPECIFIED:
                    numbers.pop(seat, None)  # the table is over
        if answers:  # all answers in one message
            requests.put(a.ConnectRequest(items=answers))
        if message.HasField("ending"):
            print(message.ending.message, file=sys.stderr)
            replaced = message.ending.reason == e.ERROR_REASON_AGENT_REPLACED
            return None if replaced else message.ending.retry_ms / 1000
    return 0


def main():
    channel = grpc.insecure_channel(ADDRESS.removeprefix("http://"), [("grpc.keepalive_time_ms", 10000)])
    stub = agent_pb2_grpc.AgentServiceStub(channel)
    games = None
    pause = 0.1
    while True:
        begun = time.monotonic()
        try:
            games = games or list_games(channel)
            wait = one_stream(stub, games)
            if wait is None:
                return
        except grpc.RpcError as error:  # the connection broke: reconnect, nothing is lost
            print(error.details(), file=sys.stderr)
            if error.code() in PERMANENT:
                sys.exit(1)
            wait = 0
        # Exponential backoff with jitter.
        pause = 0.1 if time.monotonic() - begun > 5 else min(pause * 2, 5)
        time.sleep(max(wait, pause * random.uniform(0.5, 1)))


main()
