/* What a run of a batch would send, and the hash of exactly this content. */

import { createHash } from 'node:crypto';
import type { PlanTotals, RowToPlan } from '../domain/batches/account.ts';
import type { Environment, Kind } from '../domain/batches/batch.ts';
import type { LeafChunk, LeafCollector } from '../domain/controls/leaves.ts';
import { rowRanges } from '../domain/controls/statement.ts';
import { readAhead } from '../domain/machine/map-in-turns.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { ReferencePort } from '../kinds/request.ts';
import { byNameWhereItWasNotThere, contentOfPlan } from '../kinds/row-content.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { type Candidate, candidatesOf, decideRows, type RowDecision } from './prepare.ts';

export interface PlanContext {
  readonly ledger: Pick<
    LedgerVerbs,
    'readRowsToPlan' | 'releaseWaiting' | 'findComing' | 'sumPlan' | 'writePreparations'
  >;
  readonly references: ReferencePort;
  readonly environment: Environment;
  readonly batchId: string;
  readonly runId: string;
  /** The batches of this call. Objects that they are about to create count as existing. */
  readonly importBatches: readonly string[];
  readonly onRows: (count: number) => void;
  /** Whether no row may be changed. Decisions that only a run can make about single rows are then left to that run. */
  readonly isLook?: boolean;
  /** Receives the leaves of the plan, for a person who signs it. No leaves are made when absent. */
  readonly leaves?: LeafSink;
}

/** Where the leaves of a plan go. */
export interface LeafSink {
  readonly collector: LeafCollector;
  /** Stores chunks that are complete. */
  readonly store: (chunks: readonly LeafChunk[]) => Promise<void>;
}

/** What was found out about single rows while a plan was only shown, which changes nothing. */
interface Foreseen {
  readonly left: { row: number; status: 'waiting' | 'held' | 'existing'; code: string }[];
  readonly released: number[];
}

/** What a batch would send, and the hash of exactly this content. */
export interface Plan {
  readonly planHash: string;
  readonly totals: PlanTotals;
  /** The row numbers in the plan, as text; see `rowRanges`. */
  readonly rows: string;
}

/**
 * Finds out what a staged batch would send now. It makes the same decisions as the preparation, but generates no keys. Rows
 * that would have to wait, exist already or need a person are marked as such; the others stay staged. Memory holds two
 * groups of rows, and, if no row may be changed (`isLook`), also the numbers of the rows that would be marked.
 */
export async function planBatch(context: PlanContext): Promise<Plan> {
  const { ledger, batchId } = context;
  const foreseen: Foreseen = { left: [], released: [] };
  const hash = createPlanHash(context.environment);
  const ranges = rowRanges();
  // The decision on a row changes no other row of its batch, so the next group may be read meanwhile.
  for await (const rows of readAhead(ledger.readRowsToPlan(batchId))) {
    const planned = await planGroup(context, rows, foreseen);
    hash.add(planned);
    for (const { row } of planned) ranges.add(row.row);
    if (context.leaves !== undefined) await takeLeaves(context.leaves, planned);
    context.onRows(rows.length);
  }
  const totals = await ledger.sumPlan(batchId, ...(context.isLook === true ? [foreseen] : []));
  return { planHash: hash.digest(), totals, rows: ranges.text() };
}

async function takeLeaves({ collector, store }: LeafSink, planned: readonly RowOfPlan[]): Promise<void> {
  for (const { row, definition, record, resolved } of planned) {
    const named = byNameWhereItWasNotThere(definition, record, resolved.record);
    collector.add(contentOfPlan(row.row, definition, named));
  }
  const complete = collector.takeComplete();
  if (complete.length > 0) await store(complete);
}

type RowOfPlan = Candidate<RowToPlan>;

/** The rows of a group that are part of the plan. */
async function planGroup(
  context: PlanContext,
  rows: readonly RowToPlan[],
  foreseen: Foreseen,
): Promise<readonly RowOfPlan[]> {
  const candidates = await candidatesOf(context, rows);
  const open = candidates.filter(({ row: { state } }) => state === 'staged' || state === 'waiting');
  const left = await decideOpen(context, open, foreseen);
  return candidates.filter(({ row }) => !left.has(row.row));
}

/** Marks rows that would not be sent, and returns their numbers. */
async function decideOpen(
  context: PlanContext,
  candidates: readonly RowOfPlan[],
  foreseen: Foreseen,
): Promise<ReadonlySet<number>> {
  const { ledger, batchId, runId, isLook } = context;
  const coming = await findComingRows(context, candidates);
  const decisions = await decideRows({ ...context, isPlanned: true }, candidates);
  const left = decisions.filter(
    (decision): decision is Exclude<RowDecision, { to: 'ready' }> =>
      decision.to !== 'ready' && !coming.has(decision.row),
  );
  const leftRows = new Set(left.map(({ row }) => row));
  const released = candidates.flatMap(({ row: { row, state } }) =>
    state === 'waiting' && !leftRows.has(row) ? [row] : [],
  );
  if (isLook === true) {
    // Rows that already wait keep waiting.
    const waiting = new Set(
      candidates.flatMap(({ row: { row, state } }) => (state === 'waiting' ? [row] : [])),
    );
    const moved = left.filter(({ row, to }) => to !== 'waiting' || !waiting.has(row));
    foreseen.left.push(...moved.map(({ row, to, reason: { code } }) => ({ row, status: to, code })));
    foreseen.released.push(...released);
    return leftRows;
  }
  if (left.length > 0) await ledger.writePreparations(batchId, runId, left);
  if (released.length > 0) await ledger.releaseWaiting(batchId, released);
  return leftRows;
}

/** Finds rows that lack only an object which the same import is about to create. */
async function findComingRows(
  context: PlanContext,
  candidates: readonly RowOfPlan[],
): Promise<ReadonlySet<number>> {
  const incomplete = candidates
    .filter(({ resolved }) => resolved.missing !== undefined)
    .map((candidate) => ({ row: candidate.row.row, missing: missingHandles(candidate) }));
  const wanted = new Map<Kind, Set<string>>();
  for (const { kind, handles } of incomplete.flatMap(({ missing }) => missing)) {
    const ofKind = wanted.get(kind) ?? new Set<string>();
    for (const handle of handles) ofKind.add(handle);
    wanted.set(kind, ofKind);
  }
  const coming = new Map<Kind, ReadonlySet<string>>();
  for (const [kind, handles] of wanted) {
    const { ledger, batchId, importBatches } = context;
    coming.set(kind, await ledger.findComing(batchId, kind, [...handles], importBatches));
  }
  const isComing = ({ kind, handles }: MissingObject): boolean =>
    handles.some((handle) => coming.get(kind)?.has(handle));
  return new Set(incomplete.filter(({ missing }) => missing.every(isComing)).map(({ row }) => row));
}

interface MissingObject {
  readonly kind: Kind;
  /** An object is identified by its customer's id, or by the customer's name while there is no id yet. */
  readonly handles: readonly string[];
}

function missingHandles({ definition, record, resolved }: RowOfPlan): MissingObject[] {
  return definition.references.flatMap((reference) => {
    const handles = handlesOf([resolved.record, record], reference.handle);
    const isThere =
      resolved.record[reference.fills] !== undefined && resolved.missing?.fills !== reference.fills;
    return handles.length === 0 || isThere ? [] : [{ kind: reference.kind, handles }];
  });
}

function handlesOf(
  records: readonly NormalisedRecord[],
  handle: (record: NormalisedRecord) => string | undefined,
): string[] {
  return [...new Set(records.map(handle).filter((name) => name !== undefined))];
}

/** One row as input of the plan hash. */
type PlannedRow = Pick<Candidate, 'definition' | 'record' | 'resolved'>;

/**
 * SHA-256 over exactly what would be sent, and where: the environment, and each row's resource, natural key and request
 * content. Times, idempotency keys and row numbers are not included, so only a changed request changes the hash. It is
 * computed group by group, so that memory use does not grow with the plan.
 */
export function createPlanHash({ mode, origin }: Environment) {
  const hash = createHash('sha256').update(`${JSON.stringify(['paybatch plan', 1, mode, origin])}\n`);
  return {
    /** Adds rows in the order of their file. */
    add: (rows: readonly PlannedRow[]): void => {
      let lines = '';
      for (const row of rows) lines += `${JSON.stringify(contentOf(row))}\n`;
      hash.update(lines);
    },
    /** Returns the hash in hex. */
    digest: (): string => hash.digest('hex'),
  };
}

function contentOf({ definition, record, resolved }: PlannedRow): readonly unknown[] {
  const { content, names } = byNameWhereItWasNotThere(definition, record, resolved.record);
  return [definition.name, definition.path, definition.naturalKey(content), definition.body(content), names];
}
