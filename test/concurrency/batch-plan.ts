import { createHash } from 'node:crypto';
import { type BatchIdentity, batchId } from '../../src/domain/batches/batch.ts';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import { bankId } from './truth-api.ts';

export const banks = ['Bank A', 'Bank B', 'Bank C'] as const;

/** One batch of bank recipients, whose rows differ by their account numbers. */
export interface BatchPlan {
  readonly id: string;
  readonly identity: BatchIdentity;
  readonly rows: readonly StagedRow[];
  /** The account number of each row that has an object of its own to create. */
  readonly numberOf: ReadonlyMap<number, string>;
}

/**
 * @param name tells its batch from all others in one database
 * @param bankOf which bank a row is at
 * @param duplicateOf the earlier row that a row repeats, or null
 * @param origin of the API that it is for; of its own unless stated
 */
export function planBatch(
  name: string,
  count: number,
  bankOf: (row: number) => string,
  duplicateOf: (row: number) => number | null = () => null,
  origin = `https://${name}.example.test`,
): BatchPlan {
  const identity: BatchIdentity = {
    environment: { mode: 'sandbox', origin },
    kind: 'recipients',
    sheet: null,
    contentHash: createHash('sha256').update(name).digest('hex'),
    readingHash: createHash('sha256').update('').digest('hex'),
  };
  const numberOf = new Map<number, string>();
  const rows: StagedRow[] = [];
  for (let row = 2; row < count + 2; row += 1) {
    const original = duplicateOf(row);
    const sameAs = original !== null && numberOf.has(original) ? original : null;
    if (sameAs === null) numberOf.set(row, `${name}-${row}`);
    rows.push(recipientRow(row, bankOf(sameAs ?? row), `${name}-${sameAs ?? row}`, sameAs));
  }
  return { id: batchId(identity), identity, rows, numberOf };
}

function recipientRow(row: number, bank: string, number: string, sameAs: number | null): StagedRow {
  return {
    row,
    resource: 'recipients/bank_account',
    state: sameAs === null ? 'staged' : 'duplicate',
    cells: [number],
    record: {
      payee_type: 'bank_account',
      customer_id: '11111111-1111-4111-8111-111111111111',
      account_name: 'Amina Odhiambo',
      account_number: number,
      bank_name: bank,
      currency: 'KES',
      institution_id: bankId(bank),
      institution_country: 'KE',
    },
    findings: [],
    notes: [],
    handle: null,
    sameAs,
    objectId: null,
    reason: null,
  };
}

/** A row as validation leaves it, by the banks that the API lists now. */
export function judged(row: StagedRow, listed: readonly string[]): StagedRow {
  if (row.state !== 'staged' || listed.includes(row.record['bank_name'] ?? '')) return row;
  const message = 'It names an institution that is not in the list.';
  return {
    ...row,
    state: 'invalid',
    reason: { code: 'institution_unknown', field: 'institution_id', message },
  };
}
