"""An agent: connects under a name, is given seats at many tables over one stream, and plays them at random.

python agent.py [NAME] [HOST:PORT]    (or PARLOR_ADDRESS; an API key, if the server wants one, in PARLOR_KEY)

It comes back by itself after every break, with bookmarks of all its tables, and answers each decision once. It ends when
another program connects under its name, or when the server refuses it.
"""
import hashlib, os, queue, random, sys, time
import grpc
from parlor.v1 import agent_pb2 as a, agent_pb2_grpc, error_pb2 as e, play_pb2 as p

NAME = sys.argv[1] if len(sys.argv) > 1 else "python-random"
ADDRESS = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("PARLOR_ADDRESS", "127.0.0.1:7766")
GAMES = ["habe_fertig", "gap", "flush", "no_dice"]
# The secret that the name belongs to. Choose one that nobody can guess, and keep it: the name is lost without it.
SECRET = os.environ.get("PARLOR_AGENT_KEY", "a secret of the example, known to all").encode()
ENTROPY = os.urandom(32)  # goes into the shuffles of tournaments, so that nobody needs to be trusted for them
metadata = [("authorization", "Bearer " + os.environ["PARLOR_KEY"])] if "PARLOR_KEY" in os.environ else None
# For good: the name has another owner, another program has the name, or what we say is wrong.
FOR_GOOD = {grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.INVALID_ARGUMENT}


def decide(table, decision):
    """Your ideas go here: decision.view is all that you know, decision.legal_actions all that you can do.

    This one chooses at random, but the same every time that the same decision comes, which it does after a break.
    """
    seed = hashlib.sha256(f"{table.table_id} {table.seat} {decision.id}".encode() + ENTROPY).digest()
    return random.Random(seed).randrange(decision.legal_count)


numbers = {}  # (table, seat): the number of the last update that we have


def one_stream(stub):
    """Plays over one stream until it ends. Returns how long to wait before the next, in seconds; None: do not come back."""
    say = queue.SimpleQueue()  # what goes to the server
    hello = a.AgentHello(name=NAME, version="1.0", agent_key=SECRET, games=GAMES, max_tables=100, entropy=ENTROPY)
    hello.bookmarks.extend(a.AgentBookmark(table_id=t, seat=s, after=n) for (t, s), n in numbers.items())
    say.put(a.ConnectRequest(hello=hello))
    before = dict(numbers)
    numbers.clear()  # a table that is not given again ended while we were away
    seats, defaults = {}, {}  # of each channel of this stream: the seat, and what its clock would do
    for message in stub.Connect(iter(say.get, None), metadata=metadata):
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
                continue  # of a kind that a newer server has
            place = (table.table_id, table.seat)
            if kind == "snapshot":
                numbers[place] = item.snapshot.number
            elif kind == "update":
                numbers[place] = item.update.number
                for event in item.update.table_events:
                    if event.HasField("over"):
                        mine = [s for s in event.over.result.seats if s.seat == table.seat]
                        reached = f"place {mine[0].place} with {mine[0].points} points" if mine else "no result"
                        print(f"{table.game} {table.table_id}: {reached}", flush=True)
            elif kind == "decision":
                begun = time.monotonic()
                defaults[item.channel] = item.decision.default_index
                index = decide(table, item.decision)
                think_ms = int((time.monotonic() - begun) * 1000)
                answer = p.Answer(decision_id=item.decision.id, index=index, think_ms=think_ms)
                answers.append(p.PlayRequestItem(channel=item.channel, answer=answer))
            elif kind == "answered" and item.answered.refusal.reason == e.ERROR_REASON_ILLEGAL_ACTION:
                # The decision is still open, and the clock runs: do what the clock would do.
                print(f"refused: {item.answered.refusal.text.en}", file=sys.stderr)
                answer = p.Answer(decision_id=item.answered.decision_id, index=defaults[item.channel])
                answers.append(p.PlayRequestItem(channel=item.channel, answer=answer))
            elif kind == "closed":
                seats.pop(item.channel)
                if item.closed.reason == e.ERROR_REASON_UNSPECIFIED:
                    numbers.pop(place, None)  # the table is over
        if answers:  # all that is ready in one message
            say.put(a.ConnectRequest(items=answers))
        if message.HasField("ending"):
            print(message.ending.message, file=sys.stderr)
            replaced = message.ending.reason == e.ERROR_REASON_AGENT_REPLACED
            return None if replaced else message.ending.retry_ms / 1000
    return 0


def main():
    channel = grpc.insecure_channel(ADDRESS.removeprefix("http://"), [("grpc.keepalive_time_ms", 10000)])
    stub = agent_pb2_grpc.AgentServiceStub(channel)
    pause = 0.1
    while True:
        begun = time.monotonic()
        try:
            wait = one_stream(stub)
            if wait is None:
                return
        except grpc.RpcError as error:  # the connection broke: come back, nothing is lost
            print(error.details(), file=sys.stderr)
            if error.code() in FOR_GOOD:
                sys.exit(1)
            wait = 0
        # Waits that grow while nothing works.
        pause = 0.1 if time.monotonic() - begun > 5 else min(pause * 2, 5)
        time.sleep(max(wait, pause * random.uniform(0.5, 1)))


main()
