import { expect, it } from "vitest";
import { anyCase, environmentAsHere, variable } from "./platform.ts";

it("finds a variable in any case, and hands its name on in capitals", () => {
  const env = anyCase({ Path: "C:\\node", ComSpec: "cmd.exe" });
  expect([env.PATH, env.Path, env.path, env.comspec]).toEqual(["C:\\node", "C:\\node", "C:\\node", "cmd.exe"]);
  expect("pAth" in env).toBe(true);
  expect(Object.hasOwn(env, "pAth")).toBe(true);
  expect({ ...env }).toEqual({ PATH: "C:\\node", COMSPEC: "cmd.exe" });
  expect(env.nothing).toBeUndefined();
});

it("takes the last of several spellings", () => expect(variable({ PATH: "a", Path: "b" }, "PATH")).toBe("b"));

it("starts processes with each variable once, spelled as on this machine", () => {
  const given = { PATH: "old", COMSPEC: "cmd.exe", Path: "new", foo: "1", FOO: "2" };
  expect(environmentAsHere(given, { Path: "x", ComSpec: "y" })).toEqual({ Path: "new", ComSpec: "cmd.exe", FOO: "2" });
});
