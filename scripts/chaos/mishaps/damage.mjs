// A store that was damaged in forty ways (ten with --few), by chance: whatever is asked of it is answered, or refused in a
// sentence.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runsIn } from "../outcome.mjs";
import { newPlace } from "../places.mjs";
import { randomFrom } from "../random.mjs";
import { segno } from "../segno.mjs";

const FILE = JSON.stringify({
  workflow: { name: "damage", entry_point: "a" },
  agents: [
    {
      name: "a",
      type: "script",
      command: "sh",
      args: ["-c", "head -c 100000 /dev/zero | tr '\\0' x"],
      routes: [{ to: "b" }],
    },
    { name: "b", type: "terminate", status: "failed", reason: "so that there is something to tell" },
  ],
});
const QUESTIONS = [["show"], ["events"], ["explain"], ["trace"], ["resume"], ["cancel"]];

const ways = {
  cut: (file, random) => truncateSync(file, random.between(0, statSync(file).size)),
  overwritten: (file, random) => {
    const bytes = readFileSync(file);
    const from = random.between(0, Math.max(0, bytes.length - 1));
    bytes.fill(random.between(0, 255), from, Math.min(bytes.length, from + random.between(1, 5000)));
    writeFileSync(file, bytes);
  },
  // Text for text of the same length: rows stay rows, and say something else.
  reworded: (file, random) => {
    const text = readFileSync(file, "latin1");
    const [from, to] = random.pick([
      ['"key"', '"kex"'],
      ['"data"', '"dota"'],
      ["agent_", "ogent_"],
      ["[[", "{["],
      ["null", "true"],
      ["sha256:", "sha257:"],
    ]);
    writeFileSync(file, text.replaceAll(from, to), "latin1");
  },
  garbled: (file) => writeFileSync(file, "this is none of Segno's files ".repeat(200)),
  removed: (file) => rmSync(file),
};

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

export async function damages(base, seed, { few }) {
  const count = few ? 10 : 40;
  const place = newPlace(base, "damage", { "main.yaml": FILE });
  const whole = { cwd: place, home: join(place, "whole"), log: join(place, "log") };
  await segno(["run", "main.yaml"], whole);
  const [runId] = runsIn(whole.home);
  const random = randomFrom(seed * 6151);
  const wrong = [];
  const meet = async (nth) => {
    const home = join(place, `home-${nth}`);
    cpSync(whole.home, home, { recursive: true });
    const way = random.pick(Object.keys(ways));
    const file = random.pick(filesIn(home));
    const [question] = random.pick(QUESTIONS);
    ways[way](file, random);
    const { code, signal, hung, result, stderr } = await segno([question, runId], { ...whole, home });
    const said = `${stderr} ${JSON.stringify(result ?? "")}`;
    if (hung || signal || code > 130 || /itself failed|defect in Segno/.test(said))
      wrong.push(
        `${question} with ${file.slice(home.length + 1)} ${way}: ${hung ? "hung" : (code ?? signal)} ${said.slice(0, 400)}`,
      );
    else if (existsSync(home)) rmSync(home, { recursive: true, force: true });
  };
  for (let nth = 1; nth <= count; nth += 2) await Promise.all([meet(nth), meet(nth + 1)]);
  return { wrong };
}
