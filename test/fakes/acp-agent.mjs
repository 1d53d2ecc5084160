// A stand-in for an agent that speaks ACP, by its own line: `node acp-agent.mjs`. What it does is in PLAY, a list of acts, one
// after the other in each turn: the n-th prompt of a process plays the n-th list if PLAY has lists in it.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const play = JSON.parse(process.env.PLAY ?? "[]");
const heardFile = `${process.env.HOME}/heard.jsonl`;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId, sessionUpdate, fields) =>
  send({ method: "session/update", params: { sessionId, update: { sessionUpdate, ...fields } } });
const say = (sessionId, text, kind = "agent_message_chunk") =>
  update(sessionId, kind, { content: { type: "text", text } });

const waiting = new Map();
let asked = 1000;
const ask = (method, params) =>
  new Promise((resolve) => {
    asked += 1;
    waiting.set(asked, resolve);
    send({ id: asked, method, params });
  });

const kept = `${process.env.HOME}/sessions.json`;
const sessions = existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : [];
let servers = [];
let prompts = 0;
let cancelled = () => {};

/** An MCP client, as small as one can be. */
function callTool(name, input) {
  const [{ command, args }] = servers;
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const tell = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "stand-in", version: "1" };
  tell({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, result } = JSON.parse(line);
      if (id === 1) {
        tell({ method: "notifications/initialized" });
        tell({ id: 2, method: "tools/call", params: { name, arguments: input } });
      }
      if (id !== 2) return;
      child.kill();
      resolve(result);
    });
  });
}

const ACTS = {
  say: (id, text) => say(id, text),
  think: (id, text) => say(id, text, "agent_thought_chunk"),
  write: (_, [file, text]) => writeFileSync(file, text),
  /** Runs a command without asking, as an agent may that does not keep to its word. */
  run(id, command) {
    const toolCallId = `call-${Math.random()}`;
    update(id, "tool_call", { toolCallId, title: command, kind: "execute", status: "pending", rawInput: { command } });
    const { stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
    update(id, "tool_call_update", { toolCallId, status: "completed", rawOutput: `${stdout}${stderr}` });
  },
  async ask(id, { options, ...toolCall }) {
    const once = [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ];
    const call = { toolCallId: `asked-${asked}`, ...toolCall };
    const { outcome } = await ask("session/request_permission", {
      sessionId: id,
      toolCall: call,
      options: options ?? once,
    });
    appendFileSync(heardFile, `${JSON.stringify({ outcome })}\n`);
  },
  async request(_, [method, params]) {
    appendFileSync(heardFile, `${JSON.stringify({ answered: await ask(method, params) })}\n`);
  },
  async tool(_, [name, input]) {
    appendFileSync(heardFile, `${JSON.stringify({ tool: await callTool(name, input) })}\n`);
  },
  update: (id, { sessionId = id, sessionUpdate, ...fields }) => update(sessionId, sessionUpdate, fields),
  raw: (_, text) => process.stdout.write(text),
  /** More than anybody wants to hear; nothing is held back when it is not read. */
  async flood(id, { line, times }) {
    const text = line.replaceAll("SESSION", id);
    for (let number = 0; number < times; number += 1)
      if (!process.stdout.write(text.replace('"ID"', number)))
        await new Promise((resolve) => process.stdout.once("drain", resolve));
  },
  /** Says that it is there, and no more, and counts how often. */
  chatter(id, file) {
    let count = 0;
    setInterval(() => {
      count += 1;
      update(id, "available_commands_update", { availableCommands: [] });
      writeFileSync(file, String(count));
    }, 20);
  },
  huge: (_, size) => process.stdout.write(`{"jsonrpc":"2.0","method":"session/update","params":"${"x".repeat(size)}`),
  hang: () => new Promise((resolve) => (cancelled = resolve)),
  exit: (_, code) => process.exit(code),
  fail: (_, error) => Promise.reject(error),
  /** Goes on when the turn is over. */
  later: (id, text) => setImmediate(() => say(id, text)),
};

async function turn(sessionId) {
  const acts = Array.isArray(play[0]) ? (play[Math.min(prompts, play.length) - 1] ?? []) : play;
  let result = { stopReason: "end_turn" };
  for (const act of acts) {
    const [[name, value]] = Object.entries(act);
    if (name === "end") result = value;
    else await ACTS[name](sessionId, value);
  }
  return result;
}

const METHODS = {
  initialize: () => ({
    protocolVersion: Number(process.env.ACP_VERSION ?? 1),
    agentCapabilities: { loadSession: process.env.LOAD !== "no" },
  }),
  "session/new": ({ mcpServers }) => {
    servers = mcpServers;
    const sessionId = `session-${process.pid}-${Date.now()}`;
    writeFileSync(kept, JSON.stringify([...sessions, sessionId]));
    return { sessionId };
  },
  "session/load": ({ sessionId, mcpServers }) => {
    servers = mcpServers;
    if (!sessions.includes(sessionId)) throw { code: -32602, message: "no such session" };
    say(sessionId, "what was said in an earlier life");
    if (process.env.COST) update(sessionId, "usage_update", { used: 1, size: 2, cost: JSON.parse(process.env.COST) });
    return {};
  },
  "session/prompt": ({ sessionId }) => {
    prompts += 1;
    return turn(sessionId);
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { error });
  appendFileSync(heardFile, `${JSON.stringify({ method, params })}\n`);
  if (method === "session/cancel") return cancelled();
  try {
    if (!METHODS[method]) throw { code: -32601, message: `no ${method}` };
    send({ id, result: await METHODS[method](params) });
  } catch (problem) {
    send({
      id,
      error: { code: problem.code ?? -32603, message: problem.message ?? String(problem), data: problem.data },
    });
  }
});
