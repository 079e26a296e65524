#!/usr/bin/env node
// Plays the first legal action, in every game: an example of a bot that speaks the wire protocol, in plain Node.
//
// A tournament runs it with command = ["node", "first_bot.js"]; docs/protocol.md shows every message.

"use strict";

const VERSION = 1;

function answer(message) {
  switch (message.type) {
    case "hello":
      return { type: "hello", protocol: VERSION };
    case "act":
      return { type: "act", decision: message.decision, action: message.legal[0] };
    default:
      return { type: message.type };
  }
}

const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n"));
