/* A console of a test's own, and a browser without scripts that keeps cookies and fills in forms. */

import { join } from 'node:path';
import { type Dispatcher, request } from 'undici';
import { onTestFinished } from 'vitest';
import { type Console, type ConsoleOptions, startConsole } from '../../src/console/server.ts';
import type { Engine, EngineConfig } from '../../src/index.ts';
import { type Desk, type DeskOptions, openDesk } from './cli-desk.ts';
import { configOfDesk, openEngine } from './engine.ts';

/** What came back, with redirects followed. */
export interface Shown {
  readonly status: number;
  readonly text: string;
  /** The path of the page that was shown at last. */
  readonly path: string;
  readonly headers: Dispatcher.ResponseData['headers'];
}

/** A file to upload. */
export interface FileToUpload {
  readonly name: string;
  readonly content: string | Buffer;
}

interface Asked {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A browser without scripts: it keeps cookies, and sends the token of the page that it saw last. */
export class Visitor {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();
  #csrf = '';

  /** @param cookie what it has from an earlier visit */
  constructor(url: string, cookie = '') {
    this.#url = url;
    for (const part of cookie === '' ? [] : cookie.split('; ')) {
      const at = part.indexOf('=');
      this.#cookies.set(part.slice(0, at), part.slice(at + 1));
    }
  }

  /** Its cookies, as a request has them. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** One request, redirects not followed. */
  async ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Shown> {
    const { cookie } = this;
    const response = await request(new URL(path, this.#url), {
      method,
      headers: { cookie, ...(method === 'GET' ? {} : { origin: this.#url }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const given = response.headers['set-cookie'] ?? [];
    for (const line of typeof given === 'string' ? [given] : given) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const text = await response.body.text();
    this.#csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.#csrf;
    return { status: response.statusCode, text, path, headers: response.headers };
  }

  /** A page, with redirects followed. */
  async get(path: string): Promise<Shown> {
    return this.#follow(await this.ask(path));
  }

  /** Sends a form of the page that was seen last. */
  async post(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    const body = new URLSearchParams({ _csrf: this.#csrf, ...fields }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#follow(await this.ask(path, { method: 'POST', headers, body }));
  }

  /** Uploads files with the form of the page that was seen last. */
  async upload(
    path: string,
    files: readonly FileToUpload[],
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    const form = new FormData();
    for (const [name, value] of Object.entries({ _csrf: this.#csrf, ...fields })) form.append(name, value);
    for (const { name, content } of files) form.append('files', new Blob([content]), name);
    // Node.js writes it, since from version 24 on undici's own form never ends there.
    const written = new Response(form);
    const headers = { 'content-type': written.headers.get('content-type') ?? '' };
    const body = Buffer.from(await written.arrayBuffer());
    return this.#follow(await this.ask(path, { method: 'POST', headers, body }));
  }

  /** Loads a page until it shows something. */
  async until(path: string, isThere: (shown: Shown) => boolean): Promise<Shown> {
    for (let round = 0; round < 600; round += 1) {
      const shown = await this.get(path);
      if (isThere(shown)) return shown;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${path} never showed what was waited for`);
  }

  async #follow(shown: Shown): Promise<Shown> {
    const target = shown.headers['location'];
    if (shown.status < 300 || shown.status > 399 || typeof target !== 'string') return shown;
    return this.get(target);
  }
}

/** A console on a desk's ledger and sandbox. */
export interface ConsoleOfTest {
  readonly desk: Desk;
  readonly engine: Engine;
  readonly console: Console;
  /** Somebody who has entered, unless a test enters itself. */
  readonly visitor: Visitor;
}

/** Opens a console; it is closed when the test is over. @param prepare what its ledger needs before */
export async function openConsole(
  options: DeskOptions & { readonly enters?: boolean } = {},
  given: Partial<ConsoleOptions> = {},
  prepare?: (desk: Desk) => Promise<void>,
  settings: EngineConfig | ((desk: Desk) => EngineConfig) = {},
): Promise<ConsoleOfTest> {
  const desk = await openDesk(options);
  await prepare?.(desk);
  const engine = await openEngine({
    ...configOfDesk(desk),
    ...(typeof settings === 'function' ? settings(desk) : settings),
  });
  const console = await startOn({ desk, engine }, given);
  const visitor = new Visitor(console.url);
  if (options.enters !== false) await visitor.get(console.entry);
  return { desk, engine, console, visitor };
}

/** Starts a console where another one was: on its ledger, and beside its files. */
export async function startOn(
  { desk: { folder, databaseUrl }, engine }: Pick<ConsoleOfTest, 'desk' | 'engine'>,
  given: Partial<ConsoleOptions> = {},
): Promise<Console> {
  const console = await startConsole({
    engine,
    port: 0,
    host: '127.0.0.1',
    uploadFolder: join(folder, 'uploads'),
    keyFile: join(folder, 'console.key'),
    sessionFile: join(folder, 'console.sessions'),
    owner: 'amina',
    isForTrying: databaseUrl === null,
    ...given,
  });
  onTestFinished(() => console.close());
  return console;
}

/** Uploads files, and waits for the page of what came of it. */
export async function uploadAndCheck(visitor: Visitor, files: readonly FileToUpload[]): Promise<Shown> {
  await visitor.get('/');
  const shown = await visitor.upload('/uploads', files);
  return visitor.until(shown.path, ({ text }) => !text.includes('id="progress"'));
}
