"""A bot: creates a table with a house bot, plays it at random to the end, and prints the result.

python bot.py [GAME] [HOST:PORT]    (or PARLOR_ADDRESS; an API key, if needed, in PARLOR_KEY)
"""
import os, queue, random, sys, time, uuid
import grpc
from parlor.v1 import error_pb2 as errors, play_pb2 as p, play_pb2_grpc, table_pb2 as t, table_pb2_grpc
game = sys.argv[1] if len(sys.argv) > 1 else "gap"
address = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("PARLOR_ADDRESS", "127.0.0.1:7766")
key = [("authorization", "Bearer " + os.environ["PARLOR_KEY"])] if "PARLOR_KEY" in os.environ else None
channel = grpc.insecure_channel(address.removeprefix("http://"), [("grpc.keepalive_time_ms", 10000)])
tables, play = table_pb2_grpc.TableServiceStub(channel), play_pb2_grpc.PlayServiceStub(channel)


def why(error):
    """The reason, the wrong field and the text of a failed call; a broken connection has only a text."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for detail in errors.ErrorStatus.FromString(value).details:
                own = errors.ErrorDetail()
                if detail.Unpack(own):
                    return " ".join(filter(None, [errors.ErrorReason.Name(own.reason), own.field, own.text.en]))
    return error.details()


seats = [t.SeatSetup(house_bot=t.HouseBotSeat(name="greedy")), t.SeatSetup(open=t.OpenSeat())]
new = t.CreateTableRequest(request_id=str(uuid.uuid4()), game=game, seats=seats)
try:
    table = tables.CreateTable(new, metadata=key, timeout=30).table
except grpc.RpcError as error:
    sys.exit(f"no table: {why(error)}")
join = t.JoinTableRequest(request_id=str(uuid.uuid4()), table_id=table.table_id)
joined = tables.JoinTable(join, metadata=key, timeout=30)

after, result = None, None  # number of the last update; result of the table
while result is None:
    requests = queue.SimpleQueue()  # messages to send
    attach = p.Attach(seat_token=joined.seat_token, after=after)
    requests.put(p.PlayRequest(items=[p.PlayRequestItem(channel=1, attach=attach)]))
    try:
        for item in (item for message in play.Play(iter(requests.get, None)) for item in message.items):
            if item.HasField("decision"):
                answer = p.Answer(decision_id=item.decision.id, index=random.randrange(item.decision.legal_count))
                requests.put(p.PlayRequest(items=[p.PlayRequestItem(channel=1, answer=answer)]))
            if item.HasField("update"):
                after = item.update.number
                result = next((e.over.result for e in item.update.table_events if e.HasField("over")), result)
            if item.HasField("closed"):
                break  # the table is over, or the channel must be attached again
    except grpc.RpcError as error:  # the connection broke: reconnect, nothing is lost
        print(why(error), file=sys.stderr)
        time.sleep(1)
print(", ".join(f"seat {s.seat}: place {s.place} with {s.points} points" for s in result.seats))
