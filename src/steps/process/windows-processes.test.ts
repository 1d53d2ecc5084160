import { describe, expect, it } from "vitest";
import { readProcesses } from "./windows.ts";

const started = Date.UTC(2026, 10, 17, 0, 50, 7, 123);

describe("processes on Windows are read", () => {
  it("from wmic, which writes UTF-16 and the time with its zone", () => {
    const printed = `\uFEFFCreationDate               ParentProcessId  ProcessId  \r\r\n                           0                0          \r\r\n20261117015007.123456+060  4                5678       \r\r\n\r\r\n`;
    const table = readProcesses(Buffer.from(printed, "utf16le"));
    expect([...table.keys()]).toEqual([0, 5678]);
    expect(table.get(5678)).toMatchObject({ parent: 4, began: started, identity: "2026-11-17T00:50:07.123Z" });
    expect(table.get(0)?.began).toBeNaN();
  });

  it("from PowerShell, in milliseconds", () => {
    const table = readProcesses(Buffer.from(`unknown 0 4\r\n${started} 4 5678\r\n`));
    expect(table.get(5678)).toMatchObject({ parent: 4, began: started });
    expect(table.get(4)?.began).toBeNaN();
  });

  it("from the wmic of Wine, which does not know when they began", () => {
    const table = readProcesses(Buffer.from("ParentProcessID  ProcessID  \n32               312        \n", "utf16le"));
    expect(table.get(312)).toMatchObject({ parent: 32, identity: "" });
  });

  it("as none, from what is no list of them", () => {
    expect(readProcesses(Buffer.from("Error: Invalid query\r\n", "utf16le")).size).toBe(0);
    expect(readProcesses(Buffer.alloc(0)).size).toBe(0);
  });
});
