// Workflow files: every rule over files that are nearly right.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { validateWorkflow } from "../../src/language/validate.ts";
import { memoryWorld } from "../support/engine/memory-world.ts";
import { fuzz, textsLike } from "./door.ts";

const files = readdirSync("examples", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.ya?ml$/.test(name) && !/scenario|node_modules|work\//.test(name))
  .map((name) => readFileSync(join("examples", name), "utf8"))
  .filter((text) => text.length < 6000);

fuzz({
  name: "a workflow file",
  costs: 4,
  inputs: textsLike(...files),
  enter: (text) =>
    validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }, { HOME: "/w" })).findings.map(
      ({ message }) => message,
    ),
});
