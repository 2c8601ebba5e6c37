import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from './changing-api.ts';

/** The outcome of a request: whether it is carried out, and which answer arrives. */
export type Fate = 'created' | 'refused' | 'created_and_lost' | 'lost' | 'failed';

/** An API of customers that repeats answers by key, and creates one more object under every new key. */
export interface CountingApi {
  /** Known once it listens. */
  url: string;
  /** How many objects each customer has, by external id. */
  readonly created: ReadonlyMap<string, number>;
  /** Decides about a request that its key does not answer; all are created until it is set. */
  decide: (externalId: string, requests: number) => Fate;
  /** How long it takes before it looks at a request. */
  delayInMs: number;
  /** How many requests have come so far. */
  readonly requests: number;
  /** Takes what it knows now back to this moment, as often as it is called. */
  readonly remember: () => () => void;
}

/** Starts one; it is closed when the test has finished. */
export async function startCountingApi(): Promise<CountingApi> {
  let created = new Map<string, number>();
  let answers = new Map<string, { readonly status: number; readonly body: string }>();
  let requests = 0;
  const api: CountingApi = {
    url: '',
    decide: () => 'created',
    delayInMs: 0,
    get requests() {
      return requests;
    },
    get created() {
      return created;
    },
    remember: () => {
      const then = { created: new Map(created), answers: new Map(answers) };
      return () => {
        created = new Map(then.created);
        answers = new Map(then.answers);
      };
    },
  };
  const answer = (response: ServerResponse, { status, body }: { status: number; body: string }): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', async () => {
      requests += 1;
      if (api.delayInMs > 0) await sleep(api.delayInMs);
      const key = String(request.headers['idempotency-key']);
      const known = answers.get(key);
      if (known !== undefined) return answer(response, known);
      const id: string = JSON.parse(text).external_id;
      const fate = api.decide(id, requests);
      if (fate === 'lost') return void request.socket.destroy();
      if (fate === 'failed') return answer(response, { status: 500, body: '{}' });
      if (fate === 'refused') {
        const refusal = { status: 422, body: '{"error":{"code":"invalid","message":"no"}}' };
        answers.set(key, refusal);
        return answer(response, refusal);
      }
      created.set(id, (created.get(id) ?? 0) + 1);
      const confirmed = {
        status: 201,
        body: JSON.stringify({ data: { id: `cus_${id}_${created.get(id)}` } }),
      };
      answers.set(key, confirmed);
      if (fate === 'created_and_lost') request.socket.destroy();
      else answer(response, confirmed);
    });
  });
  api.url = await addressOf(server);
  return api;
}
