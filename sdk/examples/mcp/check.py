"""Checks `parlor mcp` with the official SDK of the Model Context Protocol for Python, against a server of its own.

    .venv/bin/python check.py PROGRAMS

PROGRAMS is the folder of the built programs. The checks: whole games of all kinds over standard input and output and over
HTTP, with the current revision of the protocol and with the handshake of older ones, in both languages, through restarts of
`parlor mcp` and of the server; illegal, unreadable, repeated and stale answers; notes; prompts, resources, histories; texts
within their budget; and no secret in anything that a client receives.
"""

import asyncio
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack, asynccontextmanager

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

PROGRAMS = sys.argv[1]
BUDGET = 3000
STRIKES = 3
DATA = tempfile.TemporaryDirectory()
FOLDER = f"{DATA.name}/client"
ENVIRONMENT = {"PARLOR_CLIENT_DATA": FOLDER, "HOME": DATA.name, "PATH": os.environ["PATH"], "PARLOR_CLI_TIMEOUT": "60s"}
SECRET = re.compile(r"pl[a-z]_[A-Za-z0-9_-]{8}")
RANDOM = random.Random(7)


class Process:
    """A program that listens, and says where on its first line."""

    def __init__(self, *command):
        self.command = command

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT
        )
        self.line = self.process.stdout.readline()
        assert self.line, f"{self.command} does not start"
        return self

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(timeout=60)


def address(line):
    return re.search(r"[\d.]+:\d+", line)[0]


class Checked:
    """A client that checks what it receives: form, length and secrets."""

    def __init__(self, client):
        self.client = client

    async def call(self, tool, fails=False, **arguments):
        result = await self.client.call_tool(tool, arguments)
        text = result.content[0].text
        assert bool(result.is_error) == fails, (tool, arguments, text)
        self.check(result.model_dump_json(by_alias=True))
        if tool not in ("rules", "list_games"):
            assert len(text) <= BUDGET, (tool, len(text))
        return result.structured_content, text

    @staticmethod
    def check(received):
        assert not SECRET.search(received), received
        try:
            kept = json.load(open(f"{FOLDER}/mcp.json"))
        except FileNotFoundError:
            return
        secrets = [seat["token"] for seat in kept["seats"] if seat["token"]]
        secrets += [open(file).read().strip() for file in glob.glob(f"{DATA.name}/.config/parlor/agents/*.key")]
        assert not any(secret in received for secret in secrets), received


@asynccontextmanager
async def connected(transport, mode):
    """A client of a new `parlor mcp`, which ends with it."""
    flags = ["mcp", "--budget", str(BUDGET), "--strikes", str(STRIKES)]
    parlor = f"{PROGRAMS}/parlor"
    async with AsyncExitStack() as stack:
        if transport == "stdio":
            server = StdioServerParameters(command=parlor, args=flags, env=ENVIRONMENT)
        else:
            token_file = f"{DATA.name}/mcp.token"
            listening = Process(parlor, *flags, "--listen", "127.0.0.1:0", "--token-file", token_file).start()
            stack.callback(listening.stop)
            url = f"http://{address(listening.line)}/mcp"
            for wrong in ({}, {"Authorization": "Bearer wrong"}):
                refused = httpx2.post(url, headers=wrong, json={})
                assert refused.status_code == 401, refused
            headers = {"Authorization": f"Bearer {open(token_file).read().strip()}"}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            server = streamable_http_client(url, http_client=http)
        yield Checked(await stack.enter_async_context(Client(server, mode=mode)))


async def turn(client, handle):
    while True:
        waited, text = await client.call("wait_for_turn", handle=handle)
        if waited["status"] != "waiting":
            return waited["seat"], text


async def play(client, handle, moves):
    """Plays up to a number of moves: whether the table is over."""
    for _ in range(moves):
        seat, text = await turn(client, handle)
        if seat["status"] == "over":
            return True
        assert str(seat["decision"]) in text and len(seat["actions"]) >= 1, seat
        action = RANDOM.choice(seat["actions"])
        answer = {"seat_handle": handle, "decision": seat["decision"], "index": action["index"]}
        acted, _ = await client.call("act", **answer, note=f"by chance: {action['text']}")
        assert acted["outcome"] == "accepted" and acted["note_kept"], acted
        if RANDOM.random() < 0.1:
            again, _ = await client.call("act", **answer)
            assert again["outcome"] == "repeated", again
            assert again["index"] == action["index"], again
    return False


async def check_wrong_answers(client, handle):
    """Strikes up to the default, then a stale answer."""
    seat, _ = await turn(client, handle)
    wrong = [{"index": seat["action_count"]}, {"index": "the best one"}, {"index": -1}]
    for count, index in enumerate(wrong, start=1):
        outcome = "default_played" if count == STRIKES else "strike"
        acted, text = await client.call(
            "act", fails=count < STRIKES, seat_handle=handle, decision=seat["decision"], **index
        )
        assert (acted["outcome"], acted["strikes"]) == (outcome, count), acted
        assert count == STRIKES or seat["actions"][0]["text"] in text, text
    index = (seat["default_index"] + 1) % 1000
    acted, text = await client.call("act", seat_handle=handle, decision=seat["decision"], index=index)
    assert acted["outcome"] == "stale" and acted["index"] == seat["default_index"], acted
    _, text = await client.call("act", fails=True, seat_handle=f"{handle}x", decision=1, index=0)
    assert "handle" in text, text


async def check_game(game, transport, mode, language, server):
    async with connected(transport, mode) as client:
        tools = {tool.name for tool in (await client.client.list_tools()).tools}
        assert len(tools) == 10, tools
        prompt = await client.client.get_prompt(f"play_{game}_{language}")
        assert game in prompt.messages[0].content.text
        rules = await client.client.read_resource(f"parlor://rules/{game}/{language}")
        assert len(rules.contents[0].text) > 500
        started, _ = await client.call("start_game", game=game, opponents=["random", "greedy"], language=language)
        handle = started["seat_handle"]
        await check_wrong_answers(client, handle)
        await play(client, handle, 2)
    server.stop(signal.SIGKILL)
    server.start()
    async with connected(transport, mode) as client:
        over = await play(client, handle, 5)
        looked, text = await client.call("look", seat_handle=handle)
        assert over or looked["view"], looked
        state = await client.client.read_resource(f"parlor://seat/{handle}/state")
        client.check(state.model_dump_json())
    async with connected(transport, mode) as client:
        assert await play(client, handle, 5000)
        page, _ = await client.call("history", seat_handle=handle)
        pages = 1
        while page["before"] is not None:
            page, _ = await client.call("history", seat_handle=handle, before=page["before"])
            pages += 1
        assert page["from"] == 1 and not page["beginning_unknown"], page
        result, text = await client.call("result", handle=handle)
        [table] = result["tables"]
        conduct = table["conduct"]
        assert table["over"] and table["place"] in (1, 2, 3), table
        assert (conduct["strikes"], conduct["defaults"]) == (STRIKES, 1) and conduct["answers"] >= 1, table
        record = (await client.client.read_resource(f"parlor://seat/{handle}/record")).contents[0].text
        assert table["table"] in record and "strike" not in record and "by chance" not in record
        client.check(record)
        print(f"{game}, {transport}, {mode}, {language}: place {table['place']} after {conduct['answers']} answers, {pages} pages")


CUP = """
name = "Models"
game = "gap"
format = "round_robin"
groups = 2
entrants = ["agent:ada", "agent:grace", "bot:greedy"]

[options]
rounds = 1

[clock]
decision = "5m"
"""


async def play_agent(client, name, connected):
    """Plays the seats of an agent until it is cancelled."""
    agent, _ = await client.call("be_agent", name=name, version="by chance", tables=4, games=["gap"])
    connected.put_nowait(agent["agent_handle"])
    while True:
        waited, text = await client.call("wait_for_turn", handle=agent["agent_handle"])
        assert waited["agent"]["name"] == name and waited["status"] != "over", waited
        if seat := waited["seat"]:
            assert seat["seat_handle"] in text, text
            index = RANDOM.choice(seat["actions"])["index"]
            answer = {"seat_handle": seat["seat_handle"], "decision": seat["decision"], "index": index}
            acted, _ = await client.call("act", **answer)
            assert acted["outcome"] == "accepted", acted


async def check_tournament():
    """A tournament of two stand-ins and a house bot runs to its end."""
    setup = f"{DATA.name}/cup.toml"
    open(setup, "w").write(CUP)
    async with connected("http", "auto") as ada, connected("stdio", "auto") as grace:
        handles = asyncio.Queue()
        agents = [asyncio.create_task(play_agent(client, name, handles)) for client, name in ((ada, "ada"), (grace, "grace"))]
        for _ in agents:
            await handles.get()
        command = f"{PROGRAMS}/parlor", "tournament", "run", setup
        cup = await asyncio.create_subprocess_exec(*command, env=ENVIRONMENT, stdout=asyncio.subprocess.PIPE)
        output = asyncio.create_task(cup.communicate())
        done, _ = await asyncio.wait([output, *agents], return_when=asyncio.FIRST_COMPLETED, timeout=120)
        assert output in done, [agent for agent in agents if agent.done() and agent.result()]
        for agent in agents:
            agent.cancel()
        await asyncio.gather(*agents, return_exceptions=True)
        printed = (await output)[0].decode()
        assert cup.returncode == 0 and "ada" in printed and "grace" in printed, printed
        # The handle of an agent is known to every `parlor mcp` of the user: the same agent has the same one.
        again, _ = await grace.call("be_agent", name="grace", version="by chance", tables=4, games=["gap"])
        result, _ = await grace.call("result", handle=again["agent_handle"])
        assert len(result["tables"]) == 8 and all(table["over"] for table in result["tables"]), result
        assert all(table["conduct"]["answers"] > 0 for table in result["tables"]), result
        print("a tournament of two stand-ins and greedy:", *printed.splitlines()[-4:], sep="\n  ")


async def main():
    server = Process(f"{PROGRAMS}/parlor-server", "--listen", "127.0.0.1:0", "--metrics", "", "--data", f"{DATA.name}/server")
    server.start()
    # After a restart it listens at the same address.
    listen = address(server.line)
    server.command = tuple(listen if word == "127.0.0.1:0" else word for word in server.command)
    ENVIRONMENT["PARLOR_CLI_SERVER"] = f"http://{listen}"
    try:
        async with connected("stdio", "auto") as client:
            listed, _ = await client.call("list_games")
            games = [game["game"] for game in listed["games"]]
            assert len((await client.client.list_prompts()).prompts) == 2 * len(games)
            assert len((await client.client.list_resources()).resources) == 2 * len(games)
            assert len((await client.client.list_resource_templates()).resource_templates) == 3
        for place, game in enumerate(games):
            languages = ["en", "de"] if place % 2 else ["de", "en"]
            await check_game(game, "stdio", "auto" if place % 2 else "legacy", languages[0], server)
            await check_game(game, "http", "legacy" if place % 2 else "auto", languages[1], server)
        await check_tournament()
        notes = [json.loads(line) for line in open(f"{FOLDER}/mcp_notes.jsonl")]
        assert all(note["note"].startswith("by chance: ") for note in notes) and len(notes) > 100
        modes = {os.stat(f"{FOLDER}/{name}").st_mode & 0o777 for name in ("mcp.json", "mcp_notes.jsonl")}
        assert modes == {0o600}, modes
    finally:
        server.stop()


asyncio.run(main())
print("language models: every game was played to its end over stdio and HTTP, through restarts")
