/* The shared parts of a sandbox's endpoints: its state, its delays, and its open requests. */

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { FaultName } from './faults.ts';
import type { ApiKeys } from './identity.ts';
import { SandboxDirectory } from './institutions/directory.ts';
import { Journal, type ObjectKind, type RecordHeader, type SandboxMode, type Span } from './journal.ts';
import type { SandboxSettings } from './options.ts';
import { ModeState } from './state.ts';

/** The counts of a sandbox's objects in one mode. */
interface ModeSummary {
  readonly created: Readonly<Record<ObjectKind, number>>;
  readonly duplicates: Readonly<Record<ObjectKind, number>>;
  readonly refused: number;
  readonly replayed: number;
}

export interface SandboxCounts {
  readonly sandbox: ModeSummary;
  readonly live: ModeSummary;
  /** Faults since the start, by name. */
  readonly faults: Readonly<Record<string, number>>;
}

/** Everything that the sandbox's routes share: its state and its settings. */
export class Core {
  readonly settings: SandboxSettings;
  readonly apiKeys: ApiKeys;
  readonly directory = new SandboxDirectory();
  readonly modes: Readonly<Record<SandboxMode, ModeState>> = {
    sandbox: new ModeState(),
    live: new ModeState(),
  };
  readonly journal: Journal;
  readonly delays = new Delays();
  readonly openRequests = new OpenRequests();
  /** Attempts of requests without an idempotency key, by address. */
  readonly attemptsByAddress = new Map<string, number>();
  readonly #faults = new Map<FaultName, number>();

  constructor(dataDir: string, settings: SandboxSettings, apiKeys: ApiKeys) {
    this.settings = settings;
    this.apiKeys = apiKeys;
    this.journal = new Journal(join(dataDir, 'journal.jsonl'), (header, answer) =>
      this.#apply(header, answer),
    );
  }

  /** Stores a record in memory and on disk; `done` is called once it is written. */
  remember(
    header: RecordHeader,
    answer: string,
    object: string | undefined,
    done: (error: Error | undefined) => void,
  ): void {
    this.#apply(header, this.journal.append(header, answer, object, done));
  }

  modeOf(apiKey: unknown): SandboxMode | undefined {
    if (apiKey === this.apiKeys.sandbox) return 'sandbox';
    return apiKey === this.apiKeys.live ? 'live' : undefined;
  }

  countFault(name: FaultName): void {
    this.#faults.set(name, (this.#faults.get(name) ?? 0) + 1);
  }

  counts(): SandboxCounts {
    return structuredClone({
      sandbox: this.modes.sandbox.counts,
      live: this.modes.live.counts,
      faults: Object.fromEntries(this.#faults),
    });
  }

  #apply(header: RecordHeader, answer: Span): void {
    if (header.kind === 'limits' && header.id !== undefined && header.limits !== undefined) {
      this.directory.setLimits(header.id, header.limits);
    } else this.modes[header.mode].apply(header, answer);
  }
}

/** Timers that can all be cancelled when the sandbox closes. */
class Delays {
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Calls back after the time; at once when it is 0. */
  after(timeInMs: number, callback: () => void): void {
    if (timeInMs <= 0) {
      callback();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, timeInMs);
    this.#timers.add(timer);
  }

  cancelAll(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

/** The requests without a complete answer, so that closing waits only for them. */
export class OpenRequests {
  readonly #open = new Set<ServerResponse>();
  readonly #neverAnswered = new Set<ServerResponse>();
  #whenDrained: (() => void) | undefined;

  add(response: ServerResponse): void {
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      this.#neverAnswered.delete(response);
      if (this.#open.size === 0) this.#whenDrained?.();
    });
  }

  /** Leaves a request without an answer until its client gives up. */
  neverAnswer(response: ServerResponse): void {
    this.#neverAnswered.add(response);
  }

  /** Drops requests that would never be answered, and waits for the others, at most `patienceInMs`. */
  async drain(patienceInMs: number): Promise<void> {
    for (const response of this.#neverAnswered) response.socket?.destroy();
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, patienceInMs);
      this.#whenDrained = () => {
        clearTimeout(patience);
        resolve();
      };
    });
  }
}
