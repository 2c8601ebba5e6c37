/*
 * Prepares rows: resolves their references, generates their idempotency keys and builds the exact bytes of their requests.
 */

import type { RunLogPort } from '../disk/log/run-log.ts';
import { mapInTurns } from '../domain/machine/map-in-turns.ts';
import type { PayeeChange } from '../domain/rows/finding.ts';
import type {
  KeyOwner,
  NormalisedRecord,
  Preparation,
  Reason,
  Rival,
  RowToPrepare,
} from '../domain/rows/ledger-row.ts';
import type { ResourceDefinition } from '../kinds/definition.ts';
import { judgeOwnedKey, judgeRival } from '../kinds/owned-key.ts';
import { definitionNamed, kindNamed } from '../kinds/registry.ts';
import {
  fillInIds,
  fingerprintOf,
  keyOfItsOwn,
  naturalKeyOf,
  type RecordWithIds,
  type ReferencePort,
  writeBody,
} from '../kinds/request.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { paid } from '../watch/payee.ts';
import type { PayeeRecheck } from '../watch/payee-recheck.ts';

/** The first group is small, so that the first request can be sent soon. */
const rowsPerGroup = { first: 128, later: 1_000 };

/** Maximum of decisions on a group. A decision is repeated if another batch has taken one of its natural keys meanwhile. */
const maxDecisions = 5;

export interface PrepareContext {
  readonly ledger: Pick<LedgerVerbs, 'listRowsToPrepare' | 'writePreparations'>;
  readonly references: ReferencePort;
  readonly runLog: RunLogPort;
  readonly batchId: string;
  readonly runId: string;
  /** Makes a new random UUID, version 4 (RFC 9562). */
  readonly newKey: () => string;
  readonly stopSignal: AbortSignal;
  /** How long a row waits after a temporary refusal. */
  readonly waitingDelayInMs: number;
  /** Compares payees again; undefined where no row has a payee. */
  readonly payees: Pick<PayeeRecheck, 'examine'> | undefined;
  /** The approval whose rows are prepared; all rows when undefined. */
  readonly approvalId: string | undefined;
  /**
   * Called after each group is in the ledger, with the number of its rows that can be claimed. The next group is prepared
   * after the call has returned.
   */
  readonly onPrepared: (ready: number) => Promise<void>;
}

/**
 * Writes the requests of all staged and waiting rows whose references exist: exact bytes and a new idempotency key. They
 * are first written to the run log on disk, then committed to the ledger. A key that is only in the log was never used, and
 * a key in the ledger is always in the log.
 */
export async function prepareRows(context: PrepareContext): Promise<void> {
  let afterRow = 0;
  while (!context.stopSignal.aborted) {
    const rows = await context.ledger.listRowsToPrepare(
      context.batchId,
      afterRow,
      afterRow === 0 ? rowsPerGroup.first : rowsPerGroup.later,
      context.waitingDelayInMs,
      context.approvalId,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    const ready = await prepareGroup(context, rows);
    await context.onPrepared(ready);
    afterRow = last.row;
  }
}

/**
 * Prepares one group.
 * @returns how many rows are ready now
 */
async function prepareGroup(context: PrepareContext, rows: readonly RowToPrepare[]): Promise<number> {
  for (let decision = 0; decision < maxDecisions; decision += 1) {
    const preparations = await decideGroup(context, rows);
    const ready = preparations.filter(isReady);
    context.runLog.append(ready.map(stagedEvent));
    await context.runLog.flush();
    if (await context.ledger.writePreparations(context.batchId, context.runId, preparations)) {
      return ready.length;
    }
  }
  throw new Error('natural keys of a group were taken by other batches again and again');
}

type ReadyPreparation = Extract<Preparation, { to: 'ready' }>;

function isReady(preparation: Preparation): preparation is ReadyPreparation {
  return preparation.to === 'ready';
}

function stagedEvent(ready: ReadyPreparation): Parameters<RunLogPort['append']>[0][number] {
  return {
    event: 'row.staged',
    row: ready.row,
    key: ready.idempotencyKey,
    attempt: 0,
    generation: ready.generation,
    request_hash: ready.fingerprint.toString('hex'),
  };
}

/** A staged or waiting row with its references. */
export interface Candidate<Row extends RowToPrepare = RowToPrepare> {
  readonly row: Row;
  readonly definition: ResourceDefinition;
  /** The record as validation left it. */
  readonly record: NormalisedRecord;
  /** The record with the ids of the objects that it refers to, as they are now. */
  readonly resolved: RecordWithIds;
}

/** A row whose references exist, with the key that identifies its object among other rows. */
interface KeyedCandidate extends Candidate {
  readonly naturalKey: Buffer;
}

/** The decision on a row, before its request is written. */
export type RowDecision =
  | Exclude<Preparation, ReadyPreparation>
  | {
      readonly row: number;
      readonly to: 'ready';
      readonly candidate: KeyedCandidate;
      /** Whether another row owns its natural key, so that this row needs a key of its own. */
      readonly isKeyTaken: boolean;
      /** The findings about its payee, as in `Preparation`. */
      readonly changes?: readonly PayeeChange[];
    };

/**
 * What a decision needs. `isPlanned` is set where nothing is sent yet: rows that this one supersedes may still be ready
 * then.
 */
type DecisionContext = Pick<PrepareContext, 'batchId' | 'references'> & { readonly isPlanned?: boolean };

/**
 * The decisions on a group of staged and waiting rows, with the requests of those that are ready; in no particular order.
 */
async function decideGroup(
  context: Pick<PrepareContext, 'batchId' | 'references' | 'newKey' | 'payees'>,
  rows: readonly RowToPrepare[],
): Promise<Preparation[]> {
  const decisions = await withPayees(context, await decideRows(context, await candidatesOf(context, rows)));
  return mapInTurns(decisions, (each) => (each.to === 'ready' ? requestFor(each, context.newKey()) : each));
}

/** Rows with their references. */
export async function candidatesOf<Row extends RowToPrepare>(
  { references }: Pick<PrepareContext, 'references'>,
  rows: readonly Row[],
): Promise<Candidate<Row>[]> {
  const named = rows.map((row) => ({ row, definition: definitionNamed(row.resource), record: row.record }));
  const resolved = await fillInIds(named, references);
  return named.map(({ row, definition, record }, index) => {
    const own = resolved[index];
    if (own === undefined) throw new Error('a row was lost while it was resolved');
    return { row, definition, record, resolved: own };
  });
}

/** The same decisions, with findings about payees that became known after the rows were staged. */
async function withPayees(
  { payees }: Pick<PrepareContext, 'payees'>,
  decisions: readonly RowDecision[],
): Promise<readonly RowDecision[]> {
  const ready = decisions.filter((decision) => decision.to === 'ready');
  if (payees === undefined || ready.length === 0) return decisions;
  const found = await payees.examine(
    ready.map(({ candidate: { row, resolved } }) => ({ ...row, record: resolved.record })),
  );
  if (found.size === 0) return decisions;
  return decisions.map((decision): RowDecision => {
    const own = decision.to === 'ready' ? found.get(decision.row) : undefined;
    if (decision.to !== 'ready' || own === undefined) return decision;
    if (own.to === 'ready') return { ...decision, changes: own.changes };
    return { row: decision.row, generation: decision.candidate.row.generation, ...own };
  });
}

/**
 * The decisions that would be made on rows now, in no particular order. No request is written for a row that is ready,
 * since a plan needs only the other decisions.
 */
export async function decideRows(
  context: DecisionContext,
  candidates: readonly Candidate[],
): Promise<RowDecision[]> {
  const waiting = candidates.filter(({ resolved: { missing } }) => missing !== undefined).map(waitFor);
  const complete = candidates.filter(({ resolved: { missing } }) => missing === undefined);
  return [...waiting, ...(await decideComplete(context, complete))];
}

function waitFor({ row, resolved }: Candidate): RowDecision {
  const { missing } = resolved;
  if (missing === undefined) throw new Error('a row without a missing reference has nothing to wait for');
  const what = kindNamed(missing.kind).singular;
  const reason: Reason = {
    code: `${what}_not_there`,
    field: missing.field,
    message: `The ${what} that this row names is not created yet.`,
  };
  return { row: row.row, generation: row.generation, to: 'waiting', reason };
}

async function decideComplete(
  context: DecisionContext,
  complete: readonly Candidate[],
): Promise<RowDecision[]> {
  const keyed = await mapInTurns(complete, (candidate): KeyedCandidate => {
    const { definition, resolved } = candidate;
    return { ...candidate, naturalKey: naturalKeyOf(definition, resolved.record) };
  });
  const [first] = keyed;
  if (first === undefined) return [];
  const owners = await context.references.findKeyOwners(
    first.definition.kind,
    keyed.map(({ naturalKey }) => naturalKey),
  );
  const rivals = await rivalsAmong(context, complete);
  const takenHere = new Set<string>();
  return keyed.map((candidate): RowDecision => {
    const { row, generation, isSentRegardless } = candidate.row;
    const key = candidate.naturalKey.toString('hex');
    const owner = owners.get(key);
    const decision = owner === undefined ? null : decisionBeside(owner, candidate);
    const rival = rivals.get(row);
    if (rival !== undefined && decision?.to !== 'existing') return { row, generation, ...judgeRival(rival) };
    if (isSentRegardless && (owner !== undefined || takenHere.has(key)))
      return { row, to: 'ready', candidate, isKeyTaken: true };
    if (decision !== null) return { row, generation, ...decision };
    // Two rows that name one customer in different ways are recognised as the same object only now. The second row waits.
    if (takenHere.has(key)) return { row, generation, to: 'waiting', reason: sameObjectEarlier };
    takenHere.add(key);
    return { row, to: 'ready', candidate, isKeyTaken: false };
  });
}

function decisionBeside(
  owner: KeyOwner,
  { definition, resolved: { record } }: Candidate,
): ReturnType<typeof judgeOwnedKey> {
  const body = writeBody(definition, record);
  return judgeOwnedKey(owner, fingerprintOf(definition.path, body), body, definition.nameFields);
}

/** The request of a ready row, in exact bytes. */
function requestFor(
  { candidate, isKeyTaken, changes }: Extract<RowDecision, { to: 'ready' }>,
  idempotencyKey: string,
): ReadyPreparation {
  const { row, definition, naturalKey, resolved } = candidate;
  const { record } = resolved;
  const body = writeBody(definition, record);
  return {
    row: row.row,
    generation: row.generation,
    to: 'ready',
    idempotencyKey,
    path: definition.path,
    body,
    fingerprint: fingerprintOf(definition.path, body),
    naturalKey,
    handle: definition.handle(record) ?? null,
    ...paid(definition, record),
    ...(isKeyTaken ? { ownedKey: keyOfItsOwn(naturalKey, idempotencyKey) } : {}),
    ...(changes === undefined ? {} : { changes }),
  };
}

/** The live rows of the families of these rows; most rows have no family. */
async function rivalsAmong(
  { batchId, references, isPlanned = false }: DecisionContext,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<number, Rival>> {
  const rows = candidates.flatMap(({ row }) => (row.hasFamily === true ? [row.row] : []));
  if (rows.length === 0) return new Map();
  const rivals = await references.findRivals(batchId, rows);
  return new Map([...rivals].filter(([, { state }]) => !(isPlanned && state === 'ready')));
}

const sameObjectEarlier: Reason = {
  code: 'sent_elsewhere',
  field: null,
  message: 'An earlier row of the file that it came in is about to create the same object.',
};
