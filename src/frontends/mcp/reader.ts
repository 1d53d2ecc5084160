// For agents: hints name tools and their arguments.
import type { Reader, Wanted } from "../../base/results/index.ts";

const call = (tool: string, given: Readonly<Record<string, unknown>>): string => `${tool} ${JSON.stringify(given)}`;

const gateAnswer = ({ run, gate, questions }: Extract<Wanted, { readonly to: "answer" }>) => ({
  run_id: run,
  value: questions === undefined ? "VALUE" : "done",
  gate,
  additional_input: questions && Object.fromEntries(questions.map((id) => [id, "…"])),
});

/** Gates are left to people, unless the server allows them; so are closing a circuit and maintaining the store. */
export const mcpClient = ({ mayAnswerGates }: { readonly mayAnswerGates: boolean }): Reader => ({
  ask(wanted) {
    switch (wanted.to) {
      case "run":
        return "workflow_run";
      case "validate":
        return call("workflow_validate", { file: wanted.file });
      case "resume":
        // The tool takes no other limit: it is raised in the file.
        return wanted.maxIterations === undefined && wanted.maxVisits === undefined
          ? call("run_resume", {
              run_id: wanted.run,
              ...(wanted.changedFiles ? { changed_files: true } : {}),
              ...(wanted.from === undefined ? {} : { from: wanted.from }),
            })
          : null;
      case "run lost items":
        return call("run_resume", { run_id: wanted.run, failed_items: true });
      case "cancel":
        return call("run_cancel", { run_id: wanted.run });
      case "follow":
        return call("run_events", { run_id: wanted.run });
      case "show":
        return call("run_status", { run_id: wanted.run });
      case "list runs":
        return "run_list";
      case "list gates":
        return "gate_list";
      case "answer":
        return mayAnswerGates && !wanted.isForPeople ? call("gate_answer", gateAnswer(wanted)) : null;
      case "list letters":
        return "dlq_list";
      case "retry":
        return "letter" in wanted ? call("dlq_retry", { letter_id: wanted.letter }) : "dlq_retry with each of dlq_list";
      case "retry all":
        return "dlq_retry with each of dlq_list";
      case "be asked":
      case "take over":
      case "list workers":
      case "list breakers":
      case "reset":
      case "prune":
      case "examine":
      case "reindex":
      case "start servers":
      case "run code":
        return null;
    }
  },
  give(given) {
    switch (given.what) {
      case "input":
        // A workflow that is a tool itself takes its inputs as arguments, another one in `inputs`.
        return `${JSON.stringify({ [given.name]: given.example === undefined ? "VALUE" : JSON.parse(given.example) })} among the inputs`;
      case "gate":
        return "`gate`";
      // No tool takes these: they are set where the server is started.
      case "home":
        return "SEGNO_HOME, where the server is started";
      case "provider":
        return "SEGNO_PROVIDER, where the server is started";
      case "answer":
        return `additional_input: ${JSON.stringify({ [given.name]: "…" })}`;
      case "option":
        return `\`${given.name.replaceAll("-", "_")}\`${given.value === undefined ? "" : ` ${JSON.stringify(given.value)}`}`;
    }
  },
});
