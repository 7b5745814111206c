"""A stand-in for a language model: plays a seat, or the seats of an agent, with the tools of `parlor mcp`.

It is what a client for models does, with a choice by chance in the place of the model. As an agent, for a tournament:

    .venv/bin/python stand_in.py be_agent NAME -- parlor mcp
    .venv/bin/python stand_in.py start_game gap -- parlor mcp
    .venv/bin/python stand_in.py start_game gap -- http://127.0.0.1:7768/mcp
"""

import asyncio
import random
import sys

from mcp import Client, StdioServerParameters


async def call(client, tool, **arguments):
    """Calls a tool: its structured content. Its text is what a model would read."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(result.content[0].text)
    return result.structured_content


async def next_turn(client, handle):
    """Waits for a turn of a seat or of an agent: the state of a seat, or None while no seat of an agent has to decide."""
    while True:
        waited = await call(client, "wait_for_turn", handle=handle)
        if waited["status"] != "waiting":
            return waited["seat"]
        if waited["agent"]:
            return None


async def play_seat(client, handle, choose=random.choice):
    """Plays a seat until its table is over: the result."""
    while (seat := await next_turn(client, handle))["status"] == "your_turn":
        action = choose(seat["actions"])
        await call(client, "act", seat_handle=handle, decision=seat["decision"], index=action["index"])
    return (await call(client, "result", handle=handle))["tables"][0]


async def play_agent(client, handle, choose=random.choice):
    """Plays the seats of an agent for good."""
    while True:
        if seat := await next_turn(client, handle):
            action = choose(seat["actions"])
            await call(client, "act", seat_handle=seat["seat_handle"], decision=seat["decision"], index=action["index"])


async def main(tool, name, command):
    server = command[0] if "://" in command[0] else StdioServerParameters(command=command[0], args=command[1:])
    async with Client(server) as client:
        if tool == "be_agent":
            agent = await call(client, "be_agent", name=name)
            print(f"{name} is connected", flush=True)
            await play_agent(client, agent["agent_handle"])
        else:
            seat = await call(client, "start_game", game=name)
            result = await play_seat(client, seat["seat_handle"])
            print("\n".join(result["texts"]))


if __name__ == "__main__":
    words, command = sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    asyncio.run(main(words[0], words[1], command))
