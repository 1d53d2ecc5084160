// Tokens in a project's file: whoever may write that file must not let themselves in at somebody's server.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { personOfToken } from "../session/person-of-token.ts";
import { openProject } from "./open-project.ts";
import { readProject } from "./read-project.ts";
import { trust } from "./trust.ts";

const TOKEN = "a-token-that-is-long";
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-tokens-"));
  file = join(folder, "segno.yaml");
  writeFileSync(file, `people: { eve: { token: ${TOKEN}, user: eve@box } }\ngroups: { release: [eve] }\n`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("open nothing until the project is trusted, while users and groups count", async () => {
  const where = { cwd: folder, env: { HOME: folder } };
  const { people } = (await openProject(file, where)).part.project ?? {};
  expect(people).toMatchObject({ people: { eve: { user: "eve@box" } }, groups: { release: ["eve"] } });
  expect(personOfToken(TOKEN, people!)).toBeUndefined();
  trust(readProject(file, where.env).project!, where);
  expect(personOfToken(TOKEN, (await openProject(file, where)).part.project!.people!)).toBe("eve");
});
