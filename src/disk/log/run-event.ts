import * as z from 'zod';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { resultStatuses, type StatusCounts, transitions } from '../../domain/rows/row-state.ts';
import { exitCodes } from './exit-codes.ts';

/*
 * The allowed content of a run log, field by field. Any other property of an object is left out when it is written. No
 * field is for free text, personal names or file names: a file is identified by its hash, a row by its number.
 */

/** A code for programs. The API's own codes come from outside; a code that could be a sentence is not kept. */
const codePattern = /^(?:[A-Za-z][A-Za-z0-9_.-]{0,63}|\d{1,5})$/;

/** Replaces a code that is not kept. */
export const otherCode = 'other';

const code = z.string().regex(codePattern).catch(otherCode);

const hashPattern = /^[0-9a-f]{64}$/;

const hash = z.string().regex(hashPattern);

const identifier = z.string().min(1);

const count = z.int().nonnegative();

const counts = z.partialRecord(z.enum(resultStatuses), count);

/** `row`: its number in a spreadsheet program; `attempt`: the number of the row's requests so far, over all runs. */
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
  /** Fingerprint of the API key in use; null in logs of runs that could not send, and in old logs. */
  credential: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .nullable()
    .default(null),
  /** The process of the run, and its host; null in logs of earlier versions. */
  host: z.string().nullable().default(null),
  process: z.string().nullable().default(null),
  rows: count,
  counts,
});

/** First and last row, and the generation of their keys if it is not 1. */
const claimedRange = z.union([z.tuple([count, count]), z.tuple([count, count, z.int().positive()])]);

/** Written when the claim is in the ledger, and before any row is sent under it. */
const claimMade = z.object({
  event: z.literal('claim.made'),
  run: identifier,
  /** Counts the run's claims from 1. */
  claim: z.int().positive(),
  /** Names the ledger that has the claim, among those that write logs of this environment; absent in earlier versions. */
  ledger: z.uuid().optional(),
  /** The rows that may be sent under it; absent in logs of earlier versions. */
  rows: z.array(claimedRange).optional(),
});

/** A key and the hash of its request. Written before this run sends anything under the key. */
const rowStaged = z.object({
  event: z.literal('row.staged'),
  ...aboutRow,
  key: z.uuid(),
  /** Number of the row's key, counted from 1. */
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

/**
 * A person's decision on a row. Its note is free text, and stays in the ledger. `disowned`: the row was created with a key
 * of the wrong mode, so its object does not exist in this mode, and the row is sent again.
 */
const rowResolved = z.object({
  event: z.literal('row.resolved'),
  ...aboutRow,
  verdict: z.enum([...transitions.verdict.to, 'disowned']),
  id: identifier.nullable(),
});

/** A person has closed the batch: no run sends its rows any more. The actor and the reason stay in the ledger. */
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
  /** Names the ledger that has the audit trail. */
  ledger: z.uuid(),
  number: z.int().positive(),
  hash,
  controls_number: z.int().positive().nullable(),
  controls_hash: hash.nullable(),
});

/** When the log was opened, its last line had been cut off by a crash. The piece is directly before this line. */
const logMended = z.object({ event: z.literal('log.mended') });

/**
 * The run has written again, from its ledger, everything that may be damaged or missing before this line: all keys that
 * were ever sent, and all answers.
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

/** One event of a run. Its fields have the same names as in the log. */
export type RunEvent = z.output<typeof runEvent>;

const stamp = z.object({ time: z.iso.datetime(), batch: z.uuid() });

/** A run event as it is in the log: with its time (ISO 8601, UTC) and its batch. */
export type LoggedRunEvent = RunEvent & z.output<typeof stamp>;

/** The frequent events, which occur for each row or request, with the names of their fields. */
const fieldsOfRows: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [rowStaged, rowAnswered, rowFinal].map(({ shape }) => [shape.event.value, new Set(Object.keys(shape))]),
);

const codeFields: ReadonlySet<string> = new Set(['code', 'reason']);

/**
 * The JSON of each event, without the link to the line before.
 * @throws ZodError for an event that a log may not contain
 */
export function runEventTexts(events: readonly RunEvent[], time: Date, batch: string): string[] {
  const at = time.toISOString();
  return events.map((event) => {
    const json = JSON.stringify(isAsListed(event) ? event : runEvent.parse(event));
    const rest = json.slice(`{"event":"${event.event}"`.length);
    return inAscii(`{"time":"${at}","event":"${event.event}","batch":"${batch}"${rest}`);
  });
}

/** Whether parsing would return the event unchanged. Parsing costs several times as much as writing. */
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

/** Escapes to ASCII: such a line cannot be cut inside a character, and has no line separators that only Unicode has. */
function inAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The event in a line; null if the line is not an event. */
export function parseRunEvent(line: string): LoggedRunEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const ofRow = plainEventOfRow(value);
  if (ofRow !== null) return ofRow;
  const event = runEvent.safeParse(value);
  const stamped = stamp.safeParse(value);
  return event.success && stamped.success ? { ...stamped.data, ...event.data } : null;
}

const plainUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A time as `runEventTexts` writes it. */
const plainTime =
  /^20\d\d-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Narrows a type without a copy of the object, which would take as long as parsing it. */
function isObject(value: unknown): value is Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isCount(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

const outcomes: ReadonlySet<unknown> = new Set(rowAnswered.shape.outcome.options);

function isOutcome(value: unknown): value is z.output<typeof rowAnswered>['outcome'] {
  return outcomes.has(value);
}

/**
 * Reads an event of a row exactly as paybatch writes it, as nearly all are. The schema takes several times as long.
 * @returns null for any other line, which has to be checked by the schema
 */
function plainEventOfRow(value: unknown): LoggedRunEvent | null {
  if (!isObject(value)) return null;
  const { time, batch, event, row, key, attempt } = value;
  const isPlain =
    isText(time, plainTime) &&
    isText(batch, plainUuid) &&
    isCount(row, 1) &&
    isText(key, plainUuid) &&
    isCount(attempt, 0);
  if (!isPlain) return null;
  if (event === 'row.staged') {
    const { generation, request_hash } = value;
    if (!isCount(generation, 1) || !isText(request_hash, hashPattern)) return null;
    return { time, batch, event, row, key, attempt, generation, request_hash };
  }
  if (event !== 'row.answered') return null;
  const { status, outcome, reason, id, duration_ms } = value;
  const isAnswer =
    (status === null || (typeof status === 'number' && Number.isSafeInteger(status))) &&
    isOutcome(outcome) &&
    (reason === null || isText(reason, codePattern)) &&
    (id === null || (typeof id === 'string' && id !== '')) &&
    typeof duration_ms === 'number';
  return isAnswer
    ? { time, batch, event, row, key, attempt, status, outcome, reason, id, duration_ms }
    : null;
}

/** The event at the end of a run. */
export function finishedEvent(run: string, counts: StatusCounts, outcome: CallOutcome): RunEvent {
  return { event: 'run.finished', run, counts, exit_code: exitCodes[outcome] };
}

/** The events that the pipeline writes to the run log; the caller writes all others. */
export type PipelineEvent = Extract<
  RunEvent,
  { event: 'claim.made' | 'row.staged' | 'row.answered' | 'row.final' }
>;
