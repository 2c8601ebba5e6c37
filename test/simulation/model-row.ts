import type { Kind } from '../../src/domain/batches/batch.ts';
import type { PayeeKeys } from '../../src/domain/rows/finding.ts';
import type { NormalisedRecord } from '../../src/domain/rows/ledger-row.ts';
import type { RowState } from '../../src/domain/rows/row-state.ts';

/** A row as the ledger's tables have it; times in milliseconds of the ledger's clock. */
export interface ModelRow {
  readonly batchId: string;
  readonly environmentId: number;
  readonly kind: Kind;
  readonly row: number;
  readonly resource: string;
  readonly record: NormalisedRecord;
  readonly state: RowState;
  readonly generation: number;
  readonly handle: string | null;
  /** In hex, like the owned key. */
  readonly naturalKey: string | null;
  readonly ownedKey: string | null;
  readonly objectId: string | null;
  readonly leaseToken: string | null;
  readonly runId: string | null;
  readonly credential: string | null;
  readonly firstSentAt: number | null;
  /** Since when it waits because of a refusal; null when it does not. */
  readonly refusedAt: number | null;
  readonly mayExist: boolean;
  readonly attempts: number;
  readonly httpStatus: number | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly message: string | null;
  readonly changedAt: number;
  readonly isSentRegardless: boolean;
  /** The rows that are claimed together; null once it was claimed. */
  readonly chunk: number | null;
  /** The payee of its newest request; null where there is none. */
  readonly payee: PayeeKeys | null;
}

/** A request as it is stored: written once, never changed. */
export interface ModelRequest {
  readonly idempotencyKey: string;
  readonly path: string;
  readonly body: Buffer;
  readonly fingerprint: Buffer;
  readonly runId: string;
}

const owning: readonly RowState[] = ['ready', 'sending', 'unknown', 'created'];
const ownerless: readonly RowState[] = ['staged', 'waiting', 'rejected', 'invalid', 'existing', 'duplicate'];
const unsent: readonly RowState[] = ['staged', 'waiting', 'ready'];
const sent: readonly RowState[] = ['sending', 'unknown', 'rejected'];

/**
 * The CHECK constraints of the table `rows`, by their names there.
 * @returns the first that the row breaks
 */
export function brokenConstraint(row: ModelRow): string | undefined {
  const { state } = row;
  const constraints: Readonly<Record<string, boolean>> = {
    created_has_evidence: (state !== 'created' && state !== 'existing') || row.objectId !== null,
    live_owns_its_key: !owning.includes(state) || row.ownedKey !== null,
    refused_owns_nothing: !ownerless.includes(state) || row.ownedKey === null,
    unsent_starts_afresh: !unsent.includes(state) || row.firstSentAt === null,
    doubt_is_remembered:
      state === 'unknown' ? row.mayExist : !row.mayExist || !(unsent.includes(state) || state === 'rejected'),
    sending_has_lease: (state === 'sending') === (row.leaseToken !== null),
    sent_has_time: !sent.includes(state) || row.firstSentAt !== null,
  };
  return Object.keys(constraints).find((name) => constraints[name] === false);
}

/** A row as staging leaves it. */
export function stagedModelRow(
  place: Pick<ModelRow, 'batchId' | 'environmentId' | 'kind' | 'row' | 'resource' | 'record'>,
  handle: string | null,
  now: number,
): ModelRow {
  return {
    ...place,
    state: 'staged',
    generation: 1,
    handle,
    naturalKey: null,
    ownedKey: null,
    objectId: null,
    leaseToken: null,
    runId: null,
    credential: null,
    firstSentAt: null,
    refusedAt: null,
    mayExist: false,
    attempts: 0,
    httpStatus: null,
    code: null,
    field: null,
    message: null,
    changedAt: now,
    isSentRegardless: false,
    chunk: null,
    payee: null,
  };
}
