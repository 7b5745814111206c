// A bot: creates a table with a house bot, plays it at random to the end, and prints the result.
//
// node examples/bot.js [GAME] [ADDRESS]    (or PARLOR_ADDRESS; an API key, if needed, in PARLOR_KEY)
import { connect } from "@parlor/sdk";

const [game = "gap", address = process.env.PARLOR_ADDRESS] = process.argv.slice(2);
const parlor = connect(address, { apiKey: process.env.PARLOR_KEY });
const table = await parlor.createTable({ game, seats: ["open", "bot:greedy"] });
const seat = await parlor.join(table, { displayName: "Random" });
for await (const decision of seat.decisions()) {
  await decision.choose(Math.floor(Math.random() * decision.legalCount));
}
if (seat.state.kind === "ended") {
  throw seat.state.error;
}
for (const { seat: number, place, points } of seat.result?.seats ?? []) {
  console.log(`seat ${number}: place ${place} with ${points} points`);
}
