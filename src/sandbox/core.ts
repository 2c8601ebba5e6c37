/* State that a sandbox's endpoints share: its options, its objects in both modes, its delays, and its open requests. */

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { ApiKeys } from './data-folder.ts';
import { type FaultName, type FaultPlan, NO_FAULTS } from './faults.ts';
import { type PageParameter, SandboxDirectory } from './institutions.ts';
import { Journal, type RecordHeader, type SandboxMode, type Span } from './journal.ts';
import { type ModeCounts, ModeState } from './mode-state.ts';

/** The facts about a request for the test hook, before the sandbox decides on it. */
export interface RequestInfo {
  readonly method: string;
  readonly path: string;
  readonly mode: SandboxMode;
  /** Undefined for requests that create nothing. */
  readonly idempotencyKey: string | undefined;
  /** Number of the attempt with this key (or at this address, without a key), from 1. */
  readonly attempt: number;
  readonly body: unknown;
}

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The data folder. Created with mode 0700 if it is missing. Its content persists across starts. */
  readonly dataDir: string;
  /** Default: random keys, which are created once and stored in the data folder. */
  readonly apiKeys?: ApiKeys;
  /** How long an idempotency key is remembered; default 24 hours. */
  readonly keyLifetimeInMs?: number;
  /** Number of institutions on a page; default 20. */
  readonly pageSize?: number;
  /** How a page of institutions is selected; default `honoured`: by `page`, from 1. */
  readonly pageParameter?: PageParameter;
  /** With `automatic`, customers are verified when they are created. */
  readonly kyc?: 'automatic' | 'required';
  /** How long the verification of an unverified customer takes; default `null`: it never ends by itself. */
  readonly kycAfterInMs?: number | null;
  /** Serves HTTPS with its own certificate, which is stored in the data folder; default false. */
  readonly tls?: boolean;
  /** The form of the answer to a new customer; default `enveloped`. */
  readonly customerAnswer?: CustomerAnswer;
  readonly faults?: FaultPlan;
  /** Delay that is added to every answer; default 0. */
  readonly latencyInMs?: number;
  /** How long the fault `slow` takes; default 3000. */
  readonly slowAnswerInMs?: number;
  readonly now?: () => Date;
  /** Chooses the fault of a request by code; takes precedence over magic phrases and the plan. */
  readonly onRequest?: (info: RequestInfo) => FaultName | undefined;
}

export type SandboxSettings = Required<Omit<SandboxOptions, 'apiKeys' | 'dataDir' | 'host' | 'port' | 'tls'>>;

const DAY_IN_MS = 24 * 60 * 60 * 1000;

/**
 * Completes the options with defaults.
 * @throws Error when a number is out of range
 */
export function sandboxSettingsOf(options: SandboxOptions): SandboxSettings {
  const settings: SandboxSettings = {
    keyLifetimeInMs: options.keyLifetimeInMs ?? DAY_IN_MS,
    pageSize: options.pageSize ?? 20,
    pageParameter: options.pageParameter ?? 'honoured',
    kyc: options.kyc ?? (options.kycAfterInMs === undefined ? 'automatic' : 'required'),
    kycAfterInMs: options.kycAfterInMs ?? null,
    customerAnswer: options.customerAnswer ?? 'enveloped',
    faults: options.faults ?? NO_FAULTS,
    latencyInMs: options.latencyInMs ?? 0,
    slowAnswerInMs: options.slowAnswerInMs ?? 3000,
    now: options.now ?? (() => new Date()),
    onRequest: options.onRequest ?? (() => undefined),
  };
  requireWhole('pageSize', settings.pageSize, 1);
  requireWhole('keyLifetimeInMs', settings.keyLifetimeInMs, 0);
  if (settings.kycAfterInMs !== null) requireWhole('kycAfterInMs', settings.kycAfterInMs, 0);
  requireWhole('latencyInMs', settings.latencyInMs, 0);
  return settings;
}

function requireWhole(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new Error(`sandbox: ${name} must be a whole number of at least ${least}`);
  }
}

export type CustomerAnswer = 'enveloped' | 'bare' | 'nested';

export interface SandboxCounts {
  readonly sandbox: Readonly<ModeCounts>;
  readonly live: Readonly<ModeCounts>;
  /** Number of faults since the start, by name. */
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
  /** Number of attempts of requests without an idempotency key, by address. */
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

  /** Calls back after the time; at once if it is 0. */
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
