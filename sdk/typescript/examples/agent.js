// An agent: connects under a name, is given seats at many tables over one stream, and plays them at random.
//
// node examples/agent.js [NAME] [ADDRESS]    (or PARLOR_ADDRESS; an API key, if needed, in PARLOR_KEY)
//
// It comes back after every break with all its tables, and ends when another program connects under its name, or when the
// server refuses it.
import { connect } from "@parlor/sdk";

const [name = "typescript-random", address = process.env.PARLOR_ADDRESS] = process.argv.slice(2);
// The secret that owns the name. Choose one that cannot be guessed, and keep it: without it the name is lost.
const key = process.env.PARLOR_AGENT_KEY ?? "a secret of the example, known to all";

/** Your strategy: decision.view is all that you know, decision.legalActions all that you can do. */
function decide(decision) {
  return Math.floor(Math.random() * decision.legalCount);
}

const parlor = connect(address, { apiKey: process.env.PARLOR_KEY });
const agent = parlor.serveAgent({ name, version: "1.0", key, maxTables: 100 }, () => decide);
agent.onEvent((event) => {
  if (event.kind === "connected") {
    console.log(`${name} is connected, up to ${event.welcome.maxTables} tables at once`);
  } else if (event.kind === "disconnected") {
    console.error(event.why);
  } else if (event.kind === "setAside") {
    console.log(`${name} gets no new seats for a while: ${event.setAside.message}`);
  } else if (event.kind === "tableOver") {
    const { given, seat } = event;
    const own = seat.result?.seats.find((result) => result.seat === given.seat);
    const result = own ? `place ${own.place} with ${own.points} points` : "no result";
    console.log(`${given.game} ${given.tableId}: ${result}`);
  } else if (event.kind === "answerRefused" || event.kind === "botFailed") {
    console.error(event.error);
  }
});
const end = await agent.finished;
if (end.kind === "ended") {
  console.error(end.error.message);
  process.exitCode = end.error.reason === "AGENT_REPLACED" ? 0 : 1;
}
