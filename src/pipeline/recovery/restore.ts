/* Rebuilding a batch in the ledger from its run logs, row by row. */

import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Reason, RestedRow, Restoration, RowToRestore } from '../../domain/rows/ledger-row.ts';
import { answerDiffers } from '../../domain/sending/conclusion.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import type { ReferencePort } from '../ports.ts';
import { paid } from '../requests/payee.ts';
import {
  fillInIds,
  fingerprintOf,
  keyOfItsOwn,
  naturalKeyOf,
  type RecordWithIds,
  writeBody,
} from '../requests/request.ts';
import type { BatchHistory, LoggedRow, RestingPlace, RowHistories } from './run-history.ts';

const rowsPerGroup = 1_000;

/** The ledger's verbs that recovery needs; `src/ledger` says what each promises. */
interface RestoreLedger {
  readonly listRowsToRestore: (batchId: string, firstRow: number, lastRow: number) => Promise<RowToRestore[]>;
  readonly restoreRows: (
    batchId: string,
    runId: string,
    restorations: readonly Restoration[],
    rested: readonly RestedRow[],
  ) => Promise<void>;
  readonly keepLoggedClaims: (batchId: string, claims: BatchHistory['claims']) => Promise<void>;
  readonly keepLoggedKeys: (batchId: string, keys: readonly string[]) => Promise<void>;
}

interface RestoreContext {
  readonly ledger: RestoreLedger;
  readonly references: ReferencePort;
  readonly batchId: string;
  readonly runId: string;
  readonly history: BatchHistory;
  readonly definitionNamed: (resource: string) => ResourceDefinition;
}

/**
 * Gives the rows of a batch the keys and ends of its history, as far as the ledger does not know them: all that were
 * sent where the batch was staged anew, the later ones where the ledger was restored from a backup. Rows without a
 * history were never sent, and stay as they are. Last, the ledger learns the claims that the logs name: from then on
 * it knows all that they tell.
 * @returns how many rows were given back what is known of them
 * @throws PaybatchError (`file_refused`) when a row refers to an object that this ledger does not have yet
 */
export async function restoreBatch(context: RestoreContext): Promise<number> {
  const { ledger, batchId, runId, history } = context;
  let restored = 0;
  for (let firstRow = 1; firstRow <= history.lastRow; firstRow += rowsPerGroup) {
    const lastRow = firstRow + rowsPerGroup - 1;
    const histories = await history.between(firstRow, lastRow);
    const rows = await ledger.listRowsToRestore(batchId, firstRow, lastRow);
    const { restorations, rested } = await restoreGroup(context, rows, histories);
    if (restorations.length + rested.length > 0) {
      await ledger.restoreRows(batchId, runId, restorations, rested);
    }
    await ledger.keepLoggedKeys(
      batchId,
      [...histories.keys.values()].flatMap((keys) => [...keys]),
    );
    restored += restorations.length + rested.length;
  }
  for (let at = 0; at < history.claims.length; at += rowsPerGroup) {
    await ledger.keepLoggedClaims(batchId, history.claims.slice(at, at + rowsPerGroup));
  }
  return restored;
}

interface RestoredGroup {
  readonly restorations: readonly Restoration[];
  readonly rested: readonly RestedRow[];
}

async function restoreGroup(
  context: RestoreContext,
  rows: readonly RowToRestore[],
  { rows: histories, resting, keys }: RowHistories,
): Promise<RestoredGroup> {
  const rested: RestedRow[] = [];
  const known: { row: RowToRestore; history: LoggedRow; definition: ResourceDefinition }[] = [];
  for (const row of rows) {
    const history = histories.get(row.row);
    const place = resting.get(row.row);
    if (place !== undefined && mayRest(row, place)) rested.push(restedAt(row.row, place));
    if (history === undefined) continue;
    const merge = mergeRow(row, history, keys.get(row.row) ?? new Set());
    if (merge === 'hold') rested.push(heldFor(row.row, severalKeys));
    if (merge !== 'restore') continue;
    if (row.resource === null) rested.push(heldFor(row.row, notWritable));
    else known.push({ row, history, definition: context.definitionNamed(row.resource) });
  }
  const resolved = await fillInIds(
    known.map(({ row: { record }, definition }) => ({ record, definition })),
    context.references,
  );
  const restorations = known.flatMap(({ row, history, definition }, index) => {
    const record = resolved[index];
    return record === undefined ? [] : [restoreRow(row, history, definition, record)];
  });
  const [kind] = known.map(({ definition }) => definition.kind);
  return { restorations: kind === undefined ? [] : await withFreeKeys(context, restorations, kind), rested };
}

const notSentAnyMore = {
  superseded: 'As the run log has it: corrected in another file.',
  closed: 'As the run log has it: a person closed the batch before this row was sent.',
} as const;

/** A row that needs no request, as the log has it. */
export function restedAt(row: number, place: RestingPlace): RestedRow {
  switch (place.state) {
    case 'existing':
      return { row, state: 'existing', objectId: place.objectId, reason: recovered('existing') };
    case 'held':
      return heldFor(row, recovered(place.code));
    default: {
      const reason = { code: place.state, field: null, message: notSentAnyMore[place.state] };
      return { row, state: 'invalid', objectId: null, reason };
    }
  }
}

function heldFor(row: number, reason: Reason): RestedRow {
  return { row, state: 'held', objectId: null, reason };
}

const notWritable: Reason = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key, and its request cannot be written today: it may exist.',
};

/**
 * A natural key that another row owns is not taken from it: this row was refused and had let go of it, or a
 * person had it sent anyway.
 */
async function withFreeKeys(
  { references, batchId }: Pick<RestoreContext, 'references' | 'batchId'>,
  restorations: readonly Restoration[],
  kind: Kind,
): Promise<Restoration[]> {
  const naturalKeys = restorations.map(({ ready }) => ready.naturalKey);
  const owners = naturalKeys.length === 0 ? new Map() : await references.findKeyOwners(kind, naturalKeys);
  const restored = new Set(restorations.map(({ ready }) => ready.row));
  const isReleased = ({ batch, row }: { readonly batch: string; readonly row: number }): boolean =>
    batch === batchId && restored.has(row);
  const taken = new Set<string>([...owners].flatMap(([name, owner]) => (isReleased(owner) ? [] : [name])));
  return restorations.map((restoration) => {
    const { naturalKey, idempotencyKey } = restoration.ready;
    const name = naturalKey.toString('hex');
    if (restoration.state !== 'rejected' && restoration.state !== 'waiting' && !taken.has(name)) {
      taken.add(name);
      return restoration;
    }
    const ownedKey = keyOfItsOwn(naturalKey, idempotencyKey);
    return { ...restoration, ready: { ...restoration.ready, ownedKey } };
  });
}

function restoreRow(
  { row, request, firstSentAt, generation: standing }: RowToRestore,
  history: LoggedRow,
  definition: ResourceDefinition,
  { record, missing }: RecordWithIds,
): Restoration {
  if (missing !== undefined) throw parentMissing(row, missing.kind);
  const { firstStagedAt, credential, attempts, httpStatus, key } = history;
  // The very bytes that were written, where this ledger has them.
  const own = request?.key === key ? request : writtenToday(definition, record);
  const isSameRequest = own.fingerprint.toString('hex') === history.requestHash || own === request;
  const [earliest = firstStagedAt] = [firstStagedAt, own === request ? (firstSentAt ?? '') : '']
    .filter((time) => time !== '')
    .sort();
  return {
    ready: {
      row,
      generation: history.generation ?? standing,
      to: 'ready',
      idempotencyKey: key,
      path: own.path,
      body: own.body,
      fingerprint: own.fingerprint,
      naturalKey: naturalKeyOf(definition, record),
      handle: definition.handle(record) ?? null,
      ...paid(definition, record),
    },
    firstSentAt: earliest,
    credential,
    attempts,
    httpStatus,
    ...standingOf(history, isSameRequest),
    answer: isSameRequest && history.end.state === 'created' ? (history.end.answer ?? null) : null,
  };
}

function writtenToday(
  definition: ResourceDefinition,
  record: RecordWithIds['record'],
): { readonly path: string; readonly body: Buffer; readonly fingerprint: Buffer } {
  const body = writeBody(definition, record);
  return { path: definition.path, body, fingerprint: fingerprintOf(definition.path, body) };
}

/** A key is used again only with the very request that it was used with. */
function standingOf(
  { end, requestHash }: LoggedRow,
  isSameRequest: boolean,
): Pick<Restoration, 'state' | 'objectId' | 'reason'> {
  if (end.state === 'created') {
    const reason = end.code === undefined ? null : recovered(end.code);
    return { state: 'created', objectId: end.objectId, reason };
  }
  if (end.state === 'rejected' || end.state === 'waiting') {
    return { state: end.state, objectId: null, reason: recovered(end.code) };
  }
  if (end.state === 'unclear') return { state: 'held', objectId: null, reason: severalKeys };
  if (!isSameRequest) {
    return { state: 'held', objectId: null, reason: requestHash === null ? keyLineMissing : otherRequest };
  }
  if (end.state === 'held') return { state: 'held', objectId: null, reason: recovered(end.code) };
  return { state: 'unknown', objectId: null, reason: mayHaveBeenSent };
}

function recovered(code: string | null): Reason {
  const message =
    code === answerDiffers
      ? 'As the run log has it: created, but the answer contradicts what was sent.'
      : 'As the run log has it.';
  return { code: code ?? 'recovered', field: null, message };
}

const otherRequest: Restoration['reason'] = {
  code: 'request_differs',
  field: null,
  message: 'It may exist, and the file now gives another request than the one that the run log knows.',
};

const keyLineMissing: Restoration['reason'] = {
  code: 'key_line_missing',
  field: null,
  message: 'The run log has an answer to it, and not the line that tells its request: it may exist.',
};

const mayHaveBeenSent: Restoration['reason'] = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key and no conclusive answer: it may exist.',
};

function parentMissing(row: number, kind: string): PaybatchError {
  return new PaybatchError(
    'parent_not_recovered',
    `Row ${row} refers to ${kind} that this ledger does not have.`,
    `recover their batch first, from its run log and the file of the ${kind}`,
  );
}

/** What becomes of a row that both the ledger and its run logs know something of. */
type Merge =
  /** The ledger knows as much as the log, or more. */
  | 'keep'
  /** The row gets the key and the end of the log. */
  | 'restore'
  /** Two keys may have been used: for a person. */
  | 'hold';

/**
 * Compares what a ledger that was restored from a backup knows of a row with what the log knows. Both tell of one
 * history, of which the ledger may have lost the end: a key that the log does not name was drawn by a ledger that went
 * its own way.
 * @param logged every key that the log names for the row
 */
export function mergeRow(
  row: Pick<RowToRestore, 'state' | 'generation' | 'firstSentAt' | 'earlierKeys'> & {
    readonly request: { readonly key: string } | null;
  },
  history: LoggedRow,
  logged: ReadonlySet<string>,
): Merge {
  const { request, earlierKeys, generation } = row;
  if (earlierKeys.includes(history.key)) return 'keep';
  if (request?.key === history.key) return isNews(row, history) ? 'restore' : 'keep';
  const isOlder = history.generation !== null && history.generation < generation;
  if (isOlder) return 'keep';
  // The row's own key, if it has one, was never used.
  if (request === null || row.firstSentAt === null || row.state === 'rejected') return 'restore';
  const isNewer = history.generation !== null && history.generation > generation;
  if (logged.has(request.key)) {
    if (isNewer) return 'restore';
    if (!isUsed(history)) return 'keep';
  }
  return row.state === 'held' ? 'keep' : 'hold';
}

/** Whether the log knows more of a row's own key than the ledger. */
function isNews({ state }: Pick<RowToRestore, 'state'>, { end }: LoggedRow): boolean {
  switch (state) {
    case 'staged':
    case 'waiting':
    case 'ready':
      return true;
    case 'unknown':
      return end.state !== 'unknown' && end.state !== 'unclear';
    case 'rejected':
    case 'held':
      return end.state === 'created';
  }
}

function isUsed({ isTried, end }: LoggedRow): boolean {
  return isTried || (end.state !== 'unknown' && end.state !== 'unclear');
}

/** Whether a row that needs no request of its own, as the log has it, is to be put to rest here as well. */
function mayRest({ state, firstSentAt }: RowToRestore, place: RestingPlace): boolean {
  return place.state === 'existing' || (firstSentAt === null && state !== 'held');
}

const severalKeys: Reason = {
  code: 'several_keys',
  field: null,
  message: 'There are several keys for it and no answer that says which of them was used: it may exist.',
};
