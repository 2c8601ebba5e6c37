import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { type Client, clientOf, startClient, temporaryFolder } from './harness.ts';

const PERSONAL = 'Odhiambo';

/** One request as it stands, since `fetch` sets Host by itself and tidies paths up. */
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
  ])('tell nothing %s, however the path is written', async (_name, headersOf) => {
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
