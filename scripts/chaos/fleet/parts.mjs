// A Postgres of one's own and the store in it, as the tests have them: made of TypeScript, so bundled first.
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";

export async function parts() {
  const outfile = resolve(`dist/chaos-fleet-${process.pid}.mjs`);
  const entry = resolve("scripts/chaos/fleet/parts.ts");
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", packages: "external" });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}
