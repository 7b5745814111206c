"""Checks records as JSON, with nothing of Parlor but docs/fairness.md and the .proto files.

    check_record.py [--key PUBLIC_KEY] RECORD.json... [manifest.json]
"""

import argparse, hashlib, hmac, json
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from google.protobuf import json_format
from parlor.v1 import record_pb2

RANKS = [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15]
PLAYING = [(lower, higher) for lower in range(2, 11) for higher in range(lower, 11)]
COLOURS = {"gap": ("BLUE GREEN YELLOW PINK PURPLE".split(), range(0, 10)),
           "habe_fertig": ("RED YELLOW GREEN BLUE PURPLE GREY".split(), range(1, 12))}

def deck_and_hand(game, players):
    """The cards of a game in the order of their codes, and how many are a hand."""
    if game in COLOURS:
        colours, numbers = COLOURS[game]
        colours, hand = (colours, 12) if game == "habe_fertig" else (colours[:players + 1], 6 if players < 5 else 5)
        return [(colour, number) for colour in colours for number in numbers], hand
    if game == "five_three_five":
        return [rank for rank in RANKS for _ in range(4 if players < 5 else 5)], {3: 13, 6: 10}.get(players, 12)
    if game == "no_dice":
        return PLAYING + ["SWITCH"] * 4 + ["PASS"] * 4 + ["X2"] * 4 + ["SWAP"] * 3, 7
    return list(range(1, 14)), 3

def card(value):
    """A card of a record as it is in the deck."""
    if isinstance(value, int) or "rank" in value:
        return value if isinstance(value, int) else value["rank"]
    if "colour" in value:
        return value["colour"].rsplit("_", 1)[1], value["number"]
    playing = value.get("playing")
    return (playing["lower"], playing["higher"]) if playing else value["action"].rsplit("_", 1)[1]

def expect(is_right, path):
    if not is_right:
        raise ValueError(path)

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def hkdf(salt, key, *info):
    return hmac.digest(hmac.digest(salt, key, "sha256"), b"".join(info) + b"\1", "sha256")

def id_bytes(text):
    bits = "".join(f"{'0123456789abcdefghjkmnpqrstvwxyz'.index(character):05b}" for character in text)
    return int(bits, 2).to_bytes(16, "big")

def shuffled(cards, key, nonce=0):
    words = Cipher(algorithms.ChaCha20(key, bytes(8) + nonce.to_bytes(8, "little")), None).encryptor()
    cards = list(cards)
    for i in range(len(cards) - 1, 0, -1):
        rest = -1
        while rest < 2**32 % (i + 1):
            j, rest = divmod(int.from_bytes(words.update(bytes(4)), "little") * (i + 1), 2**32)
        cards[i], cards[j] = cards[j], cards[i]
    return cards

def check_seeds(record):
    """Checks commitments and entropy, and that the seed of the game follows from them."""
    shuffle, deal = record.shuffle, record.shuffle.deal_group
    in_tournament, given, seed = shuffle.HasField("deal_group"), shuffle.seed_given, shuffle.server_seed
    tag, number = b"parlor tournament " if in_tournament else b"parlor ", deal.number.to_bytes(4, "big")
    ident = bytes(16) if given else id_bytes(deal.tournament_id if in_tournament else record.table_id)
    if in_tournament:
        parts = [*zip(deal.entropy, deal.entropy_commitments or [b""] * len(deal.entropy), strict=True)]
        commitment = sha(b"parlor deal commitment v1", ident, number, seed)
        if deal.tournament_seed:
            expect(seed == hkdf(ident, deal.tournament_seed, b"parlor deal v1", number), "shuffle.dealGroup.tournamentSeed")
            promise = b"" if given else sha(b"parlor tournament commitment v1", ident, deal.tournament_seed)
            expect(deal.tournament_commitment == promise, "shuffle.dealGroup.tournamentCommitment")
    else:
        parts = [(seat.entropy, seat.commitment) for seat in shuffle.entropy]
        commitment = sha(b"parlor commitment v1", ident, seed)
        expect(given or len(parts) == len(record.seats), "shuffle.entropy")
    expect(shuffle.commitment == (b"" if given else commitment), "shuffle.commitment")
    for entropy, promise in parts:
        # Without a promise: nothing was added, or to a server of an earlier version.
        expect(not (entropy and promise) or promise == sha(tag, b"entropy commitment v1", ident, entropy), "shuffle.entropy")
        expect(not given or not (entropy or promise), "shuffle.seedGiven")
    entropy = b"".join(bytes([len(entropy)]) + entropy for entropy, _ in parts)
    if in_tournament:
        game_seed = hkdf(seed, entropy, b"parlor deal seed v1", ident, number)
    else:
        game_seed = shuffle.game_seed if given else hkdf(b"parlor seed v1", seed, ident, entropy)
    expect(shuffle.game_seed == (game_seed if record.HasField("start_time") else b""), "shuffle.gameSeed")

def check_shuffles(record, shuffle):
    """Checks every shuffle, and that the hands that were told are cards of it."""
    game, players = record["game"], len(record["seats"])
    entries = [entry for step in record["steps"] for entry in step["told"]]
    told = [(entry.get("only"), event) for entry in entries for event in entry.get("game", {}).values()]
    deck, size = deck_and_hand(game, players)
    code, new, old = {card: code for code, card in enumerate(deck)}.get, {}, {}
    if shuffle.deal_group.recoloured and game in COLOURS:
        key = hkdf(bytes(32), shuffle.server_seed, b"parlor recolour v1", bytes([shuffle.deal_group.rotation]))
        colours = list(dict(deck))
        new = dict(zip(colours, shuffled(colours, key)))
        old = {colour: name for name, colour in new.items()}
    recoloured = lambda cards, names: [(names[card[0]], card[1]) for card in cards] if names else cards
    hands = [(seat, sorted(map(card, event["dealt"]["hand"]), key=code)) for seat, event in told if "dealt" in event]
    rebuilt = [list(map(card, event["rebuilt"]["cards"])) for _, event in told if "rebuilt" in event]
    dealt, name, two = [], (-1, 0, 0), game == "five_three_five" and players == 2
    for index, entry in enumerate(record["shuffles"]):
        if entry["purpose"] == "SHUFFLE_PURPOSE_DEAL":
            name, cards = (name[0] + 1, 0, 0), deck
        else:
            name, cards = (name[0], 1, name[1] + name[2]), sorted(recoloured(rebuilt.pop(0), old), key=code)
        cards = recoloured(shuffled(cards, shuffle.game_seed, name[0] << 32 | name[1] << 16 | name[2]), new)
        expect((entry["round"], entry["count"]) == (name[0], name[2]), f"shuffles[{index}].round")
        expect([card(value) for entry in entry["cards"] for value in entry.values()] == cards, f"shuffles[{index}].cards")
        for at in range(players * (1 + two) * (name[1] == 0)):
            dealt.append((at % players, sorted(cards[at * size:][:size], key=code)))
    # A game of two that was broken off may lack the second hands of its deal.
    expect(hands == dealt[:len(hands)] and len(dealt) - len(hands) <= players * two and not rebuilt, "steps.told.game.dealt")

def signed(message):
    """What the signature of a record or of a manifest signs."""
    copy, is_record = type(message).FromString(message.SerializeToString()), isinstance(message, record_pb2.Record)
    for part in [part for step in copy.steps for part in (*step.told, *step.decided)] if is_record else []:
        part.ClearField("text")
    for field in ["signature", "result_texts"] if is_record else ["signature"]:
        copy.ClearField(field)
    tag = b"parlor record signature v1" if is_record else b"parlor export signature v1"
    return tag + copy.SerializeToString(deterministic=True)

def read(data, form, key):
    """Reads a record or a manifest, and checks its signature if there is a key."""
    message = json_format.ParseDict(data, form())
    if key:
        expect(message.signature.key_id == sha(key)[:8].hex(), "signature.keyId")
        Ed25519PublicKey.from_public_bytes(key).verify(message.signature.signature, signed(message))
    return message

def check(data, key=None):
    """Checks a record; raises an error with the path of the field that is wrong."""
    record = read(data, record_pb2.Record, key)
    check_seeds(record)
    if not record.HasField("viewer"):  # The record of one viewer has no shuffles.
        check_shuffles(json_format.MessageToDict(record, always_print_fields_with_no_presence=True), record.shuffle)
    return record

def check_manifest(data, records, key=None):
    """Checks that an export is these records."""
    manifest = read(data, record_pb2.ExportManifest, key)
    records = [record for record in records if record.shuffle.deal_group.tournament_id == manifest.tournament_id]
    hashes = sorted(sha(signed(record)) for record in records)
    expect(manifest.record_count == len(hashes), "recordCount")
    expect(manifest.records_hash == sha(*hashes), "recordsHash")

def main():
    parser = argparse.ArgumentParser(description="Checks records of Parlor.")
    parser.add_argument("--key", type=bytes.fromhex, help="public key of the server; without it, signatures are not checked")
    parser.add_argument("files", nargs="+", help="records as JSON, and manifests after the records of their export")
    options, records, wrong = parser.parse_args(), [], False
    for path in options.files:
        try:
            data = json.load(open(path, encoding="utf-8"))
            if "recordsHash" in data:
                check_manifest(data, records, options.key)
            else:
                records.append(check(data, options.key))
            print(f"{path}: right" + ("" if options.key else ", but for the signature, which was not checked"))
        except Exception as error:
            wrong = True
            print(f"{path}: WRONG: {error or type(error).__name__}")
    raise SystemExit(wrong)

if __name__ == "__main__":
    main()
