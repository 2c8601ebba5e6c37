import { type AddressInfo, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiClient, type ApiClientOptions, createApiClient } from '../../src/api/client.ts';
import { always, type RawServer, startRawServer } from './raw-server.ts';

const apiKey = 'sk_test_the-secret-of-this-test';
const body = Buffer.from('{"account_name":"Łukasz","n":1}');
const request = { path: '/v1/customers', idempotencyKey: '0b0e7f5e-0000-4000-8000-000000000001', body };
const json = '{"data":{"id":"3f8c"},"error":null}';

const head = (status: string, ...headers: readonly string[]) =>
  [`HTTP/1.1 ${status}`, 'content-type: application/json', ...headers, '', ''].join('\r\n');
const whole = (status: string, text: string, ...headers: readonly string[]) =>
  head(status, `content-length: ${Buffer.byteLength(text)}`, ...headers) + text;

const open: { close: () => Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

async function start(answer: Parameters<typeof startRawServer>[0]): Promise<RawServer> {
  const server = await startRawServer(answer);
  open.push(server);
  return server;
}

/** A server that greets whatever comes with a text, or hangs up. */
async function startGreeter(greeting: string): Promise<{ port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => (greeting === '' ? socket.resetAndDestroy() : socket.write(greeting)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  return { port: (server.address() as AddressInfo).port };
}

function connect(baseUrl: URL, changes: Partial<ApiClientOptions> = {}): ApiClient {
  const client = createApiClient({
    baseUrl,
    apiKey,
    timeoutInMs: 5000,
    connections: 4,
    userAgent: 'paybatch/test',
    ...changes,
  });
  open.unshift(client);
  return client;
}

describe('a request', () => {
  it('is not sent once another run owns it, even if the connection is open by then', async () => {
    const server = await start((socket) => socket.write(whole('201 Created', json)));
    const client = connect(server.url);
    expect(await client.post(request, () => false)).toEqual({ kind: 'not_sent', reason: 'not_ours_to_send' });
    expect(server.requests).toEqual([]);
    expect(await client.post(request, () => true)).toMatchObject({ kind: 'answer', status: 201 });
  });

  it('carries exactly the stored bytes and the headers of the API', async () => {
    const server = await start((socket) => socket.write(whole('201 Created', json)));
    await connect(server.url).post(request, always);
    const [received] = server.requests;
    expect(Buffer.from(received?.body ?? '', 'latin1')).toEqual(body);
    const [line, ...headers] = received?.head.split('\r\n') ?? [];
    expect(line).toBe('POST /v1/customers HTTP/1.1');
    expect(headers.map((header) => header.toLowerCase()).sort()).toEqual([
      'accept: application/json',
      `api-key: ${apiKey}`,
      'connection: keep-alive',
      `content-length: ${body.length}`,
      'content-type: application/json',
      `host: ${server.url.host}`,
      `idempotency-key: ${request.idempotencyKey}`,
      'user-agent: paybatch/test',
    ]);
  });

  it.each(['/api', '/api/', '/api//'])('goes below the base URL’s path %s', async (prefix) => {
    const server = await start((socket) => socket.write(whole('200 OK', json)));
    const client = connect(new URL(prefix, server.url));
    await client.post(request, always);
    await client.get('/v1/institutions', { country_iso_code: 'KE', page: '2&3' });
    expect(server.requests.map(({ head: text }) => text.split('\r\n')[0])).toEqual([
      'POST /api/v1/customers HTTP/1.1',
      'GET /api/v1/institutions?country_iso_code=KE&page=2%263 HTTP/1.1',
    ]);
    expect(server.requests[1]?.head.toLowerCase()).not.toMatch(/idempotency-key|content-type/);
  });

  it('keeps its connection for the next one', async () => {
    const server = await start((socket) => socket.write(whole('201 Created', json)));
    const client = connect(server.url, { connections: 1 });
    for (let turn = 0; turn < 5; turn += 1) await client.post(request, always);
    expect(server.connections()).toBe(1);
  });

  it('is an internal error when its path is not one of the API', async () => {
    const client = connect(new URL('http://127.0.0.1:1'));
    expect(() => client.post({ ...request, path: 'https://elsewhere.example/' }, always)).toThrow(TypeError);
    await expect(client.post({ ...request, idempotencyKey: 'a\nb' }, always)).rejects.toThrow(TypeError);
  });
});

describe('the client’s settings', () => {
  it.each([
    [{ baseUrl: new URL('ftp://api.example') }],
    [{ baseUrl: new URL('https://me:secret@api.example') }],
    [{ baseUrl: new URL('https://api.example/?key=secret') }],
    [{ apiKey: '' }],
    [{ apiKey: 'secret\n' }],
    [{ apiKey: 'secret é' }],
    [{ timeoutInMs: 0 }],
  ])('are checked before anything is sent, without quoting a secret', (changes) => {
    const creating = () => connect(new URL('https://api.example'), changes);
    expect(creating).toThrow(TypeError);
    expect(creating).not.toThrow(/secret/);
  });
});

describe('a whole answer', () => {
  it('is given with its status, its headers and its text', async () => {
    const server = await start((socket) =>
      socket.write(whole('429 Too Many', '{"e":"é"}', 'Retry-After: 3', 'location: /x', 'retry-after: 9')),
    );
    expect(await connect(server.url).post(request, always)).toEqual({
      kind: 'answer',
      hangUp: expect.any(Function),
      status: 429,
      headers: { contentType: 'application/json', retryAfter: '3', date: null, location: '/x' },
      body: { state: 'whole', text: '{"e":"é"}' },
    });
  });

  it('may come in any pieces, after interim answers, without headers of its own', async () => {
    const server = await start((socket) => {
      const text = `HTTP/1.1 103 Early Hints\r\n\r\n${whole('201 Created', json)}`;
      const bytes = [...Buffer.from(text)];
      const writeNext = () => {
        const next = bytes.shift();
        if (next === undefined) return;
        socket.write(Buffer.of(next));
        setImmediate(writeNext);
      };
      socket.setNoDelay(true);
      writeNext();
    });
    expect(await connect(server.url).post(request, always)).toMatchObject({
      status: 201,
      body: { text: json },
    });
  });

  it('is never used as the answer to another request', async () => {
    const server = await start((socket, index) => {
      const own = whole('201 Created', `{"id":"${index}"}`);
      socket.write(index === 0 ? own + whole('201 Created', '{"id":"stray"}') : own);
    });
    const client = connect(server.url, { connections: 1 });
    const texts = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const reply = await client.post(request, always);
      texts.push(reply.kind === 'answer' && reply.body.state === 'whole' ? reply.body.text : reply.kind);
    }
    expect(texts[0]).toBe('{"id":"0"}');
    expect(texts).not.toContain('{"id":"stray"}');
    expect(texts.at(-1)).toMatch(/^\{"id":"[1-4]"\}$/);
  });

  it('is empty only where its end is announced', async () => {
    const server = await start((socket, index) => {
      if (index === 0) socket.write(whole('422 No', ''));
      else socket.end(head('422 No', 'connection: close'));
    });
    const client = connect(server.url);
    expect(await client.post(request, always)).toMatchObject({
      status: 422,
      body: { state: 'whole', text: '' },
    });
    expect(await client.post(request, always)).toMatchObject({ status: 422, body: { state: 'cut' } });
  });

  it('is a redirect when it is one: nothing goes to where it points', async () => {
    const elsewhere = await start((socket) => socket.write(whole('201 Created', json)));
    const server = await start((socket) =>
      socket.write(whole('307 Temporary Redirect', '', `location: ${elsewhere.url.href}`)),
    );
    expect(await connect(server.url).post(request, always)).toMatchObject({ status: 307 });
    expect(elsewhere.connections()).toBe(0);
    expect(server.requests).toHaveLength(1);
  });
});

describe('an answer without limits', () => {
  const endless = (socket: Socket, start_: string, piece: string) => {
    socket.write(start_);
    const write = () => {
      if (!socket.destroyed) socket.write(piece, () => setImmediate(write));
    };
    write();
  };

  it.each([
    ['by its length', head('201 Created', 'content-length: 999999999')],
    ['by its connection', head('201 Created', 'connection: close')],
  ])('is not read to its end: %s', async (_, start_) => {
    const server = await start((socket) => endless(socket, start_, 'x'.repeat(1000)));
    expect(await connect(server.url, { maxAnswerBytes: 10_000 }).post(request, always)).toMatchObject({
      status: 201,
      body: { state: 'too_large' },
    });
  });

  it('is read up to the very limit', async () => {
    const text = `"${'x'.repeat(98)}"`;
    const server = await start((socket) => socket.write(whole('201 Created', text)));
    const read = async (maxAnswerBytes: number) =>
      await connect(server.url, { maxAnswerBytes }).post(request, always);
    expect(await read(100)).toMatchObject({ body: { state: 'whole', text } });
    expect(await read(99)).toMatchObject({ body: { state: 'too_large' } });
  });

  it('has limits in its headers too', async () => {
    const server = await start((socket) =>
      endless(socket, 'HTTP/1.1 200 OK\r\n', `x: ${'y'.repeat(1000)}\r\n`),
    );
    expect(await connect(server.url).post(request, always)).toEqual({
      kind: 'maybe_sent',
      reason: 'answer_incomplete',
    });
  });

  it('has to end within the request’s time, even while it keeps coming', async () => {
    const server = await start((socket) => {
      socket.write(head('201 Created', 'content-length: 999999'));
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await connect(server.url, { timeoutInMs: 80 }).post(request, always)).toMatchObject({
      status: 201,
      body: { state: 'cut' },
    });
  });
});

describe('no answer', () => {
  it('is a request not sent when the connection is refused', async () => {
    const server = await start(() => {});
    await server.close();
    expect(await connect(server.url).post(request, always)).toEqual({
      kind: 'not_sent',
      reason: 'connection_refused',
    });
  });

  it('is a request not sent when TLS does not come about', async () => {
    for (const answer of ['HTTP/1.1 400 Bad Request\r\n\r\n', '']) {
      const server = await startGreeter(answer);
      const reply = await connect(new URL(`https://127.0.0.1:${server.port}`)).post(request, always);
      expect(reply).toEqual({ kind: 'not_sent', reason: answer === '' ? 'connect_failed' : 'tls_failure' });
    }
  });

  it.each([
    ['a reset', (socket: Socket) => socket.resetAndDestroy(), 'connection_lost'],
    ['a closed connection', (socket: Socket) => socket.end(), 'connection_lost'],
    ['silence', () => {}, 'timeout'],
    ['garbage', (socket: Socket) => socket.write('SSH-2.0-OpenSSH\r\n'), 'answer_incomplete'],
    [
      'a change of protocol',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'connection_lost',
    ],
  ])('may mean that the request was carried out: %s', async (_, answer, reason) => {
    const server = await start((socket) => answer(socket));
    const timeoutInMs = reason === 'timeout' ? 300 : 30_000;
    const reply = await connect(server.url, { timeoutInMs }).post(request, always);
    expect(reply).toEqual({ kind: 'maybe_sent', reason });
    expect(server.requests).toHaveLength(1);
  });

  it('never makes the transport send a request a second time by itself', async () => {
    const server = await start((socket, index) => {
      if (index % 2 === 0) socket.write(whole('201 Created', json));
      else socket.destroy();
    });
    const client = connect(server.url, { connections: 1 });
    const replies = [];
    for (let turn = 0; turn < 6; turn += 1) replies.push((await client.post(request, always)).kind);
    for (let turn = 0; turn < 2; turn += 1) replies.push((await client.get('/v1/x')).kind);
    expect(replies).toEqual([
      'answer',
      'maybe_sent',
      'answer',
      'maybe_sent',
      'answer',
      'maybe_sent',
      'answer',
      'maybe_sent',
    ]);
    expect(server.requests).toHaveLength(8);
  });
});

describe('the API key', () => {
  it('is in no reply, however the request failed', async () => {
    const answers = [
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.write('garbage\r\n\r\n'),
      (socket: Socket) => socket.end(head('200 OK', 'content-length: 50')),
    ];
    const server = await start((socket, index) => answers[index]?.(socket));
    const client = connect(server.url, { timeoutInMs: 200 });
    for (let turn = 0; turn < 4; turn += 1) {
      const reply = await client.post(request, always);
      expect(inspect(reply, { depth: Infinity, showHidden: true })).not.toContain('secret');
    }
    expect(inspect(client, { depth: Infinity, showHidden: true })).not.toContain('secret');
  });
});
