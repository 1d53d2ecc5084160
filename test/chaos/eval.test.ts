// An eval that is killed in the middle goes on where it was: no row is lost, and none runs twice.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { runEval } from "../../src/features/evals/run-eval.ts";
import { Playground } from "../support/play.ts";
import { KEPT_CODE, PROGRAM } from "../support/program.ts";
import { until } from "../support/until.ts";

const FILES = {
  "flow.yaml": `workflow: { name: flow, entry_point: work, input: { word: { type: string } } }
agents: [{ name: work, type: script, command: sh, args: [work.sh, "{{ workflow.input.word }}"] }]
output: { said: "{{ work.output.stdout }}" }
`,
  "work.sh": `echo "$1" >> ran; if [ "$1" = b ] && [ ! -e go ]; then touch waiting; exec sleep 600; fi; printf %s "$1"\n`,
  "flow.eval.yaml": `workflow: flow.yaml
dataset: words.csv
live: [work]
grade: [{ equals: "{{ expected }}", value: "{{ output.said }}" }]
`,
  "words.csv": "id,word,expected\n1,a,a\n2,b,b\n3,c,c\n",
};

it("loses no row to a kill", async () => {
  const ground = new Playground();
  try {
    ground.write(FILES);
    const { cwd, env, home } = ground.session;
    const args = [PROGRAM, "eval", "flow.eval.yaml", "--parallel", "1", "--home", home];
    const child = spawn(process.execPath, args, { cwd, env: { ...env, ...KEPT_CODE }, stdio: "ignore" });
    await until(() => existsSync(`${ground.folder}/waiting`));
    child.kill("SIGKILL");
    await once(child, "exit");
    ground.write({ go: "" });
    const answer = await runEval(ground.session, { path: "flow.eval.yaml", resume: true });
    expect(answer).toMatchObject({ error: null, exit_code: 0 });
    expect(answer.rows.map(({ id, passed }) => [id, passed])).toEqual([
      ["1", true],
      ["2", true],
      ["3", true],
    ]);
    // The row that was cut off is the one that ran again.
    expect(ground.read("ran").trim().split("\n").sort()).toEqual(["a", "b", "b", "c"]);
  } finally {
    ground.close();
  }
});
