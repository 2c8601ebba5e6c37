import type { CustomerAnswer } from './creation.ts';
import { type FaultName, type FaultPlan, NO_FAULTS } from './faults.ts';
import type { ApiKeys } from './identity.ts';
import type { PageParameter } from './institutions/directory.ts';
import type { SandboxMode } from './journal.ts';

/** The facts about a request for the test hook, before the sandbox decides on it. */
export interface RequestInfo {
  readonly method: string;
  readonly path: string;
  readonly mode: SandboxMode;
  /** Undefined for requests that create nothing. */
  readonly idempotencyKey: string | undefined;
  /** 1 for the first attempt of the key (or of the address, without a key). */
  readonly attempt: number;
  readonly body: unknown;
}

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Created with mode 0700 if it is missing; its content persists across starts. */
  readonly dataDir: string;
  /** Default: random keys, created once and kept in the data folder. */
  readonly apiKeys?: ApiKeys;
  /** How long an idempotency key is remembered; default 24 hours. */
  readonly keyLifetimeInMs?: number;
  /** Institutions on a page; default 20. */
  readonly pageSize?: number;
  /** How a page of institutions is selected; default `honoured`: by `page`, from 1. */
  readonly pageParameter?: PageParameter;
  /** `automatic`: customers are verified when they are created. */
  readonly kyc?: 'automatic' | 'required';
  /** How long the verification of an unverified customer takes; default `null`: it never ends by itself. */
  readonly kycAfterInMs?: number | null;
  /** Serves HTTPS, with its own certificate, kept in the data folder; default false. */
  readonly tls?: boolean;
  /** The form of the answer to a new customer; default `enveloped`. */
  readonly customerAnswer?: CustomerAnswer;
  readonly faults?: FaultPlan;
  /** Added to every answer; default 0. */
  readonly latencyInMs?: number;
  /** How long the fault `slow` takes; default 3000. */
  readonly slowAnswerInMs?: number;
  readonly now?: () => Date;
  /** Chooses the fault of a request by code; takes precedence over magic phrases and the plan. */
  readonly onRequest?: (info: RequestInfo) => FaultName | undefined;
}

export type SandboxSettings = Required<Omit<SandboxOptions, 'apiKeys' | 'dataDir' | 'host' | 'port' | 'tls'>>;

const DAY_IN_MS = 24 * 60 * 60 * 1000;

/** @throws Error when a number is out of range */
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
