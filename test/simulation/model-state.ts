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
    attempts: new Map(),
  };
}

/** The same once more: what is done to one of the two is not seen in the other. */
export function copyOf(state: ModelState): ModelState {
  return {
    rows: copyOfLines(state.rows),
    requests: new Map(state.requests),
    runs: copyOfLines(state.runs),
    revisions: new Map(state.revisions),
    chunks: new Map(state.chunks),
    claims: new Map(state.claims),
    objects: new Map(state.objects),
    attempts: new Map(state.attempts),
  };
}

function copyOfLines<Line extends object>(lines: ReadonlyMap<string, Line>): Map<string, Line> {
  return new Map([...lines].map(([name, line]) => [name, { ...line }]));
}

/** Carries over to `state` what a transaction has changed in `draft`, which was a copy of it `before`. */
export function publish(state: ModelState, before: ModelState, draft: ModelState): void {
  publishLines(state.rows, before.rows, draft.rows);
  publishLines(state.runs, before.runs, draft.runs);
  publishValues(state.requests, before.requests, draft.requests);
  publishValues(state.revisions, before.revisions, draft.revisions);
  publishValues(state.chunks, before.chunks, draft.chunks);
  publishValues(state.claims, before.claims, draft.claims);
  publishValues(state.objects, before.objects, draft.objects);
  publishValues(state.attempts, before.attempts, draft.attempts);
}

/** Field by field: another transaction may have changed the rest of a line. */
function publishLines<Line extends object>(
  table: Map<string, Line>,
  before: ReadonlyMap<string, Line>,
  draft: ReadonlyMap<string, Line>,
): void {
  for (const [name, line] of draft) {
    const old = new Map(Object.entries(before.get(name) ?? {}));
    const changes = Object.entries(line).filter(
      ([field, value]) => !old.has(field) || old.get(field) !== value,
    );
    if (changes.length === 0) continue;
    const standing = table.get(name);
    if (standing === undefined) table.set(name, line);
    else Object.assign(standing, Object.fromEntries(changes));
  }
}

function publishValues<Value>(
  table: Map<string, Value>,
  before: ReadonlyMap<string, Value>,
  draft: ReadonlyMap<string, Value>,
): void {
  for (const [name, value] of draft) if (before.get(name) !== value) table.set(name, value);
  for (const name of before.keys()) if (!draft.has(name)) table.delete(name);
}
