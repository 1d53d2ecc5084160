// `segno schema [result]`: the JSON Schema of workflow files, or of the object that comes back.
import { languageSchema, schemaOfResult } from "../../services/workflows/reference.ts";
import type { Call } from "../command.ts";

export default async function schema({ asked, output }: Call): Promise<number> {
  // A schema is the same text in every format: there is nothing to wrap it in.
  const wanted = asked.argument(0) === "result" ? await schemaOfResult() : languageSchema(asked.session.extensions);
  output.printJson(wanted, 2);
  return 0;
}
