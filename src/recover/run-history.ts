/* Builds the history of a batch from its run logs. */

import type { LoggedClaim } from '../domain/batches/run.ts';
import { ClaimedKeys, doubtAbout, type ProvenLogs } from './compare-log.ts';
import type {
  Doubt,
  EndWithoutRequest,
  LoggedRow,
  LoggedRowEvent,
  PlacedEvent,
  RowEnd,
  StartedEvent,
} from './logged-rows.ts';

/** An object that a result file names for a row. */
interface ShownObject {
  readonly objectId: string;
  /** Null if the file does not have it. */
  readonly key: string | null;
}

/** The histories of a range of rows. */
export interface RowHistories {
  /** The rows that have a key. */
  readonly rows: ReadonlyMap<number, LoggedRow>;
  readonly resting: ReadonlyMap<number, EndWithoutRequest>;
  /** All keys of a row in the log, including those of earlier generations. */
  readonly keys: ReadonlyMap<number, ReadonlySet<string>>;
  /** Rows that are created according to result files beside the logs. */
  readonly shown: ReadonlyMap<number, ShownObject>;
  /** Why the logs do not show whether a row was sent, or under which key; null if they show it. */
  readonly doubtAbout: (row: number) => Doubt | null;
  /** Whether anything shows that a row was sent, with or without a known key. */
  readonly wasSent: (row: number) => boolean;
}

/** Stores the events of rows for look-ups by row, since a log has them in chronological order. */
export interface RowEvents {
  readonly add: (event: LoggedRowEvent) => Promise<void>;
  /** The events of a range of rows. The events of one row are in the order in which they were added. */
  readonly read: (firstRow: number, lastRow: number) => AsyncIterable<LoggedRowEvent>;
}

/** The history of one batch, from its run logs. It contains no rows; these are read page by page. */
export interface BatchHistory {
  readonly batch: string;
  /** Null if the first lines of its runs were cut off. */
  readonly started: StartedEvent | null;
  /** All claims in the logs, and each run as its claim 0. */
  readonly claims: readonly LoggedClaim[];
  /** The runs that have not ended. */
  readonly unfinished: readonly StartedEvent[];
  /** Whether a person has closed the batch. */
  readonly isClosed: boolean;
  /** The last row in the logs. */
  readonly lastRow: number;
  readonly logs: ProvenLogs;
  readonly between: (firstRow: number, lastRow: number) => Promise<RowHistories>;
}

/**
 * Builds a batch's history. The newest generation of a row's keys counts: older keys were conclusively refused, or given up
 * by a person.
 * @param events the events of one batch's logs. The order within each log is kept; the order of the logs does not matter
 * @param kept stores the events of rows
 * @param logs what the logs prove; complete after the events were read
 * @throws Error when the logs belong to several batches, or are empty
 */
export async function readHistory(
  events: AsyncIterable<PlacedEvent>,
  kept: RowEvents,
  logs: ProvenLogs = { proofs: [], holdsRest: false },
): Promise<BatchHistory> {
  let started: StartedEvent | null = null;
  let batch: string | undefined;
  let [lastRow, isClosed] = [0, false];
  const claims: LoggedClaim[] = [];
  const claimedKeys = new ClaimedKeys();
  const runs = new Map<string, StartedEvent>();
  const finished = new Set<string>();
  for await (const event of events) {
    batch ??= event.batch;
    if (event.batch !== batch) throw new Error('the run logs belong to several batches');
    switch (event.event) {
      case 'run.started':
        started = event;
        runs.set(event.run, event);
        claims.push({ run: event.run, claim: 0 });
        break;
      case 'run.finished':
        finished.add(event.run);
        break;
      case 'claim.made':
        claims.push({ run: event.run, claim: event.claim });
        claimedKeys.note(event.rows ?? []);
        break;
      case 'batch.closed':
        isClosed = true;
        break;
      case 'other':
        break;
      default:
        lastRow = Math.max(lastRow, event.row);
        await kept.add({ ...event, credential: started?.credential ?? null });
    }
  }
  if (batch === undefined) throw new Error('the run log holds nothing');
  const between = (firstRow: number, untilRow: number): Promise<RowHistories> =>
    historiesIn(kept.read(firstRow, untilRow), claimedKeys, logs);
  const unfinished = [...runs.values()].filter(({ run }) => !finished.has(run));
  return { batch, started, claims, unfinished, isClosed, lastRow, logs, between };
}

async function historiesIn(
  events: AsyncIterable<LoggedRowEvent>,
  claimedKeys: ClaimedKeys,
  logs: ProvenLogs,
): Promise<RowHistories> {
  const noted: Noted = { keys: new Map(), resting: new Map() };
  const { keys, resting } = noted;
  const named = new Map<number, Set<string>>();
  const shown = new Map<number, ShownObject>();
  const lines = new Map<number, Map<number, number>>();
  for await (const event of events) {
    if (event.event === 'row.shown') {
      shown.set(event.row, { objectId: event.id, key: event.key });
      continue;
    }
    const { log = 0, line = 0 } = event.place ?? {};
    lines.set(event.row, (lines.get(event.row) ?? new Map<number, number>()).set(log, line));
    if (event.key !== null) named.set(event.row, (named.get(event.row) ?? new Set()).add(event.key));
    if (event.event === 'row.staged') noteStaged(noted, event);
    else if (event.event === 'row.answered') noteAnswered(noted, event);
    else if (event.event === 'row.final') noteFinal(noted, event);
    else noteResolved(noted, event);
  }
  const rows = new Map([...keys].map(([row, ofRow]) => [row, chooseKey(ofRow)]));
  for (const row of resting.keys()) {
    if (rows.get(row)?.end.state === 'created') resting.delete(row);
    else rows.delete(row);
  }
  return {
    rows,
    resting,
    keys: named,
    shown,
    doubtAbout: (row) => {
      const lastLines = lines.get(row) ?? new Map<number, number>();
      const claimedKey = claimedKeys.generationOf(row);
      return doubtAbout({ known: rows.get(row), rests: resting.get(row), claimedKey, lastLines }, logs);
    },
    wasSent: (row) => rows.has(row) || shown.has(row) || claimedKeys.generationOf(row) > 0,
  };
}

/** The keys of each row, of all generations, in the order in which they were first read. */
type KeysByRow = Map<number, LoggedRow[]>;

/** The results of the events that were read so far. */
interface Noted {
  readonly keys: KeysByRow;
  readonly resting: Map<number, EndWithoutRequest>;
}

type EventOf<Name> = Extract<LoggedRowEvent, { event: Name }>;

function noteStaged({ keys, resting }: Noted, event: EventOf<'row.staged'>): void {
  const { row, key, generation, request_hash: requestHash, credential, time } = event;
  const known = keys.get(row) ?? [];
  const earlier = known.find((each) => each.key === key);
  if (earlier !== undefined) {
    const [firstStagedAt = time] = [earlier.firstStagedAt, time].sort();
    const used = earlier.isTried ? earlier.credential : credential;
    replace(keys, row, { ...earlier, generation, requestHash, credential: used, firstStagedAt });
    return;
  }
  if (known.every((each) => (each.generation ?? 0) <= generation)) resting.delete(row);
  const attempts = Math.max(0, ...known.map((each) => each.attempts));
  keys.set(row, [...known, { ...unanswered(key, time, credential), generation, requestHash, attempts }]);
}

/** The history of a key without any other data. */
function unanswered(key: string, time: string, credential: string | null): LoggedRow {
  return {
    generation: null,
    key,
    requestHash: null,
    firstStagedAt: time,
    credential,
    attempts: 0,
    httpStatus: null,
    isTried: false,
    end: { state: 'unknown' },
  };
}

/** The history of a key. It is created if the line that should have begun it is missing. */
function historyOfKey(keys: KeysByRow, { row, time }: LoggedRowEvent, key: string): LoggedRow {
  const known = keys.get(row) ?? [];
  const found = known.find((each) => each.key === key);
  if (found !== undefined) return found;
  const begun = unanswered(key, time, null);
  keys.set(row, [...known, begun]);
  return begun;
}

function noteAnswered({ keys }: Noted, event: EventOf<'row.answered'>): void {
  const row = historyOfKey(keys, event, event.key);
  const attempts = Math.max(row.attempts, event.attempt);
  const credential = event.credential ?? row.credential;
  const end = endAfter(row.end, event);
  replace(keys, event.row, { ...row, attempts, credential, httpStatus: event.status, isTried: true, end });
}

/**
 * The result after an answer. A created row stays created. If a later answer names another object, only the proof is
 * removed that this request created the object.
 */
function endAfter(end: RowEnd, answered: EventOf<'row.answered'>): RowEnd {
  const { outcome, id, attempt: number, status: httpStatus, duration_ms: durationInMs, time } = answered;
  if (outcome !== 'created' || id === null) return end;
  if (end.state === 'created') {
    const { answer, ...unproven } = end;
    return id === end.objectId ? end : unproven;
  }
  return { state: 'created', objectId: id, answer: { number, httpStatus, durationInMs, answeredAt: time } };
}

function noteFinal({ keys, resting }: Noted, event: EventOf<'row.final'>): void {
  const { row, key, status, id, code } = event;
  if (status === 'invalid' && (code === 'superseded' || code === 'closed')) {
    resting.set(row, { state: code });
    return;
  }
  if (key === null) {
    // A row that is created without a request was decided by a person, and is never sent.
    if ((status === 'existing' || status === 'created') && id !== null)
      resting.set(row, { state: 'existing', objectId: id });
    else if (status === 'held') resting.set(row, { state: 'held', code });
    else resting.delete(row);
    return;
  }
  if (status === 'created' && id !== null) {
    endWith(keys, event, key, { state: 'created', objectId: id, ...(code === null ? {} : { code }) });
  }
  if (status === 'rejected' || status === 'waiting' || status === 'held') {
    endWith(keys, event, key, { state: status, code });
  }
}

/**
 * Notes a person's decision. A decision to send the row again is not noted, since its next key shows it. A row that was
 * created with an API key of the other mode has no object in this mode. It counts as refused until its next key.
 */
function noteResolved({ keys, resting }: Noted, event: EventOf<'row.resolved'>): void {
  const { row, key, verdict, id } = event;
  if (verdict === 'staged' || verdict === 'disowned') resting.delete(row);
  if (verdict === 'disowned' && key !== null && historyOfKey(keys, event, key).end.state === 'created') {
    endWith(keys, event, key, { state: 'rejected', code: 'key_of_other_mode' });
  }
  if (id === null) return;
  if (verdict === 'created' && key !== null) endWith(keys, event, key, { state: 'created', objectId: id });
  else if (verdict === 'created' || verdict === 'existing')
    resting.set(row, { state: 'existing', objectId: id });
}

function endWith(keys: KeysByRow, event: LoggedRowEvent, key: string, end: RowEnd): void {
  const known = historyOfKey(keys, event, key);
  const isSameObject =
    end.state === 'created' && known.end.state === 'created' && known.end.objectId === end.objectId;
  replace(keys, event.row, { ...known, end: isSameObject ? { ...known.end, ...end } : end });
}

function replace(keys: KeysByRow, row: number, history: LoggedRow): void {
  const replaced = keys.get(row)?.map((each) => (each.key === history.key ? history : each));
  keys.set(row, replaced ?? []);
}

/**
 * Chooses the key of a row that was used last. Several keys of one generation come from runs that prepared the row at the
 * same time, or from a run that was killed before its key was in the ledger. Only one of them can have been sent. If no
 * answer shows which one, a person has to decide. A key whose generation is not in the log may be the newest key, unless it
 * was refused and another key followed.
 */
function chooseKey(all: readonly LoggedRow[]): LoggedRow {
  const newest = Math.max(0, ...all.map(({ generation }) => generation ?? 0));
  const keys = all.filter(({ generation, end }) =>
    generation === null ? newest === 0 || !isRefused(end) : generation === newest,
  );
  const used = keys.filter(({ isTried, end }) => isTried || end.state !== 'unknown');
  const last = keys.at(-1);
  if (last === undefined) throw new Error('a row with a history has no key');
  const [only] = used;
  if (used.length === 1 && only !== undefined) return only;
  return keys.length === 1 ? last : { ...last, end: { state: 'unclear' } };
}

function isRefused({ state }: RowEnd): boolean {
  return state === 'rejected' || state === 'waiting';
}
