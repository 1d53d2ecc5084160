// Decisions, with Windows passed in; that they hold is tried under Wine (npm run test:windows).
import { describe, expect, it } from "vitest";
import { lacksShell, launchOnWindows } from "./windows-command.ts";

const env = { Path: 'C:\\node;"D:\\my tools";relative', PATHEXT: ".COM;.EXE;.BAT;.CMD" };
const FILES = [
  "C:\\node\\node.exe",
  "C:\\node\\npm",
  "C:\\node\\npm.cmd",
  "D:\\my tools\\lint.exe",
  "C:\\work\\build.bat",
  "C:\\work\\here.exe",
  "C:\\work\\relative\\near.exe",
  "C:\\work\\deploy.ps1",
];
const isFile = (file: string): boolean => FILES.some((one) => one.toLowerCase() === file.toLowerCase());
const launch = (command: string, args: readonly string[] = [], given: Record<string, string> = env) =>
  launchOnWindows({ command, args, cwd: "C:\\work", env: given }, isFile);

describe("a command on Windows", () => {
  it.each([
    ["node", "C:\\node\\node.exe"],
    ["NODE.EXE", "C:\\node\\NODE.EXE"],
    ["lint", "D:\\my tools\\lint.exe"],
    ["./here", "C:\\work\\here.exe"],
    ["..\\node\\node", "C:\\node\\node.exe"],
    ["C:/node/node.exe", "C:\\node\\node.exe"],
  ])("%s is %s", (command, file) => expect(launch(command).file.toLowerCase()).toBe(file.toLowerCase()));

  it.each(["here", "near", "nowhere", "./nowhere"])(
    "%s is not found: neither here nor in a relative folder",
    (command) => expect(() => launch(command)).toThrow(expect.objectContaining({ code: "ENOENT" })),
  );

  it("that is no program says what would run it", () => {
    expect(() => launch("./deploy.ps1")).toThrow(/command: pwsh, args: \[\.\/deploy\.ps1/);
  });

  it("is found without PATHEXT", () =>
    expect(launch("node", [], { PATH: "C:\\node" }).file).toBe("C:\\node\\node.exe"));

  it("that is a program gets its arguments untouched", () => {
    expect(launch("node", ['a"b', "%PATH%", "two\nlines"]).args).toEqual(['a"b', "%PATH%", "two\nlines"]);
  });
});

describe("a batch file", () => {
  const line = (...args: string[]): string => String(launch("npm", args).args.at(-1));

  it("is run by the system's own cmd.exe, in quotes", () => {
    const { file, args, options } = launch("npm", ["run", "build"]);
    expect(file).toMatch(/^[A-Z]:\\Windows\\System32\\cmd\.exe$/i);
    expect(args).toEqual(["/d", "/v:off", "/s", "/c", String.raw`""C:\node\npm.cmd" run build"`]);
    expect(options).toMatchObject({ windowsVerbatimArguments: true, windowsHide: true });
  });

  it.each([
    ["two words", '"two words"'],
    ["a&b|c>d^e", '"a&b|c>d^e"'],
    ["", '""'],
    ["a=b,c;d", '"a=b,c;d"'],
    ["my dir\\", '"my dir\\\\"'],
    ["C:\\dir\\", "C:\\dir\\"],
    ["@scope/package", "@scope/package"],
  ])("gets %j as %s", (arg, written) => expect(line(arg)).toBe(`""C:\\node\\npm.cmd" ${written}"`));

  it.each(['say "hi"', "%PATH%", "100%", "a\nb", "a\rb"])("refuses %j", (arg) =>
    expect(() => line(arg)).toThrow(
      expect.objectContaining({ code: "EINVAL", message: expect.stringContaining("npm.cmd is a batch file") }),
    ),
  );

  it("refuses more than cmd.exe takes", () =>
    expect(() => line("x".repeat(9000))).toThrow(expect.objectContaining({ code: "E2BIG" })));
});

it("is missed when it is a shell that this Windows has not; nothing else is", () => {
  const nowhere = { PATH: "C:\\nowhere" };
  expect(["sh", "bash"].map((shell) => lacksShell(shell, nowhere, "win32"))).toEqual([true, true]);
  expect(["node", "pwsh", "./sh", "{{ x }}"].some((command) => lacksShell(command, nowhere, "win32"))).toBe(false);
  expect(lacksShell("sh", {}, "linux")).toBe(false);
});
