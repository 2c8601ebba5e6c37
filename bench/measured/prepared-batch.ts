import { createHash, randomUUID } from 'node:crypto';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { RunRecord } from '../../src/domain/batches/run.ts';
import type { NormalisedRecord, Preparation, StagedRow } from '../../src/domain/rows/ledger-row.ts';
import type { StoredRequest } from '../../src/domain/sending/outcome.ts';
import { customers } from '../../src/kinds/customers/kind.ts';
import { fingerprintOf, writeBody } from '../../src/kinds/request.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';

const rowsPerGroup = 1_000;

/** As long as a lease may be: one that lasts longer counts as a sign that the ledger's clock was set back. */
const longLeaseInMs = 600_000;

/** A batch whose rows are staged, with their requests and keys written. */
export interface PreparedBatch {
  readonly batch: BatchRecord;
  /** The run that prepared it, still open. */
  readonly run: RunRecord;
}

/** Makes as many requests as an import of customers would send, each with a key of its own. */
export function makeRequests(count: number, firstRow = 2): StoredRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    path: customers.path,
    idempotencyKey: randomUUID(),
    body: writeBody(customers, recordOf(firstRow + index)),
  }));
}

// A sandbox refuses the external id of an earlier round.
const unique = randomUUID().slice(0, 8);
let made = 0;

export function recordOf(row: number): NormalisedRecord {
  made += 1;
  return {
    external_id: `${unique}-${made}`,
    first_name: 'Amina',
    last_name: 'Otieno',
    email: `amina.${row}@example.com`,
    phone: `+2547${String(row).padStart(8, '0')}`,
    type: 'individual',
    gender: 'female',
    date_of_birth: '1990-04-12',
    address_line1: '12 Kenyatta Avenue',
    city: 'Nairobi',
    country: 'KE',
    postal_code: '00100',
  };
}

/** Begins a batch of customers whose content no other batch has. */
export function beginCustomers(
  verbs: LedgerVerbs,
  origin: string,
  header: readonly string[],
): Promise<BatchRecord> {
  const hash = createHash('sha256').update(randomUUID()).digest('hex');
  return verbs.beginBatch(
    {
      environment: { mode: 'sandbox', origin },
      kind: 'customers',
      sheet: null,
      contentHash: hash,
      readingHash: hash,
    },
    { fileName: 'customers.csv', header: [...header], importId: randomUUID() },
  );
}

/**
 * Stages and prepares a new batch of customers through the ledger's verbs.
 * @param origin of the API that it is for
 */
export async function prepareBatch(verbs: LedgerVerbs, origin: string, rows: number): Promise<PreparedBatch> {
  const batch = await beginCustomers(verbs, origin, ['external_id', 'first_name']);
  const run = await verbs.beginRun({
    id: randomUUID(),
    batchId: batch.id,
    command: 'import',
    leaseInMs: longLeaseInMs,
    join: false,
  });
  await eachGroup(rows, (numbers) => verbs.stageRows(batch, run.id, numbers.map(stagedRow)));
  await verbs.finishStaging(batch.id, run.id, []);
  await eachGroup(rows, async (numbers) => {
    const [firstRow = 2] = numbers;
    const requests = makeRequests(numbers.length, firstRow);
    const preparations = requests.map((request, index) => preparation(batch.id, firstRow + index, request));
    await verbs.writePreparations(batch.id, run.id, preparations);
  });
  return { batch: { ...batch, rowCount: rows }, run };
}

/** Does work for all row numbers of a batch, group by group. */
export async function eachGroup(rows: number, work: (numbers: number[]) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < rows; done += rowsPerGroup) {
    const length = Math.min(rowsPerGroup, rows - done);
    const firstRow = done + 2;
    await work(Array.from({ length }, (_, index) => firstRow + index));
  }
}

function stagedRow(row: number): StagedRow {
  return {
    row,
    resource: 'customers',
    state: 'staged',
    cells: [`c-${row}`, 'Amina'],
    record: { external_id: `c-${row}` },
    findings: [],
    notes: [],
    handle: null,
    sameAs: null,
    objectId: null,
    reason: null,
  };
}

/** Of a row that is made ready. */
export function preparation(batchId: string, row: number, request: StoredRequest): Preparation {
  return {
    row,
    generation: 1,
    to: 'ready',
    ...request,
    fingerprint: fingerprintOf(request.path, request.body),
    naturalKey: createHash('sha256').update(`${batchId} ${row}`).digest(),
    handle: null,
  };
}
