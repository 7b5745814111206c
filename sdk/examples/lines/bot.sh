#!/usr/bin/env bash
# Plays a random legal action. parlor play gap --with exec:./bot.sh
asked='^\{"type":"decision","table":"([^"]*)","seat":[0-9]+,"decision":([0-9]+),'
while IFS= read -r line; do
    if [[ $line =~ $asked ]]; then
        table=${BASH_REMATCH[1]} decision=${BASH_REMATCH[2]}
        actions=$(grep -o '{"index":' <<<"$line" | wc -l)
        printf '{"table":"%s","decision":%d,"index":%d}\n' "$table" "$decision" $((RANDOM % actions))
    fi
done
