// Which files may be run: those below the roots, whatever links and dots say. And who may ask, over HTTP.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Connected, connect, newFolder, startHttp } from "./client.ts";

const WORKFLOW = "workflow: { name: ok, entry_point: a }\nagents: [{ name: a, type: set, value: fine }]\n";
const CALLS = (file: string) =>
  `workflow: { name: calls, entry_point: a }\nagents: [{ name: a, type: workflow, workflow: ${file} }]\n`;

const open: Connected[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function house(): string {
  const folder = newFolder();
  folders.push(folder);
  for (const name of ["inside/deep", "outside"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["inside/a.yaml", "inside/deep/b.yaml", "outside/secret.yaml"])
    writeFileSync(join(folder, name), WORKFLOW);
  symlinkSync(join(folder, "outside/secret.yaml"), join(folder, "inside/link.yaml"));
  symlinkSync(join(folder, "outside"), join(folder, "inside/linked"));
  writeFileSync(join(folder, "inside/calls.yaml"), CALLS("../outside/secret.yaml"));
  writeFileSync(join(folder, "outside/secret.txt"), "told");
  writeFileSync(
    join(folder, "inside/takes.yaml"),
    "workflow: { name: takes, entry_point: a }\nagents: [{ name: a, type: set, value: !file ../outside/secret.txt }]\n",
  );
  return folder;
}

async function statusOf(one: Connected, file: string): Promise<string> {
  const { object } = await one.call("workflow_run", { file });
  return object.errors[0]?.error_type ?? object.status;
}

const CASES: readonly (readonly [string, string])[] = [
  ["a.yaml", "completed"],
  ["deep/b.yaml", "completed"],
  ["deep/../a.yaml", "completed"],
  ["../outside/secret.yaml", "OutsideRoot"],
  ["link.yaml", "OutsideRoot"],
  ["linked/secret.yaml", "OutsideRoot"],
  ["calls.yaml", "OutsideRoot"],
  ["takes.yaml", "OutsideRoot"],
];

describe("only files below the root can be run", () => {
  it.each([
    ["given with --root", { args: ["--root", "inside"] }],
    ["that the client has open", { roots: ["inside"] }],
    ["where --root wins over the client's", { args: ["--root", "inside"], roots: ["."] }],
  ])("%s", async (_, { args, roots }: { args?: string[]; roots?: string[] }) => {
    const folder = house();
    const one = await connect("stdio", {
      folder,
      ...(args ? { args } : {}),
      ...(roots ? { roots: roots.map((root) => join(folder, root)) } : {}),
    });
    open.push(one);
    for (const [file, status] of CASES) expect([file, await statusOf(one, file)]).toEqual([file, status]);
    expect(await statusOf(one, join(folder, "inside/a.yaml"))).toBe("completed");
    expect(await statusOf(one, join(folder, "outside/secret.yaml"))).toBe("OutsideRoot");
    const listed = (await one.call("workflow_list")).object.workflows;
    expect(listed.map((each: { file: string }) => each.file)).toEqual([
      "a.yaml",
      "calls.yaml",
      "takes.yaml",
      "deep/b.yaml",
    ]);
    for (const tool of ["workflow_validate", "workflow_describe"])
      expect((await one.call(tool, { file: "../outside/secret.yaml" })).isError).toBe(true);
  });

  it("and no run of another file is driven on", async () => {
    const folder = house();
    const fails =
      "workflow: { name: no, entry_point: a }\nagents: [{ name: a, type: script, command: 'false', raises: [a.b] }]\n";
    writeFileSync(join(folder, "outside/fails.yaml"), fails);
    const free = await connect("stdio", { folder });
    open.push(free);
    const { run_id } = (await free.call("workflow_run", { file: "outside/fails.yaml" })).object;
    const bound = await connect("stdio", { folder, args: ["--root", "inside"] });
    open.push(bound);
    for (const tool of ["run_resume", "run_cancel"])
      expect((await bound.call(tool, { run_id })).object.errors[0].error_type).toBe("OutsideRoot");
  });
});

describe("over HTTP", () => {
  const ask = (url: string, headers: Record<string, string>): Promise<number> =>
    new Promise((done, fail) => {
      const sent = request(
        url,
        { method: "POST", headers: { "content-type": "application/json", ...headers } },
        (answer) => {
          answer.resume();
          done(answer.statusCode ?? 0);
        },
      );
      sent.once("error", fail);
      sent.end("{}");
    });

  it("needs the token, a Host and an Origin that are ours", async () => {
    const folder = house();
    const server = await startHttp([], folder, { PATH: process.env.PATH ?? "", SEGNO_HOME: join(folder, ".home") });
    try {
      const authorization = `Bearer ${server.token}`;
      expect(await ask(server.url, {})).toBe(401);
      expect(await ask(server.url, { authorization: "Bearer wrong" })).toBe(401);
      expect(await ask(server.url, { authorization, host: "evil.example" })).toBe(403);
      expect(await ask(server.url, { authorization, origin: "http://evil.example" })).toBe(403);
      expect(await ask(server.url.replace("/mcp", "/other"), { authorization })).toBe(404);
      expect(await ask(server.url, { authorization, "mcp-session-id": "gone" })).toBe(404);
      // Let in, and then told that this is no message.
      expect(await ask(server.url, { authorization, accept: "application/json, text/event-stream" })).toBe(400);
    } finally {
      await server.end();
    }
  });
});
