// People, the page and coding agents: gates from a second process, `serve`, `mcp`.
const assert = require("node:assert/strict");
const { test, until } = require("./main.cjs");

const GATE = `workflow: { name: w, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: Shall it go on?
    options: [{ label: "Yes", value: "yes", route: done }, { label: "No", value: "no", route: $end }]
  - { name: done, type: set, values: { ok: true } }
output: { ok: "{{ done.output.ok }}" }
`;

test("a gate is answered from a second process", (place) => {
  place.write("w.yaml", GATE);
  const paused = place.result("run", "w.yaml");
  assert.equal(paused.code, 4, JSON.stringify(paused));
  const answered = place.result("gate", "answer", paused.run_id, "yes");
  assert.equal(answered.code, 0, JSON.stringify(answered));
  assert.equal(answered.output.ok, true);
});

test("serve shows its page, and the gate of a run that another process started", async (place) => {
  place.write("w.yaml", GATE);
  const server = place.start("serve", "--port", "0");
  const [, address, token] = await until("the address", () => /(http:\/\/[\d.:]+)\/#token=(\S+)/.exec(server.said));
  const json = { "content-type": "application/json", origin: address };
  const opened = await fetch(`${address}/api/session`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ token }),
  });
  const { session } = await opened.json();
  const get = (path) => fetch(`${address}${path}`, { headers: { authorization: `Bearer ${session}` } });
  const page = await (await fetch(address)).text();
  assert.match(page, /<script/);
  const { run_id } = place.result("run", "w.yaml");
  const shown = await (await get(`/api/runs/${run_id}`)).text();
  assert.match(shown, /Shall it go on/);
  server.kill();
  await server.ended;
});

test("mcp answers as a server on its stdin and stdout", async (place) => {
  place.write("w.yaml", GATE);
  const server = place.start("mcp");
  const ask = (id, method, params) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const clientInfo = { name: "suite", version: "1" };
  ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  await until("an answer", () => server.said.includes('"id":1'));
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  ask(2, "tools/list", {});
  await until("its tools", () => server.said.includes('"id":2'));
  assert.match(server.said, /validate/);
  server.stdin.end();
  assert.equal(await server.ended, 0, server.said);
});
