import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { type Client, clientOf, replyOf, startClient, temporaryFolder } from './harness.ts';

const customer = JSON.stringify({ first_name: 'Amina', last_name: 'Odhiambo' });

describe('access', () => {
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
  it('accepts API keys as options, and refuses two that are the same', async () => {
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
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const onRequest = (): undefined => {
      arrive();
    };
    const client = await startClient({ latencyInMs: 100, onRequest });
    const reply = client.post('/v1/customers', customer);
    await arrived;
    await client.sandbox.close();
    expect((await reply).status).toBe(201);
  });
});

const PERSONAL = 'Odhiambo';

/** One request exactly as written, since `fetch` sets Host by itself and tidies paths up. */
function ask(
  { sandbox }: Client,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number | undefined; text: string }> {
  const { hostname, port } = new URL(sandbox.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });
}

describe('the control endpoints', () => {
  it.each([
    ['without a token', () => ({})],
    ['with a wrong token', () => ({ authorization: 'Bearer control_0' })],
    ['with an API key in its place', ({ sandbox }: Client) => ({ 'api-key': sandbox.apiKeys.live })],
  ])('disclose nothing %s, however the path is written', async (_name, headersOf) => {
    const client = await startClient();
    await client.customer();
    for (const path of ['/sandbox/objects', '/%73andbox/objects', '/_sandbox/summary', '/sandbox/nowhere']) {
      const { status, text } = await ask(client, path, headersOf(client));
      expect([path, status]).toEqual([path, 401]);
      expect(text).not.toContain(PERSONAL);
    }
  });

  it('have a token that only the owner of the data folder can read, the same at every start', async () => {
    const dataDir = temporaryFolder();
    const first = await startSandbox({ dataDir });
    const path = join(dataDir, 'control-token');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toBe(`${first.controlToken}\n`);
    await first.close();
    const second = await startSandbox({ dataDir });
    expect(second.controlToken).toBe(first.controlToken);
    const headers = { authorization: `Bearer ${second.controlToken}` };
    for (const name of ['sandbox', '_sandbox']) {
      expect((await ask(clientOf(second), `/${name}/summary`, headers)).status).toBe(200);
    }
    await second.close();
  });
});

describe('the header Host', () => {
  const paths = ['/sandbox/objects', '/v1/external-accounts/institutions?country_iso_code=KE'];

  async function statusesFor(host: string): Promise<(number | undefined)[]> {
    const client = await startClient();
    const { controlToken, apiKeys } = client.sandbox;
    const headers = { host, authorization: `Bearer ${controlToken}`, 'api-key': apiKeys.sandbox };
    const replies = [];
    for (const path of paths) replies.push((await ask(client, path, headers)).status);
    return replies;
  }

  it.each(['localhost', 'LOCALHOST:4010', '127.0.0.1:1', '127.8.8.8', '[::1]:4010'])(
    'may be %s',
    async (host) => expect(await statusesFor(host)).toEqual([200, 200]),
  );

  it.each([
    'evil.example',
    '127.evil.example:4010',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
  ])('may not be %s, of the API and of the control endpoints alike', async (host) =>
    expect(await statusesFor(host)).toEqual([421, 421]),
  );
});
