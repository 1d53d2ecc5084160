import { expect, it } from "vitest";
import { commandLineReader } from "./reader.ts";

it.each([
  ["postgres://segno@db/segno", "segno resume 01X --on postgres://segno@db/segno"],
  ["postgres://segno:tangerine@db/segno", "segno resume 01X --on postgres://segno:PASSWORD@db/segno"],
  [
    "postgres://db/segno?sslmode=require&password=tangerine",
    "segno resume 01X --on 'postgres://db/segno?sslmode=require&password=PASSWORD'",
  ],
  [
    "postgres://u@db/segno?sslmode=require&sslpassword=tangerine&options=tangerine",
    "segno resume 01X --on 'postgres://u@db/segno?sslmode=require'",
  ],
  ["postgres:/u:tangerine@db/segno", "segno resume 01X --on URL"],
  ["postgres://u:1?tangerine@db/segno", "segno resume 01X --on URL"],
  ["nonsense", "segno resume 01X --on URL"],
])("a command for who said --on %s can be copied, and shows no password", (address, command) => {
  expect(commandLineReader({ fleet: address }).ask({ to: "resume", run: "01X" })).toBe(command);
});

it("what is about a file is not asked of a fleet", () => {
  expect(commandLineReader({ fleet: "postgres://db/segno" }).ask({ to: "validate", file: "a.yaml" })).toBe(
    "segno validate a.yaml",
  );
});
