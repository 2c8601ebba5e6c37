import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../../src/api/exchange.ts';
import type { Answer } from '../../src/domain/sending/answer.ts';
import type { StoredRequest } from '../../src/domain/sending/outcome.ts';

/** What becomes of one request at the API; times are real milliseconds. */
export type ApiFault =
  /** Nothing arrives; the client learns that the connection was lost. */
  | 'lost_before'
  /** It is carried out, and its answer is lost. */
  | 'lost_after'
  /** Nothing is carried out, and the client knows. */
  | 'not_sent'
  | 'server_error';

export interface ApiObject {
  readonly id: string;
  readonly key: string;
  readonly naturalKey: string;
}

/**
 * The API, which keeps every object that it ever created: a known idempotency key is answered as before, and under
 * any other key it creates a second object without a word. That is the danger that the ledger is for.
 */
export class TruthApi {
  readonly objects: ApiObject[] = [];
  /** Natural keys that it refuses. */
  readonly refused = new Set<string>();
  /** The banks of its directory; a batch is judged by them. */
  banks: readonly string[];
  /** Real milliseconds that a request takes at most on its way, and its answer again, beyond the least. */
  latencyInMs = 3;
  leastLatencyInMs = 0;
  /** What requests that are sent from now on wait for on their way, besides. */
  heldUntil: Promise<unknown> | null = null;
  readonly #answers = new Map<string, Answer>();
  readonly #underWay = new Map<string, number>();
  readonly requests: { readonly by: string; readonly key: string }[] = [];

  constructor(banks: readonly string[]) {
    this.banks = banks;
  }

  objectsOf(naturalKey: string): readonly ApiObject[] {
    return this.objects.filter((object) => object.naturalKey === naturalKey);
  }

  /** Whether a request about this object has left its sender and did not come to its end yet. */
  isUnderWay(naturalKey: string): boolean {
    return (this.#underWay.get(naturalKey) ?? 0) > 0;
  }

  async receive(by: string, request: StoredRequest, fault: ApiFault | null, delay: number): Promise<Reply> {
    const naturalKey = naturalKeyIn(request.body);
    if (fault === 'not_sent') return { kind: 'not_sent', reason: 'connection_refused' };
    this.requests.push({ by, key: request.idempotencyKey });
    this.#count(naturalKey, 1);
    const { heldUntil } = this;
    await sleep(this.leastLatencyInMs + delay * this.latencyInMs);
    await heldUntil;
    const answer =
      fault === 'lost_before' || fault === 'server_error' ? null : this.#act(request, naturalKey);
    this.#count(naturalKey, -1);
    await sleep(delay * this.latencyInMs);
    if (fault === 'server_error') return { kind: 'answer', ...json(500, { error: { code: 'fault' } }) };
    if (answer === null || fault === 'lost_after') return { kind: 'maybe_sent', reason: 'connection_lost' };
    return { kind: 'answer', ...answer };
  }

  #count(naturalKey: string, change: number): void {
    this.#underWay.set(naturalKey, (this.#underWay.get(naturalKey) ?? 0) + change);
  }

  #act({ idempotencyKey: key }: StoredRequest, naturalKey: string): Answer {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = this.#create(key, naturalKey);
    this.#answers.set(key, answer);
    return answer;
  }

  #create(key: string, naturalKey: string): Answer {
    if (this.refused.has(naturalKey)) return json(422, { data: null, error: { code: 'refused' } });
    const id = `object-${this.objects.length + 1}-${naturalKey}`;
    this.objects.push({ id, key, naturalKey });
    return json(201, { data: { id }, error: null });
  }

  /** One page of the directory, as its endpoint would answer. */
  institutionsPage(): { status: number; body: string } {
    const items = this.banks.map((name, at) => ({
      id: bankId(name),
      name,
      country_iso_code: 'KE',
      currency: 'KES',
      account_number_type: 'bank_account_number',
      min_amount: 1,
      max_amount: 1_000_000 + at,
    }));
    const data = { items, items_per_page: 100, page: 1, total_pages: 1 };
    return { status: 200, body: JSON.stringify({ data, error: null }) };
  }
}

/** A bank's id in the directory. */
export function bankId(name: string): string {
  const digits = Buffer.from(name).toString('hex').padEnd(12, '0').slice(0, 12);
  return `00000000-0000-4000-8000-${digits}`;
}

/** The tests' rows differ by account number alone. */
function naturalKeyIn(body: Buffer): string {
  const { account_number: number }: { account_number?: string } = JSON.parse(body.toString('utf8'));
  if (number === undefined) throw new Error('a request came without an account number');
  return number;
}

function json(status: number, value: unknown): Answer {
  return {
    status,
    headers: { contentType: 'application/json', retryAfter: null, location: null },
    body: { state: 'whole', text: JSON.stringify(value) },
  };
}
