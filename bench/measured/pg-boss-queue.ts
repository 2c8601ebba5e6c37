import PgBoss from 'pg-boss';
import { Pool } from 'undici';
import type { StoredRequest } from '../../src/domain/sending/outcome.ts';
import type { MeasuredApi } from './api-program.ts';
import { post } from './bare-loop.ts';
import { fromPayload, type QueuedRequest, toPayload } from './queued-request.ts';
import { rateOf } from './rounds.ts';

const queue = 'requests';
const databaseConnections = 16;

/**
 * Sends requests as pg-boss jobs that are in the database already: as many loops as connections fetch a
 * job, send it and complete it. Its own workers wait between two fetches, which would be far slower.
 * @returns jobs a second
 */
export async function workOffWithPgBoss(
  databaseUrl: string,
  api: MeasuredApi,
  connections: number,
  requests: readonly StoredRequest[],
): Promise<number> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    max: databaseConnections,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.createQueue(queue);
  await boss.insert(requests.map((request) => ({ name: queue, data: toPayload(request) })));
  const pool = new Pool(api.url.origin, { connections, pipelining: 1 });
  let sent = 0;
  const loop = async (): Promise<void> => {
    for (;;) {
      const [job] = await boss.fetch<QueuedRequest>(queue);
      if (job === undefined) return;
      await post(pool, api.apiKey, fromPayload(job.data));
      await boss.complete(queue, job.id);
      sent += 1;
    }
  };
  const rate = await rateOf(requests.length, async () => {
    await Promise.all(Array.from({ length: connections }, loop));
  });
  await pool.close();
  await boss.stop({ graceful: false, wait: true });
  if (sent !== requests.length) throw new Error(`pg-boss sent ${sent} of ${requests.length} requests`);
  return rate;
}
