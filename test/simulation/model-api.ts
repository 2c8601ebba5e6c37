import type { Answer } from '../../src/domain/sending/answer.ts';
import type { StoredRequest } from '../../src/domain/sending/outcome.ts';
import type { World } from './world.ts';

/** A POST as it arrives. */
export interface ArrivingRequest extends StoredRequest {
  readonly credential: string;
}

interface ApiObject {
  readonly id: string;
  readonly key: string;
  readonly natural: string;
}

interface KnownKey {
  readonly fingerprint: string;
  readonly firstSeenAtInMs: number;
  answer: Answer | null;
}

/**
 * The API's side: it remembers a key for its lifetime, per credential, and answers a known one as before; under any other
 * key it creates a second object without an error. That is the danger that the engine is for.
 */
export class ModelApi {
  readonly objects: ApiObject[] = [];
  /** Natural keys that it refuses to create. */
  readonly refused = new Set<string>();
  /** Natural keys of which a person said that a second object shall be made. */
  readonly allowedTwice = new Set<string>();
  readonly #world: World;
  readonly #keyLifetimeInMs: number;
  readonly #keys = new Map<string, KnownKey>();
  /** Counts restarts: what was under way at one is forgotten. */
  #life = 0;
  underWay = 0;

  constructor(world: World, keyLifetimeInMs: number) {
    this.#world = world;
    this.#keyLifetimeInMs = keyLifetimeInMs;
  }

  restart(): void {
    this.#life += 1;
    for (const [id, known] of this.#keys) if (known.answer === null) this.#keys.delete(id);
  }

  objectsOf(natural: string): readonly ApiObject[] {
    return this.objects.filter((object) => object.natural === natural);
  }

  /** @param respond called with the answer; never, when a restart comes between */
  receive(request: ArrivingRequest, respond: (answer: Answer) => void): void {
    const id = `${request.credential} ${request.idempotencyKey}`;
    const text = request.body.toString('utf8');
    const fingerprint = `${request.path} ${text}`;
    const known = this.#keys.get(id);
    const isRemembered =
      known !== undefined && this.#world.nowInMs - known.firstSeenAtInMs < this.#keyLifetimeInMs;
    if (isRemembered) {
      respond(repeated(known, fingerprint));
      return;
    }
    const fresh: KnownKey = { fingerprint, firstSeenAtInMs: this.#world.nowInMs, answer: null };
    this.#keys.set(id, fresh);
    const life = this.#life;
    this.underWay += 1;
    this.#world.after(this.#world.random.whole(1, 60), null, () => {
      this.underWay -= 1;
      if (life !== this.#life) return;
      fresh.answer = this.#act(request, text);
      respond(fresh.answer);
    });
  }

  #act({ path, idempotencyKey }: ArrivingRequest, text: string): Answer {
    const body: Record<string, string> = JSON.parse(text);
    const natural = naturalKeyOf(path, body);
    this.#requireParent(path, body);
    if (this.refused.has(natural)) return refusal(422, 'invalid');
    const id = `${path.slice(4, 7)}-${this.objects.length + 1}`;
    this.objects.push({ id, key: idempotencyKey, natural });
    this.#world.note('api', `creates ${id} for ${natural} under ${idempotencyKey.slice(0, 8)}`);
    const twins = this.objectsOf(natural).length;
    if (twins > 1 && !this.allowedTwice.has(natural)) {
      this.#world.violate('one object for a natural key', `${natural} was created ${twins} times`);
    }
    return json(201, { data: { id } });
  }

  #requireParent(path: string, body: Record<string, string>): void {
    const customer = body['customer_id'];
    if (path !== '/v1/accounts' || this.objects.some(({ id }) => id === customer)) return;
    this.#world.violate(
      'parent before child',
      `an account came for the customer ${customer ?? 'without an id'}`,
    );
  }
}

function repeated(known: KnownKey, fingerprint: string): Answer {
  if (known.fingerprint !== fingerprint) return refusal(422, 'idempotency_key_reused');
  return known.answer ?? refusal(409, 'request_under_way');
}

/** What makes an object the same object in the real world, as the API's operator would say. */
export function naturalKeyOf(path: string, body: Readonly<Record<string, string>>): string {
  if (path === '/v1/customers') return `customer ${body['external_id']}`;
  return `account ${body['customer_id']} ${body['label']}`;
}

export function json(status: number, value: unknown): Answer {
  return answer(status, JSON.stringify(value), 'application/json');
}

export function answer(status: number, text: string, contentType: string | null): Answer {
  return {
    status,
    headers: { contentType, retryAfter: null, location: null },
    body: { state: 'whole', text },
  };
}

export function refusal(status: number, code: string): Answer {
  return json(status, { data: null, error: { code, message: code } });
}
