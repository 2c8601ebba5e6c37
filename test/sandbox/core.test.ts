import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { OpenRequests } from '../../src/sandbox/core.ts';

const LONGER_THAN_ANY_TEST_IN_MS = 600_000;

/** Sends one request to a server that does not answer by itself. */
async function openRequest() {
  const server = createServer();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).then(
    ({ status }) => status,
    () => 'dropped',
  );
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const requests = new OpenRequests();
  requests.add(response);
  return { requests, response, answer };
}

it('waits for a request that is being answered', async () => {
  const { requests, response, answer } = await openRequest();
  const drained = requests.drain(LONGER_THAN_ANY_TEST_IN_MS);
  response.end();
  await drained;
  expect(await answer).toBe(200);
});

it('drops a request that would never be answered, instead of waiting for it', async () => {
  const { requests, response, answer } = await openRequest();
  requests.neverAnswer(response);
  await requests.drain(LONGER_THAN_ANY_TEST_IN_MS);
  expect(await answer).toBe('dropped');
});

it('gives up on a request that takes too long', async () => {
  const { requests } = await openRequest();
  await requests.drain(1);
});
