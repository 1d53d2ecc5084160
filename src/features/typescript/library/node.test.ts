import { expect, it } from "vitest";
import { KINDS } from "../../../base/errors/kinds.ts";
import type { EngineKinds } from "./node.ts";

/** Every kind that the types of steps know: more or fewer do not compile. */
const KNOWN: Record<EngineKinds[keyof EngineKinds] | "halt.intentional", true> = {
  "circuit.open": true,
  "gate.timeout": true,
  "halt.intentional": true,
  "http.network": true,
  "http.status": true,
  "http.unavailable": true,
  "internal.bad_value": true,
  "internal.command_not_found": true,
  "internal.no_route": true,
  "internal.resource_exhausted": true,
  "internal.schema_violation": true,
  "internal.script_error": true,
  "internal.step_error": true,
  "internal.template_error": true,
  "internal.timeout": true,
  "internal.undeclared_kind": true,
  "mcp.protocol_error": true,
  "mcp.tool_error": true,
  "policy.denied": true,
  "provider.denied": true,
  "provider.exhausted": true,
  "provider.rejected": true,
  "subworkflow.failed": true,
  "subworkflow.terminated": true,
};

it("knows every kind that the engine has", () => {
  expect(Object.keys(KNOWN)).toEqual([...KINDS.keys()].sort());
});
