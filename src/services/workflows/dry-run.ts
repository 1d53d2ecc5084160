// `segno run --dry-run`: what would run, and what can be rendered of it before anything has run. Nothing is executed.
import { createRedactor } from "../../redact/index.ts";
import { type Head, head } from "../../results/index.ts";
import { prepareInputs } from "../drive/given-inputs.ts";
import { scenarioPart } from "../drive/scripted.ts";
import { withRefusals } from "../refusals.ts";
import type { RunRequest } from "../request.ts";
import { textsOf } from "../secrets/secret-inputs.ts";
import { realFiles } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { FamilyPlan, type PlannedStep } from "./planned-steps.ts";
import { validWorkflow } from "./valid-workflow.ts";

export type { PlannedStep };

export interface PlanAnswer extends Head {
  readonly plan?: readonly PlannedStep[];
}

export const planRun = (session: Session, request: RunRequest): Promise<PlanAnswer> =>
  withRefusals(session, async () => {
    const scenario = await scenarioPart(request.scenario, session, request.strict);
    const asked = scenario ? { ...session, env: scenario.env } : session;
    const files = realFiles(asked.env, asked.extensions?.defined);
    const workflow = validWorkflow(request.file, asked, {}, scenario?.edited(files) ?? files);
    const { inputs, redactor } = prepareInputs(workflow, { ...scenario?.inputs, ...request.inputs }, asked);
    const family = new FamilyPlan();
    const plan = family.stepsOf(workflow, inputs);
    // What only a sub-workflow calls a secret is one in the plan of its caller too.
    const ofChildren = createRedactor({ secrets: [], shortSecrets: [...textsOf(family.secrets)] });
    return { ...head(0), plan: ofChildren.value(redactor.value(plan)) as readonly PlannedStep[] };
  });
