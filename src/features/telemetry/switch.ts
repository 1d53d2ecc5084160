// Whether anything is measured. Asked at every start of a drive, so it loads nothing.
import type { Session } from "../../services/session/session.ts";

let isScraped = false;

/** Called by a server that has `/metrics`: from now on drives of this process are counted. */
export const measureThisProcess = (): void => {
  isScraped = true;
};

type Asked = Pick<Session, "env" | "project">;

export const isMeasured = (asked: Asked): boolean => isScraped || collectorSettings(asked) !== undefined;

/** Where spans and metrics go: Segno's own variable, then the project, then the variables that all programs read. */
export function collectorSettings({ env, project }: Asked): Asked["env"] | undefined {
  if (env.SEGNO_OTLP === "off") return undefined;
  const base = env.SEGNO_OTLP || project?.otlp;
  if (base) return { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_HEADERS: env.OTEL_EXPORTER_OTLP_HEADERS };
  if (env.OTEL_SDK_DISABLED === "true") return undefined;
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT ? env : undefined;
}
