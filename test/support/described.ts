// For tests: reads /api/openapi.json as an outside client does, and checks answers against it.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApi } from "../../src/frontends/server/openapi.ts";

const ID = "segno:openapi";
let ajv: Ajv2020 | undefined;
const checks = new Map<string, ValidateFunction | undefined>();

function checkAt(...place: readonly string[]): ValidateFunction | undefined {
  ajv ??= new Ajv2020({ strict: false, allErrors: true }).addSchema(openApi("0.0.0"), ID);
  const pointer = place.map((step) => encodeURIComponent(step.replaceAll("/", "~1"))).join("/");
  if (!checks.has(pointer)) checks.set(pointer, ajv.getSchema(`${ID}#/${pointer}`));
  return checks.get(pointer);
}

/** What the document does not say of an answer; nothing: it is as described. `path` is as it is written there. */
export function notAsDescribed(
  method: string,
  path: string,
  status: number,
  body: unknown,
): readonly string[] | undefined {
  const answers = ["paths", path, method.toLowerCase(), "responses"];
  const schema = ["content", "application/json", "schema"];
  const check = checkAt(...answers, String(status), ...schema) ?? checkAt(...answers, "default", ...schema);
  if (!check) return ["it is not described"];
  if (check(body)) return undefined;
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
