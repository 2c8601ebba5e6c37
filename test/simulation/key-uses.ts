import type { Reply } from '../../src/api/exchange.ts';
import type { StoredRequest } from '../../src/domain/sending/outcome.ts';
import type { ModelLedger } from './model-ledger.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import type { Actor, World } from './world.ts';

/** Who sends, and under which terms. */
export interface KeyUser {
  readonly actor: Actor;
  readonly disk: SimulatedDisk;
  readonly credential: string;
  readonly keyLifetimeInMs: number;
  /** For one row in one run. */
  readonly maxAttempts: number;
}

interface KeyUse {
  readonly atInMs: number;
  readonly by: KeyUser;
  isUnderWay: boolean;
}

interface KeyHistory {
  readonly request: string;
  /** Those that may have been carried out: all but the ones of which an answer said that they were not. */
  readonly uses: Set<KeyUse>;
  readonly triesByRun: Map<string, number>;
}

/** What all programs of a simulation have sent, by key; knows what each key may be used for. */
export class KeyUses {
  readonly #world: World;
  readonly #ledger: ModelLedger;
  readonly #histories = new Map<string, KeyHistory>();
  /** Requests so far, of all programs. */
  sent = 0;

  constructor(world: World, ledger: ModelLedger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  /**
   * Checks a request that is about to leave, before its first byte does.
   * @returns what has to be called with its reply
   */
  begin(request: StoredRequest, by: KeyUser): (reply: Reply) => void {
    const { idempotencyKey: key, path, body } = request;
    const text = `${path} ${body.toString('utf8')}`;
    this.sent += 1;
    this.#checkIntent(key, text, by);
    const known = this.#histories.get(key);
    const history = known ?? { request: text, uses: new Set(), triesByRun: new Map() };
    this.#histories.set(key, history);
    this.#checkEarlierUses(key.slice(0, 8), text, history, by);
    this.#checkTries(key.slice(0, 8), history, by);
    const use = { atInMs: this.#world.nowInMs, by, isUnderWay: true };
    history.uses.add(use);
    return (reply) => {
      use.isUnderWay = false;
      if (wasNotCarriedOut(reply)) history.uses.delete(use);
    };
  }

  #checkTries(short: string, { triesByRun }: KeyHistory, { actor, maxAttempts }: KeyUser): void {
    const tries = (triesByRun.get(actor.name) ?? 0) + 1;
    triesByRun.set(actor.name, tries);
    if (tries > maxAttempts)
      this.#world.violate('limit of tries', `${actor.name} sends ${short} ${tries} times`);
  }

  #checkIntent(key: string, text: string, { disk, actor }: KeyUser): void {
    const short = key.slice(0, 8);
    if (!disk.keysOnDisk.has(key))
      this.#world.violate('key on disk before it is sent', `${short} of ${actor.name}`);
    const claim = this.#ledger.claimOf(key);
    const isOwn = claim !== undefined && this.#ledger.runs.get(claim.run)?.owner === actor.name;
    if (isOwn && !disk.claimsOnDisk.has(`${claim.run} ${claim.claim}`))
      this.#world.violate('claim on disk before it is sent', `${short} of ${actor.name}`);
    else if (isOwn && !disk.claimsUnderHead.has(`${claim.run} ${claim.claim}`))
      this.#world.violate('head before it is sent', `${short} of ${actor.name}`);
    const stored = [...this.#ledger.requests.values()].find(({ idempotencyKey }) => idempotencyKey === key);
    if (stored === undefined) this.#world.violate('key in the ledger before it is sent', short);
    else if (this.#ledger.isClosedOf(key) && !actor.mayHaveLostLease)
      this.#world.violate('nothing of a closed batch is sent', `${actor.name} sends ${short}`);
    else if (`${stored.path} ${stored.body.toString('utf8')}` !== text) {
      this.#world.violate('one key, one request', `${short} leaves with other bytes than the ledger has`);
    }
  }

  #checkEarlierUses(short: string, text: string, { request, uses }: KeyHistory, by: KeyUser): void {
    if (request !== text)
      this.#world.violate('one key, one request', `${short} was sent with two bodies or paths`);
    for (const { atInMs, by: earlier, isUnderWay } of uses) {
      const ageInMs = this.#world.nowInMs - atInMs;
      const isShared = isUnderWay && earlier.actor !== by.actor && !earlier.actor.isDead;
      if (isShared && !earlier.actor.mayHaveLostLease && !by.actor.mayHaveLostLease) {
        this.#world.violate(
          'one worker for a row',
          `${earlier.actor.name} and ${by.actor.name} send ${short}`,
        );
      }
      if (earlier.credential !== by.credential) {
        this.#world.violate(
          'one key, one credential',
          `${short} may have been carried out under another API key`,
        );
      }
      if (ageInMs >= by.keyLifetimeInMs) {
        this.#world.violate(
          'no key past its lifetime',
          `${by.actor.name} sends ${short} again after ${ageInMs} ms`,
        );
      }
    }
  }
}

/** Nothing left, or what answered says by its status that it has not looked at the request. */
function wasNotCarriedOut(reply: Reply): boolean {
  if (reply.kind !== 'answer') return reply.kind === 'not_sent';
  return [401, 403, 404, 429].includes(reply.status);
}
