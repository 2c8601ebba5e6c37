import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { account, collection, csvOf, customer } from '../support/cli-files.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';

/** A desk whose API speaks HTTPS, and the environment of a program that trusts its certificate. */
async function openTlsDesk(): Promise<{ desk: Desk; trusting: Record<string, string> }> {
  const desk = await openDesk({ tls: true });
  return { desk, trusting: { NODE_EXTRA_CA_CERTS: desk.sandbox.certificatePath ?? '' } };
}

const password = 'p%40ss-nobody-may-see';

describe('an API by HTTPS', () => {
  it('is imported into, its address with or without /v1, once its certificate is trusted', async () => {
    const { desk, trusting } = await openTlsDesk();
    const files = [
      await desk.write('people.csv', csvOf([customer(1)])),
      await desk.write('wallets.csv', csvOf([account(1)])),
      await desk.write('bills.csv', csvOf([collection(1)])),
    ];
    const refused = await desk.json(['import', ...files]);
    expect(refused.exitCode).toBe(4);
    expect(refused.summary.batches[0]?.counts).toEqual({ not_sent: 1 });
    expect((await desk.results('people'))[0]).toMatchObject({ result_code: 'tls_failure' });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
    const env = { ...trusting, PAYBATCH_BASE_URL: `${desk.sandbox.url}/v1/` };
    const { exitCode, summary } = await desk.json(['import', ...files], { env });
    expect([exitCode, summary.batches.map(({ counts }) => counts)]).toEqual([
      0,
      files.map(() => ({ created: 1 })),
    ]);
    expect(desk.sandbox.counts().sandbox.created).toMatchObject({
      customers: 1,
      accounts: 1,
      collections: 1,
    });
  });

  it('is reached through the proxy of HTTPS_PROXY, which sees no key, and whose password is never shown', async () => {
    const { desk, trusting } = await openTlsDesk();
    const proxy = await startConnectProxy();
    const address = proxy.url.replace('//', `//clerk:${password}@`);
    const env = { ...trusting, HTTPS_PROXY: address };
    const file = await desk.write('people.csv', csvOf([customer(1), customer(2)]));
    const end = await desk.run(['import', file, '--verbose'], { env });
    expect(end.exitCode).toBe(0);
    expect(proxy.asked.length).toBeGreaterThan(0);
    const credentials = Buffer.from(`clerk:${decodeURIComponent(password)}`).toString('base64');
    for (const { target, headers } of proxy.asked) {
      expect([target, headers['proxy-authorization']]).toEqual([
        new URL(desk.sandbox.url).host,
        `Basic ${credentials}`,
      ]);
    }
    expect(JSON.stringify(proxy.asked) + proxy.carried()).not.toContain(desk.sandbox.apiKeys.sandbox);
    const doctor = await desk.run(['doctor'], { env });
    expect(doctor.stdout).toMatch(
      new RegExp(`^ok +proxy +requests go through ${new URL(proxy.url).host}`, 'm'),
    );
    expect(doctor.stdout).toMatch(/^ok +certificates +trusts 1 certificate of NODE_EXTRA_CA_CERTS/m);
    const asked = proxy.asked.length;
    const without = await desk.run(['doctor'], { env: { ...env, NO_PROXY: '127.0.0.1' } });
    expect(without.stdout).toMatch(/^ok +proxy +requests go to the API directly, since NO_PROXY/m);
    expect(proxy.asked).toHaveLength(asked);
    const files = await Promise.all((await desk.resultNames()).map((name) => desk.resultText(name)));
    const said = [end, doctor, without].map(({ stdout, stderr }) => stdout + stderr);
    for (const secret of [password, decodeURIComponent(password), credentials]) {
      expect([...said, ...files].join('\n')).not.toContain(secret);
    }
  });

  it('gets no row whose connection is made only after everything was halted', async () => {
    const { desk, trusting } = await openTlsDesk();
    let open = (): void => {};
    const proxy = await startConnectProxy(undefined, new Promise<void>((resolve) => (open = resolve)));
    const file = await desk.write('people.csv', csvOf([customer(1), customer(2)]));
    const env = { ...trusting, HTTPS_PROXY: proxy.url };
    const running = desk.json(['import', file], { env, program: 'started' });
    while (proxy.asked.length === 0) await sleep(20);
    await desk.run(['halt', '--note', 'wrong accounts']);
    // A run asks every second.
    await sleep(2_000);
    open();
    const { summary } = await running;
    expect(summary).toMatchObject({ exit_code: 8, error: { code: 'halted' } });
    expect(summary.batches[0]?.counts).toEqual({ not_sent: 2 });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  });

  it('stays unsent when the proxy refuses, and goes on once it does not', async () => {
    const { desk, trusting } = await openTlsDesk();
    const proxy = await startConnectProxy(({ 'proxy-authorization': given }) =>
      given === undefined ? 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n' : undefined,
    );
    const file = await desk.write('people.csv', csvOf([customer(1)]));
    const env = { ...trusting, https_proxy: proxy.url };
    expect((await desk.run(['import', file, '--max-attempts', '2'], { env })).exitCode).toBe(4);
    expect((await desk.results())[0]).toMatchObject({
      result_status: 'not_sent',
      result_code: 'proxy_refused',
    });
    const doctor = await desk.run(['doctor'], { env });
    expect(doctor.exitCode).toBe(4);
    expect(doctor.stdout.replace(/\s+/g, ' ')).toContain(
      'the proxy of HTTPS_PROXY did not let the connection through',
    );
    const right = { ...trusting, https_proxy: proxy.url.replace('//', '//clerk@') };
    expect((await desk.run(['import', file], { env: right })).exitCode).toBe(0);
    expect((await desk.results())[0]).toMatchObject({ result_status: 'created' });
  });

  it('a variable that names no valid proxy or certificates is reported without its value', async () => {
    const { desk, trusting } = await openTlsDesk();
    const file = await desk.write('people.csv', csvOf([customer(1)]));
    const env = { ...trusting, HTTPS_PROXY: `clerk:${password}@proxy.example:3128` };
    const end = await desk.run(['import', file], { env });
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain('HTTPS_PROXY is no http or https address');
    expect(end.stdout + end.stderr).not.toContain('ss-nobody');
    const doctor = await desk.run(['doctor'], { env: { NODE_EXTRA_CA_CERTS: file } });
    expect(doctor.exitCode).toBe(4);
    expect(doctor.stdout).toMatch(/^problem +certificates +NODE_EXTRA_CA_CERTS names people.csv/m);
  });
});
