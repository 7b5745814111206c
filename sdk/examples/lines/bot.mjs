#!/usr/bin/env node
// Plays a random legal action. parlor play gap --with exec:./bot.mjs
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { type, table, decision, actions } = JSON.parse(line);
  if (type === "decision") {
    const { index } = actions[Math.floor(Math.random() * actions.length)];
    console.log(JSON.stringify({ table, decision, index }));
  }
}
