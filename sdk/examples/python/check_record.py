"""Checks JSON records of Parlor: commitments, entropy, seeds, shuffles, dealt hands, signatures. See docs/fairness.md.

    check_record.py [--key PUBLIC_KEY] RECORD.json... [manifest.json]
"""

import argparse, base64, collections, glob, hashlib, hmac, json, os, struct, tempfile
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from grpc_tools import protoc

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../proto")
LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
ZERO_ID = bytes(16)

class Wrong(Exception):
    """A record that is not right, and why."""

def require(found, expected, what):
    if found != expected:
        raise Wrong(f"{what}: found {found!r}, expected {expected!r}")

def id_bytes(text):
    number = 0
    for letter in text:
        number = number << 5 | LETTERS.index(letter)
    return number.to_bytes(16, "big")

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def hkdf(salt, ikm, info):
    prk = hmac.new(salt or bytes(32), ikm, hashlib.sha256).digest()
    return hmac.new(prk, info + b"\x01", hashlib.sha256).digest()

def bytes_of(message, name):
    return base64.b64decode(message.get(name, ""), validate=True)

def keystream(key, nonce):  # ChaCha20, as 32-bit words
    rotate = lambda x, n: (x << n | x >> 32 - n) & 0xFFFFFFFF
    for block in range(2**32):
        start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key),
                 block, 0, nonce & 0xFFFFFFFF, nonce >> 32]
        s = start[:]
        for _ in range(10):
            for a, b, c, d in [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                               (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]:
                for x, y, z, n in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)]:
                    s[x] = (s[x] + s[y]) & 0xFFFFFFFF
                    s[z] = rotate(s[z] ^ s[x], n)
        yield from ((x + y) & 0xFFFFFFFF for x, y in zip(s, start))

def shuffled(codes, key, nonce):
    codes, words = sorted(codes), keystream(key, nonce)
    for i in range(len(codes) - 1, 0, -1):
        product = next(words) * (i + 1)
        while product % 2**32 < 2**32 % (i + 1):
            product = next(words) * (i + 1)
        j = product >> 32
        codes[i], codes[j] = codes[j], codes[i]
    return codes

# The games: name in JSON, code of a card, deck, cards a hand, colours in play and cards of each.
COLOURS = {"gap": "BLUE GREEN YELLOW PINK PURPLE".split(), "habe_fertig": "RED YELLOW GREEN BLUE PURPLE GREY".split()}
RANKS = [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15]
PAIRS = [(low, high) for low in range(2, 11) for high in range(low, 11)]
ACTIONS = {"SWITCH": 4, "PASS": 4, "X2": 4, "SWAP": 3}

def colour(game, card):
    return COLOURS[game].index(card["colour"].removeprefix(f"{game.upper()}_COLOUR_"))

def no_dice(card):
    if "playing" in card:
        return PAIRS.index((card["playing"]["lower"], card["playing"]["higher"]))
    return 45 + list(ACTIONS).index(card["action"].removeprefix("NO_DICE_ACTION_CARD_"))

def gap_colours(players):
    return {2: 3, 3: 4}.get(players, 5)

GAMES = {
    "gap": ("gap", lambda card: 10 * colour("gap", card) + card.get("number", 0),
            lambda n: range(10 * gap_colours(n)), lambda n: 6 if n <= 4 else 5, lambda n: (gap_colours(n), 10)),
    "habe_fertig": ("habeFertig", lambda card: 11 * colour("habe_fertig", card) + card["number"] - 1,
                    lambda n: range(66), lambda n: 12, lambda n: (6, 11)),
    "five_three_five": ("fiveThreeFive", lambda card: RANKS.index(card if isinstance(card, int) else card["rank"]),
                        lambda n: [code for code in range(13) for _ in range(4 if n <= 4 else 5)],
                        lambda n: {3: 13, 6: 10}.get(n, 12), None),
    "no_dice": ("noDice", no_dice,
                lambda n: [*range(45), *(45 + i for i, count in enumerate(ACTIONS.values()) for _ in range(count))],
                lambda n: 7, None),
    "high_card": ("highCard", lambda card: card["rank"] - 1, lambda n: range(13), lambda n: 3, None),
}

def entropy_list(parts):
    return b"".join(bytes([len(part)]) + part for part in parts)

def check_entropy(text, id, entropy, commitment, what):
    """What was revealed is what was committed to. A commitment without entropy was withheld."""
    if entropy and commitment:
        require(commitment, sha256(text, id, entropy), what)

def table_seed(record, shuffle):
    """The game seed of an ordinary table."""
    id, server = id_bytes(record["tableId"]), bytes_of(shuffle, "serverSeed")
    require(bytes_of(shuffle, "commitment"), sha256(b"parlor commitment v1", id, server), "shuffle.commitment")
    seats = shuffle.get("entropy", [])
    for seat in seats:
        revealed, commitment = bytes_of(seat, "entropy"), bytes_of(seat, "commitment")
        check_entropy(b"parlor entropy commitment v1", id, revealed, commitment, "entropy")
    return hkdf(b"parlor seed v1", server, id + entropy_list(bytes_of(seat, "entropy") for seat in seats))

def deal_seed(shuffle, group):
    """The game seed of a deal of a tournament."""
    given, deal = shuffle.get("seedGiven", False), bytes_of(shuffle, "serverSeed")
    id = id_bytes(group["tournamentId"])
    salt, number = ZERO_ID if given else id, group["number"].to_bytes(4, "big")
    if group.get("tournamentSeed"):
        seed = bytes_of(group, "tournamentSeed")
        require(deal, hkdf(salt, seed, b"parlor deal v1" + number), "the seed of the deal")
        if not given:
            commitment = sha256(b"parlor tournament commitment v1", id, seed)
            require(bytes_of(group, "tournamentCommitment"), commitment, "tournamentCommitment")
    if not given:
        commitment = sha256(b"parlor deal commitment v1", id, number, deal)
        require(bytes_of(shuffle, "commitment"), commitment, "shuffle.commitment")
    parts = [base64.b64decode(part) for part in group.get("entropy", [])]
    commitments = [base64.b64decode(part) for part in group.get("entropyCommitments", [])]
    for part, commitment in zip(parts, commitments):
        check_entropy(b"parlor tournament entropy commitment v1", id, part, commitment, "entropy of the tournament")
    return hkdf(deal, entropy_list(parts), b"parlor deal seed v1" + salt + number)

def check_shuffles(record):
    """Every commitment, seed and shuffle, and the hands that were dealt."""
    shuffle, players = record["shuffle"], len(record["seats"])
    name, code, deck, hand_size, colours = GAMES[record["game"]]
    group, seed = shuffle.get("dealGroup"), bytes_of(shuffle, "gameSeed")
    if group:
        expected = deal_seed(shuffle, group)
    else:
        expected = seed if shuffle.get("seedGiven") else table_seed(record, shuffle)
    if not record.get("startTime"):
        return require((seed, record.get("shuffles", [])), (b"", []), "shuffles of a game that never began")
    require(seed, expected, "shuffle.gameSeed")
    old = new = lambda card: card
    if group and group.get("recoloured") and colours:
        in_play, each = colours(players)
        key = hkdf(b"", bytes_of(shuffle, "serverSeed"), b"parlor recolour v1" + bytes([group["rotation"]]))
        renamed = shuffled(range(in_play), key, 0)
        new = lambda card: renamed[card // each] * each + card % each
        old = lambda card: renamed.index(card // each) * each + card % each
    events = collections.defaultdict(list)  # kind: its events, each with its step and its seat
    for index, step in enumerate(record["steps"]):
        for event in step.get("told", []):
            for kind, content in event.get("game", {name: {}})[name].items():
                events[kind].append((index, event.get("only"), content))
    codes = lambda cards: [code(card) for card in cards]
    size, rebuilt, hands, middles, tops = hand_size(players), iter(events["rebuilt"]), [], [], []
    names = []
    for one in record["shuffles"]:
        round, count = one.get("round", 0), one.get("count", 0)
        found = [code(card[name]) for card in one["cards"]]
        names.append((round, one["purpose"], count))
        if one["purpose"] == "SHUFFLE_PURPOSE_DEAL":
            cards, purpose = deck(players), 0
            begun = 2 if record["game"] == "five_three_five" and players == 2 else 1
            hands += [sorted(found[i * size:][:size]) for i in range(players * begun)]
            middles.append(sorted(found[players * size:][:4]))
            tops.append(found[players * size:][:2])
        else:
            step, _, event = next(rebuilt, (None, None, {"cards": []}))
            require(one.get("step", 0), step, "the step of a rebuilt draw pile")
            cards, purpose = codes(event["cards"]), 1
        order = [new(card) for card in shuffled(map(old, cards), seed, round << 32 | purpose << 16 | count)]
        require(found, order, f"shuffle {names[-1]}")
    require(len(set(names)), len(names), "names of the shuffles, each once")
    require(next(rebuilt, None), None, "a rebuilt draw pile without a shuffle")
    dealt = [sorted(codes(event["hand"])) for _, _, event in events["dealt"]]
    require([seat for _, seat, _ in events["dealt"]], [i % players for i in range(len(dealt))], "seats of the hands")
    require(dealt, hands[:len(dealt)], "hands")
    # A game for two that was broken off may have a second half that nobody was dealt.
    missing = players if record["game"] == "five_three_five" and players == 2 else 0
    require(len(hands) - len(dealt) in (0, missing), True, "number of hands")
    if record["game"] == "gap":
        require([sorted(codes(event["middle"])) for _, _, event in events["roundBegan"]], middles, "middles")
    opened = [codes([event["tops"]["left"], event["tops"]["right"]]) for _, _, event in events["pilesOpened"]]
    require(opened, tops[:len(opened)], "opened piles")

def message_classes():
    """The messages of the .proto files, by the protobuf library alone."""
    with tempfile.NamedTemporaryFile() as out:
        known = os.path.join(os.path.dirname(protoc.__file__), "_proto")
        files = [os.path.relpath(path, PROTO) for path in glob.glob(f"{PROTO}/parlor/v1/*.proto")]
        paths = [f"-I{PROTO}", f"-I{known}", "--include_imports", f"--descriptor_set_out={out.name}"]
        if protoc.main(["protoc", *paths, *files]):
            raise SystemExit("the .proto files do not compile")
        files = descriptor_pb2.FileDescriptorSet.FromString(open(out.name, "rb").read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    types = map(pool.FindMessageTypeByName, ["parlor.v1.Record", "parlor.v1.ExportManifest"])
    return map(message_factory.GetMessageClass, types)

RECORD, MANIFEST = message_classes()

def signed_bytes(document):
    """What the signature of a record or a manifest signs."""
    is_manifest = "recordsHash" in document
    message = json_format.ParseDict(document, (MANIFEST if is_manifest else RECORD)())
    message.ClearField("signature")
    if not is_manifest:
        message.ClearField("result_texts")
        for step in message.steps:
            for part in [*step.told, *step.decided]:
                part.ClearField("text")
    tag = b"parlor export signature v1" if is_manifest else b"parlor record signature v1"
    return tag + message.SerializeToString(deterministic=True)

def check_signature(document, key):
    signature = document.get("signature", {})
    require(signature.get("keyId"), hashlib.sha256(key).hexdigest()[:16], "signature.keyId")
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(bytes_of(signature, "signature"), signed_bytes(document))
    except Exception as error:
        raise Wrong(f"signature: {error!r}")

def check(record, key=None):
    """Raises Wrong if the record is not right, and whatever else a damaged one leads to."""
    if key:
        check_signature(record, key)
    if "viewer" not in record:  # the record of one viewer has no shuffles
        check_shuffles(record)

def check_manifest(manifest, records, key=None):
    if key:
        check_signature(manifest, key)
    hashes = sorted(sha256(signed_bytes(record)) for record in records)
    require(manifest.get("recordCount", 0), len(hashes), "recordCount")
    require(bytes_of(manifest, "recordsHash"), sha256(*hashes), "recordsHash")

if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description="Checks JSON records of Parlor, as docs/fairness.md specifies them.")
    arguments.add_argument("--key", help="public key of the server, in hexadecimal; without it, signatures are not checked")
    arguments.add_argument("file", nargs="+", help="records, and after them the manifest of their export")
    given = arguments.parse_args()
    key, records, wrong = given.key and bytes.fromhex(given.key), [], 0
    for path in given.file:
        try:
            document = json.load(open(path, encoding="utf-8"))
            if "recordsHash" in document:
                check_manifest(document, records, key)
            else:
                check(document, key)
                records.append(document)
            print(f"{path}: right" + ("" if key else ", but for the signature, which was not checked"))
        except Exception as error:  # whatever a damaged record leads to
            wrong += 1
            print(f"{path}: WRONG: {error or type(error).__name__}")
    raise SystemExit(1 if wrong else 0)
