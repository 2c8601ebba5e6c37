import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { seriesName } from '../../../src/domain/batches/last-time.ts';
import type { NormalisedRecord, StagedRow } from '../../../src/domain/rows/ledger-row.ts';
import { definitionsOf } from '../../../src/kinds/registry.ts';
import { notePayees } from '../../../src/ledger/before-sending/payees.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { changeBatch } from '../../../src/ledger/protocol/batch-lock.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { bindVerbs } from '../../../src/ledger/verbs.ts';
import { notePayeesIn, payeeKeysOf } from '../../../src/watch/payee.ts';
import { plannedOrigin } from '../plan-program.ts';
import { germanIban } from '../recipients-file.ts';
import { atMost, interleave, median, type Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';
import { type Usage, watchProgram } from '../watched-program.ts';

const rowsPerGroup = 1_000;
const payeesOfOneCustomer = 10;
const fileName = 'payees.csv';
const columns = [
  ...['payee_type', 'customer_id', 'account_name', 'iban', 'bank_name', 'currency', 'account_owner_type'],
  ...['address_line1', 'city', 'country', 'postal_code', 'amount'],
] as const;

/** How long `plan` takes with a look at what changed, and without: as many new payees as the ledger knows. */
async function changes({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  try {
    await payKnown(databaseUrl, rows);
    const usages = new Map<string, Usage[]>();
    const medianOf = (name: string, of: (usage: Usage) => number): number =>
      median((usages.get(name) ?? []).map(of));
    const sides = ['without', 'with'].map((name) => ({
      name: `${name} the comparison`,
      measure: async () => {
        // Of the name of the known file: what comes next in its series.
        const file = join(await mkdtemp(join(folder, 'next-')), fileName);
        await pipeline(Readable.from(lines(rows, randomUUID())), createWriteStream(file));
        const program = fileURLToPath(new URL('../plan-program.js', import.meta.url));
        const words = [...process.execArgv, program, file, databaseUrl, name, join(folder, 'results')];
        const usage = await watchProgram(
          spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] }),
        );
        usages.set(name, [...(usages.get(name) ?? []), usage]);
        await rm(file);
        return usage.seconds;
      },
    }));
    const figures = await interleave(rounds, sides, 0);
    const [without, beside] = figures.map(({ values }) => median(values));
    const [peak, peakBeside] = ['without', 'with'].map((name) => medianOf(name, (usage) => usage.peakInMib));
    const [busy, busyBeside] = ['without', 'with'].map((name) =>
      medianOf(name, (usage) => usage.processorSeconds),
    );
    return [
      {
        title: 'plan, compared with what the ledger knows',
        unit: 's',
        figures,
        ratios: [
          atMost(1.1, 'with, over without', (beside ?? Number.NaN) / (without ?? Number.NaN)),
          // Less noisy where others use the machine; without what the server takes.
          atMost(
            1.1,
            "the program's processor time, with over without",
            (busyBeside ?? Number.NaN) / (busy ?? Number.NaN),
          ),
          atMost(100, 'MiB more at the peak', (peakBeside ?? Number.NaN) - (peak ?? Number.NaN)),
        ],
        conditions: `${rows} recipients (SEPA), all new, against ${rows} known payees of the same customers, ${payeesOfOneCustomer} of each, who are the last file of the series`,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A batch of which every row is created, written as the ledger would have it. */
async function payKnown(databaseUrl: string, rows: number): Promise<void> {
  const ledger = openServerLedger(databaseUrl);
  const { database } = ledger;
  const verbs = bindVerbs(database, undefined, ledger.shortStatements);
  const hash = createHash('sha256').update(randomUUID()).digest('hex');
  const identity = {
    ...({
      environment: { mode: 'sandbox', origin: plannedOrigin },
      kind: 'recipients',
      sheet: null,
    } as const),
    ...{ contentHash: hash, readingHash: hash },
  };
  const input = { fileName, header: [...columns], importId: randomUUID() };
  const batch = await verbs.beginBatch(identity, input);
  const leaseInMs = 600_000;
  const run = await verbs.beginRun({
    id: randomUUID(),
    batchId: batch.id,
    command: 'import',
    leaseInMs,
    join: false,
  });
  const definition = definitionsOf('recipients').find(({ payeeType }) => payeeType === 'sepa');
  if (definition === undefined) throw new Error('there are no SEPA recipients');
  for (let done = 0; done < rows; done += rowsPerGroup) {
    const numbers = Array.from({ length: Math.min(rowsPerGroup, rows - done) }, (_, index) => done + index);
    const staged = numbers.map(
      (number): StagedRow => ({
        ...{
          row: number + 2,
          resource: definition.name,
          state: 'staged',
          cells: [],
          record: payee(number, number, 'Street 1'),
        },
        ...{ findings: [], notes: [], handle: null, sameAs: null, objectId: null, reason: null },
      }),
    );
    notePayeesIn(staged);
    await verbs.stageRows(batch, run.id, staged);
    const payees = staged.flatMap(({ row, record }) => {
      const keys = payeeKeysOf(definition, record);
      return keys === null ? [] : [{ row, keys }];
    });
    await changeBatch(database, batch.id, (transaction) => notePayees(transaction, batch.id, payees));
  }
  await verbs.noteSeries(batch.id, { name: seriesName(fileName, null), mapping: null }, null);
  await verbs.finishStaging(batch.id, run.id, []);
  await changeBatch(database, batch.id, (transaction) =>
    execute(
      transaction,
      `UPDATE row_states SET state = 'created', object_id = 'object-' || row_number,
         owned_key = sha256(convert_to(row_number::text, 'UTF8')) WHERE batch_id = ?`,
      [batch.id],
    ),
  );
  await verbs.endRun(run.id, 'done');
  await execute(database, 'ANALYZE', []);
  await ledger.close();
}

function* lines(rows: number, street: string): Generator<string> {
  yield `${columns.join(',')}\r\n`;
  for (let done = 0; done < rows; done += rowsPerGroup) {
    const length = Math.min(rowsPerGroup, rows - done);
    yield Array.from({ length }, (_, index) => {
      const record = payee(rows + done + index, done + index, street);
      return `${columns.map((column) => record[column] ?? '').join(',')}\r\n`;
    }).join('');
  }
}

const syllables = ['ba', 'di', 'fo', 'gu', 'ka', 'li', 'mo', 'nu', 'ra', 'si'];
const firstNames = [
  'Amina',
  'Brian',
  'Grace',
  'Lukas',
  'Maria',
  'Omar',
  'Petra',
  'Samuel',
  'Wanjiru',
  'Yusuf',
];
const lastNames = [
  'Otieno',
  'Kamau',
  'Okello',
  'Schneider',
  'Silva',
  'Hassan',
  'Novak',
  'Mensah',
  'Njoroge',
  'Diallo',
];

/** @param place among those of its file; ten that follow each other have one customer */
function payee(number: number, place: number, street: string): NormalisedRecord {
  const customer = Math.floor(place / payeesOfOneCustomer);
  // Numbers beside each other must not give names that are a letter apart. An odd factor mixes them, and loses none.
  const mixed = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  const word = [...String(mixed)].map((digit) => syllables[Number(digit)] ?? '').join('');
  return {
    payee_type: 'sepa',
    customer_id: `00000000-0000-4000-8000-${String(customer).padStart(12, '0')}`,
    account_name: `${firstNames[mixed % 10]} ${word} ${lastNames[Math.floor(mixed / 10) % 10]}`,
    iban: germanIban(String(number).padStart(8, '0')),
    ...{ bank_name: 'Commerzbank', currency: 'EUR', account_owner_type: 'individual', address_line1: street },
    ...{ city: 'Berlin', country: 'DE', postal_code: '10117', amount: '100.00' },
  };
}

await runSection(changes);
