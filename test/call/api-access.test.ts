import { expect, it, onTestFinished } from 'vitest';
import { createApiClient } from '../../src/api/client.ts';
import { openClient } from '../../src/call/api-access.ts';
import type { Connections } from '../../src/call/connections.ts';
import { readSettings } from '../../src/call/settings.ts';
import { startRawServer } from '../api/raw-server.ts';
import { partly } from '../send/fakes.ts';

const created =
  'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 21\r\n\r\n{"data":{"id":"c-1"}}';

const request = { path: '/v1/customers', idempotencyKey: 'key', body: Buffer.from('{}') };

it('the client of a call lets nothing leave that is not its own to send any more, and counts what is in flight', async () => {
  const server = await startRawServer((socket) => socket.write(created));
  const client = createApiClient({
    baseUrl: server.url,
    apiKey: 'secret',
    timeoutInMs: 5_000,
    connections: 1,
    userAgent: 'paybatch/test',
  });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const activity = { requests: 0 };
  const opened = await openClient({
    connections: partly<Connections>({ client: async () => client }),
    settings: readSettings({}),
    activity,
  });
  let inFlight = 0;
  const kept = await opened.post(request, () => {
    inFlight = activity.requests;
    return false;
  });
  expect(kept).toEqual({ kind: 'not_sent', reason: 'not_ours_to_send' });
  expect(server.requests).toEqual([]);
  expect([inFlight, activity.requests]).toEqual([1, 0]);
  expect(await opened.post(request, () => true)).toMatchObject({ kind: 'answer', status: 201 });
});
