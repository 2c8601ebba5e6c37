import { randomUUID } from 'node:crypto';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { NormalisedRecord, StagedRow } from '../../src/domain/rows/ledger-row.ts';
import type { Conclusion } from '../../src/domain/sending/outcome.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { beginCustomers, eachGroup, makeRequests, preparation } from './prepared-batch.ts';

const header = ['external_id', 'first_name', 'last_name', 'email', 'phone', 'country'] as const;
const leaseInMs = 600_000;
const syllables = [
  'ba',
  'di',
  'fo',
  'gu',
  'ka',
  'li',
  'mo',
  'nu',
  'ra',
  'si',
  'te',
  'wa',
  'ndi',
  'nja',
  'mwe',
];

/** A word of a name: each is as frequent as the others. */
function wordOf(number: number, words: number): string {
  let left = (Math.imul(number, 0x9e3779b1) >>> 0) % words;
  let word = '';
  for (let length = 0; length < 3; length += 1) {
    word += syllables[left % syllables.length] ?? '';
    left = Math.floor(left / syllables.length);
  }
  return `${word[0]?.toUpperCase()}${word.slice(1)}`;
}

/** The customer of a row: one of 300 first names, one of 1,500 last names, and a phone number of its own. */
export function customerOf(row: number): NormalisedRecord {
  return {
    external_id: `c-${row}`,
    first_name: wordOf(row, 300),
    last_name: wordOf(row * 7 + 1, 1_500),
    email: `c${row}@example.com`,
    phone: `+25471${String(row).padStart(7, '0')}`,
    country: 'KE',
  };
}

/** What becomes of a row: of each hundred there is one of every kind. */
const fates = ['invalid', 'duplicate', 'existing', 'rejected', 'unknown', 'held', 'waiting'] as const;
type Fate = (typeof fates)[number] | 'created';

/** The first row of a fate. */
export function rowWith(fate: (typeof fates)[number]): number {
  return 110 + fates.indexOf(fate);
}

function fateOf(row: number): Fate {
  return row < 100 ? 'created' : (fates[(row % 100) - 10] ?? 'created');
}

/**
 * A batch of customers as it stands when most of it is done: of each hundred rows seven have another state than
 * created, and the last two of a hundred are not sent.
 * @param origin of the API that it is for
 */
export async function finishBatch(verbs: LedgerVerbs, origin: string, rows: number): Promise<BatchRecord> {
  const batch = await beginCustomers(verbs, origin, header);
  const begun = { batchId: batch.id, command: 'import', leaseInMs, join: false } as const;
  const run = await verbs.beginRun({ ...begun, id: randomUUID() });
  await eachGroup(rows, async (numbers) => {
    await verbs.prolongRun(run.id, leaseInMs);
    await verbs.stageRows(batch, run.id, numbers.map(stagedRow));
  });
  await verbs.finishStaging(batch.id, run.id, []);
  const [sent, ready] = [Math.floor(rows * 0.98), Math.floor(rows * 0.99)];
  await eachGroup(ready, async (numbers) => {
    await verbs.prolongRun(run.id, leaseInMs);
    const staged = numbers.filter((row) => !['invalid', 'duplicate', 'existing'].includes(fateOf(row)));
    const requests = makeRequests(staged.length, staged[0]);
    const preparations = requests.map((request, at) => preparation(batch.id, staged[at] ?? 0, request));
    await verbs.writePreparations(batch.id, run.id, preparations);
  });
  await conclude(verbs, { batch, run: run.id, lastRow: sent });
  await verbs.endRun(run.id, 'stopped');
  return { ...batch, rowCount: rows };
}

function stagedRow(row: number): StagedRow {
  const record = customerOf(row);
  const fate = fateOf(row);
  const message = 'is missing';
  return {
    row,
    resource: 'customers',
    state: fate === 'invalid' || fate === 'duplicate' || fate === 'existing' ? fate : 'staged',
    cells: header.map((column) => record[column] ?? ''),
    record,
    findings:
      fate === 'invalid'
        ? [{ code: 'required', severity: 'invalid', field: 'email', column: 'email', message }]
        : [],
    notes: [],
    handle: record['external_id'] ?? null,
    sameAs: fate === 'duplicate' ? row - 2 : null,
    objectId: fate === 'existing' ? `object ${row}` : null,
    reason: fate === 'invalid' ? { code: 'required', field: 'email', message } : null,
  };
}

interface Sent {
  readonly batch: BatchRecord;
  readonly run: string;
  readonly lastRow: number;
}

/** Claims rows and writes what became of them, up to a row. */
async function conclude(verbs: LedgerVerbs, { batch, run, lastRow }: Sent): Promise<void> {
  for (let token = 1, last = 0; last < lastRow; token += 1) {
    await verbs.prolongRun(run, leaseInMs);
    const claimed = await verbs.claimRows({
      batchId: batch.id,
      runId: run,
      leaseToken: String(token),
      credential: '0123456789abcdef',
      keyLifetimeInMs: 86_400_000,
      approvalId: undefined,
      limit: 1_000,
      rows: 'fresh',
    });
    if (claimed.length === 0) return;
    await verbs.recordConclusions(
      batch.id,
      run,
      claimed.map((row) => ({ ...row, conclusion: conclusionOf(row.row) })),
    );
    last = Math.max(...claimed.map(({ row }) => row));
  }
}

function conclusionOf(row: number): Conclusion {
  const fate = fateOf(row);
  const attempt = { number: 1, durationInMs: 20, answer: null, objectId: null } as const;
  switch (fate) {
    case 'rejected':
    case 'held':
    case 'waiting': {
      const [code, message] = [fate === 'rejected' ? 'phone_invalid' : fate, 'the API says no to this phone'];
      const refused = { ...attempt, outcome: 'refused', reason: code, httpStatus: 422 } as const;
      return { state: fate, objectId: null, code, message, attempts: [refused] };
    }
    case 'unknown': {
      const [code, message] = ['timeout', 'no answer came in time'];
      const lost = { ...attempt, outcome: 'unknown', reason: code, httpStatus: null } as const;
      return { state: 'unknown', objectId: null, code, message, attempts: [lost] };
    }
    default: {
      const objectId = `object ${row}`;
      const answer = `{"data":{"id":"${objectId}"},"error":null}`;
      const created = {
        ...attempt,
        outcome: 'created',
        reason: null,
        httpStatus: 201,
        objectId,
        answer,
      } as const;
      return { state: 'created', objectId, code: null, message: null, attempts: [created] };
    }
  }
}
