// Every rule about the meaning of a workflow file. `validate` runs them all; the reference prints them.
import { changesInOutput } from "./changes-in-output.ts";
import { commandIsAShellLine } from "./command-is-a-shell-line.ts";
import { defaultType } from "./default-type.ts";
import { duplicateName } from "./duplicate-name.ts";
import { errorBySuccessRoute } from "./error-by-success-route.ts";
import { errorKindDuplicate } from "./error-kind-duplicate.ts";
import { errorKindFormat } from "./error-kind-format.ts";
import { errorKindReserved } from "./error-kind-reserved.ts";
import { errorReferenceUndeclared } from "./error-reference-undeclared.ts";
import { errorRouteUnreachable } from "./error-route-unreachable.ts";
import { errorUnhandled } from "./error-unhandled.ts";
import { exitCodeNever } from "./exit-code-never.ts";
import { explicitErrorUndeclared } from "./explicit-error-undeclared.ts";
import { explicitReferenceUndeclared } from "./explicit-reference-undeclared.ts";
import { expressionSyntax } from "./expression-syntax.ts";
import { filesPattern } from "./files-pattern.ts";
import { foreignProvider } from "./foreign-provider.ts";
import { gateRoutes } from "./gate-routes.ts";
import { gateTimeout } from "./gate-timeout.ts";
import { groupMembers } from "./group-members.ts";
import { ignoredExitCode } from "./ignored-exit-code.ts";
import { keyByLoopVariable } from "./key-by-loop-variable.ts";
import { lastOnlyReference } from "./last-only-reference.ts";
import { maxVisitsIgnored } from "./max-visits-ignored.ts";
import { memberReference } from "./member-reference.ts";
import { moreStepsThanMaxIterations } from "./more-steps-than-max-iterations.ts";
import { nameNotInTemplates } from "./name-not-in-templates.ts";
import { noSuccessRoute } from "./no-success-route.ts";
import { noWayToEnd } from "./no-way-to-end.ts";
import { nullInTemplate } from "./null-in-template.ts";
import { olderRetryName } from "./older-retry-name.ts";
import { onErrorEmpty } from "./on-error-empty.ts";
import { onErrorNever } from "./on-error-never.ts";
import { onErrorUndeclared } from "./on-error-undeclared.ts";
import { openBreakerInGroup } from "./open-breaker-in-group.ts";
import { outputConstraint } from "./output-constraint.ts";
import { outputNotOnEveryPath } from "./output-not-on-every-path.ts";
import { propagateAtRoot } from "./propagate-at-root.ts";
import { providerLimit } from "./provider-limit.ts";
import { raiseWhenRefusedStatus } from "./raise-when-refused-status.ts";
import { rawOutputSchema } from "./raw-output-schema.ts";
import { readBeforeRun } from "./read-before-run.ts";
import { reservedName } from "./reserved-name.ts";
import { routeActionOnSuccess } from "./route-action-on-success.ts";
import { routeOneAction } from "./route-one-action.ts";
import { routeOutputIgnored } from "./route-output-ignored.ts";
import { routeUnreachable } from "./route-unreachable.ts";
import type { Rule } from "./rule.ts";
import { sandboxDenies } from "./sandbox-denies.ts";
import { sandboxUnused } from "./sandbox-unused.ts";
import { secretInFile } from "./secret-in-file.ts";
import { selfReadUnguarded } from "./self-read-unguarded.ts";
import { serverAgentsCanChange } from "./server-agents-can-change.ts";
import { sharedWorkingDir } from "./shared-working-dir.ts";
import { shellNotHere } from "./shell-not-here.ts";
import { shellTemplate } from "./shell-template.ts";
import { spreadStays } from "./spread-stays.ts";
import { subworkflowCycle } from "./subworkflow-cycle.ts";
import { subworkflowInput } from "./subworkflow-input.ts";
import { subworkflowUnknownInput } from "./subworkflow-unknown-input.ts";
import { templateSyntax } from "./template-syntax.ts";
import { unknownAcpAgent } from "./unknown-acp-agent.ts";
import { unknownApprover } from "./unknown-approver.ts";
import { unknownField } from "./unknown-field.ts";
import { unknownMcpServer } from "./unknown-mcp-server.ts";
import { unknownName } from "./unknown-name.ts";
import { unknownPhase } from "./unknown-phase.ts";
import { unknownPolicy } from "./unknown-policy.ts";
import { unknownProvider } from "./unknown-provider.ts";
import { unknownReference } from "./unknown-reference.ts";
import { unknownStep } from "./unknown-step.ts";
import { unknownTool } from "./unknown-tool.ts";
import { unpricedAgent } from "./unpriced-agent.ts";
import { unquotedText } from "./unquoted-text.ts";
import { unreachableStep } from "./unreachable-step.ts";

export type { Rule } from "./rule.ts";

export const RULES: readonly Rule[] = [
  unknownStep,
  duplicateName,
  reservedName,
  routeOneAction,
  routeActionOnSuccess,
  raiseWhenRefusedStatus,
  noSuccessRoute,
  errorKindFormat,
  errorKindReserved,
  errorKindDuplicate,
  onErrorUndeclared,
  onErrorNever,
  errorRouteUnreachable,
  errorReferenceUndeclared,
  templateSyntax,
  expressionSyntax,
  unknownReference,
  groupMembers,
  defaultType,
  providerLimit,
  rawOutputSchema,
  unknownProvider,
  unknownPolicy,
  unknownAcpAgent,
  unknownApprover,
  gateTimeout,
  unknownMcpServer,
  unknownTool,
  subworkflowInput,
  subworkflowCycle,
  onErrorEmpty,
  olderRetryName,
  propagateAtRoot,
  errorUnhandled,
  errorBySuccessRoute,
  explicitErrorUndeclared,
  explicitReferenceUndeclared,
  keyByLoopVariable,
  lastOnlyReference,
  unknownName,
  nullInTemplate,
  nameNotInTemplates,
  unknownField,
  changesInOutput,
  memberReference,
  readBeforeRun,
  selfReadUnguarded,
  openBreakerInGroup,
  outputConstraint,
  outputNotOnEveryPath,
  unreachableStep,
  noWayToEnd,
  moreStepsThanMaxIterations,
  maxVisitsIgnored,
  routeUnreachable,
  routeOutputIgnored,
  exitCodeNever,
  ignoredExitCode,
  gateRoutes,
  subworkflowUnknownInput,
  unpricedAgent,
  unquotedText,
  unknownPhase,
  commandIsAShellLine,
  shellNotHere,
  shellTemplate,
  secretInFile,
  sandboxDenies,
  sandboxUnused,
  sharedWorkingDir,
  serverAgentsCanChange,
  spreadStays,
  filesPattern,
  foreignProvider,
];
