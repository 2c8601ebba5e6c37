import type { Kind } from '../../domain/batches/kind.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { Restoration, RowToPrepare } from '../../domain/rows/ledger-row.ts';
import { answerDiffers } from '../../domain/sending/conclusion.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import type { LedgerPort, ReferencePort } from '../ports.ts';
import { fillInIds, type RecordWithIds } from '../requests/references.ts';
import { fingerprintOf, keyOfItsOwn, naturalKeyOf, writeBody } from '../requests/request.ts';
import type { BatchHistory, RowHistories, RowHistory } from './run-history.ts';

const rowsPerGroup = 1_000;

export interface RestoreContext {
  readonly ledger: Pick<LedgerPort, 'listRowsToPrepare'> & {
    readonly restoreRows: (
      batchId: string,
      runId: string,
      restorations: readonly Restoration[],
    ) => Promise<void>;
  };
  readonly references: ReferencePort;
  readonly batchId: string;
  readonly runId: string;
  readonly history: BatchHistory;
  readonly definitionNamed: (resource: string) => ResourceDefinition;
}

/**
 * Gives the staged rows of a rebuilt batch the keys and ends of its history. Rows without a history were
 * never sent, and stay staged.
 * @returns how many rows were given back what is known of them
 * @throws Failure (exit 3) when a row refers to an object that this ledger does not have yet
 */
export async function restoreBatch(context: RestoreContext): Promise<number> {
  let afterRow = 0;
  let restored = 0;
  for (;;) {
    const rows = await context.ledger.listRowsToPrepare(context.batchId, afterRow, rowsPerGroup);
    const last = rows.at(-1);
    if (last === undefined) return restored;
    const histories = await context.history.between(rows[0]?.row ?? last.row, last.row);
    const known = rows.filter(({ row }) => histories.rows.has(row));
    const restorations = await restoreGroup(context, known, histories);
    if (restorations.length > 0) {
      await context.ledger.restoreRows(context.batchId, context.runId, restorations);
    }
    restored += restorations.length;
    afterRow = last.row;
  }
}

async function restoreGroup(
  context: RestoreContext,
  rows: readonly RowToPrepare[],
  histories: RowHistories,
): Promise<Restoration[]> {
  const named = rows.map((row) => ({
    definition: context.definitionNamed(row.resource),
    record: row.record,
  }));
  const resolved = await fillInIds(named, context.references);
  const restorations = rows.flatMap((row, index) => {
    const history = histories.rows.get(row.row);
    const definition = named[index]?.definition;
    const record = resolved[index];
    if (history === undefined || definition === undefined || record === undefined) return [];
    return [restoreRow(row.row, history, definition, record)];
  });
  const [kind] = named.map(({ definition }) => definition.kind);
  return kind === undefined ? [] : withFreeKeys(restorations, kind, context.references);
}

/**
 * A natural key that another row owns is not taken from it: this row was refused and had let go of it, or a
 * person had it sent all the same.
 */
async function withFreeKeys(
  restorations: readonly Restoration[],
  kind: Kind,
  references: ReferencePort,
): Promise<Restoration[]> {
  const naturalKeys = restorations.map(({ ready }) => ready.naturalKey);
  const owners = naturalKeys.length === 0 ? new Map() : await references.findKeyOwners(kind, naturalKeys);
  const taken = new Set<string>(owners.keys());
  return restorations.map((restoration) => {
    const { naturalKey, idempotencyKey } = restoration.ready;
    const name = naturalKey.toString('hex');
    if (restoration.state !== 'rejected' && !taken.has(name)) {
      taken.add(name);
      return restoration;
    }
    const ownedKey = keyOfItsOwn(naturalKey, idempotencyKey);
    return { ...restoration, ready: { ...restoration.ready, ownedKey } };
  });
}

function restoreRow(
  row: number,
  history: RowHistory,
  definition: ResourceDefinition,
  { record, missing }: RecordWithIds,
): Restoration {
  if (missing !== undefined) throw parentMissing(row, missing.kind);
  const body = writeBody(definition, record);
  const fingerprint = fingerprintOf(definition.path, body);
  const isSameRequest = fingerprint.toString('hex') === history.requestHash;
  const { firstStagedAt, credential, attempts, httpStatus, generation, key } = history;
  return {
    ready: {
      row,
      generation,
      to: 'ready',
      idempotencyKey: key,
      path: definition.path,
      body,
      fingerprint,
      naturalKey: naturalKeyOf(definition, record),
      handle: definition.handle(record) ?? null,
    },
    firstSentAt: firstStagedAt,
    credential,
    attempts,
    httpStatus,
    ...standingOf(history, isSameRequest),
    answer: isSameRequest && history.end.state === 'created' ? (history.end.answer ?? null) : null,
  };
}

/** A key is used again only with the very request that it was used with. */
function standingOf(
  { end }: RowHistory,
  isSameRequest: boolean,
): Pick<Restoration, 'state' | 'objectId' | 'reason'> {
  if (end.state === 'created') {
    const reason = end.code === undefined ? null : recovered(end.code);
    return { state: 'created', objectId: end.objectId, reason };
  }
  if (end.state === 'rejected') return { state: 'rejected', objectId: null, reason: recovered(end.code) };
  if (end.state === 'unclear') return { state: 'held', objectId: null, reason: severalKeys };
  if (!isSameRequest) return { state: 'held', objectId: null, reason: otherRequest };
  if (end.state === 'held') return { state: 'held', objectId: null, reason: recovered(end.code) };
  return { state: 'unknown', objectId: null, reason: mayHaveBeenSent };
}

function recovered(code: string | null): Restoration['reason'] {
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

const severalKeys: Restoration['reason'] = {
  code: 'several_keys',
  field: null,
  message: 'The run log has several keys for it and no answer under any: it may exist.',
};

const mayHaveBeenSent: Restoration['reason'] = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key and no conclusive answer: it may exist.',
};

function parentMissing(row: number, kind: string): Failure {
  return new Failure(
    exitCodes.fileRefused,
    'parent_not_recovered',
    `Row ${row} refers to ${kind} that this ledger does not have.`,
    `recover their batch first: paybatch recover --log RUNLOG ${kind.toUpperCase()}FILE`,
  );
}
