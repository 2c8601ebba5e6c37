import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiClient, createApiClient } from '../../src/api/client.ts';
import type { ProxySettings } from '../../src/api/connections.ts';
import { makeCertificate } from '../../src/sandbox/data-folder.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { always, type RawServer, startRawServer } from './raw-server.ts';

const apiKey = 'sk_test_the-secret-of-this-test';
const json = '{"data":{"id":"3f8c"},"error":null}';
const whole = (status: string, text = json, ...headers: readonly string[]) =>
  [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
    ...headers,
    '',
    text,
  ].join('\r\n');
const request = {
  path: '/v1/customers',
  idempotencyKey: '0b0e7f5e-0000-4000-8000-000000000001',
  body: Buffer.from('{"a":"b"}'),
};

// Whether certificates are checked is seen where the whole program runs; here, bytes are.
beforeEach(() => vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0'));
const open: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
  vi.unstubAllEnvs();
});

async function startApi(answer: Parameters<typeof startRawServer>[0]): Promise<RawServer> {
  const { certificate, privateKey } = makeCertificate(new Date());
  const server = await startRawServer(answer, { cert: certificate, key: privateKey });
  open.push(server);
  return server;
}

function clientOf(
  baseUrl: URL,
  proxyUrl: string,
  changes: Partial<ProxySettings> = {},
  timeoutInMs = 5_000,
): ApiClient {
  const proxy = { address: new URL(proxyUrl), authorization: null, noProxy: '', ...changes };
  const client = createApiClient({ baseUrl, apiKey, timeoutInMs, connections: 1, userAgent: 'test', proxy });
  open.unshift(client);
  return client;
}

describe('through a proxy', () => {
  it('goes an encrypted connection, which serves one request after the other', async () => {
    const api = await startApi((socket) => socket.write(whole('201 Created')));
    const proxy = await startConnectProxy();
    const client = clientOf(api.url, proxy.url, { authorization: 'Basic dTpw' });
    for (const _ of [1, 2, 3])
      expect(await client.post(request, always)).toMatchObject({ status: 201, body: { text: json } });
    expect(client.isProxied()).toBe(true);
    expect(proxy.asked).toMatchObject([
      { target: api.url.host, headers: { 'proxy-authorization': 'Basic dTpw' } },
    ]);
    expect(api.connections()).toBe(1);
    expect(api.requests[0]?.head).toContain(`Api-Key: ${apiKey}`);
    expect(api.requests[0]?.head.toLowerCase()).not.toContain('proxy-');
    expect(proxy.carried().length).toBeGreaterThan(100);
    expect(JSON.stringify(proxy.asked) + proxy.carried()).not.toContain('sk_test');
  });

  it.each(['127.0.0.1', 'other.example, 127.0.0.1', '*'])(
    'goes nothing that NO_PROXY names: %s',
    async (noProxy) => {
      const api = await startApi((socket) => socket.write(whole('201 Created')));
      const proxy = await startConnectProxy();
      const client = clientOf(api.url, proxy.url, { noProxy });
      expect(await client.post(request, always)).toMatchObject({ status: 201 });
      expect([client.isProxied(), proxy.asked]).toEqual([false, []]);
    },
  );

  it('goes no plain connection: that is for this machine', async () => {
    const api = await startRawServer((socket) => socket.write(whole('201 Created')));
    open.push(api);
    const proxy = await startConnectProxy();
    expect(await clientOf(api.url, proxy.url).post(request, always)).toMatchObject({ status: 201 });
    expect(proxy.asked).toEqual([]);
  });

  it('no redirect is followed', async () => {
    const api = await startApi((socket) =>
      socket.write(whole('302 Found', '{}', 'location: https://elsewhere.example/')),
    );
    const proxy = await startConnectProxy();
    expect(await clientOf(api.url, proxy.url).post(request, always)).toMatchObject({
      status: 302,
      headers: { location: 'https://elsewhere.example/' },
    });
    expect([proxy.asked.length, api.requests.length]).toEqual([1, 1]);
  });

  it('interim answers are taken, and bytes that nobody asked for end their connection', async () => {
    let late: Promise<unknown> | undefined;
    const api = await startApi((socket, index) => {
      socket.write(`HTTP/1.1 100 Continue\r\n\r\n${whole('201 Created', `{"id":"${index}"}`)}`);
      if (index > 0) return;
      late = once(socket, 'close');
      setTimeout(() => socket.write(whole('201 Created', '{"id":"stray"}')), 10);
    });
    const proxy = await startConnectProxy();
    const client = clientOf(api.url, proxy.url);
    expect(await client.post(request, always)).toMatchObject({ status: 201, body: { text: '{"id":"0"}' } });
    await late;
    expect(await client.post(request, always)).toMatchObject({ status: 201, body: { text: '{"id":"1"}' } });
    expect([api.connections(), proxy.asked.length]).toEqual([2, 2]);
  });

  it('a connection that is not to be trusted is closed', async () => {
    const api = await startApi((socket) => socket.write(whole('201 Created')));
    const proxy = await startConnectProxy();
    const client = clientOf(api.url, proxy.url);
    const reply = await client.post(request, always);
    if (reply.kind === 'answer') reply.hangUp?.();
    expect(await client.post(request, always)).toMatchObject({ status: 201 });
    expect([api.connections(), proxy.asked.length]).toEqual([2, 2]);
  });

  it('an answer that is cut is one', async () => {
    const api = await startApi((socket) => socket.end(whole('201 Created').slice(0, -5)));
    const proxy = await startConnectProxy();
    expect(await clientOf(api.url, proxy.url).post(request, always)).toMatchObject({
      status: 201,
      body: { state: 'cut' },
    });
  });
});

describe('nothing has left', () => {
  it.each([
    ['proxy_refused', 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'],
    ['proxy_refused', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'],
    [
      'proxy_refused',
      'HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/\r\ncontent-length: 0\r\n\r\n',
    ],
    ['connect_failed', 'HTTP/1.1 2\r\n\r\n'],
    ['tls_failure', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n'],
    ['connect_timeout', ''],
  ])('when the proxy does not make the connection: %s for %j', async (reason, refusal) => {
    const api = await startApi((socket) => socket.write(whole('201 Created')));
    const proxy = await startConnectProxy(() => refusal);
    const client = clientOf(api.url, proxy.url, {}, refusal === '' ? 600 : 5_000);
    expect(await client.post(request, always)).toEqual({ kind: 'not_sent', reason });
    expect(api.requests).toEqual([]);
  });

  it('when the proxy is not there', async () => {
    const api = await startApi((socket) => socket.write(whole('201 Created')));
    const client = clientOf(api.url, 'http://127.0.0.1:1');
    expect(await client.post(request, always)).toEqual({ kind: 'not_sent', reason: 'connection_refused' });
  });

  it('and the next request goes through again, once the proxy lets it', async () => {
    const api = await startApi((socket) => socket.write(whole('201 Created')));
    let refusals = 1;
    const proxy = await startConnectProxy(() => (refusals-- > 0 ? 'HTTP/1.1 503 No\r\n\r\n' : undefined));
    const client = clientOf(api.url, proxy.url);
    const replies = await Promise.all([
      client.post(request, always),
      client.post(request, always),
      client.post(request, always),
    ]);
    expect(replies.filter(({ kind }) => kind === 'not_sent').length).toBeGreaterThan(0);
    expect(await client.post(request, always)).toMatchObject({ status: 201 });
  });
});
