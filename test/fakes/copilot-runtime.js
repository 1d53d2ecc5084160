// A stand-in for Copilot's runtime, at the wire of its SDK: JSON-RPC on stdio, sessions, permission requests, tools and
// events, with a loop that asks the model of the session's provider by Chat Completions. For machines that its own runtime
// is not to be had for, and for what cannot be provoked in the real one.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const home = process.env.COPILOT_HOME ?? ".";
mkdirSync(home, { recursive: true });
/** What was asked of it, for tests to read. */
const note = (what) => appendFileSync(join(home, "stand-in.jsonl"), `${JSON.stringify(what)}\n`);
note({ args: process.argv.slice(2), env: process.env, cwd: process.cwd() });

const sessions = new Map();
/** By the id of the request: what waits for the SDK's answer. */
const waiting = new Map();
let asked = 0;

const BUILT_IN = ["create", "view", "bash", "task"].map((name) => ({ name, parameters: { type: "object" } }));

function send(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const emit = (session, type, data = {}, more = {}) =>
  send({
    method: "session.event",
    params: { sessionId: session.id, event: { id: String(Math.random()), type, data, ...more } },
  });

/** Asks the SDK by an event, which is answered by a request of its own. */
function ask(session, type, data) {
  asked += 1;
  const requestId = String(asked);
  return new Promise((answered) => {
    waiting.set(requestId, answered);
    emit(session, type, { requestId, ...data });
  });
}

const fileOf = (id) => join(home, "session-state", `${id}.json`);
const save = ({ id, messages }) => {
  mkdirSync(dirname(fileOf(id)), { recursive: true });
  writeFileSync(fileOf(id), JSON.stringify(messages));
};

const METHODS = {
  connect: () => ({ ok: true, protocolVersion: 3, version: "0" }),
  ping: ({ message = "" }) => ({ message: `pong: ${message}`, protocolVersion: 3, timestamp: 0 }),
  "session.create": (config) => open(config, []),
  "session.resume"(config) {
    if (!existsSync(fileOf(config.sessionId))) throw new Error(`Session not found: ${config.sessionId}`);
    return open(config, JSON.parse(readFileSync(fileOf(config.sessionId), "utf8")));
  },
  "session.options.update": () => ({ success: true }),
  "session.send"({ sessionId, prompt, responseFormat }) {
    const session = sessions.get(sessionId);
    session.messages.push({ role: "user", content: prompt });
    void work({ ...session, format: responseFormat, isAborted: () => session.aborted });
    return { messageId: "m-1" };
  },
  "session.abort"({ sessionId }) {
    const session = sessions.get(sessionId);
    session.aborted = true;
    for (const child of session.children) child.kill();
    emit(session, "session.idle", { aborted: true });
    return { success: true };
  },
  "session.detach": () => ({ success: true }),
  "session.permissions.handlePendingPermissionRequest": ({ requestId, result }) => settle(requestId, result),
  "session.tools.handlePendingToolCall": ({ requestId, result, error }) => settle(requestId, error ?? result),
  "runtime.shutdown"() {
    setImmediate(() => process.exit(0));
    return {};
  },
};

function settle(requestId, answer) {
  note({ answered: answer });
  waiting.get(requestId)?.(answer);
  waiting.delete(requestId);
  return { success: true };
}

function open(config, messages) {
  note({ config });
  const session = { id: config.sessionId, config, messages, aborted: false, children: new Set() };
  sessions.set(session.id, session);
  save(session);
  return { sessionId: session.id, workspacePath: home, capabilities: {} };
}

async function work(session) {
  const { config, messages } = session;
  for (let turn = 0; !session.isAborted(); turn += 1) {
    emit(session, "assistant.turn_start", { turnId: String(turn) });
    const answer = await model(session);
    if (session.isAborted() || !answer) return;
    const { message, usage } = answer;
    messages.push(message);
    save(session);
    emit(session, "assistant.usage", {
      model: config.model,
      inputTokens: usage.prompt_tokens,
      outputTokens: usage.completion_tokens,
    });
    if (message.reasoning_content)
      emit(session, "assistant.reasoning_delta", { reasoningId: "r", deltaContent: message.reasoning_content });
    if (message.content) emit(session, "assistant.message_delta", { messageId: "m", deltaContent: message.content });
    emit(session, "assistant.message", { messageId: "m", content: message.content ?? "" });
    if (!message.tool_calls) break;
    for (const call of message.tool_calls) {
      const { result, failed } = await use(session, call);
      messages.push({ role: "tool", tool_call_id: call.id, content: result });
      save(session);
      emit(session, "tool.execution_complete", {
        toolCallId: call.id,
        success: !failed,
        ...(failed ? { error: { message: result } } : { result: { content: result } }),
      });
    }
  }
  if (!session.isAborted()) emit(session, "session.idle");
}

async function model(session) {
  const { config, messages, format } = session;
  const { provider, model, systemMessage, tools = [], availableTools } = config;
  const offered = [...BUILT_IN, ...tools].filter(({ name }) => !availableTools || availableTools.includes(name));
  try {
    const response = await fetch(`${provider.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${provider.apiKey}` },
      body: JSON.stringify({
        model,
        messages: [{ role: "system", content: systemMessage?.content ?? "" }, ...messages],
        tools: offered.map(({ name, description, parameters }) => ({
          type: "function",
          function: { name, description, parameters },
        })),
        ...(format ? { response_format: { type: "json_schema", json_schema: format.jsonSchema } } : {}),
      }),
    });
    const body = await response.json();
    if (response.ok) return { message: body.choices[0].message, usage: body.usage };
    const errorType = body.error.code === "insufficient_quota" ? "quota" : "query";
    emit(session, "session.error", { errorType, message: body.error.message, statusCode: response.status });
  } catch (problem) {
    emit(session, "session.error", { errorType: "query", message: String(problem) });
  }
  return undefined;
}

async function use(session, { id, function: called }) {
  const { name } = called;
  const input = JSON.parse(called.arguments);
  emit(session, "tool.execution_start", { toolCallId: id, toolName: name, arguments: input });
  if (name === "task") return below(session);
  if (!BUILT_IN.some((tool) => tool.name === name)) {
    const request = { kind: "custom-tool", toolName: name, toolDescription: "", args: input };
    if (!(await isPermitted(session, request))) return { result: "Permission denied", failed: true };
    const given = await ask(session, "external_tool.requested", {
      sessionId: session.id,
      toolCallId: id,
      toolName: name,
      arguments: input,
    });
    if (typeof given === "string") return { result: given, failed: true };
    return { result: given.textResultForLlm, failed: given.resultType !== "success" };
  }
  const path = resolve(session.config.workingDirectory, input.path ?? ".");
  const request = {
    create: { kind: "write", fileName: path, diff: "", intention: "" },
    view: { kind: "read", path, intention: "" },
    bash: { kind: "shell", fullCommandText: input.command, commands: [], possiblePaths: [], possibleUrls: [] },
  }[name];
  if (!(await isPermitted(session, request))) return { result: "Permission denied", failed: true };
  return await BUILT_IN_WORK[name]({ path, input, session });
}

/** An agent of its own below this one: what it says comes with its id. */
function below(session) {
  const more = { agentId: "below" };
  emit(session, "assistant.turn_start", { turnId: "0" }, more);
  emit(session, "assistant.message_delta", { messageId: "b", deltaContent: "from below" }, more);
  emit(session, "assistant.message", { messageId: "b", content: "from below" }, more);
  emit(session, "assistant.usage", { model: session.config.model, inputTokens: 7, outputTokens: 3 }, more);
  return { result: "it is done", failed: false };
}

const BUILT_IN_WORK = {
  create({ path, input }) {
    writeFileSync(path, input.file_text);
    return { result: "created", failed: false };
  },
  view: ({ path }) => ({ result: readFileSync(path, "utf8"), failed: false }),
  bash: ({ input, session }) =>
    new Promise((done) => {
      const child = spawn("bash", ["-c", input.command], { cwd: session.config.workingDirectory });
      session.children.add(child);
      let said = "";
      child.stdout.on("data", (chunk) => {
        said += chunk;
      });
      child.on("close", (code) => done({ result: said, failed: code !== 0 }));
    }),
};

async function isPermitted(session, permissionRequest) {
  const { kind } = await ask(session, "permission.requested", { permissionRequest });
  return kind === "approve-once";
}

let buffer = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const head = buffer.indexOf("\r\n\r\n");
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, Math.max(head, 0)).toString())?.[1]);
    if (head < 0 || buffer.length < head + 4 + length) return;
    const message = JSON.parse(buffer.subarray(head + 4, head + 4 + length).toString());
    buffer = buffer.subarray(head + 4 + length);
    answer(message);
  }
});
process.stdin.on("end", () => process.exit(0));

function answer({ id, method, params = {} }) {
  if (id === undefined || method === undefined) return;
  note({ method });
  try {
    if (!METHODS[method]) throw new Error(`Unhandled method ${method}`);
    send({ id, result: METHODS[method](params) });
  } catch (problem) {
    send({ id, error: { code: -32603, message: problem.message } });
  }
}
