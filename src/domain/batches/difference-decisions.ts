/*
 * People's decisions about differences of a reconciliation: a difference is accepted with a note, assigned to a person, or
 * open again. A decision is valid for exactly the difference that the person saw. With another value on either side it is
 * another difference.
 */

import { createHash } from 'node:crypto';
import { type DifferenceKind, differenceKinds, type FoundDifference } from '../rows/row-state.ts';
import type { ReconciliationFigures } from './reconciliation.ts';

/** The possible decisions about a difference; `reopened` revokes the earlier decision. */
export const differenceDecisions = ['accepted', 'assigned', 'reopened'] as const;

type DifferenceDecision = (typeof differenceDecisions)[number];

/** The kinds of differences that can be accepted. Differences about rows in doubt need a verdict instead. */
export const acceptableKinds = differenceKinds.filter(
  (kind) => kind !== 'in_doubt_found' && kind !== 'undecided',
);

/** A difference that a decision is about. */
export interface DecidedDifference {
  readonly fingerprint: string;
  readonly kind: DifferenceKind;
  /** Null if the ledger has no such row. */
  readonly row: number | null;
  /** For how many indistinguishable differences the decision is valid. */
  readonly occurrences: number;
}

/** A decision before it is recorded. */
export interface GivenDecision {
  readonly decision: DifferenceDecision;
  /** The person who looks into it; null unless it is `assigned`. */
  readonly assignedTo: string | null;
  readonly note: string;
}

/** A decision after it was recorded. */
export interface DecisionRecord extends GivenDecision {
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly differences: readonly DecidedDifference[];
}

/** Values that distinguish one record from another for a person, besides the values that differ. */
const identifying: ReadonlySet<string> = new Set([
  ...['id', 'reference', 'amount', 'currency', 'date', 'sum', 'number', 'counterparty', 'text'],
]);

/**
 * The identity of a difference: its kind, its row and status, the differing values of both sides, and the values that
 * identify the two records. Names of files and places in them are not included, because in the next export the same record
 * is elsewhere.
 */
export function fingerprintOf({ kind, row, status, there, values }: FoundDifference): string {
  const hasBothSides = values.some(({ here }) => here !== null) && values.some((each) => each.there !== null);
  const shown = values
    .filter(({ name, differs }) => !hasBothSides || differs || identifying.has(name))
    .map((value) => [value.name, value.here, value.there, value.differs]);
  const side = there === null ? null : there.file === null ? 'api' : 'file';
  const content = JSON.stringify(['difference', 1, kind, row, status, side, shown]);
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Whether a difference is about a row in doubt and so needs a verdict. Only a verdict settles whether the row's object
 * exists.
 */
export function needsVerdict({ status }: Pick<FoundDifference, 'status'>): boolean {
  return status === 'held' || status === 'unknown';
}

/**
 * The differences of a list in the form in which a decision records them; indistinguishable ones are grouped.
 * @param before how many differences of a fingerprint were accepted before; a further acceptance includes them
 */
export function decidedDifferences(
  found: Iterable<FoundDifference>,
  before: (fingerprint: string) => number = () => 0,
): DecidedDifference[] {
  const decided = new Map<string, DecidedDifference>();
  for (const difference of found) {
    const fingerprint = fingerprintOf(difference);
    const { kind, row } = difference;
    const occurrences = (decided.get(fingerprint)?.occurrences ?? before(fingerprint)) + 1;
    decided.set(fingerprint, { fingerprint, kind, row, occurrences });
  }
  return [...decided.values()];
}

/**
 * The decisions in force about the differences of one reconciliation. Query each difference once, in any order. A decision
 * is valid only for as many indistinguishable differences as it was made for.
 */
export class DecisionsInForce {
  readonly #last = new Map<string, { readonly decision: DecisionRecord; left: number }>();

  /** @param records the records, oldest first */
  constructor(records: readonly DecisionRecord[]) {
    for (const decision of records) {
      for (const { fingerprint, occurrences } of decision.differences) {
        if (decision.decision === 'reopened') this.#last.delete(fingerprint);
        else this.#last.set(fingerprint, { decision, left: occurrences });
      }
    }
  }

  /** Whether there are no decisions in force. */
  get isEmpty(): boolean {
    return this.#last.size === 0;
  }

  /** How many differences of a fingerprint are accepted. */
  acceptedOf(fingerprint: string): number {
    const last = this.#last.get(fingerprint);
    return last?.decision.decision === 'accepted' ? last.left : 0;
  }

  /** The person who looks into differences of a fingerprint, and how many of them. */
  assignedOf(fingerprint: string): { readonly to: string | null; readonly count: number } {
    const last = this.#last.get(fingerprint);
    return last?.decision.decision === 'assigned'
      ? { to: last.decision.assignedTo, count: last.left }
      : { to: null, count: 0 };
  }

  /** The decision about a difference; null if there is none. Query each difference once. */
  take(found: FoundDifference): DecisionRecord | null {
    if (this.isEmpty) return null;
    const last = this.#last.get(fingerprintOf(found));
    if (last === undefined || last.left === 0) return null;
    last.left -= 1;
    return last.decision;
  }
}

/** The number of accepted differences of one kind, by one decision. */
export type AcceptedCount = ReconciliationFigures['accepted'][number];

/** Separates the accepted differences of one reconciliation from the open ones, and counts them. */
export class AcceptedDifferences {
  readonly #inForce: DecisionsInForce;
  readonly #counts = new Map<string, AcceptedCount>();

  constructor(records: readonly DecisionRecord[]) {
    this.#inForce = new DecisionsInForce(records);
  }

  get isEmpty(): boolean {
    return this.#inForce.isEmpty;
  }

  /** Whether a difference is accepted. Query each difference once. */
  accepts(found: FoundDifference): boolean {
    if (needsVerdict(found)) return false;
    const decision = this.#inForce.take(found);
    if (decision?.decision !== 'accepted') return false;
    const { by, at, note } = decision;
    const key = JSON.stringify([at, by, note, found.kind]);
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { kind: found.kind, count, by, at, note });
    return true;
  }

  /** How many differences of these kinds are accepted. */
  countOf(...kinds: readonly DifferenceKind[]): number {
    return this.counts()
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, { count }) => sum + count, 0);
  }

  /** By kind and decision, in the order in which they were found. */
  counts(): readonly AcceptedCount[] {
    return [...this.#counts.values()];
  }
}

/** Indistinguishable differences of one reconciliation, and how many there are. */
type FoundFingerprint = readonly [fingerprint: string, count: number];

/** The differences that a reconciliation found and that people decide about, without the data that they saw. */
export interface FoundFingerprints {
  readonly found: readonly FoundFingerprint[];
  /** How many more differences there are. Only their number is stored. */
  readonly beyond: number;
}

/** A larger number of differences has one cause, which another mapping or export fixes. */
export const mostFingerprints = 100_000;

/**
 * Collects the fingerprints of the differences that a reconciliation finds. Differences about rows in doubt are omitted,
 * because those rows are listed by their states.
 */
export class FingerprintCollector implements FoundFingerprints {
  beyond = 0;
  readonly #counts = new Map<string, number>();
  readonly #most: number;

  constructor(most = mostFingerprints) {
    this.#most = most;
  }

  get found(): readonly FoundFingerprint[] {
    return [...this.#counts];
  }

  add(difference: FoundDifference): void {
    if (needsVerdict(difference)) return;
    if (this.#counts.size >= this.#most) {
      this.beyond += 1;
      return;
    }
    const fingerprint = fingerprintOf(difference);
    this.#counts.set(fingerprint, (this.#counts.get(fingerprint) ?? 0) + 1);
  }
}

/** How many differences are open, by the person who looks into them; null for differences that are assigned to no person. */
export interface OpenOfPerson {
  readonly assignedTo: string | null;
  readonly count: number;
}

/**
 * The differences of one reconciliation that are not accepted, by the person who looks into them, the largest number first.
 */
export function openByPerson(
  { found, beyond }: FoundFingerprints,
  records: readonly DecisionRecord[],
): readonly OpenOfPerson[] {
  const inForce = new DecisionsInForce(records);
  const open = new Map<string | null, number>();
  const add = (assignedTo: string | null, count: number): void => {
    if (count > 0) open.set(assignedTo, (open.get(assignedTo) ?? 0) + count);
  };
  for (const [fingerprint, count] of found) {
    const assigned = inForce.assignedOf(fingerprint);
    const ofPerson = Math.min(count, assigned.count);
    add(assigned.to, ofPerson);
    add(null, count - ofPerson - inForce.acceptedOf(fingerprint));
  }
  add(null, beyond);
  return [...open]
    .map(([assignedTo, count]) => ({ assignedTo, count }))
    .sort((left, right) => right.count - left.count);
}
