/**
 * In these tests' world time passes this number of times faster than here: a lease of 30 seconds takes 1. Programs and
 * database live by it together, so that the product's own times stay what they are. Any faster, and a machine that is
 * busy with other things loses leases by itself.
 */
export const speed = 30;

/** The world's milliseconds in real ones. */
export function realMs(worldInMs: number): number {
  return worldInMs / speed;
}

/** One for the process: sources that are loaded in it again, with a bug planted, share databases with these. */
process.env['PAYBATCH_TEST_EPOCH'] ??= String(Date.now());
const epochInMs = Number(process.env['PAYBATCH_TEST_EPOCH']);
const epochMonotonicInMs = performance.now() - (Date.now() - epochInMs);

/** A program's clocks. The calendar's is never moved: only the database's is, see `clockFunctions`. */
export const worldClock = {
  now: (): Date => new Date(epochInMs + (performance.now() - epochMonotonicInMs) * speed),
  monotonicInMs: (): number => performance.now() * speed,
};

const epochInS = (epochInMs / 1000).toFixed(3);

/** The world's time from PostgreSQL's, before anybody sets the clock. */
const inWorld = (time: string): string =>
  `to_timestamp(${epochInS}) + (${time} - to_timestamp(${epochInS})) * ${speed}`;

/**
 * SQL that gives a database the world's clock: functions of the same names, which its search path finds before
 * PostgreSQL's own. `clock_shift` moves the clock from a moment on, so that `now()` stays one time within a
 * transaction. The keyword CURRENT_TIMESTAMP cannot be replaced; the ledger does not use it.
 */
export const clockFunctions = `
  CREATE TABLE public.clock_shift (since timestamptz NOT NULL, shift interval NOT NULL);
  ${['now', 'transaction_timestamp', 'statement_timestamp', 'clock_timestamp'].map(clockFunction).join('')}`;

function clockFunction(name: string): string {
  return `
  CREATE FUNCTION public.${name}() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT ${inWorld(`pg_catalog.${name}()`)} + coalesce((
      SELECT shift FROM public.clock_shift WHERE since <= pg_catalog.${name}() ORDER BY since DESC LIMIT 1), '0')
  $$;`;
}

/** SQL that sets the clock of a database so far ahead (or back, below zero) of the world's time. */
export function setClock(shiftInMs: number): string {
  return `INSERT INTO public.clock_shift VALUES (pg_catalog.clock_timestamp(), interval '1 millisecond' * ${shiftInMs})`;
}

/** Whose intervals pass: not while it is suspended. */
interface Sleeper {
  readonly isSuspended: boolean;
  readonly timers: NodeJS.Timeout[];
}

/** Starts something whose intervals pass in the world's time, and not while the program is suspended. */
export function withWorldIntervals<Started>(program: Sleeper, start: () => Started): Started {
  const original = globalThis.setInterval;
  const inWorldTime = (act: () => void, periodInMs: number): NodeJS.Timeout => {
    const timer = original(() => {
      if (!program.isSuspended) act();
    }, realMs(periodInMs));
    program.timers.push(timer);
    return timer;
  };
  globalThis.setInterval = inWorldTime as typeof setInterval;
  try {
    return start();
  } finally {
    globalThis.setInterval = original;
  }
}
