// What holds an agent by ACP whatever it does: it is asked for nothing here, and simply tries. The same attacks as on the
// commands of the other agents.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playStandIn, standInFile } from "./acp-stand-in.ts";
import { codingPlayground, hasSandbox, told } from "./workshop.ts";

const play = codingPlayground();

const GUARDED = ["main.yaml", "part.md", "segno.yaml", "plugins/mine.mjs", ".git/config"];
const tried = (lines: readonly string[]): string => `${lines.map((one) => `(${one})`).join("; ")}; true`;

async function serving<Value>(place: object, run: (server: Server) => Promise<Value>): Promise<[Value, number]> {
  let heard = 0;
  const server = createServer((_, response) => {
    heard += 1;
    response.end("the-answer-of-the-server");
  });
  await new Promise<void>((resolve) => server.listen(place, resolve));
  try {
    return [await run(server), heard];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe.skipIf(!hasSandbox)("the sandbox of an agent by ACP", () => {
  it("keeps what tells Segno what to do, git's hooks, Segno's home and the rest of the machine", async () => {
    const at = play();
    execFileSync("git", ["init", "-q", at.folder]);
    const home = at.session.home ?? "";
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "private.txt"), "what-segno-keeps");
    at.write({ ".ssh/id": "a-private-key", "part.md": "Go.", "segno.yaml": "", "plugins/mine.mjs": "export {};\n" });
    const outside = join(tmpdir(), `segno-outside-${process.pid}`);
    const tries = [
      ...GUARDED.flatMap((path) => [`echo evil >> ${path}`, `echo evil > new && mv -f new ${path}`, `unlink ${path}`]),
      "echo evil > .git/hooks/post-checkout",
      "mv .git/hooks .git/away && ln -s ../work .git/hooks",
      "mv .git .git-away",
      "mv plugins plugins-away",
      `cat ${join(home, "private.txt")} ${join(at.folder, ".ssh/id")}`,
      `echo evil > ${join(home, "evil.txt")}`,
      `echo evil > ${outside}`,
      `ln -s ${tmpdir()} out; echo evil > out/${outside.split("/").at(-1)}`,
      "mount -o remount,rw / ; umount plugins/mine.mjs; umount main.yaml",
      // Nothing is written: it is asked whether it could be.
      'for one in /proc/sys/kernel/core_pattern /etc /usr/bin; do [ -w "$one" ] && echo "WRITABLE $one"; done',
      "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -v ^PLAY=",
      "echo PROCESSES $(ls -d /proc/[0-9]* | wc -l)",
      "cat main.yaml | head -3",
      "echo fine > fine.txt",
    ];
    at.session.env.SECRET_OF_THE_USER = "not-for-agents";
    Object.assign(at.session, {
      project: { actingFiles: [join(at.folder, "segno.yaml"), join(at.folder, "plugins/mine.mjs")] },
    });
    at.write({
      "main.yaml": standInFile({ acts: [{ run: tried(tries) }, { say: "done" }], workingDir: "." }).replace(
        "prompt: Do it.",
        "prompt: !file part.md",
      ),
    });
    const before = GUARDED.map((path) => readFileSync(join(at.folder, path), "utf8"));
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toEqual([]);
    const said = String(told(events, "agent_tool_complete")[0]?.result);
    expect(existsSync(join(at.folder, "fine.txt"))).toBe(true);
    expect(said).toContain("name: code");
    expect(said).toContain("PROCESSES");
    for (const secret of ["what-segno-keeps", "a-private-key", "not-for-agents", "WRITABLE /"])
      expect(said).not.toContain(secret);
    expect(Number(/PROCESSES (\d+)/.exec(said)?.[1])).toBeLessThan(20);
    expect(GUARDED.map((path) => readFileSync(join(at.folder, path), "utf8"))).toEqual(before);
    for (const path of [".git/hooks/post-checkout", ".git-away", "plugins-away"])
      expect(existsSync(join(at.folder, path))).toBe(false);
    expect([existsSync(join(home, "evil.txt")), existsSync(outside)]).toEqual([false, false]);
    expect(told(events, "agent_completed")[0]?.changes?.files).toContainEqual(
      expect.objectContaining({ path: "fine.txt", change: "added" }),
    );
  });

  it("makes no repository in a folder that has none, and leaves nothing behind", async () => {
    const at = play();
    const tries = ["mkdir -p .git/hooks", "echo evil > .git/hooks/pre-commit", "git init -q .", "echo fine > fine.txt"];
    const { result } = await playStandIn(at, { acts: [{ run: tried(tries) }, { say: "done" }] });
    expect(result.errors).toEqual([]);
    expect(at.files()).toEqual(["fine.txt"]);
  });

  it("changes nothing under read-only", async () => {
    const at = play();
    const acts = [{ run: "echo evil > a.txt" }, { say: "done" }];
    const { result } = await playStandIn(at, { acts, provider: "sandbox: read-only" });
    expect([result.errors, at.files()]).toEqual([[], []]);
  });

  it.each([
    ["reaches nothing by default", "", false],
    ["reaches addresses with network: true, and no unix socket", "network: true", true],
    ["reaches its model's host", "base_url: MODEL\n      api_key: stand-in", true],
  ])("%s", async (_, provider, isHeard) => {
    const at = play();
    const path = join(at.folder, "docker.sock");
    const [[played, heard], bySocket] = await serving({ path }, () =>
      serving({ port: 0, host: "127.0.0.1" }, async (server) => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const ways = [`--noproxy '' ${url}`, `--noproxy '*' ${url}`, `--unix-socket ${path} http://x/`];
        const acts = [{ run: tried(ways.map((way) => `curl -s -m 20 ${way}`)) }, { say: "done" }];
        return await playStandIn(at, { acts, provider: provider.replace("MODEL", url) });
      }),
    );
    expect(played.result.errors).toEqual([]);
    expect([heard, bySocket]).toEqual([isHeard ? 1 : 0, 0]);
  });
});
