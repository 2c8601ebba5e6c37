import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import { Pool } from 'undici';
import { bodyOf, type CustomerCells, readTask } from './customer-request.ts';

/*
 * The fastest script that somebody would write for one afternoon: a CSV file in, one request a row, a result file
 * out. Nothing is stored: after it was killed, it is unknown what was created.
 */

const { input, output, apiUrl, apiKey, connections } = readTask();
const pool = new Pool(apiUrl, { connections, pipelining: 1 });
const rows: AsyncIterator<CustomerCells> = createReadStream(input)
  .pipe(parse({ columns: true }))
  [Symbol.asyncIterator]();
const results = stringify({ header: true });
const written = new Promise<void>((resolve) => {
  results.pipe(createWriteStream(output)).on('finish', resolve);
});

async function sendRows(): Promise<void> {
  for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
    const row = next.value;
    const answer = await pool.request({
      method: 'POST',
      path: '/v1/customers',
      body: bodyOf(row),
      headers: { 'api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    });
    const { data } = (await answer.body.json()) as { data: { id: string } | null };
    results.write({ ...row, result_status: answer.statusCode, result_id: data?.id ?? '' });
  }
}

await Promise.all(Array.from({ length: connections }, sendRows));
results.end();
await written;
await pool.close();
