"""Plays any game, and knows none: prints the table, the events and the moves in words, and asks which move to make.

python player.py [GAME] [HOST:PORT] [LANGUAGE]    (an API key, if needed, in PARLOR_KEY; without a terminal, moves are random)
"""
import os, queue, random, sys, time, uuid
import grpc
from parlor.v1 import common_pb2, play_pb2 as p, play_pb2_grpc, table_pb2 as t, table_pb2_grpc
game, address, language = (sys.argv[1:] + ["gap", "127.0.0.1:7766", "english"][len(sys.argv) - 1:])[:3]
key = [("authorization", "Bearer " + os.environ["PARLOR_KEY"])] if "PARLOR_KEY" in os.environ else None
channel = grpc.insecure_channel(address.removeprefix("http://"), [("grpc.keepalive_time_ms", 10000)])
tables, play = table_pb2_grpc.TableServiceStub(channel), play_pb2_grpc.PlayServiceStub(channel)
names = {}  # of the players, by seat

def words(text):
    return "".join(names.get(part.seat, part.text) if part.HasField("seat") else part.text for part in text.parts)

def show(board):
    for zone in board.zones:
        owner = f"{names.get(zone.owner, zone.owner)}: " if zone.HasField("owner") else ""
        cards = [card.face.short_label for card in zone.cards] + ["?"] * min(zone.unknown_cards, 12)
        cells = [f"{cell.label} at ({cell.x}, {cell.y})" for card in zone.cards for cell in card.cells]
        print(f"  {owner}{zone.label}: {'; '.join(cells) or ' '.join(cards) or '-'}")
    for seat in board.seats:
        print(f"  {names.get(seat.seat, seat.seat)}: {', '.join([f'{seat.points:+}', *seat.marks])}")

def choose(decision):
    show(decision.board)
    for index, action in enumerate(decision.texts.actions):
        print(f"  [{index}] {words(action)}")
    print(words(decision.texts.question))
    typed = input("Number: ") if sys.stdin.isatty() else str(random.randrange(decision.legal_count))
    return int(typed) if typed.isdecimal() and int(typed) < decision.legal_count else choose(decision)

seats = [t.SeatSetup(house_bot=t.HouseBotSeat(name="greedy")), t.SeatSetup(open=t.OpenSeat())]
new = t.CreateTableRequest(request_id=str(uuid.uuid4()), game=game, seats=seats, clock=t.ClockSettings(decision_ms=0))
table = tables.CreateTable(new, metadata=key, timeout=30).table
join = t.JoinTableRequest(request_id=str(uuid.uuid4()), table_id=table.table_id, display_name="Ada")
joined = tables.JoinTable(join, metadata=key, timeout=30)
names = {seat.seat: seat.house_bot.name or seat.player.display_name for seat in joined.table.seats}
wants = p.Wants(texts=common_pb2.Language.Value(f"LANGUAGE_{language.upper()}"), board=True, events=False, decision_views=False)
after, over = None, False
while not over:
    requests = queue.SimpleQueue()  # messages to send
    attach = p.Attach(seat_token=joined.seat_token, after=after, wants=wants)
    requests.put(p.PlayRequest(items=[p.PlayRequestItem(channel=1, attach=attach)]))
    try:
        for item in (item for message in play.Play(iter(requests.get, None)) for item in message.items):
            if item.HasField("update"):
                after, texts = item.update.number, item.update.texts
                for text in [*texts.table_events, *texts.events, *texts.result.seats]:
                    print(words(text))
                over = over or texts.HasField("result")
            if item.HasField("decision"):
                answer = p.Answer(decision_id=item.decision.id, index=choose(item.decision))
                requests.put(p.PlayRequest(items=[p.PlayRequestItem(channel=1, answer=answer)]))
            if item.HasField("closed"):
                break  # the table is over, or the channel must be attached again
    except grpc.RpcError as error:  # the connection broke: reconnect, nothing is lost
        print(error.details(), file=sys.stderr)
        time.sleep(1)
