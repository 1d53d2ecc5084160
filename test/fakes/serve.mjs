// A fake model server from the command line: answers every agent with the least that fits its schema.
//
//   node test/fakes/serve.mjs [anthropic|openai] [port]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const [kind = "anthropic", port = "0"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "segno-fake-"));
const outfile = join(folder, "fakes.mjs");
await build({
  entryPoints: [fileURLToPath(new URL("./index.ts", import.meta.url))],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "warning",
});
const { startAnthropicFake, startOpenAiFake, answerForSchema } = await import(pathToFileURL(outfile).href);
rmSync(folder, { recursive: true, force: true });

const start = kind === "openai" ? startOpenAiFake : startAnthropicFake;
const fake = await start({
  port: Number(port),
  answers: ({ schema, prompt }) => (schema ? { json: answerForSchema(schema) } : `You said: ${prompt.slice(0, 200)}`),
});
console.log(kind === "openai" ? `OPENAI_BASE_URL=${fake.url}/v1` : `ANTHROPIC_BASE_URL=${fake.url}`);
