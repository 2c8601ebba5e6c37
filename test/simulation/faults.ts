import type { Random } from './random.ts';

/** What can happen to one HTTP request between the client and the API. */
export const requestFates = [
  'connection_refused',
  'reset_before',
  'reset_after',
  'lost_request',
  'late_request',
  'lost_answer',
  'cut_answer',
  'cut_json',
  'empty_answer',
  'too_large_answer',
  'answer_without_id',
  'html_page',
  'redirect',
  'html_page_after',
  'redirect_after',
  'unauthorised',
  'forbidden',
  'not_found',
  'bad_request',
  'request_timeout',
  'conflict',
  'throttled',
  'throttled_seconds',
  'throttled_date',
  'fault_before',
  'fault_after',
  'unavailable_seconds',
  'slow_answer',
] as const;

export type RequestFate = (typeof requestFates)[number];

/** These stop the whole run, so they are rarer than the others. */
const stopping: ReadonlySet<RequestFate> = new Set([
  'html_page',
  'redirect',
  'html_page_after',
  'redirect_after',
  'unauthorised',
  'forbidden',
]);

/** How things fail at present; everything is whole again once `end` was called. */
export class Faults {
  readonly #random: Random;
  readonly #fates: readonly RequestFate[];
  readonly #fateRate: number;
  readonly #ledgerRate: number;
  readonly #diskRate: number;
  readonly #slowRate: number;
  readonly #slowCommitRate: number;
  isOver = false;
  /** Until these moments of virtual time, in milliseconds. */
  apiDownUntilInMs = 0;
  ledgerDownUntilInMs = 0;
  credentialsRevokedUntilInMs = 0;
  diskFullUntilInMs = 0;

  /** @param slowCommits chance that a commit takes seconds; drawn when absent */
  constructor(random: Random, slowCommits?: number) {
    this.#random = random;
    this.#fates = requestFates.filter((fate) => random.chance(stopping.has(fate) ? 0.1 : 0.4));
    this.#fateRate = random.pick([0, 0.05, 0.2, 0.4, 0.8]);
    this.#ledgerRate = random.pick([0, 0, 0, 0.02, 0.08]);
    this.#diskRate = random.pick([0, 0, 0, 0, 0.02]);
    this.#slowRate = random.pick([0, 0.02, 0.3]);
    this.#slowCommitRate = slowCommits ?? random.pick([0, 0, 0.01, 0.1]);
  }

  end(): void {
    this.isOver = true;
    this.apiDownUntilInMs = 0;
    this.ledgerDownUntilInMs = 0;
    this.credentialsRevokedUntilInMs = 0;
    this.diskFullUntilInMs = 0;
  }

  /** Null: nothing out of the ordinary. */
  requestFate(): RequestFate | null {
    if (this.isOver || this.#fates.length === 0 || !this.#random.chance(this.#fateRate)) return null;
    return this.#random.pick(this.#fates);
  }

  ledgerFate(): 'fails' | 'reply_lost' | null {
    if (this.isOver || !this.#random.chance(this.#ledgerRate)) return null;
    return this.#random.pick(['fails', 'reply_lost']);
  }

  /** One way to the ledger or back. */
  ledgerDelayInMs(): number {
    if (!this.isOver && this.#random.chance(0.01)) return this.#random.whole(5_001, 20_000);
    if (!this.isOver && this.#random.chance(this.#slowRate)) return this.#random.whole(300, 4_000);
    return this.#random.fraction() * 8;
  }

  /** From a program's COMMIT until others see what it did: long while a replica is waited for. */
  commitDelayInMs(): number {
    if (!this.isOver && this.#random.chance(this.#slowCommitRate)) return this.#random.whole(100, 12_000);
    return this.#random.chance(0.3) ? this.#random.fraction() * 3 : 0;
  }

  diskFails(): boolean {
    return !this.isOver && this.#random.chance(this.#diskRate);
  }
}
