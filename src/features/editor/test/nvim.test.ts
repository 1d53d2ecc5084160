// Neovim, headless, with its built-in client: what an author of workflows gets there. Without Neovim it is skipped, by name.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";

const hasNeovim = spawnSync("nvim", ["--version"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "segno-nvim-"));
// The server may still be leaving, and writes below its home as it does. Retries of rmSync do not look for new files.
afterAll(() => until(() => isRemoved(folder)));

function isRemoved(place: string): boolean {
  try {
    rmSync(place, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

const BROKEN = `workflow: { name: release, entry_point: build, input: { version: { type: string } } }
agents:
  - name: build
    type: script
    command: make
    raises: [build.broken]
    routes:
      - { on_error: build.broken, to: tell }
      - to: publsh
  - { name: publish, type: workflow, workflow: ./child.yaml, input_mapping: { tag: "{{ build.output.stdout }}" } }
  - { name: tell, type: terminate, status: failed, reason: "{{ error.message }}" }
`;
const CHILD = `workflow: { name: child, entry_point: push, input: { tag: { type: string, required: true } } }
agents:
  - { name: push, type: set, value: "{{ workflow.input.tag }}" }
`;
const SCENARIO =
  "workflow: release.yaml\ncli_scripts: [{ step: build, stdout: ok }]\nexpected_trace: { agents_executed: [build] }\n";

/** Waits for what the server sends, as long as Neovim itself lets it. */
const LUA = `
local out = {}
local function finish() vim.fn.writefile({ vim.fn.json_encode(out) }, 'out.json') vim.cmd('qa!') end
vim.cmd('edit release.yaml')
vim.bo.filetype = 'yaml'
local id = vim.lsp.start_client({ name = 'segno', cmd = { vim.env.NODE, vim.env.PROGRAM, 'lsp' }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, id)
local ok, problem = pcall(function()
  vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 20)
  for _, one in ipairs(vim.diagnostic.get(0)) do table.insert(out, one.code .. ':' .. one.lnum .. ':' .. one.col .. ':' .. (one.end_col or 0)) end
  local function ask(method, params)
    local answer = vim.lsp.buf_request_sync(0, method, params, 60000)
    return answer and answer[id] and answer[id].result
  end
  local function at(line, character) return { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = line, character = character } } end
  local function labels(line, character)
    local found = {}
    for _, item in ipairs(ask('textDocument/completion', at(line, character)) or {}) do table.insert(found, item.label) end
    return 'at ' .. line .. ': ' .. table.concat(found, ' ')
  end
  vim.api.nvim_buf_set_lines(0, 8, 9, false, { '      - to: publish' })
  table.insert(out, labels(8, 12))
  table.insert(out, labels(7, 20))
  table.insert(out, labels(3, 10))
  table.insert(out, labels(9, 97))
  for index = 1, 1000 do vim.api.nvim_buf_set_text(0, 4, 17, 4, 17, { 'x' }) end
  local hover = ask('textDocument/hover', at(2, 12))
  table.insert(out, hover and hover.contents.value or 'no hover')
  table.insert(out, vim.api.nvim_buf_get_lines(0, 4, 5, false)[1])
  local params = at(2, 12)
  params.newName = 'compile'
  vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', params), 'utf-16')
  vim.cmd('wall')
end)
if not ok then table.insert(out, tostring(problem)) end
finish()
`;

/** Shows what the server asks for, as newer versions do by themselves, and says where the cursor came to stand. */
const FOLLOW = `
vim.cmd('edit child.yaml')
vim.bo.filetype = 'yaml'
local capabilities = vim.lsp.protocol.make_client_capabilities()
capabilities.window = vim.tbl_extend('force', capabilities.window or {}, { showDocument = { support = true } })
local went
local id = vim.lsp.start_client({
  name = 'segno', cmd = { vim.env.NODE, vim.env.PROGRAM, 'lsp' }, root_dir = vim.fn.getcwd(), capabilities = capabilities,
  handlers = { ['window/showDocument'] = function(_, params)
    went = vim.fn.fnamemodify(vim.uri_to_fname(params.uri), ':t') .. ':' .. (params.selection.start.line + 1)
    return { success = true }
  end },
})
vim.lsp.buf_attach_client(0, id)
local function clean() return vim.lsp.get_client_by_id(id) and vim.lsp.get_client_by_id(id).initialized end
vim.wait(60000, clean, 20)
vim.lsp.buf_request_sync(0, 'textDocument/foldingRange', { textDocument = { uri = vim.uri_from_bufnr(0) } }, 60000)
vim.fn.writefile({}, 'ready')
vim.wait(60000, function() return went ~= nil end, 20)
vim.fn.writefile({ went or 'nowhere' }, 'went')
vim.cmd('qa!')
`;

describe.skipIf(!hasNeovim)("Neovim", () => {
  it("goes to the line of a node that is clicked in the page of graph --watch", async () => {
    for (const [name, text] of Object.entries({
      "release.yaml": BROKEN.replace("publsh", "publish"),
      "child.yaml": CHILD,
      "f.lua": FOLLOW,
    }))
      writeFileSync(join(folder, name), text);
    const PROGRAM = resolve("dist/main.cjs");
    const env = { ...process.env, NODE: process.execPath, PROGRAM, HOME: folder, XDG_STATE_HOME: folder };
    const preview = spawn(process.execPath, [PROGRAM, "graph", "release.yaml", "--watch", "--output-format", "json"], {
      cwd: folder,
      env,
    });
    const editor = spawn("nvim", ["--clean", "--headless", "-n", "-c", "luafile f.lua"], { cwd: folder, env });
    try {
      let printed = "";
      preview.stdout.on("data", (data) => {
        printed += data;
      });
      await until(() => /"url": "http/.test(printed) && existsSync(join(folder, "ready")));
      const url = new URL(/"url": "([^"]+)"/.exec(printed)?.[1] ?? "");
      expect(url.pathname).toBe("/workflows/release.yaml");
      const post = async (path: string, body: object, session = ""): Promise<Record<string, unknown>> => {
        const headers = { "content-type": "application/json", origin: url.origin, authorization: `Bearer ${session}` };
        const response = await fetch(`${url.origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
        return (await response.json()) as Record<string, unknown>;
      };
      const { session } = await post("/api/session", { token: url.hash.replace("#token=", "") });
      expect(await post("/api/editor/release.yaml", { node: "publish/push" }, String(session))).toEqual({
        file: "child.yaml",
        line: 3,
        shown: true,
      });
      await until(() => existsSync(join(folder, "went")));
      expect(readFileSync(join(folder, "went"), "utf8")).toBe("child.yaml:3\n");
    } finally {
      editor.kill("SIGKILL");
      preview.kill("SIGINT");
      await once(preview, "exit");
    }
  });

  it("shows findings, completes in four places, takes 1 000 keys, and renames over files", () => {
    for (const [name, text] of Object.entries({
      "release.yaml": BROKEN,
      "child.yaml": CHILD,
      "x.scenario.yaml": SCENARIO,
      "t.lua": LUA,
    }))
      writeFileSync(join(folder, name), text);
    const env = {
      ...process.env,
      NODE: process.execPath,
      PROGRAM: resolve("dist/main.cjs"),
      HOME: folder,
      XDG_STATE_HOME: folder,
    };
    spawnSync("nvim", ["--clean", "--headless", "-n", "-c", "set hidden | luafile t.lua"], { cwd: folder, env });
    const out = JSON.parse(readFileSync(join(folder, "out.json"), "utf8")) as string[];
    const said = out.join("\n");
    expect(said).toMatch(/unknown-step:8:12:18/);
    expect(said).toMatch(/at 8: .*publish.*\$end/);
    expect(said).toMatch(/at 7: .*build\.broken/);
    expect(said).toMatch(/at 3: .*script/);
    expect(said).toContain("build.broken` | → `tell`");
    expect(said).toContain(`make${"x".repeat(1)}`);
    expect(out.find((line) => line.includes("command: make"))?.length).toBe("    command: make".length + 1000);
    expect(readFileSync(join(folder, "release.yaml"), "utf8")).toContain("{{ compile.output.stdout }}");
    expect(readFileSync(join(folder, "x.scenario.yaml"), "utf8")).toBe(SCENARIO.replaceAll("build", "compile"));
  });
});
