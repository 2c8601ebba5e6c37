import { Pool } from 'undici';
import type { StoredRequest } from '../../src/domain/sending/outcome.ts';
import type { MeasuredApi } from './api-program.ts';

/**
 * The fastest way to send requests without any promise about them: as many loops as connections, each
 * taking the next one as soon as it has read its answer.
 */
export async function sendBare(
  { url, apiKey }: MeasuredApi,
  connections: number,
  requests: readonly StoredRequest[],
): Promise<void> {
  const pool = new Pool(url.origin, { connections, pipelining: 1 });
  let next = 0;
  const loop = async (): Promise<void> => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      await post(pool, apiKey, request);
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  await pool.close();
}

/** Sends one request and reads its answer. @throws Error when it is not confirmed */
export async function post(
  pool: Pool,
  apiKey: string,
  { path, idempotencyKey, body }: StoredRequest,
): Promise<void> {
  const answer = await pool.request({
    method: 'POST',
    path,
    body,
    headers: [
      ...['Api-Key', apiKey, 'content-type', 'application/json'],
      ...['Idempotency-Key', idempotencyKey],
    ],
  });
  await answer.body.text();
  if (answer.statusCode !== 201) throw new Error(`the API answered ${answer.statusCode}`);
}
