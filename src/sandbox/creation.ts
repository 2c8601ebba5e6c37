/* Creates objects in the sandbox: how a resource decides on a request, and the rules for idempotency keys. */

import { hash } from 'node:crypto';
import type { Core, SandboxSettings } from './core.ts';
import { errorBody, Refusal } from './fields.ts';
import type { SandboxDirectory } from './institutions.ts';
import type { KycStatus, ObjectKind, RecordHeader, SandboxMode } from './journal.ts';
import type { AnsweredKey, ModeState } from './mode-state.ts';

/** The data that a resource may use to decide on a request. */
export interface Circumstances {
  readonly mode: ModeState;
  readonly directory: SandboxDirectory;
  readonly now: Date;
  readonly settings: SandboxSettings;
}

/** A new object that is not stored yet. */
export interface Creation {
  readonly id: string;
  /** Its natural key. Two objects with the same natural key are duplicates. */
  readonly natural: readonly (string | undefined)[];
  /** The answer's body: JSON on one line. */
  readonly answer: string;
  /** The object as JSON, if the answer does not show all of it. */
  readonly object?: string;
  readonly customer?: string;
  readonly kyc?: KycStatus;
}

export interface Resource {
  readonly kind: ObjectKind;
  readonly path: string;
  /** The body's field in which magic phrases work. */
  readonly magicField: string;
  /** @throws Refusal when the sandbox does not accept the request */
  readonly create: (body: unknown, circumstances: Circumstances) => Creation;
}

/** @throws Refusal 404 if the customer does not exist in this mode */
export function knownCustomer({ mode, now, settings }: Circumstances, id: string): KycStatus {
  const kyc = mode.kycOf(id, now, settings.kycAfterInMs);
  if (kyc === undefined) {
    throw new Refusal(404, 'customer_not_found', 'there is no customer with this customer_id', 'customer_id');
  }
  return kyc;
}

export interface SandboxAnswer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly isReplay: boolean;
}

/** A parsed POST request that may take effect. */
interface CreationRequest {
  readonly mode: SandboxMode;
  readonly resource: Resource;
  readonly key: string;
  readonly attempt: number;
  /** The body, unchanged. */
  readonly text: string;
  readonly body: unknown;
  readonly delayInMs: number;
}

/** Counts an attempt of a key, whatever its result. */
export function countAttempt(core: Core, mode: SandboxMode, key: string): number {
  const state = core.modes[mode];
  const answered = remembered(core, state, key);
  if (answered !== undefined) return state.keys.countAttempt(answered.slot);
  const attempt = (state.earlierAttempts.get(key) ?? 0) + 1;
  state.earlierAttempts.set(key, attempt);
  return attempt;
}

/**
 * Answers a POST under the rules for idempotency keys: with the earlier answer of the key, a new object, or a refusal.
 * Refusals are stored as well.
 *
 * @param deliver called once; the answer is on disk by then
 * @throws Refusal 409 while the key's first request is being processed, 422 when the key was used for something else
 */
export function create(core: Core, request: CreationRequest, deliver: (answer: SandboxAnswer) => void): void {
  const state = core.modes[request.mode];
  const fingerprint = digest(`${request.resource.path}\n${request.text}`);
  const underWay = state.underWay.get(request.key);
  const answered = underWay === undefined ? remembered(core, state, request.key) : undefined;
  const earlier = underWay ?? answered?.fingerprint;
  if (earlier !== undefined && earlier !== fingerprint) {
    throw new Refusal(422, 'idempotency_key_reused', 'this Idempotency-Key was used for another request');
  }
  if (underWay !== undefined) {
    throw new Refusal(409, 'request_under_way', 'the first request with this Idempotency-Key is under way');
  }
  if (answered !== undefined) {
    state.counts.replayed += 1;
    core.delays.after(request.delayInMs, () => replay(core, answered, deliver));
    return;
  }
  state.underWay.set(request.key, fingerprint);
  core.delays.after(request.delayInMs, () => conclude(core, state, request, fingerprint, deliver));
}

function remembered(core: Core, state: ModeState, key: string): AnsweredKey | undefined {
  const answered = state.keys.get(key);
  if (answered === undefined) return undefined;
  const ageInMs = core.settings.now().getTime() - answered.at;
  return ageInMs < core.settings.keyLifetimeInMs ? answered : undefined;
}

function replay(core: Core, answered: AnsweredKey, deliver: (answer: SandboxAnswer) => void): void {
  core.journal.read(answered.answer, (error, body) => {
    deliver(error ? storageFailed() : { status: answered.status, body, isReplay: true });
  });
}

function conclude(
  core: Core,
  state: ModeState,
  request: CreationRequest,
  fingerprint: number,
  deliver: (answer: SandboxAnswer) => void,
): void {
  const now = core.settings.now();
  const decision = decide(core, state, request, now);
  const { key, mode, attempt, resource } = request;
  const base = { at: now.getTime(), mode, kind: resource.kind, key, fingerprint };
  const header: RecordHeader = { ...base, ...(attempt === 1 ? {} : { attempt }), ...decision.facts };
  state.earlierAttempts.delete(key);
  core.remember(header, decision.answer, decision.object, (error) => {
    state.underWay.delete(key);
    deliver(
      error ? storageFailed() : { status: decision.facts.status, body: decision.answer, isReplay: false },
    );
  });
}

interface Decision {
  readonly facts: Pick<RecordHeader, 'id' | 'natural' | 'customer' | 'kyc'> & { readonly status: number };
  readonly answer: string;
  readonly object: string | undefined;
}

function decide(core: Core, state: ModeState, request: CreationRequest, now: Date): Decision {
  const { directory, settings } = core;
  try {
    return created(request.resource.create(request.body, { mode: state, directory, now, settings }));
  } catch (error) {
    if (!(error instanceof Refusal)) {
      state.underWay.delete(request.key);
      throw error;
    }
    const answer = errorBody(error.code, error.message, error.field);
    return { facts: { status: error.status }, answer, object: undefined };
  }
}

function created({ id, natural, answer, object, customer, kyc }: Creation): Decision {
  const facts = {
    status: 201,
    id,
    natural: digest(JSON.stringify(natural)),
    ...(customer === undefined ? {} : { customer }),
    ...(kyc === undefined ? {} : { kyc }),
  };
  return { facts, answer, object };
}

function storageFailed(): SandboxAnswer {
  const body = errorBody('storage_failed', 'the sandbox could not write or read its journal');
  return { status: 500, body, isReplay: false };
}

/** 52 bits of a SHA-256. A JavaScript number represents this many bits exactly. */
function digest(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 13), 16);
}
