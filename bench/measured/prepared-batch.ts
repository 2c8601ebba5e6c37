import { createHash, randomUUID } from 'node:crypto';
import type { BatchRecord, Preparation, RunRecord, StagedRow } from '../../src/domain/ledger-row.ts';
import type { StoredRequest } from '../../src/domain/outcome.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { fingerprintOf } from '../../src/pipeline/request.ts';
import { recipientsPath } from '../../src/resources/recipients/columns.ts';

const rowsPerGroup = 1_000;
const longLeaseInMs = 3_600_000;

/** A batch whose rows are staged, with their requests and keys written. */
export interface PreparedBatch {
  readonly batch: BatchRecord;
  /** The run that prepared it, still open. */
  readonly run: RunRecord;
}

/** Makes so many requests as an import of recipients would send, each with a key of its own. */
export function makeRequests(count: number, firstRow = 2): StoredRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    path: recipientsPath,
    idempotencyKey: randomUUID(),
    body: Buffer.from(
      JSON.stringify({
        payee_type: 'mobile_money',
        account_name: `Amina Otieno ${firstRow + index}`,
        phone_number: `+2547${String(firstRow + index).padStart(8, '0')}`,
        institution_id: '8f14e45f-ceea-467f-9b6f-0f0f7c1d2a3b',
        currency: 'KES',
        customer_id: '5b1f0c52-3d4f-4a6b-8c9d-000000000001',
      }),
    ),
  }));
}

/**
 * Stages and prepares a new batch of recipients through the ledger's verbs.
 * @param origin of the API that it is for
 */
export async function prepareBatch(verbs: LedgerVerbs, origin: string, rows: number): Promise<PreparedBatch> {
  const hash = createHash('sha256').update(randomUUID()).digest('hex');
  const batch = await verbs.beginBatch(
    {
      environment: { mode: 'sandbox', origin },
      kind: 'recipients',
      sheet: null,
      contentHash: hash,
      readingHash: hash,
    },
    { fileName: 'recipients.csv', header: ['payee_type', 'account_name'], importId: randomUUID() },
  );
  await eachGroup(rows, (numbers) => verbs.stageRows(batch, numbers.map(stagedRow)));
  await verbs.finishStaging(batch.id, []);
  const run = await verbs.beginRun({
    id: randomUUID(),
    batchId: batch.id,
    command: 'import',
    leaseInMs: longLeaseInMs,
    join: false,
  });
  await eachGroup(rows, async (numbers) => {
    const [firstRow = 2] = numbers;
    const requests = makeRequests(numbers.length, firstRow);
    const preparations = requests.map((request, index) => preparation(batch.id, firstRow + index, request));
    await verbs.writePreparations(batch.id, run.id, preparations);
  });
  return { batch: { ...batch, rowCount: rows }, run };
}

async function eachGroup(rows: number, work: (numbers: number[]) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < rows; done += rowsPerGroup) {
    const length = Math.min(rowsPerGroup, rows - done);
    const firstRow = done + 2;
    await work(Array.from({ length }, (_, index) => firstRow + index));
  }
}

function stagedRow(row: number): StagedRow {
  return {
    row,
    resource: 'recipients/mobile_money',
    state: 'staged',
    cells: ['mobile_money', `Amina Otieno ${row}`],
    record: { payee_type: 'mobile_money', account_name: `Amina Otieno ${row}` },
    findings: [],
    notes: [],
    handle: null,
    sameAs: null,
    objectId: null,
    reason: null,
  };
}

function preparation(batchId: string, row: number, request: StoredRequest): Preparation {
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
