import * as z from 'zod';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { resultStatuses, type StatusCounts, transitions } from '../../domain/rows/row-state.ts';
import { exitCodes } from './exit-codes.ts';

/* What may stand in a run log is listed here, field by field. Any other property of an object is left out when it is written. There is no field for free text, a name or a file's name: a file is known by its hash, a row by its number. */

/** A word for programs. The API's own codes come from outside: one that could be a sentence is not kept. */
const codePattern = /^(?:[A-Za-z][A-Za-z0-9_.-]{0,63}|\d{1,5})$/;

const otherCode = 'other';

const code = z.string().regex(codePattern).catch(otherCode);

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const identifier = z.string().min(1);

const count = z.int().nonnegative();

const counts = z.partialRecord(z.enum(resultStatuses), count);

/** `row` is the number that a spreadsheet program shows, `attempt` the row's requests so far, over all runs. */
const aboutRow = { row: z.int().positive(), key: z.uuid().nullable(), attempt: count };

const runStarted = z.object({
  event: z.literal('run.started'),
  run: identifier,
  version: z.string(),
  mode: z.enum(['sandbox', 'live']),
  origin: z.string(),
  kind: z.string(),
  sheet: z.string().nullable(),
  /** SHA-256 of the file's bytes, hexadecimal. */
  content_hash: hash,
  /** SHA-256 over everything that changes how the bytes are read, hexadecimal. */
  reading_hash: hash,
  /** Fingerprint of the API key in use; null in logs of runs that could not send, and in old ones. */
  credential: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .nullable()
    .default(null),
  /** The process that the run is, and its host; null in logs of earlier versions. */
  host: z.string().nullable().default(null),
  process: z.string().nullable().default(null),
  rows: count,
  counts,
});

/** First and last row, and which key of theirs is meant, where that is not their first. */
const claimedRange = z.union([z.tuple([count, count]), z.tuple([count, count, z.int().positive()])]);

/** The ledger has the claim, and nothing of its rows was sent under it yet. */
const claimMade = z.object({
  event: z.literal('claim.made'),
  run: identifier,
  /** Counts the run's claims from 1. */
  claim: z.int().positive(),
  /** Names the ledger that has it, among those that write logs of this environment; absent in logs of earlier versions. */
  ledger: z.uuid().optional(),
  /** The rows that may leave under it; absent in logs of earlier versions. */
  rows: z.array(claimedRange).optional(),
});

/** Key and body are in the ledger, and nothing was sent under this key yet. */
const rowStaged = z.object({
  event: z.literal('row.staged'),
  ...aboutRow,
  key: z.uuid(),
  /** Counts the row's keys from 1. */
  generation: z.int().positive(),
  /** SHA-256 of the exact request bytes, hexadecimal. */
  request_hash: hash,
});

const rowAnswered = z.object({
  event: z.literal('row.answered'),
  ...aboutRow,
  key: z.uuid(),
  /** The HTTP status; null when no answer came. */
  status: z.int().nullable(),
  outcome: z.enum(['created', 'refused', 'unknown', 'conflict', 'throttled', 'not_sent', 'stop']),
  reason: code.nullable(),
  id: identifier.nullable(),
  duration_ms: z.number(),
});

const rowFinal = z.object({
  event: z.literal('row.final'),
  ...aboutRow,
  status: z.enum(resultStatuses),
  id: identifier.nullable(),
  code: code.nullable(),
});

/** A person's word on a row; the note that may go with it is free text, and stays in the ledger. */
const rowResolved = z.object({
  event: z.literal('row.resolved'),
  ...aboutRow,
  verdict: z.enum(transitions.verdict.to),
  id: identifier.nullable(),
});

/** The batch is closed: no run sends any more of it. Who closed it and why stays in the ledger. */
const batchClosed = z.object({ event: z.literal('batch.closed'), run: identifier });

const runStopped = z.object({
  event: z.literal('run.stopped'),
  run: identifier,
  reason: code,
  code: code.nullable(),
});

const runFinished = z.object({
  event: z.literal('run.finished'),
  run: identifier,
  counts,
  exit_code: count,
});

/** The last events of the batch's chain and of the chain of users, keys and policies: see docs/controls.md. */
const auditHead = z.object({
  event: z.literal('audit.head'),
  run: identifier,
  /** Names the ledger whose trail it is. */
  ledger: z.uuid(),
  number: z.int().positive(),
  hash,
  controls_number: z.int().positive().nullable(),
  controls_hash: hash.nullable(),
});

/** The log was opened with its last line cut off by a crash; what stands before this line is that piece. */
const logMended = z.object({ event: z.literal('log.mended') });

/**
 * What was damaged or cut off before this line, the run has written once more: all keys that were ever sent, and all answers,
 * as its ledger has them.
 */
const logCompleted = z.object({ event: z.literal('log.completed'), run: identifier });

const runEvent = z.discriminatedUnion('event', [
  runStarted,
  claimMade,
  rowStaged,
  rowAnswered,
  rowFinal,
  rowResolved,
  batchClosed,
  runStopped,
  runFinished,
  auditHead,
  logMended,
  logCompleted,
]);

/** One event of a run; its fields are named as they stand in the log. */
export type RunEvent = z.output<typeof runEvent>;

const stamp = z.object({ time: z.iso.datetime(), batch: z.uuid() });

/** A run event as it stands in the log: with its time (ISO 8601, UTC) and the batch it belongs to. */
export type LoggedRunEvent = RunEvent & z.output<typeof stamp>;

/** The events of which there are several for each request, with the names of their fields. */
const fieldsOfRows: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [rowStaged, rowAnswered, rowFinal].map(({ shape }) => [shape.event.value, new Set(Object.keys(shape))]),
);

const codeFields: ReadonlySet<string> = new Set(['code', 'reason']);

/**
 * The JSON of each event, without what ties its line to the one before.
 * @throws ZodError for an event that no log may hold
 */
export function runEventTexts(events: readonly RunEvent[], time: Date, batch: string): string[] {
  const at = time.toISOString();
  return events.map((event) => {
    const json = JSON.stringify(isAsListed(event) ? event : runEvent.parse(event));
    const rest = json.slice(`{"event":"${event.event}"`.length);
    return inAscii(`{"time":"${at}","event":"${event.event}","batch":"${batch}"${rest}`);
  });
}

/** Whether an event already is what parsing would give. Parsing costs several times as much as writing. */
function isAsListed(event: RunEvent): boolean {
  const fields = fieldsOfRows.get(event.event);
  if (fields === undefined) return false;
  let count = 0;
  for (const name in event) {
    if (!fields.has(name) || (count === 0 && name !== 'event')) return false;
    if (!isProper(name, Reflect.get(event, name))) return false;
    count += 1;
  }
  return count === fields.size;
}

function isProper(name: string, value: unknown): boolean {
  if (typeof value === 'number') return value > 0 || (value === 0 && name !== 'row');
  if (typeof value === 'string') return !codeFields.has(name) || codePattern.test(value);
  return value === null;
}

/** In ASCII a line cannot be torn inside a character, and cannot be split at a separator that only Unicode knows. */
function inAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The event that a line holds, or null when the line is not one. */
export function parseRunEvent(line: string): LoggedRunEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const event = runEvent.safeParse(value);
  const stamped = stamp.safeParse(value);
  return event.success && stamped.success ? { ...stamped.data, ...event.data } : null;
}

/** What a log says of the end of a run. */
export function finishedEvent(run: string, counts: StatusCounts, outcome: CallOutcome): RunEvent {
  return { event: 'run.finished', run, counts, exit_code: exitCodes[outcome] };
}

/** What the pipeline notes in the run log; every other event is the caller's. */
export type PipelineEvent = Extract<
  RunEvent,
  { event: 'claim.made' | 'row.staged' | 'row.answered' | 'row.final' }
>;
