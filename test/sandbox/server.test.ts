import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { replyOf, startClient, temporaryFolder } from './harness.ts';

const customer = JSON.stringify({ first_name: 'Amina', last_name: 'Odhiambo' });

describe('the door', () => {
  it.each([undefined, '', 'wrong'])('answers 401 to the key %j, before anything else', async (key) => {
    const { sandbox } = await startClient();
    for (const [path, method] of [
      ['/v1/customers', 'POST'],
      ['/v1/external-accounts/institutions', 'GET'],
      ['/v1/nowhere', 'GET'],
    ] as const) {
      const headers = key === undefined ? {} : { 'api-key': key };
      const reply = await replyOf(await fetch(sandbox.url + path, { method, headers }));
      expect([reply.status, reply.error.code]).toEqual([401, 'unauthorized']);
      expect(reply.json['data']).toBeNull();
    }
  });

  it.each([
    ['POST', '/v1/nowhere', 'application/json', customer, 404, 'not_found'],
    ['GET', '/v1/customers', undefined, undefined, 404, 'not_found'],
    ['POST', '/v1/nowhere', 'text/plain', 'x', 404, 'not_found'],
    ['POST', '/v1/customers', 'text/plain', customer, 415, 'unsupported_media_type'],
    ['POST', '/v1/customers', 'application/json', 'x'.repeat(64 * 1024 + 1), 413, 'body_too_large'],
    ['POST', '/v1/customers', 'application/json', '{"first_name":', 400, 'invalid_json'],
    ['POST', '/v1/customers', 'application/json', new Uint8Array([34, 0xff, 34]), 400, 'invalid_json'],
    ['POST', '/v1/customers', 'application/json', '', 400, 'empty_body'],
    ['POST', '/v1/customers', undefined, undefined, 400, 'empty_body'],
    ['GET', '/v1/%zz', undefined, undefined, 400, 'bad_request'],
  ])('answers %s %s (%s) as JSON', async (method, path, type, body, status, code) => {
    const { sandbox } = await startClient();
    const headers = { 'api-key': sandbox.apiKeys.sandbox, 'idempotency-key': 'k' };
    const response = await fetch(sandbox.url + path, {
      method,
      headers: type === undefined ? headers : { ...headers, 'content-type': type },
      ...(body === undefined ? {} : { body }),
    });
    const reply = await replyOf(response);
    expect([reply.status, reply.error.code]).toEqual([status, code]);
    expect(reply.headers.get('content-type')).toContain('application/json');
  });
});

describe('startSandbox', () => {
  it('takes given API keys, and refuses two that are the same', async () => {
    const client = await startClient({ apiKeys: { sandbox: 'a', live: 'b' } });
    expect(client.sandbox.apiKeys).toEqual({ sandbox: 'a', live: 'b' });
    expect((await client.get('/v1/external-accounts/institutions?country_iso_code=KE')).status).toBe(200);
    const dataDir = temporaryFolder();
    await expect(startSandbox({ dataDir, apiKeys: { sandbox: 'a', live: 'a' } })).rejects.toThrow(
      'must differ',
    );
  });

  it('does not open a folder twice, nor a port, and gives the folder back either way', async () => {
    const dataDir = temporaryFolder();
    const sandbox = await startSandbox({ dataDir });
    await expect(startSandbox({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
    const port = Number(new URL(sandbox.url).port);
    const other = temporaryFolder();
    await expect(startSandbox({ dataDir: other, port })).rejects.toThrow('EADDRINUSE');
    await sandbox.close();
    await (await startSandbox({ dataDir })).close();
    await (await startSandbox({ dataDir: other })).close();
  });

  it.each([{ pageSize: 0 }, { keyLifetimeInMs: -1 }, { latencyInMs: 0.5 }])('refuses %j', async (options) => {
    await expect(startSandbox({ dataDir: temporaryFolder(), ...options })).rejects.toThrow(
      'must be a whole number',
    );
  });
});

describe('close', () => {
  it('ends idle and hanging connections, and may be called twice', async () => {
    const client = await startClient({ onRequest: () => 'timeout_after' });
    const { port, hostname } = new URL(client.sandbox.url);
    const idle = connect(Number(port), hostname);
    await once(idle, 'connect');
    const hanging = client.post('/v1/customers', customer).catch((error: Error) => error.message);
    while (client.sandbox.counts().sandbox.created.customers === 0) await new Promise(setImmediate);
    await Promise.all([client.sandbox.close(), client.sandbox.close()]);
    expect(await hanging).toBe('fetch failed');
    idle.destroy();
  });

  it('lets a request in flight finish', async () => {
    const client = await startClient({ latencyInMs: 100 });
    const reply = client.post('/v1/customers', customer);
    await new Promise((resolve) => setTimeout(resolve, 40));
    await client.sandbox.close();
    expect((await reply).status).toBe(201);
  });
});
