import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../src/api/client.ts';
import { systemTiming } from '../../src/api/limiters.ts';
import { createSender, type SendableRow } from '../../src/api/sender.ts';
import type { Conclusion, StoredRequest } from '../../src/domain/sending/outcome.ts';
import { readCreation } from '../../src/kinds/answer.ts';
import { echoesOf } from '../../src/kinds/definition-parts.ts';
import { always, type RawServer, startRawServer } from './raw-server.ts';

const apiKey = 'sk_test_the-secret-of-this-test';
const json = '{"data":{"id":"3f8c"},"error":null}';

const whole = (status: string, text: string, ...headers: readonly string[]) =>
  [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
    '',
    text,
  ].join('\r\n');

const continue100 = 'HTTP/1.1 100 Continue\r\n\r\n';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

async function start(answer: Parameters<typeof startRawServer>[0]): Promise<RawServer> {
  const server = await startRawServer(answer);
  open.push(server);
  return server;
}

function connect(baseUrl: URL): ApiClient {
  const client = createApiClient({
    baseUrl,
    apiKey,
    timeoutInMs: 5_000,
    connections: 1,
    userAgent: 'paybatch/test',
  });
  open.unshift(client);
  return client;
}

function requestOf(number: number): StoredRequest {
  return {
    path: '/v1/collections',
    idempotencyKey: `0b0e7f5e-0000-4000-8000-${String(number).padStart(12, '0')}`,
    body: Buffer.from(JSON.stringify({ client_reference: `R-${number}` })),
  };
}

describe('an interim answer that nobody asked for', () => {
  it.each([
    ['100 Continue', continue100],
    ['100 Continue with headers', 'HTTP/1.1 100 Continue\r\nserver: x\r\nx-id: HTTP/1.1 200 OK\r\n\r\n'],
    ['two of them', continue100 + continue100],
    [
      'others before and behind it',
      `HTTP/1.1 103 Early Hints\r\n\r\n${continue100}HTTP/1.1 102 Processing\r\n\r\n`,
    ],
    ['one of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
  ])('is taken: %s', async (_, interim) => {
    const server = await start((socket) => socket.write(interim + whole('201 Created', json)));
    const client = connect(server.url);
    for (let turn = 1; turn <= 3; turn += 1) {
      expect(await client.post(requestOf(turn), always)).toMatchObject({ status: 201, body: { text: json } });
    }
    expect([server.connections(), server.requests.length]).toEqual([1, 3]);
  });

  it('is taken byte by byte, and long before the answer', async () => {
    const server = await start(async (socket) => {
      socket.setNoDelay(true);
      for (const byte of Buffer.from(continue100 + continue100)) {
        socket.write(Buffer.of(byte));
        await sleep(1);
      }
      await sleep(30);
      for (const byte of Buffer.from(whole('201 Created', json))) socket.write(Buffer.of(byte));
    });
    const client = connect(server.url);
    expect(await client.post(requestOf(1), always)).toMatchObject({ status: 201, body: { text: json } });
    expect(await client.post(requestOf(2), always)).toMatchObject({ status: 201, body: { text: json } });
    expect(server.connections()).toBe(1);
  });

  it('is not looked for in what an answer says', async () => {
    const text = JSON.stringify({ data: { id: '3f8c', note: `x\r\n\r\n${continue100}` } });
    const server = await start((socket) => {
      socket.write(whole('201 Created', text).slice(0, -30));
      setTimeout(() => socket.write(text.slice(-30)), 10);
    });
    expect(await connect(server.url).post(requestOf(1), always)).toMatchObject({
      body: { state: 'whole', text },
    });
  });

  it('without an answer behind it is none', async () => {
    const server = await start((socket) => socket.end(continue100));
    expect(await connect(server.url).post(requestOf(1), always)).toMatchObject({
      kind: 'maybe_sent',
      reason: 'connection_lost',
    });
  });

  it.each(['HTTP/1.1 100 Continue\r\n', 'HTTP/1.1 1', 'HTTP/'])('that is cut is none: %j', async (cut) => {
    const server = await start((socket) => socket.end(cut));
    expect(await connect(server.url).post(requestOf(1), always)).toMatchObject({ kind: 'maybe_sent' });
  });

  it('of endless headers does not pile up in memory', async () => {
    const server = await start((socket) => socket.write(`HTTP/1.1 100 C\r\nx: ${'y'.repeat(40_000)}`));
    expect(await connect(server.url).post(requestOf(1), always)).toMatchObject({ kind: 'maybe_sent' });
  });
});

describe('bytes that nobody asked for', () => {
  it.each([
    ['an answer', whole('201 Created', json)],
    ['the beginning of one', 'HTTP/1.1 2'],
    ['garbage', 'x'],
    ['an interim answer', continue100],
  ])('while no request is under way end their connection: %s', async (_, stray) => {
    let late: Promise<unknown> | undefined;
    const server = await start((socket, index) => {
      socket.write(whole('201 Created', `{"id":"${index}"}`));
      if (index === 0) {
        late = once(socket, 'close');
        setTimeout(() => socket.write(stray), 10);
      }
    });
    const client = connect(server.url);
    await client.post(requestOf(1), always);
    await late;
    expect(await client.post(requestOf(2), always)).toMatchObject({ body: { text: '{"id":"1"}' } });
    expect(server.connections()).toBe(2);
  });
});

/** What the API says of a collection. */
const collection = (number: number) =>
  JSON.stringify({ transaction_id: `t-${number}`, client_reference: `R-${number}` });

function rowOf({ body }: StoredRequest): SendableRow {
  const echoes = echoesOf({ client_reference: 'text' });
  return {
    attemptsBefore: 0,
    isEarlierTryUnknown: false,
    resendUntil: Number.POSITIVE_INFINITY,
    mayLeave: always,
    readAnswer: (answer) =>
      readCreation(echoes, body, {
        id: (answer as { transaction_id?: string }).transaction_id,
        object: answer,
      }),
  };
}

async function sendAll(client: ApiClient, requests: readonly StoredRequest[]): Promise<Conclusion[]> {
  const sender = createSender({
    client,
    timing: systemTiming,
    maxAttempts: 1,
    stopSignal: new AbortController().signal,
    concurrency: { onAnswer: () => {}, onCongestion: () => {}, onDoubt: () => {} },
  });
  const conclusions: Conclusion[] = [];
  for (const request of requests) {
    const end = await sender.send(request, rowOf(request), () => {});
    if (end.state === 'set_aside') throw new Error('there is one try only');
    conclusions.push(end);
  }
  return conclusions;
}

describe('an answer that comes twice, the second one to the next request', () => {
  it('is recognised by its content, and shifts no other answer', async () => {
    const server = await start((socket, index) => {
      // The second copy of the first answer meets the second request, whose own answer meets the third.
      if (index === 1) socket.write(whole('201 Created', collection(1)));
      setTimeout(() => socket.write(whole('201 Created', collection(index + 1))), index === 1 ? 20 : 0);
    });
    const conclusions = await sendAll(connect(server.url), [1, 2, 3, 4].map(requestOf));
    expect(conclusions.map(({ state, objectId, code }) => [state, objectId, code])).toEqual([
      ['created', 't-1', null],
      ['created', 't-1', 'answer_differs'],
      ['created', 't-3', null],
      ['created', 't-4', null],
    ]);
    expect(server.connections()).toBe(2);
  });
});

describe('an answer that confirms nothing', () => {
  it('ends its connection: further bytes on it belong to no request', async () => {
    const server = await start((socket, index) =>
      socket.write(whole('201 Created', index === 0 ? '{}' : collection(index + 1))),
    );
    const conclusions = await sendAll(connect(server.url), [1, 2].map(requestOf));
    expect(conclusions.map(({ state }) => state)).toEqual(['unknown', 'created']);
    expect(server.connections()).toBe(2);
  });
});

describe('what the API says of the API key', () => {
  it('is in no reply, whatever says it', async () => {
    const text = JSON.stringify({
      transaction_id: `t-${apiKey}`,
      error: { code: apiKey, message: `The key Bearer ${apiKey} (${encodeURIComponent(apiKey)}) is unknown` },
    });
    const server = await start((socket) =>
      socket.write(
        whole('422 No', text, `location: https://${apiKey}.example/${apiKey}`, `retry-after: ${apiKey}`),
      ),
    );
    const client = connect(server.url);
    const reply = await client.post(requestOf(1), always);
    expect(reply).toMatchObject({ status: 422, body: { state: 'whole' } });
    expect(JSON.stringify(reply)).not.toContain('secret');
    expect(JSON.stringify(await client.get('/v1/x'))).not.toContain('secret');
    const [conclusion] = await sendAll(client, [requestOf(2)]);
    expect(conclusion).toMatchObject({ state: 'rejected', message: 'The key Bearer *** (***) is unknown' });
    expect(JSON.stringify(conclusion)).not.toContain('secret');
  });
});

const [ownAddress] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4');

describe.skipIf(ownAddress === undefined)('a plain connection to another machine', () => {
  it('carries nothing, whatever name led there', async () => {
    let received = 0;
    const server = createServer((socket) => {
      socket.on('data', (chunk) => {
        received += chunk.length;
      });
      socket.on('error', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    const { port } = server.address() as AddressInfo;
    const client = connect(new URL(`http://${ownAddress?.address}:${port}`));
    expect(await client.post(requestOf(1), always)).toEqual({ kind: 'not_sent', reason: 'not_encrypted' });
    expect(received).toBe(0);
  });
});
