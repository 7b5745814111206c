"""Doctors each field of JSON records, and sees that check_record.py refuses every one.

    check_doctored.py PUBLIC_KEY RECORD.json...
"""

import copy, json, sys
import check_record

# Fields of which a change is found without the signature, too, in the record of a whole game.
PROVEN = (".shuffle.commitment", ".shuffle.serverSeed", ".shuffle.gameSeed", ".shuffle.dealGroup.tournamentSeed",
          ".shuffle.dealGroup.tournamentCommitment", ".shuffles.cards.", ".shuffle.entropy.entropy")

def another(value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if not value:
        return "A"
    # The first character: the last one of Base64 has bits that do not count.
    return ("3" if value[0] == "2" else "2" if value[0].isdigit() else "B" if value[0] == "A" else "A") + value[1:]

def doctored(value, path, seen):
    """Copies of a value with one change each, and where it is: one for each path that was not seen before."""
    if isinstance(value, dict):
        for name, inner in value.items():
            for where, changed in doctored(inner, f"{path}.{name}", seen):
                yield where, {**value, name: changed}
    elif isinstance(value, list):
        if value and (path, "less") not in seen:
            seen.add((path, "less"))
            yield f"{path} without its first entry", value[1:]
        for index, inner in enumerate(value):
            for where, changed in doctored(inner, path, seen):
                yield where, [*value[:index], changed, *value[index + 1:]]
    elif path not in seen:
        seen.add(path)
        yield path, another(value)

def is_refused(record, key):
    try:
        check_record.check(record, key)
    except Exception:
        return True
    return False

def main():
    key, count, seen = bytes.fromhex(sys.argv[1]), 0, set()
    for path in sys.argv[2:]:
        record = json.load(open(path, encoding="utf-8"))
        for where, changed in doctored(copy.deepcopy(record), record["game"], seen):
            count += 1
            if not is_refused(changed, key):
                raise SystemExit(f"{path}: a change of {where} was not found")
            if where.removeprefix(record["game"]).startswith(PROVEN) and not is_refused(changed, None):
                raise SystemExit(f"{path}: a change of {where} was found by the signature alone")
    print(f"{count} doctored records, and every one was refused")

main()
