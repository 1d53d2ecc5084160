// All of what a process printed, in windows of rows, and where a text stands in it: however much it is.
import { z } from "zod";
import { text, whole, yesOrNo } from "./values.ts";

const printedQuery = z.object({
  key: text.describe("the key of the visit"),
  attempt: z.coerce.number().int().min(1),
  drive: z.coerce.number().int().min(1),
  stream: z.enum(["stdout", "stderr"]),
});

export const rowsQuery = printedQuery.extend({
  from: z.coerce.number().int().min(0).default(0).describe("the first row that is wanted"),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

export const foundQuery = printedQuery.extend({
  text: z.string().min(1).max(500).describe("in capitals or not; colours and the like are not looked at"),
});

const rowCount = whole.describe("how many rows are known so far; a line of more than 8 192 characters is several");
const isAll = yesOrNo.describe("false: more is being read, or printed; ask again");

export const printedRowsJson = z
  .object({
    from: whole,
    rows: z.array(text),
    row_count: rowCount,
    is_all: isAll,
    source: z
      .enum(["log", "file"])
      .describe("the log has the first 10 MiB; the file with all of it is on the machine that ran the script"),
  })
  .meta({ id: "PrintedRows" });
export type PrintedRowsJson = z.infer<typeof printedRowsJson>;

export const foundRowsJson = z
  .object({
    count: whole.describe("how many rows hold it"),
    rows: z.array(whole).describe("their numbers, the first 50 000"),
    row_count: rowCount,
    is_all: isAll,
  })
  .meta({ id: "FoundRows" });
export type FoundRowsJson = z.infer<typeof foundRowsJson>;
