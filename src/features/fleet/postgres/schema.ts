// The tables of a fleet, beside those of DBOS in the same database. What is there is changed only by adding to the list.
import { KEY_ID_LENGTH, MARK } from "../../../storage/state/seal.ts";

/** Texts, and not jsonb, which takes no zero character and costs more; no query parses them. */
const first = `
  create schema if not exists segno;
  create table segno.about (one boolean primary key default true check (one), version int not null, hash_key text not null);
  create table segno.runs (
    run_id text primary key, workflow text not null, file text not null, durability text not null, version text not null,
    status text not null, started bigint not null, ended bigint,
    host text, pid int, start text,
    failing_kind text, exit_code int, duration_ms double precision, cost_usd double precision, resumable boolean not null,
    drive int not null default 0, drive_ended boolean not null default true,
    request text, request_seq bigint not null default 0, refused text, placed_at timestamptz,
    wakes_at timestamptz, left_because text, stop_requested boolean not null default false
  );
  create index runs_underway on segno.runs (run_id) where not drive_ended;
  create table segno.workers (
    worker text primary key, heard bigint not null, dead boolean not null default false, version text not null,
    draining boolean not null default false, labels text not null
  );
  create function segno.lives(name text, now_ms bigint, silence_ms bigint) returns boolean language sql stable as
    'select exists (select 1 from segno.workers where worker = name and not dead and heard >= now_ms - silence_ms)';
  create table segno.leases (
    run_id text, stream text, epoch bigint not null, holder text, since bigint not null, primary key (run_id, stream)
  );
  create index leases_by_holder on segno.leases (holder);
  create table segno.events (
    run_id text, stream text, first_seq bigint, last_seq bigint not null, epoch bigint not null, data text not null,
    at timestamptz not null default clock_timestamp(), primary key (run_id, stream, first_seq)
  );
  create table segno.blobs (run_id text, hash text, data text not null, primary key (run_id, hash));
  create table segno.sources (hash text primary key, data text not null);
  create table segno.pins (
    run_id text, drive int, path text, hash text not null, mac text, primary key (run_id, drive, path)
  );
  create index pins_by_hash on segno.pins (hash);
  create table segno.secrets (run_id text primary key, data text not null);
  create table segno.answers (
    run_id text, key text, presented bigint not null, closed boolean not null, question text not null, digest text not null,
    answer text, primary key (run_id, key)
  );
  create table segno.letters (
    id text primary key, run_id text not null, place text not null, workflow text not null, node text not null,
    kind text not null, status text not null, first_seen bigint not null, last_seen bigint not null, count int not null,
    owner text, body text not null
  );
  create unique index letters_by_place on segno.letters (run_id, place);
  create table segno.breakers (name text primary key, state text not null);
  create table segno.cache (hash text primary key, expires bigint, value text not null);
  create table segno.slots (scope text, slot int, owner text not null, primary key (scope, slot));
  create table segno.running (step text, run_id text, key text, owner text not null, primary key (step, run_id, key));
  create table segno.last_outcomes (step text primary key, ok boolean not null);
`;

/** The drive that was underway when an answer came: it has to be heard by that one or by the next. */
const answersInADrive = `
  alter table segno.answers add column drive int;
  create index answers_in_a_drive on segno.answers (run_id) where drive is not null;
`;

/** What triggers fired. `begun`: the run is in the queue, written in the same transaction. `made`: the order of their making. */
const firings = `
  create table segno.firings (
    run_id text primary key, trigger_name text not null, status text not null, fired bigint not null, ended bigint,
    owner text, begun boolean not null default false, group_key text, group_limit int, depth int not null, reason text,
    data text not null, made bigint generated always as identity
  );
  create index firings_by_trigger on segno.firings (trigger_name, fired desc);
  create index firings_underway on segno.firings (fired) where status = 'fired';
  create index firings_by_group on segno.firings (group_key) where status = 'fired';
  create table segno.firing_marks (
    trigger_name text, mark text, run_id text not null, until bigint, primary key (trigger_name, mark)
  );
  create index firing_marks_by_run on segno.firing_marks (run_id);
  create table segno.triggers (trigger_name text primary key, paused boolean not null, seen bigint);
`;

/** After how long each process counts as dead: it says so itself, since others do not know how the workers were started. */
const ownSilence = `
  alter table segno.workers add column dead_after_ms bigint;
  create or replace function segno.lives(name text, now_ms bigint, silence_ms bigint) returns boolean language sql stable as
    'select exists (select 1 from segno.workers
       where worker = name and not dead and heard >= now_ms - coalesce(dead_after_ms, silence_ms))';
`;

/** Groups whose items several workers run. A branch is one worker's share; `heard`: how far its stream is in the run's own; a claim says whose an item is. */
const spreadGroups = `
  create table segno.spreads (
    run_id text, name text, key text not null, after_seq bigint not null, items text not null, count int not null,
    next int not null default 0, stopped boolean not null default false, primary key (run_id, name)
  );
  create table segno.branches (
    run_id text, stream text, name text not null, concurrency int not null, attempt int not null default 1,
    heard bigint not null default 0, ended boolean not null default false, handed_back text, failed text,
    placed_at timestamptz not null default clock_timestamp(), primary key (run_id, stream)
  );
  create table segno.claims (run_id text, name text, item int, stream text not null, primary key (run_id, name, item));
`;

const pausing = `
  alter table segno.triggers add column paused_by text, add column paused_at bigint;
`;

/** How a run ended or paused and how far its journal was then, sealed by who drove it: the other columns anybody can write. */
const sealedEnds = `
  alter table segno.runs add column ending text;
`;

/** Keys of any length: an index takes a digest of a long one, and `whole` has the key itself. See `state.ts`. */
const wholeKeys = `
  alter table segno.answers add column whole text;
  alter table segno.letters add column whole text;
  alter table segno.breakers add column whole text;
  alter table segno.spreads add column whole text;
  update segno.answers set whole = to_json(key)::text, key = '#sha256:' ||
    encode(sha256(convert_to(to_json(key)::text, 'UTF8')), 'hex') where octet_length(key) > 1000;
  update segno.letters set whole = to_json(place)::text, place = '#sha256:' ||
    encode(sha256(convert_to(to_json(place)::text, 'UTF8')), 'hex') where octet_length(place) > 1000;
`;

/** Who does not know that would seal an answer for no question, and stop the run with it. */
const boundAnswers = `
  comment on column segno.answers.answer is 'sealed for the digest of the question that it was given to';
`;

/**
 * Which workers left a run to the others, and what each of them lacks, until one takes it up. In a table of its own: workers
 * of the version before have asked for whole rows of `runs`, and Postgres does not answer that any more once they are wider.
 */
const lacks = `
  create table if not exists segno.lacks (run_id text, worker text, kind text not null, data text, primary key (run_id, worker));
`;

/** A text for each key that runs of it are sealed with. Reckoned by the database: workers of the version before do not name it. */
const sourcesByKey = `
  alter table segno.sources add column key text not null
    generated always as (case when starts_with(data, 'sealed:1:') then split_part(data, ':', 3) else '' end) stored;
  alter table segno.sources drop constraint sources_pkey, add primary key (hash, key);
`;

/** Why moments of a schedule were not fired though a server was up. */
const hinderedTriggers = `
  alter table segno.triggers add column hindered text;
`;

/**
 * Which runs changed, in a table of its own as `lacks` is, written by the database itself: no statement can forget it.
 * Commits come in another order than transactions begin, so a reader asks for all of transactions that were not over when it
 * last asked. The other indexes: each was a statement that read the whole table.
 */
const changedRuns = `
  create table if not exists segno.run_changes (
    run_id text primary key, changed xid8 not null, removed boolean not null, at timestamptz not null default clock_timestamp()
  ) with (fillfactor = 70);
  create index if not exists run_changes_by_change on segno.run_changes (changed);
  create index if not exists run_changes_removed on segno.run_changes (at) where removed;
  create or replace function segno.note_change() returns trigger language plpgsql as $$
    begin
      insert into segno.run_changes as c (run_id, changed, removed) values (new.run_id, pg_current_xact_id(), false)
      on conflict (run_id) do update set changed = excluded.changed, removed = false where c.changed <> excluded.changed or c.removed;
      return null;
    end $$;
  drop trigger if exists note_change on segno.runs;
  create trigger note_change after insert or update on segno.runs for each row execute function segno.note_change();
  create or replace function segno.note_removal() returns trigger language plpgsql as $$
    begin
      insert into segno.run_changes as c (run_id, changed, removed) select run_id, pg_current_xact_id(), true from gone
      on conflict (run_id) do update set changed = excluded.changed, removed = true, at = clock_timestamp();
      return null;
    end $$;
  drop trigger if exists note_removal on segno.runs;
  create trigger note_removal after delete on segno.runs referencing old table as gone
    for each statement execute function segno.note_removal();
  create index if not exists runs_by_end on segno.runs (right(run_id, 6));
  create index if not exists runs_by_status on segno.runs (status, run_id);
  create index if not exists runs_by_workflow on segno.runs (workflow, run_id);
  create index if not exists runs_by_file on segno.runs (file, run_id);
  create index if not exists runs_by_placing on segno.runs (placed_at) where request is not null;
  create index if not exists runs_by_key on segno.runs (left(request, ${MARK.length + KEY_ID_LENGTH})) where request is not null;
  create index if not exists answers_open on segno.answers (run_id) where answer is null and not closed;
  create index if not exists letters_by_status on segno.letters (status, last_seen);
`;

const limits = `
  create table if not exists segno.limits (name text primary key, state text not null, whole text);
`;

/** See `run-facts.ts`. */
const runFacts = `
  create table if not exists segno.run_facts (
    run_id text primary key, name text, eval_id text, rehearsal boolean not null, input_marks text not null, figures text
  );
`;

export const MIGRATIONS: readonly string[] = [
  first,
  answersInADrive,
  firings,
  ownSilence,
  spreadGroups,
  pausing,
  sealedEnds,
  wholeKeys,
  boundAnswers,
  lacks,
  sourcesByKey,
  hinderedTriggers,
  changedRuns,
  limits,
  runFacts,
];
