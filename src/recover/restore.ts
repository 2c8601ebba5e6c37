/* Rebuilds a batch in the ledger from its run logs, row by row. */

import type { Kind } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { Reason, RestedRow, Restoration, RowOfBatch, RowToRestore } from '../domain/rows/ledger-row.ts';
import type { ResourceDefinition } from '../kinds/definition.ts';
import { definitionNamed } from '../kinds/registry.ts';
import {
  fillInIds,
  fingerprintOf,
  keyOfItsOwn,
  naturalKeyOf,
  type RecordWithIds,
  type ReferencePort,
  writeBody,
} from '../kinds/request.ts';
import type * as restoring from '../ledger/after-sending/restore.ts';
import type { VerbsWith } from '../ledger/verbs.ts';
import { paid } from '../watch/payee.ts';
import {
  doubtful,
  heldFor,
  isDoubtful,
  isShownAsCreated,
  type LoggedRow,
  mayRest,
  mergeRow,
  notWritable,
  restedAt,
  severalKeys,
  shownAsCreated,
  standingOf,
} from './logged-rows.ts';
import type { BatchHistory, RowHistories } from './run-history.ts';

const rowsPerGroup = 1_000;

interface RestoreContext {
  readonly ledger: Pick<
    VerbsWith<typeof restoring>,
    'findLastRow' | 'listRowsToRestore' | 'restoreRows' | 'keepLoggedClaims' | 'keepLoggedKeys'
  >;
  readonly references: ReferencePort;
  readonly batchId: string;
  readonly runId: string;
  readonly history: BatchHistory;
  /** Whether the ledger itself has the data that is missing in the logs. */
  readonly isLedgerWhole: boolean;
}

/**
 * Restores the keys and results of rows from the history of a batch, as far as the ledger does not know them. These are all
 * sent rows if the batch was staged again, or the later ones if the ledger was restored from a backup. Rows without a
 * history were never sent and are not changed. If missing lines of a damaged log may be about a row, the row is held. At
 * the end, the ledger stores the claims in the logs, and then knows everything that is in the logs.
 * @returns how many rows were restored, and how many are held because a log is incomplete
 * @throws PaybatchError (`file_refused`) when a row refers to an object that this ledger does not have yet
 */
export async function restoreBatch(context: RestoreContext): Promise<RestoredRows> {
  const { ledger, batchId, runId, history } = context;
  let [restored, held, shown] = [0, 0, 0];
  const end = Math.max(history.lastRow, await ledger.findLastRow(batchId));
  for (let firstRow = 1; firstRow <= end; firstRow += rowsPerGroup) {
    const lastRow = firstRow + rowsPerGroup - 1;
    const histories = await history.between(firstRow, lastRow);
    const rows = await ledger.listRowsToRestore(batchId, firstRow, lastRow);
    const { restorations, rested, freed } = await restoreGroup(context, rows, histories);
    if (restorations.length + rested.length + freed.length > 0) {
      await ledger.restoreRows(batchId, runId, restorations, rested, freed);
    }
    await ledger.keepLoggedKeys(
      batchId,
      [...histories.keys.values()].flatMap((keys) => [...keys]),
    );
    const codes = [...restorations, ...rested].map(({ reason }) => reason?.code ?? null);
    const [heldHere, shownHere] = [codes.filter(isDoubtful).length, codes.filter(isShownAsCreated).length];
    held += heldHere;
    shown += shownHere;
    restored += codes.length - heldHere - shownHere + freed.length;
  }
  for (let at = 0; at < history.claims.length; at += rowsPerGroup) {
    await ledger.keepLoggedClaims(batchId, history.claims.slice(at, at + rowsPerGroup));
  }
  return { restored, held, shown };
}

/** Numbers of rows that a recovery has changed. */
export interface RestoredRows {
  /** Rows that got data from the logs. */
  readonly restored: number;
  /** Rows for which the logs do not show whether they were sent, or under which key. */
  readonly held: number;
  /** Rows that are created according to a result file, but not according to the logs. */
  readonly shown: number;
}

interface RestoredGroup {
  readonly restorations: readonly Restoration[];
  readonly rested: readonly RestedRow[];
  /** Rows that were held because a log lacked lines, and for which the logs are complete now. */
  readonly freed: readonly number[];
}

async function restoreGroup(
  context: RestoreContext,
  rows: readonly RowToRestore[],
  histories: RowHistories,
): Promise<RestoredGroup> {
  const rested: RestedRow[] = [];
  const freed: number[] = [];
  const known: { row: RowToRestore; history: LoggedRow; hold: Holding | null }[] = [];
  const held: { row: RowToRestore; hold: Holding }[] = [];
  for (const row of rows) {
    const history = histories.rows.get(row.row);
    const place = histories.resting.get(row.row);
    const hold = context.isLedgerWhole ? null : holdingOf(row, histories);
    if (hold !== null && row.state === 'held' && row.code === hold.reason.code) continue;
    const merge =
      history === undefined ? 'keep' : mergeRow(row, history, histories.keys.get(row.row) ?? new Set());
    if (history !== undefined && merge === 'restore') {
      if (row.resource === null) rested.push(heldFor(row.row, notWritable));
      else known.push({ row, history, hold });
    } else if (hold !== null) {
      if (row.state !== 'held' || isDoubtful(row.code)) held.push({ row, hold });
    } else if (merge === 'hold') rested.push(heldFor(row.row, severalKeys));
    else if (place !== undefined && mayRest(row, place)) rested.push(restedAt(row.row, place));
    else if (isDoubtful(row.code)) freed.push(row.row);
  }
  const [restorations, holdings] = await withKeys(context, known, held);
  return { restorations, rested: [...rested, ...holdings], freed };
}

/** Why a row is held regardless of its entries in the log, and the object that a result file names for it. */
interface Holding {
  readonly reason: Reason;
  readonly objectId: string | null;
}

function holdingOf(row: RowToRestore, histories: RowHistories): Holding | null {
  const doubt = histories.doubtAbout(row.row);
  const shown = histories.shown.get(row.row);
  if (shown !== undefined && !isDecided(row.row, histories)) {
    if (doubt !== null || !isInDoubtUnder(shown.key, row, histories))
      return { reason: shownAsCreated(shown.objectId), objectId: shown.objectId };
  }
  return doubt === null ? null : { reason: doubtful(doubt), objectId: null };
}

/** Whether a log has the object of a row, or shows that the row is not sent any more. */
function isDecided(row: number, { rows, resting }: RowHistories): boolean {
  const place = resting.get(row);
  return rows.get(row)?.end.state === 'created' || (place !== undefined && place.state !== 'held');
}

/**
 * Whether a row would be sent again under the key that the result file names for its object, so that no second object can
 * be created.
 */
function isInDoubtUnder(
  key: string | null,
  { row, request, firstSentAt }: RowToRestore,
  { rows }: RowHistories,
): boolean {
  const known = rows.get(row);
  if (known?.end.state === 'unknown' && known.requestHash !== null) return key === null || key === known.key;
  return key !== null && request?.key === key && firstSentAt !== null;
}

/**
 * Adds requests to rows, and natural keys to held rows, so that an object that these may have created is not created again.
 */
async function withKeys(
  context: RestoreContext,
  known: readonly { row: RowToRestore; history: LoggedRow; hold: Holding | null }[],
  held: readonly { row: RowToRestore; hold: Holding }[],
): Promise<[Restoration[], RestedRow[]]> {
  const named = [...known, ...held].flatMap(({ row }) =>
    row.resource === null
      ? []
      : [{ row: row.row, record: row.record, definition: definitionNamed(row.resource) }],
  );
  const resolved = await fillInIds(named, context.references);
  const written = new Map(
    named.map(({ row, definition }, at) => [row, { definition, record: resolved[at] }] as const),
  );
  const restorations = known.flatMap(({ row, history, hold }) => {
    const { definition, record } = written.get(row.row) ?? {};
    if (definition === undefined || record === undefined) return [];
    return [asHeld(restoreRow(row, history, definition, record), hold)];
  });
  const rested = held.map(({ row: { row }, hold: { reason, objectId } }): RestedRow => {
    const { definition, record } = written.get(row) ?? {};
    const isWhole = definition !== undefined && record !== undefined && record.missing === undefined;
    const naturalKey = isWhole ? naturalKeyOf(definition, record.record) : null;
    return { row, state: 'held', objectId, reason, ...(naturalKey === null ? {} : { naturalKey }) };
  });
  const [kind] = named.map(({ definition }) => definition.kind);
  return kind === undefined ? [restorations, rested] : withFreeKeys(context, restorations, rested, kind);
}

function asHeld(restoration: Restoration, hold: Holding | null): Restoration {
  return hold === null || restoration.state === 'created'
    ? restoration
    : { ...restoration, state: 'held', ...hold, answer: null };
}

/**
 * Removes natural keys that other rows own. Such a row was refused and had released its key, or a person had it sent
 * anyway.
 */
async function withFreeKeys(
  { references, batchId }: Pick<RestoreContext, 'references' | 'batchId'>,
  restorations: readonly Restoration[],
  held: readonly RestedRow[],
  kind: Kind,
): Promise<[Restoration[], RestedRow[]]> {
  const naturalKeys = [
    ...restorations.map(({ ready }) => ready.naturalKey),
    ...held.flatMap(({ naturalKey }) => naturalKey ?? []),
  ];
  const owners = naturalKeys.length === 0 ? new Map() : await references.findKeyOwners(kind, naturalKeys);
  const moved = new Set([...restorations.map(({ ready }) => ready.row), ...held.map(({ row }) => row)]);
  const isReleased = ({ batch, row }: RowOfBatch): boolean => batch === batchId && moved.has(row);
  const taken = new Set<string>([...owners].flatMap(([name, owner]) => (isReleased(owner) ? [] : [name])));
  const take = (naturalKey: Buffer): boolean => {
    const name = naturalKey.toString('hex');
    if (taken.has(name)) return false;
    taken.add(name);
    return true;
  };
  const restored = restorations.map((restoration) => {
    const { naturalKey, idempotencyKey } = restoration.ready;
    const mayOwn = restoration.state !== 'rejected' && restoration.state !== 'waiting';
    if (mayOwn && take(naturalKey)) return restoration;
    const ownedKey = keyOfItsOwn(naturalKey, idempotencyKey);
    return { ...restoration, ready: { ...restoration.ready, ownedKey } };
  });
  const rested = held.map(({ naturalKey, ...row }) =>
    naturalKey !== undefined && take(naturalKey) ? { ...row, naturalKey } : row,
  );
  return [restored, rested];
}

function restoreRow(
  { row, request, firstSentAt, generation: standing }: RowToRestore,
  history: LoggedRow,
  definition: ResourceDefinition,
  { record, missing }: RecordWithIds,
): Restoration {
  if (missing !== undefined) {
    throw new PaybatchError(
      'parent_not_recovered',
      `Row ${row} refers to ${missing.kind} that this ledger does not have.`,
      `recover their batch first, from its run log and the file of the ${missing.kind}`,
    );
  }
  const { firstStagedAt, credential, attempts, httpStatus, key } = history;
  // Uses the bytes that were written originally, if this ledger has them.
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
