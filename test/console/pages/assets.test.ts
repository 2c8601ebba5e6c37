/*
 * What the page's script promises of a lost connection, in virtual time: however busy a machine is, the seconds are counted
 * as a browser with time for us counts them. `test/browser/lost-connection.test.ts` shows the same in a browser.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { script } from '../../../src/console/pages/assets.ts';

/** Within this number of seconds a failed request is said, and a connection is taken up again. */
const promisedInMs = 5_000;

/** A missing answer is said after this number of seconds, and one more: before that the console is only slow. */
const patienceInMs = 20_000;

/** All delays of the script are multiples of it. */
const stepInMs = 100;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** How a console fails its pages. */
interface Outage {
  /**
   * Killed; silent on an open connection; frozen, and answering the requests later; or behind a proxy that answers for
   * it.
   */
  readonly how: 'refused' | 'silent' | 'frozen' | 'bad_gateway';
  readonly fromInMs: number;
  readonly forInMs: number;
  /** Whether the console was started anew meanwhile: it does not know any more what was under way. */
  readonly forgets: boolean;
}

interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly redirected: boolean;
  readonly url: string;
  readonly text: () => Promise<string>;
}

const startInMs = Date.UTC(2026, 10, 26, 12);
const nowInMs = (): number => Date.now() - startInMs;
const [progress, gone, page] = ['/calls/1/progress', '/batches/1', '/calls/1'] as const;

/** A console that counts, and is away for a while. */
class CountingConsole {
  readonly #outage: Outage;

  constructor(outage: Outage) {
    this.#outage = outage;
  }

  get #endsAtInMs(): number {
    return this.#outage.fromInMs + this.#outage.forInMs;
  }

  ask(address: string, signal: AbortSignal): Promise<Answer> {
    const { how, fromInMs } = this.#outage;
    const isAway = nowInMs() >= fromInMs && nowInMs() < this.#endsAtInMs;
    return new Promise((answer, fail) => {
      signal.addEventListener('abort', () => fail(signal.reason));
      const later = (inMs: number): void => {
        setTimeout(() => answer(this.#answer(address)), inMs);
      };
      if (!isAway) later(stepInMs);
      else if (how === 'refused') fail(new TypeError('fetch failed'));
      else if (how === 'bad_gateway') answer(answerOf(address, 502, 'Bad Gateway'));
      else if (how === 'frozen') later(this.#endsAtInMs - nowInMs());
    });
  }

  #answer(address: string): Answer {
    const isForgotten = this.#outage.forgets && nowInMs() >= this.#endsAtInMs;
    if (address === progress && isForgotten) return answerOf(address, 404, '');
    return answerOf(address, 200, `${nowInMs()} rows`);
  }
}

function answerOf(address: string, status: number, text: string): Answer {
  const url = `http://console${address}`;
  return { status, ok: status < 400, redirected: false, url, text: async () => text };
}

/** A page under the script: as much of one as the script looks at. */
class OpenPage {
  /** When it was said that the connection is lost, and when the page was loaded anew; null where it was not. */
  saidInMs: number | null = null;
  loadedInMs: number | null = null;
  askedLastInMs = 0;
  #part = this.#partOf('0 rows');

  constructor(outage: Outage) {
    const server = new CountingConsole(outage);
    const location = { href: page, pathname: page };
    const body = {
      replaceWith: (text: string) => {
        this.loadedInMs ??= nowInMs();
        this.#part = this.#partOf(text);
      },
    };
    const content: { firstElementChild: unknown; querySelectorAll: () => readonly [] } = {
      firstElementChild: null,
      querySelectorAll: () => [],
    };
    const partOf = (text: string): unknown => this.#partOf(text);
    const template = {
      content,
      set innerHTML(text: string) {
        content.firstElementChild = partOf(text);
      },
    };
    const document = {
      ...{ title: '', body, activeElement: null, querySelectorAll: () => [] },
      querySelector: (selector: string) => (selector === '[data-live]' ? this.#part : null),
      createElement: () => template,
    };
    runInNewContext(script, {
      ...{ document, location, URL, Date, setTimeout, AbortSignal: { timeout: abortedAfter } },
      history: { replaceState: () => {} },
      DOMParser: class {
        parseFromString(text: string): unknown {
          return { title: '', body: text, querySelector: () => null };
        }
      },
      fetch: (address: string, { signal }: { signal: AbortSignal }) => {
        this.askedLastInMs = nowInMs();
        return server.ask(address, signal);
      },
    });
  }

  get text(): string {
    return this.#part.outerHTML;
  }

  get isLost(): boolean {
    return 'lost' in this.#part.dataset;
  }

  #partOf(outerHTML: string): Part {
    const said = (text: string): void => {
      if (text.startsWith('No connection to the console since 2026-')) this.saidInMs ??= nowInMs();
    };
    const lost = {
      dataset: { text: 'Sending goes on.' },
      set textContent(text: string) {
        said(text);
      },
    };
    return {
      outerHTML,
      dataset: { live: progress, gone },
      querySelector: (selector) => (selector === '.lost' ? lost : null),
      contains: () => false,
      replaceWith: (fresh) => {
        this.#part = fresh;
      },
    };
  }
}

/** The part of a page that counts. */
interface Part {
  readonly outerHTML: string;
  readonly dataset: Record<string, string>;
  readonly querySelector: (selector: string) => unknown;
  readonly contains: () => boolean;
  readonly replaceWith: (fresh: Part) => void;
}

/** `AbortSignal.timeout` in virtual time. */
function abortedAfter(inMs: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new DOMException('too long', 'TimeoutError')), inMs);
  return controller.signal;
}

/** Lets virtual time pass: all that is due in a step is done before the next one. */
async function pass(inMs: number): Promise<void> {
  for (let passed = 0; passed < inMs; passed += stepInMs) {
    vi.advanceTimersByTime(stepInMs);
    // Answers come as promises, several behind each other.
    for (let turns = 0; turns < 3; turns += 1) await turn();
  }
}

/** Outages that begin and end at several moments between two polls of a page. */
function outagesOf(how: Outage['how'], forgets: boolean, leastInMs = 6_000): readonly Outage[] {
  const phases = [0, 200, 400, 600, 800, 1_000];
  const lengths = [0, 700, 1_400, 2_100, 2_800, 3_500].map((more) => leastInMs + more);
  return phases.flatMap((phase) =>
    lengths.map((forInMs) => ({ how, forgets, fromInMs: 10_000 + phase, forInMs })),
  );
}

it.each([
  ['soon', 'was killed, and is started anew', 'refused', true, 0],
  ['after 20 seconds', 'was behind a cut line', 'silent', false, patienceInMs],
  ['after 20 seconds', 'hung', 'frozen', false, patienceInMs],
  ['soon', 'was away behind a proxy, and is started anew', 'bad_gateway', true, 0],
] as const)(
  'reports %s a console that %s, and continues to count within five seconds',
  async (_, __, how, forgets, waitedInMs) => {
    vi.setSystemTime(startInMs);
    const outages = outagesOf(how, forgets, waitedInMs + 6_000);
    const pages = outages.map((outage) => ({ outage, page: new OpenPage(outage) }));
    await pass(waitedInMs + 30_000);
    for (const { outage, page } of pages) {
      const endsInMs = outage.fromInMs + outage.forInMs;
      const saidAfter = (page.saidInMs ?? Number.POSITIVE_INFINITY) - outage.fromInMs;
      const loadedAfter = (page.loadedInMs ?? Number.POSITIVE_INFINITY) - endsInMs;
      expect(saidAfter, JSON.stringify(outage)).toBeGreaterThanOrEqual(Math.max(0, waitedInMs - 1_000));
      expect(saidAfter, JSON.stringify(outage)).toBeLessThanOrEqual(waitedInMs + promisedInMs);
      expect(loadedAfter, JSON.stringify(outage)).toBeGreaterThanOrEqual(0);
      expect(loadedAfter, JSON.stringify(outage)).toBeLessThanOrEqual(promisedInMs);
    }
  },
);

it('says nothing of a console that is only slow to answer, and counts on', async () => {
  vi.setSystemTime(startInMs);
  const pages = outagesOf('frozen', false).map((outage) => new OpenPage(outage));
  await pass(30_000);
  for (const page of pages) {
    expect([page.saidInMs, page.isLost]).toEqual([null, false]);
    expect(page.text).toMatch(/^(29|30)\d{3} rows$/);
  }
});

it('does not report an open connection, and shows the counts', async () => {
  vi.setSystemTime(startInMs);
  const page = new OpenPage({ how: 'silent', forgets: false, fromInMs: 60_000, forInMs: 1 });
  await pass(30_000);
  expect([page.saidInMs, page.loadedInMs]).toEqual([null, null]);
  expect(page.text).toMatch(/^(29|30)\d{3} rows$/);
});
