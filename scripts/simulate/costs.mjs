// What each part of a run costs, from what was measured (figures.json): the model reckons with these.

/** Of the workers that the measured fleet has, all hear every notice, also those that stand still. */
const LISTENERS = 4;

export function costsOf(figures) {
  const { trips, place, idle, look, hear } = figures;
  const loads = measuredLoads(figures);
  const isCrowded = ({ workers }) => workers > figures.cores;
  const mean = (steps, what, which = (load) => !isCrowded(load)) =>
    meanOf(loads.filter((load) => load.steps === steps && which(load)).map(what));
  // A notice costs its sender's process something, and each that hears it.
  const noticeMs = hear.serverMs / hear.notices;
  const hearMs = Math.max(0, (noticeMs - trips.noticeServerMs) / (LISTENERS - 1));
  const server = {
    look_ms: Math.max(0, (look.serverMs - idle.serverMs) / look.looks - (noticeMs * look.notices) / look.looks),
  };
  const worker = { look_ms: (look.workerMs - idle.workerMs) / look.looks };
  /** Of a run and of a step, without the looks for it. */
  const parts = (name, lookMs) => {
    const without = (steps) => mean(steps, (load) => load[name] - load.looks * lookMs);
    const step = (without(10) - without(1)) / 9;
    return { step_ms: step, run_ms: without(1) - step };
  };
  Object.assign(server, parts("serverMs", server.look_ms));
  Object.assign(worker, parts("workerMs", worker.look_ms));
  // By how long the server takes for each of its statements.
  const shares = ["take", "begin", "end"].map((part) => mean(1, (load) => load.parts[part]));
  const all = shares.reduce((sum, one) => sum + one, 0);
  const [take_ms, begin_ms, end_ms] = shares.map((share) => (share / all) * server.run_ms);
  const flush_ms = Math.max(0, trips.commit - trips.trip);
  const notice_ms = trips.notice - trips.trip;
  // What is left of the time until the first step when a run is alone; the rest of what a run costs comes after it.
  const until = place.lateMs + notice_ms + worker.look_ms + server.look_ms + take_ms + begin_ms + 2 * flush_ms;
  const workerBegin = Math.min(worker.run_ms, Math.max(0, figures["latency 1 10"].p50 - until));
  const processorMs = ({ workerMs, serverMs }) => workerMs + serverMs;
  return {
    cores: figures.cores,
    // With more workers than cores, each piece of work finds the processor's caches full of others'.
    crowded: meanOf([1, 10].map((steps) => mean(steps, processorMs, isCrowded) / mean(steps, processorMs))),
    flush_ms,
    notice_ms,
    server: {
      ...server,
      take_ms,
      begin_ms,
      end_ms,
      place_ms: place.serverMs - noticeMs,
      tell_ms: Math.max(0, noticeMs - LISTENERS * hearMs),
      hear_ms: hearMs,
    },
    worker: {
      ...worker,
      aside: 1 - mean(1, (load) => load.threadMs) / mean(1, (load) => load.workerMs),
      begin_ms: workerBegin,
      end_ms: worker.run_ms - workerBegin,
    },
    client: { place_ms: place.clientMs, late: (place.lateMs - trips.notice) / (place.ms - trips.notice) },
    idle: { worker_ms: idle.workerMs, server_ms: idle.serverMs },
    bytes: bytesOf(loads),
  };
}

const meanOf = (numbers) => numbers.reduce((all, one) => all + one, 0) / numbers.length;

const named = (figures, kind) =>
  Object.entries(figures)
    .filter(([name]) => name.startsWith(`${kind} `))
    .map(([name, found]) => ({ numbers: name.split(" ").slice(1).map(Number), found }));

export const measuredLoads = (figures) =>
  named(figures, "load").map(({ numbers: [workers, steps], found }) => ({ workers, steps, ...found }));

export const measuredLatencies = (figures) =>
  named(figures, "latency").map(({ numbers: [workers, rate], found }) => ({ workers, rate, ...found }));

function bytesOf(loads) {
  const mean = (steps) => meanOf(loads.filter((load) => load.steps === steps).map(({ bytes }) => bytes));
  const step = (mean(10) - mean(1)) / 9;
  return { run: mean(1) - step, step };
}
