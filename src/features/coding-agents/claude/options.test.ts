// How Claude gets at its model: what of the environment it is handed, and what its commands must not see.
import { describe, expect, it } from "vitest";
import { testTask } from "../../../../test/support/coding-task.ts";
import type { CodingTask } from "../agent.ts";
import { permissionsOf } from "../permissions.ts";
import { claudeAccess, claudeOptions } from "./options.ts";

const access = (env: Record<string, string>, settings = {}) => claudeAccess(testTask({ env, settings }), "/tmp/t");

const BEDROCK = {
  CLAUDE_CODE_USE_BEDROCK: "1",
  AWS_REGION: "eu-central-1",
  AWS_PROFILE: "work",
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_SESSION_TOKEN: "token",
};
const VERTEX = {
  CLAUDE_CODE_USE_VERTEX: "1",
  CLOUD_ML_REGION: "europe-west1",
  ANTHROPIC_VERTEX_PROJECT_ID: "p",
  GOOGLE_APPLICATION_CREDENTIALS: "/keys/vertex.json",
};

describe("a cloud", () => {
  it.each([
    ["Bedrock", BEDROCK, ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]],
    ["Vertex", VERTEX, ["GOOGLE_APPLICATION_CREDENTIALS"]],
  ])("%s is reached by its own variables and without a key; its secrets are kept from commands", (_, env, secrets) => {
    const given = access({ ...env, MY_DATABASE_PASSWORD: "s" });
    expect(given.env).toMatchObject(env);
    expect(given.env).not.toHaveProperty("MY_DATABASE_PASSWORD");
    expect(given.env).not.toHaveProperty("CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR");
    expect(given.key).toBeUndefined();
    expect([...given.withheld].sort()).toEqual([...secrets].sort());
  });

  it("has its variables passed on only when it is the one that is used", () => {
    const { CLAUDE_CODE_USE_BEDROCK: _, ...unused } = BEDROCK;
    const { env } = access({ ...unused, ANTHROPIC_API_KEY: "k" });
    expect(Object.keys(env).filter((name) => name.startsWith("AWS_"))).toEqual([]);
  });
});

describe("auth_mode", () => {
  const asks =
    (env: Record<string, string>, settings: object, permissions = {}) =>
    () =>
      claudeAccess(testTask({ env, settings, permissions: permissionsOf(permissions) }), "/tmp/t");

  it("api_key lets the key pay, and nobody else", () => {
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "t", CLAUDE_CODE_OAUTH_TOKEN: "o" };
    const given = asks(env, { auth_mode: "api_key", auth_token: "t2" })();
    expect(given.key).toBe("k");
    expect(Object.keys(given.env)).not.toContain("ANTHROPIC_AUTH_TOKEN");
    expect(Object.keys(given.env)).not.toContain("CLAUDE_CODE_OAUTH_TOKEN");
  });

  it.each<[string, Record<string, string>, object, object, RegExp]>([
    ["without a key", { ANTHROPIC_AUTH_TOKEN: "t" }, { auth_mode: "api_key" }, {}, /there is no key/],
    ["with a blank one", { ANTHROPIC_API_KEY: " " }, { auth_mode: "api_key" }, {}, /there is no key/],
    ["beside a cloud", { ...BEDROCK, ANTHROPIC_API_KEY: "k" }, { auth_mode: "api_key" }, {}, /BEDROCK is set/],
    ["with settings", { ANTHROPIC_API_KEY: "k" }, { auth_mode: "api_key" }, { setting_sources: ["user"] }, /settings/],
    ["by a subscription", { ANTHROPIC_API_KEY: "k" }, { auth_mode: "subscription" }, {}, /does not use the login/],
  ])("is refused %s", (_, env, settings, permissions, said) => {
    expect(asks(env, settings, permissions)).toThrow(said);
  });
});

describe("settings that Claude reads", () => {
  const options = (task: Partial<CodingTask>) =>
    claudeOptions(testTask(task), { env: {}, withheld: [] }, { ready: false, message: "none" } as never);

  it.each([
    [{ setting_sources: ["project"] }, ["project"]],
    [{ setting_sources: ["local", "user"] }, ["user", "local"]],
    [{ setting_sources: [] }, []],
    [{ settings: "none", setting_sources: ["user"] }, []],
    [{ settings: "project" }, ["project", "local"]],
  ])("%j are %j", (said, sources) => {
    expect(options({ permissions: permissionsOf(said) }).settingSources).toEqual(sources);
  });

  it("may come from another folder, which its tools may use", () => {
    expect(options({ settingsDir: "/other" }).additionalDirectories).toEqual(["/other"]);
    expect(options({})).not.toHaveProperty("additionalDirectories");
  });
});

describe("a key", () => {
  it("goes by a descriptor, so that it is in no environment", () => {
    const given = access({ ANTHROPIC_API_KEY: "key-of-nobody" });
    expect(given.key).toBe("key-of-nobody");
    expect(JSON.stringify(given.env)).not.toContain("key-of-nobody");
    expect(given.env).toMatchObject({ CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: "3", CLAUDE_CODE_MAX_RETRIES: "0" });
  });

  it("of a gateway and its headers are kept from commands", () => {
    const given = access({ ANTHROPIC_AUTH_TOKEN: "t" }, { headers: { "x-team": "a" } });
    expect(given.env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_CUSTOM_HEADERS: "x-team: a" });
    expect(given.withheld).toEqual(["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"]);
  });

  it("is missing before anything is started", () => {
    expect(() => access({})).toThrow(/ANTHROPIC_API_KEY/);
  });
});
