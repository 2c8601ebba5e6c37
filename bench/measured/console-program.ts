import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { programPath } from './program.ts';

const looksEveryInMs = 100;

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

/** `paybatch serve` as a program of its own, and somebody who has entered. */
export class ConsoleProgram {
  readonly #program: ChildProcess;
  readonly #url: URL;
  readonly #cookies = new Map<string, string>();
  #token = '';

  private constructor(program: ChildProcess, url: URL) {
    this.#program = program;
    this.#url = url;
  }

  static async start({ folder, apiKey, apiUrl, databaseUrl }: ConsoleSetting): Promise<ConsoleProgram> {
    const { PATH, TMPDIR } = process.env;
    const words = [programPath, 'serve', '--port', '0', '--base-url', apiUrl.origin];
    const program = spawn(process.execPath, words, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH,
        TMPDIR,
        PAYBATCH_API_KEY: apiKey,
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      },
    });
    let output = '';
    program.stdout.setEncoding('utf8');
    while (!output.includes('Ctrl-C')) {
      const [piece] = await once(program.stdout, 'data');
      output += piece;
    }
    const entry = /works once:\s+(\S+)/.exec(output)?.[1];
    if (entry === undefined) throw new Error('the console did not say where it is entered');
    const console = new ConsoleProgram(program, new URL(entry));
    console.#keepCookies(await fetch(entry, { redirect: 'manual' }));
    return console;
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

  /** @throws Error when the page says that something is wrong */
  async #ask(path: string, given: RequestInit): Promise<Shown> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, origin: this.#url.origin };
    const response = await fetch(new URL(path, this.#url), { ...given, headers });
    this.#keepCookies(response);
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
