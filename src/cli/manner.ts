// How loud and in which format to answer, read straight from the arguments: a command line that cannot be parsed must
// still be answered in the format it asks for.
import type { Asked } from "./asked.ts";
import type { Format, OutputManner } from "./output.ts";

const FORMATS: readonly string[] = ["text", "json", "ndjson"];
const isFormat = (text: string | undefined): text is Format => text !== undefined && FORMATS.includes(text);

type Environment = OutputManner["env"];

/** The manner of a line that has not been parsed, or cannot be. */
export function scanManner(args: readonly string[], env: Environment): OutputManner {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  let format: Format = "text";
  for (const [index, arg] of own.entries()) {
    const given =
      arg === "--output-format" ? own[index + 1] : arg.startsWith("--output-format=") ? arg.slice(16) : undefined;
    if (isFormat(given)) format = given;
  }
  return { format, quiet: false, verbose: false, plain: own.includes("--no-color"), env };
}

export function mannerOf(asked: Asked): OutputManner {
  const format = asked.text("output-format");
  return {
    format: isFormat(format) ? format : "text",
    quiet: asked.flag("quiet"),
    verbose: asked.flag("verbose"),
    plain: !asked.flag("color"),
    env: asked.env,
  };
}
