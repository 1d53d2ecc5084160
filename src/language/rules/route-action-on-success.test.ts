import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const script = (route: string): string =>
  flow(`  - { name: a, type: script, command: x, routes: [${route}, { to: $end }] }`);

ruleCases("route-action-on-success", [
  {
    name: "refuses retry without on_error",
    files: script("{ retry: { max: 2 } }"),
    lines: [3],
    message: /`retry` acts on an error/,
  },
  { name: "refuses propagate without on_error", files: script("{ propagate: true }"), lines: [3], asChild: true },
  {
    name: "allows halt on a success route",
    files: script("{ when: 'exit_code == 3', halt: { message: m } }"),
    lines: [],
  },
  {
    name: "refuses a resumable halt on a success route: nothing would run again",
    files: script("{ when: 'exit_code == 3', halt: { message: m, resumable: true } }"),
    lines: [3],
    message: /`resumable` acts on an error/,
  },
  {
    name: "allows a resumable halt on an error route",
    files: script("{ on_error: true, halt: { message: m, resumable: true } }"),
    lines: [],
  },
]);
