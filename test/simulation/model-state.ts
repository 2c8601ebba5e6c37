import type { RefusedAlike } from '../../src/domain/sending/stops.ts';
import type { ModelRequest, ModelRow } from './model-row.ts';

export interface ModelRun {
  readonly id: string;
  readonly number: number;
  readonly batchId: string;
  readonly owner: string;
  readonly startedAt: number;
  leaseUntil: number;
  endedAt: number | null;
}

/** What the ledger's tables hold. */
export interface ModelState {
  /** A row is never changed: another line takes its place. */
  readonly rows: Map<string, ModelRow>;
  readonly requests: Map<string, ModelRequest>;
  readonly runs: Map<string, ModelRun>;
  /** How often each batch was changed. */
  readonly revisions: Map<string, number>;
  /** The number of the last chunk of each batch. */
  readonly chunks: Map<string, number>;
  /** The run that used each lease token. */
  readonly claims: Map<string, string>;
  /** The row that has each object, by environment, kind and id. */
  readonly objects: Map<string, string>;
  /** Why no fresh row of a batch is claimed, or that a person lets it go on all the same. */
  readonly refused: Map<string, RefusedAlike | 'goes_on'>;
  /** The batches that a person has closed, and when. */
  readonly closed: Map<string, number>;
  /** Who recorded each attempt, and of which generation it is. */
  readonly attempts: Map<string, string>;
}

export function emptyState(): ModelState {
  return {
    rows: new Map(),
    requests: new Map(),
    runs: new Map(),
    revisions: new Map(),
    chunks: new Map(),
    claims: new Map(),
    objects: new Map(),
    refused: new Map(),
    closed: new Map(),
    attempts: new Map(),
  };
}

/** The same once more: what is done to one of the two is not seen in the other. */
export function copyOf(state: ModelState): ModelState {
  return {
    rows: new Map(state.rows),
    requests: new Map(state.requests),
    runs: new Map([...state.runs].map(([id, run]) => [id, { ...run }])),
    revisions: new Map(state.revisions),
    chunks: new Map(state.chunks),
    claims: new Map(state.claims),
    objects: new Map(state.objects),
    refused: new Map(state.refused),
    closed: new Map(state.closed),
    attempts: new Map(state.attempts),
  };
}

/** Carries over to `state` what a transaction has changed in `draft`, which was a copy of it `before`. */
export function publish(state: ModelState, before: ModelState, draft: ModelState): void {
  publishTable(state.rows, before.rows, draft.rows);
  publishTable(state.requests, before.requests, draft.requests);
  publishTable(state.revisions, before.revisions, draft.revisions);
  publishTable(state.chunks, before.chunks, draft.chunks);
  publishTable(state.claims, before.claims, draft.claims);
  publishTable(state.objects, before.objects, draft.objects);
  publishTable(state.closed, before.closed, draft.closed);
  publishTable(state.refused, before.refused, draft.refused);
  publishTable(state.attempts, before.attempts, draft.attempts);
  for (const [id, run] of draft.runs) publishRun(state.runs, before.runs.get(id), run);
}

function publishTable<Line>(
  table: Map<string, Line>,
  before: ReadonlyMap<string, Line>,
  draft: ReadonlyMap<string, Line>,
): void {
  for (const [name, line] of draft) if (before.get(name) !== line) table.set(name, line);
  for (const name of before.keys()) if (!draft.has(name)) table.delete(name);
}

/** A sign of life may have come meanwhile. */
function publishRun(runs: Map<string, ModelRun>, before: ModelRun | undefined, run: ModelRun): void {
  const standing = runs.get(run.id);
  if (standing === undefined || before === undefined) {
    runs.set(run.id, run);
    return;
  }
  if (run.leaseUntil !== before.leaseUntil) standing.leaseUntil = run.leaseUntil;
  if (run.endedAt !== before.endedAt) standing.endedAt = run.endedAt;
}

/** The runs that are in `draft` otherwise than `before`. */
export function changedRuns(before: ModelState, draft: ModelState): string[] {
  return [...draft.runs.values()].flatMap(({ id, leaseUntil, endedAt }) => {
    const old = before.runs.get(id);
    return old?.leaseUntil === leaseUntil && old.endedAt === endedAt ? [] : [id];
  });
}

/** Natural keys and objects that rows have in `draft` and had not `before`. */
export function takenNames(before: ModelState, draft: ModelState): string[] {
  const keys = [...draft.rows].flatMap(([name, { environmentId, kind, ownedKey }]) =>
    ownedKey === null || ownedKey === before.rows.get(name)?.ownedKey
      ? []
      : [`key ${environmentId} ${kind} ${ownedKey}`],
  );
  return [...keys, ...[...draft.objects.keys()].filter((name) => !before.objects.has(name))];
}
