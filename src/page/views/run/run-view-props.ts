// What every view of a run is given.
import type { RunSnapshotJson } from "../../../server/contract/run.ts";
import type { RunModel, RunMoment } from "../../state/run-model.ts";

export interface RunViewProps {
  readonly model: RunModel;
  readonly about: RunSnapshotJson;
  readonly moment: RunMoment;
}
