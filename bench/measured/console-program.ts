import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { programPath } from './program.ts';
import { processorSecondsOf } from './server-usage.ts';
import type { LongestStretch } from './stretches.ts';

const looksEveryInMs = 100;
const stretchesPath = new URL('stretches.js', import.meta.url).href;

/** A page as it came back. */
export interface Shown {
  readonly path: string;
  readonly text: string;
}

/** Where the console is started, and on what. */
export interface ConsoleSetting {
  readonly folder: string;
  readonly apiKey: string;
  readonly apiUrl: URL;
  /** Null for the embedded ledger. */
  readonly databaseUrl: string | null;
}

/** `paybatch serve` as a program of its own. */
export class ConsoleProgram {
  readonly #program: ChildProcess;
  /** Where somebody enters: once, or with a password. */
  readonly #entry: URL;

  private constructor(program: ChildProcess, entry: URL) {
    this.#program = program;
    this.#entry = entry;
  }

  /** @param hasUsers whether people sign in */
  static async start(
    { folder, apiKey, apiUrl, databaseUrl }: ConsoleSetting,
    hasUsers = false,
  ): Promise<ConsoleProgram> {
    const { PATH, TMPDIR } = process.env;
    const serve = ['serve', '--port', '0', '--base-url', apiUrl.origin, ...(hasUsers ? ['--users'] : [])];
    const program = spawn(process.execPath, ['--import', stretchesPath, programPath, ...serve], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: {
        PATH,
        TMPDIR,
        PAYBATCH_API_KEY: apiKey,
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      },
    });
    let output = '';
    program.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
    while (!output.includes('Ctrl-C')) await sleep(looksEveryInMs);
    const [entry] = /http\S+\/enter\S+/.exec(output) ?? /http\S+/.exec(output) ?? [];
    if (entry === undefined) throw new Error('the console did not say where it is entered');
    return new ConsoleProgram(program, new URL(entry));
  }

  /** Somebody who has entered a console without users. */
  async enter(): Promise<ConsoleVisitor> {
    const visitor = new ConsoleVisitor(this.#entry);
    await visitor.get(this.#entry.href);
    return visitor;
  }

  /** A user who has signed in. */
  async signIn(name: string, password: string): Promise<ConsoleVisitor> {
    const visitor = new ConsoleVisitor(this.#entry);
    await visitor.get('/sign-in');
    await visitor.post('/sign-in', { name, password });
    return visitor;
  }

  /** The longest time for which its event loop was blocked since the last call. */
  async longestStretch(): Promise<LongestStretch> {
    const told = once(this.#program, 'message');
    this.#program.send('stretches');
    const [longest] = await told;
    return longest;
  }

  /** The processor time that it has used so far (on Linux only). */
  processorSeconds(): Promise<number> {
    return processorSecondsOf(this.#program.pid);
  }

  /** The resident set (on Linux only). */
  async residentInMib(): Promise<number> {
    const status = await readFile(`/proc/${this.#program.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    const exited = once(this.#program, 'exit');
    this.#program.kill('SIGTERM');
    await exited;
  }
}

/** A person's browser. */
export class ConsoleVisitor {
  readonly #url: URL;
  readonly #cookies = new Map<string, string>();
  #token = '';

  constructor(url: URL) {
    this.#url = url;
  }

  get(path: string): Promise<Shown> {
    return this.#ask(path, {});
  }

  /** Sends a form of the page that was seen last, as a browser does. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<Shown> {
    return this.#ask(path, { method: 'POST', body: new URLSearchParams({ _csrf: this.#token, ...fields }) });
  }

  upload(path: string, name: string, content: string): Promise<Shown> {
    const form = new FormData();
    form.append('_csrf', this.#token);
    form.append('files', new Blob([content]), name);
    return this.#ask(path, { method: 'POST', body: form });
  }

  /** Loads a page until it shows that nothing is under way any more. */
  async whenDone(path: string): Promise<Shown> {
    for (;;) {
      const shown = await this.get(path);
      if (!shown.text.includes('id="progress"')) return shown;
      await sleep(looksEveryInMs);
    }
  }

  /** @throws Error when the page says that something is wrong */
  async #ask(path: string, given: RequestInit): Promise<Shown> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, origin: this.#url.origin };
    const response = await fetch(new URL(path, this.#url), { ...given, headers, redirect: 'manual' });
    this.#keepCookies(response);
    const elsewhere = response.headers.get('location');
    // By itself, fetch would go there without the cookie of a session that has begun just now.
    if (elsewhere !== null) return this.#ask(elsewhere, {});
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${path} was answered with ${response.status}: ${text.slice(0, 2_000)}`);
    this.#token = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.#token;
    const { pathname, search } = new URL(response.url);
    return { path: pathname + search, text };
  }

  #keepCookies({ headers }: Response): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
  }
}
