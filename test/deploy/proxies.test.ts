/* The proxies of deploy/ in front of a console: as they are there, except for names, ports and certificates. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { mostFileBytes } from '../../src/read/sources/open-file.ts';
import { cheapScrypt } from '../support/cheap-scrypt.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import type { ConsoleOfTest } from '../support/console.ts';
import { onLedgerOf, openConsoleWithUsers } from '../support/console-users.ts';
import { freePort } from '../support/free-port.ts';
import { password } from '../support/passwords.ts';

cheapScrypt();

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const example = (name: string): string => readFileSync(join(deploy, name), 'utf8');

function pathOf(program: string): string | null {
  for (const folder of ['/usr/sbin', '/usr/bin', '/usr/local/bin']) {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return join(folder, program);
    } catch {
      // In none of the others either, perhaps.
    }
  }
  return null;
}

interface Place {
  readonly folder: string;
  /** Where browsers reach the proxy. */
  readonly port: number;
  /** Where plain HTTP is led on to HTTPS. */
  readonly plainPort: number;
  readonly consolePort: number;
}

/** A replacement that has to find its place, so that an example which was changed is looked at again. */
function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((all, [what, by]) => {
    if (!all.includes(what)) throw new Error(`the example has no ${what}`);
    return all.replaceAll(what, by);
  }, text);
}

const proxies = {
  nginx: (place: Place): readonly string[] => {
    const { folder, port, plainPort, consolePort } = place;
    const own = replaced(example('nginx.conf'), [
      ['paybatch.example.com/', ''],
      ['/etc/ssl/', `${folder}/`],
      ['server_name paybatch.example.com', 'server_name localhost'],
      ['listen 80;', `listen 127.0.0.1:${plainPort};`],
      ['listen 443 ', `listen 127.0.0.1:${port} `],
      ['/var/log/nginx/', `${folder}/`],
      ['127.0.0.1:8080', `127.0.0.1:${consolePort}`],
    ]);
    const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const folders = kept.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
    const main = `daemon off; user root; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {} http { ${folders} include ${folder}/own.conf; }\n`;
    writeFileSync(join(folder, 'own.conf'), own);
    writeFileSync(join(folder, 'main.conf'), main);
    return ['-p', folder, '-c', join(folder, 'main.conf'), '-e', join(folder, 'error.log')];
  },
  caddy: (place: Place): readonly string[] => {
    const { folder, port, plainPort, consolePort } = place;
    const own = replaced(example('Caddyfile'), [
      [
        '\npaybatch.example.com {',
        `\nhttps://localhost:${port} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
      ],
      ['127.0.0.1:8080', `127.0.0.1:${consolePort}`],
      ['\tlog {', `\tlog {\n\t\toutput file ${folder}/paybatch.log`],
    ]);
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\thttp_port ${plainPort}\n}\n${own}`);
    return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  },
};

/** A browser behind the proxy, which takes its certificate without asking who signed it. */
class Browser {
  readonly #origin: string;
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false } });
  readonly #cookies = new Map<string, string>();
  csrf = '';

  constructor(origin: string) {
    this.#origin = origin;
    onTestFinished(() => this.#agent.close());
  }

  async ask(
    path: string,
    given: { readonly headers?: Record<string, string>; readonly body?: string | Buffer } = {},
  ): Promise<{ readonly status: number; readonly text: string; readonly location: string }> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { body } = given;
    const sent = body === undefined ? {} : { body, method: 'POST' as const };
    const answer = await request(`${this.#origin}${path}`, {
      dispatcher: this.#agent,
      headers: { cookie, ...(body === undefined ? {} : { origin: this.#origin }), ...given.headers },
      ...sent,
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    const text = await answer.body.text();
    this.csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.csrf;
    return { status: answer.statusCode, text, location: String(answer.headers['location'] ?? '') };
  }

  /** Sends a form, and gives the page that it leads to. */
  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams({ _csrf: this.csrf, ...fields }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.ask(path, { body, headers: { ...type, ...headers } });
  }

  async upload(content: Buffer): Promise<{ readonly status: number; readonly location: string }> {
    const form = new FormData();
    form.append('_csrf', this.csrf);
    form.append('files', new Blob([content]), 'people.csv');
    const written = new Response(form);
    const body = Buffer.from(await written.arrayBuffer());
    return this.ask('/uploads', {
      body,
      headers: { 'content-type': written.headers.get('content-type') ?? '' },
    });
  }

  async until(path: string, isThere: (text: string, location: string) => boolean): Promise<string> {
    for (let round = 0; round < 2_400; round += 1) {
      const { text, location } = await this.ask(path);
      if (isThere(text, location)) return location === '' ? text : location;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${path} never showed what was waited for`);
  }
}

/** A console with users behind a proxy that runs. */
async function behind(
  name: keyof typeof proxies,
  program: string,
): Promise<{ readonly world: ConsoleOfTest; readonly origin: string; readonly place: Place }> {
  const folder = await mkdtemp(join(inject('testFolder'), `${name}-`));
  await mkdir(join(folder, 'home'));
  const [port, plainPort] = [await freePort(), await freePort()];
  const origin = `https://localhost:${port}`;
  const world = await openConsoleWithUsers({ latencyInMs: 20 }, { publicOrigin: origin });
  const consolePort = Number(new URL(world.console.listening).port);
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...names, ...files],
    { stdio: 'ignore' },
  );
  const place = { folder, port, plainPort, consolePort };
  const started = spawn(program, proxies[name](place), {
    env: { PATH: '/usr/bin:/bin', HOME: join(folder, 'home'), XDG_DATA_HOME: join(folder, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => ended(started));
  let said = '';
  started.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const browser = new Browser(origin);
  for (let tries = 0; tries < 200; tries += 1) {
    if (started.exitCode !== null) throw new Error(`${name} did not start: ${said}`);
    const is = await browser.ask('/sign-in').then(
      ({ status }) => status === 200,
      () => false,
    );
    if (is) return { world, origin, place };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} does not answer: ${said}`);
}

async function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return;
  const end = once(program, 'exit');
  program.kill('SIGTERM');
  await end;
}

/** A file of 200 customers that is as large as is asked for, by a column that is not read. */
function largeFile(bytes: number): Buffer {
  const filler = 'x'.repeat(Math.ceil(bytes / 200));
  return Buffer.from(csvOf(customers(200).map((row) => ({ ...row, result_notes: filler }))));
}

const uploadedBytes = 50 * 1024 * 1024;

describe.each(Object.keys(proxies) as (keyof typeof proxies)[])('%s', (name) => {
  const program = pathOf(name);

  it.skipIf(program === null)(
    'takes a large file from a person who signed in to its results',
    async () => {
      const { world, origin, place } = await behind(name, program ?? '');
      const browser = new Browser(origin);
      expect((await browser.ask('/')).location).toBe('/sign-in');
      await browser.ask('/sign-in');
      const spoofed = { 'x-forwarded-for': '203.0.113.7' };
      await browser.post('/sign-in', { name: 'mo', password: 'wrong' }, spoofed);
      expect((await browser.post('/sign-in', { name: 'mo', password }, spoofed)).location).toBe('/');
      await onLedgerOf(world.desk, async (database) => {
        // What a browser says of its address before the proxy does not count.
        const { rows } = await database.raw('SELECT DISTINCT address FROM sign_in_tries');
        expect(rows.map(({ address }: { address: string }) => address)).toEqual(['127.0.0.1']);
      });
      await browser.ask('/');
      const { location: call } = await browser.upload(largeFile(uploadedBytes));
      expect(call).toMatch(/^\/calls\//);
      const batch = await browser.until(call, (_, location) => location.startsWith('/batches/'));
      const plan = await browser.ask(batch);
      expect(plan.text).toContain('Send 200 rows');
      const planHash = /name="plan_hash" value="([0-9a-f]{64})"/.exec(plan.text)?.[1] ?? '';
      const sent = await browser.post(`${batch}/send`, { plan_hash: planHash });
      // The part of the page that asks for itself comes through while it is under way.
      const progress = await browser.ask(`${sent.location}/progress`);
      expect([200, 204]).toContain(progress.status);
      await browser.until(batch, (text) => text.includes('All 200 rows created'));
      expect(world.desk.sandbox.counts().sandbox.created.customers).toBe(200);
      const log = readFileSync(join(place.folder, 'paybatch.log'), 'utf8');
      expect(log).toContain('/sign-in');
    },
    300_000,
  );

  it.skipIf(program === null)(
    'lets through no other name, and logs no secret of a link',
    async () => {
      const { origin, place } = await behind(name, program ?? '');
      const browser = new Browser(origin);
      const { status, text } = await browser
        .ask('/sign-in', { headers: { host: 'evil.example' } })
        .catch(() => ({
          status: 0,
          text: '',
        }));
      expect([0, 200, 421]).toContain(status);
      // Caddy has no site of that name, and answers with nothing.
      if (status === 200) expect(text).toBe('');
      await browser.ask('/welcome?token=a-secret-of-a-link');
      await expect
        .poll(() => readFileSync(join(place.folder, 'paybatch.log'), 'utf8'), { timeout: 10_000 })
        .toContain('/welcome');
      expect(readFileSync(join(place.folder, 'paybatch.log'), 'utf8')).not.toContain('a-secret-of-a-link');
      const plain = await request(`http://localhost:${place.plainPort}/batches`, {
        headers: { host: 'localhost' },
      });
      await plain.body.dump();
      expect([301, 308]).toContain(plain.statusCode);
      expect(String(plain.headers['location'])).toMatch(/^https:\/\/localhost/);
    },
    120_000,
  );
});

it('both take a file that is as large as paybatch reads, and the form around it', () => {
  const most = mostFileBytes / 1024 ** 2;
  for (const text of [example('nginx.conf'), example('Caddyfile')]) {
    const [, mebibytes] = /(?:client_max_body_size|max_size) (\d+)(?:m|MiB)/.exec(text) ?? [];
    expect(Number(mebibytes)).toBeGreaterThan(most);
    expect(Number(mebibytes)).toBeLessThan(most + 100);
  }
});
