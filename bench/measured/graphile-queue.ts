import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'undici';
import type { StoredRequest } from '../../src/domain/sending/outcome.ts';
import type { MeasuredApi } from './api-program.ts';
import { post } from './bare-loop.ts';
import { fromPayload, type QueuedRequest, toPayload } from './queued-request.ts';
import { rateOf } from './rounds.ts';

const task = 'send';
const databaseConnections = 16;
const jobsPerGroup = 1_000;
const silent = new Logger(() => () => {});

/**
 * Sends requests as graphile-worker jobs that are in the database already, with as many workers as
 * connections.
 * @returns jobs a second
 */
export async function workOffWithGraphile(
  databaseUrl: string,
  api: MeasuredApi,
  connections: number,
  requests: readonly StoredRequest[],
): Promise<number> {
  await addJobs(databaseUrl, requests);
  const pool = new Pool(api.url.origin, { connections, pipelining: 1 });
  let sent = 0;
  const rate = await rateOf(requests.length, async () => {
    let end: () => void = () => {};
    const allSent = new Promise<void>((resolve) => {
      end = resolve;
    });
    const runner = await run({
      connectionString: databaseUrl,
      maxPoolSize: databaseConnections,
      concurrency: connections,
      noHandleSignals: true,
      logger: silent,
      taskList: {
        [task]: async (payload) => {
          await post(pool, api.apiKey, fromPayload(payload as QueuedRequest));
          sent += 1;
          if (sent === requests.length) end();
        },
      },
    });
    await allSent;
    await runner.stop();
  });
  await pool.close();
  return rate;
}

async function addJobs(databaseUrl: string, requests: readonly StoredRequest[]): Promise<void> {
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger: silent });
  try {
    await utils.migrate();
    for (let done = 0; done < requests.length; done += jobsPerGroup) {
      const group = requests.slice(done, done + jobsPerGroup).map(toPayload);
      await utils.withPgClient((client) =>
        client.query(
          'SELECT count(graphile_worker.add_job($1, payload)) FROM json_array_elements($2::json) AS payload',
          [task, JSON.stringify(group)],
        ),
      );
    }
  } finally {
    await utils.release();
  }
}
