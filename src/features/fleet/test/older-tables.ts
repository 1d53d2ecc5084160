// The tables as an older Segno left them, to try what a newer one makes of them.
import { MIGRATIONS } from "../postgres/schema.ts";

const versionBefore = (said: string): number => MIGRATIONS.findIndex((sql) => sql.includes(said));

/** Before the text of a file was kept under each key. */
export const BEFORE_SOURCES_BY_KEY = `
  alter table segno.sources drop column key;
  alter table segno.sources add primary key (hash);
  alter table segno.triggers drop column hindered;
  update segno.about set version = ${versionBefore("alter table segno.sources add column key")};
`;

/** Before a long key had a digest. */
export const BEFORE_WHOLE_KEYS = `
  ${BEFORE_SOURCES_BY_KEY}
  update segno.answers set key = whole::json #>> '{}' where whole is not null;
  alter table segno.answers drop column whole; alter table segno.letters drop column whole;
  alter table segno.breakers drop column whole; alter table segno.spreads drop column whole;
  update segno.about set version = ${versionBefore("add column whole")};
`;
