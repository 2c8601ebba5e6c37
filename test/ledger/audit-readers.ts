import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { findOtherAnswers, findOtherRequests } from '../../src/ledger/audit/logged-requests.ts';
import { lookAtRows, readRowEvidence } from '../../src/ledger/audit/rows.ts';
import type { LargeBatch } from './large-batch.ts';

/** What `audit verify` asks about some rows of a batch. */
export const auditReaders: readonly [string, (database: Knex, large: LargeBatch) => Promise<unknown>][] = [
  ['lookAtRows', (database, { batch }) => lookAtRows(database, batch.id, 24_000, 1_000)],
  [
    'readRowEvidence of the next rows',
    (database, { batch }) => readRowEvidence(database, batch.id, { afterRow: 24_000, limit: 1_000 }, true),
  ],
  [
    'readRowEvidence of single rows',
    (database, { batch, numbers }) =>
      readRowEvidence(database, batch.id, { rows: numbers.slice(0, 100) }, true),
  ],
  [
    'findOtherRequests',
    (database, { batch, numbers }) =>
      findOtherRequests(
        database,
        batch.id,
        numbers
          .slice(0, 1_000)
          .map((row) => ({ row, generation: 1, key: randomUUID(), request_hash: '0'.repeat(64) })),
      ),
  ],
  [
    'findOtherAnswers',
    (database, { batch, numbers }) =>
      findOtherAnswers(
        database,
        batch.id,
        numbers.slice(0, 1_000).map((row) => ({
          ...{ row, attempt: 1, key: randomUUID(), outcome: 'created' },
          ...{ reason: null, status: 201, id: `object ${row}` },
        })),
      ),
  ],
];
