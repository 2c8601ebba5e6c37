import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import pg from 'pg';
import { Pool } from 'undici';
import { bodyOf, type CustomerCells, readTask } from './customer-request.ts';

/*
 * A careful script: every row is in PostgreSQL with its idempotency key before anything is sent, is marked as sent
 * before its request, and as done after its answer. After it was killed, it could be continued by hand.
 */

const { input, output, apiUrl, apiKey, connections, databaseUrl } = readTask();
const table = `careful_${randomUUID().replaceAll('-', '')}`;
const rowsPerInsert = 1_000;
const database = new pg.Pool({ connectionString: databaseUrl, max: 16 });
const api = new Pool(apiUrl, { connections, pipelining: 1 });

interface StoredCustomer {
  readonly row: number;
  readonly key: string;
  readonly cells: CustomerCells;
}

async function storeRows(): Promise<StoredCustomer[]> {
  await database.query(
    `CREATE TABLE ${table} (row int PRIMARY KEY, key uuid NOT NULL, cells jsonb NOT NULL,
       state text NOT NULL DEFAULT 'new', object_id text)`,
  );
  const stored: StoredCustomer[] = [];
  for await (const cells of createReadStream(input).pipe(parse({ columns: true }))) {
    stored.push({ row: stored.length + 1, key: randomUUID(), cells });
    if (stored.length % rowsPerInsert === 0) await insert(stored.slice(-rowsPerInsert));
  }
  const rest = stored.length % rowsPerInsert;
  if (rest > 0) await insert(stored.slice(-rest));
  return stored;
}

async function insert(rows: readonly StoredCustomer[]): Promise<void> {
  await database.query(
    `INSERT INTO ${table} (row, key, cells) SELECT * FROM unnest($1::int[], $2::uuid[], $3::jsonb[])`,
    [rows.map(({ row }) => row), rows.map(({ key }) => key), rows.map(({ cells }) => JSON.stringify(cells))],
  );
}

async function sendRows(rows: Iterator<StoredCustomer>): Promise<void> {
  for (let next = rows.next(); next.done !== true; next = rows.next()) {
    const { row, key, cells } = next.value;
    await database.query(`UPDATE ${table} SET state = 'sending' WHERE row = $1`, [row]);
    const answer = await api.request({
      method: 'POST',
      path: '/v1/customers',
      body: bodyOf(cells),
      headers: { 'api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
    });
    const { data } = (await answer.body.json()) as { data: { id: string } | null };
    await database.query(`UPDATE ${table} SET state = 'done', object_id = $2 WHERE row = $1`, [
      row,
      data?.id ?? null,
    ]);
  }
}

async function writeResults(): Promise<void> {
  const results = stringify({ header: true });
  const written = new Promise<void>((resolve) => {
    results.pipe(createWriteStream(output)).on('finish', resolve);
  });
  const { rows } = await database.query(`SELECT cells, state, object_id FROM ${table} ORDER BY row`);
  for (const { cells, state, object_id } of rows) {
    results.write({ ...cells, result_status: state, result_id: object_id ?? '' });
  }
  results.end();
  await written;
}

const rows = (await storeRows()).values();
await Promise.all(Array.from({ length: connections }, () => sendRows(rows)));
await writeResults();
await database.query(`DROP TABLE ${table}`);
await Promise.all([api.close(), database.end()]);
