import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/core.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The body, `{}` when it is not JSON. */
  readonly json: Record<string, unknown>;
  readonly data: Record<string, unknown>;
  readonly error: { code: string; message: string; field?: string };
}

export interface PostOptions {
  readonly key?: string;
  readonly mode?: 'sandbox' | 'live';
  readonly timeoutInMs?: number;
}

export interface Client {
  readonly sandbox: Sandbox;
  post(path: string, body: unknown, options?: PostOptions): Promise<Reply>;
  get(path: string): Promise<Reply>;
  /** Makes a customer and gives its id. */
  customer(fields?: object): Promise<string>;
  account(customerId: string, fields?: object): Promise<string>;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a sandbox that ends with the test. */
export async function startClient(options: Partial<SandboxOptions> = {}): Promise<Client> {
  const sandbox = await startSandbox({ dataDir: temporaryFolder(), ...options });
  onTestFinished(() => sandbox.close());
  return clientOf(sandbox);
}

export function clientOf(sandbox: Sandbox): Client {
  const client: Client = {
    sandbox,
    async post(path, body, { key = randomUUID(), mode = 'sandbox', timeoutInMs = 10_000 } = {}) {
      const response = await fetch(sandbox.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'api-key': sandbox.apiKeys[mode],
          ...controlHeaders(sandbox, path),
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutInMs),
      });
      return replyOf(response);
    },
    async get(path) {
      return replyOf(
        await fetch(sandbox.url + path, {
          headers: { 'api-key': sandbox.apiKeys.sandbox, ...controlHeaders(sandbox, path) },
          redirect: 'manual',
        }),
      );
    },
    async customer(fields = {}) {
      const { data } = await client.post('/v1/customers', {
        first_name: 'Amina',
        last_name: 'Odhiambo',
        ...fields,
      });
      return String(data['id']);
    },
    async account(customerId, fields = {}) {
      const { data } = await client.post('/v1/accounts', accountOf(customerId, fields));
      return String(data['id']);
    },
  };
  return client;
}

/** The control endpoints' token; the API never gets to see it. */
export function controlHeaders(
  { controlToken }: Pick<Sandbox, 'controlToken'>,
  path = '/sandbox/',
): Record<string, string> {
  return path.startsWith('/sandbox/') ? { authorization: `Bearer ${controlToken}` } : {};
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  let json: Record<string, unknown> = {};
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Some faults answer with something else than JSON.
  }
  return {
    status: response.status,
    text,
    headers: response.headers,
    json,
    data: (json['data'] ?? {}) as Record<string, unknown>,
    error: (json['error'] ?? {}) as Reply['error'],
  };
}

export function accountOf(customerId: string, fields: object = {}): Record<string, unknown> {
  return {
    currency: 'USD',
    type: 'regular',
    blockchain_network: 'polygon',
    label: 'Main',
    customer_id: customerId,
    ...fields,
  };
}

/** The seeded KCB Bank Kenya and M-PESA. */
export const KENYAN_BANK = 'f9aeb346-b7b3-5efe-8f3f-4973ed715565';
export const M_PESA = '521897bb-2256-53b1-8f54-8f74050059cb';

export function bankPayee(customerId: string, fields: object = {}): Record<string, unknown> {
  return {
    payee_type: 'bank_account',
    currency: 'KES',
    account_number: '1100223344',
    account_name: 'Amina Odhiambo',
    bank_name: 'KCB Bank Kenya',
    institution_id: KENYAN_BANK,
    customer_id: customerId,
    ...fields,
  };
}

export function mobilePayee(customerId: string, fields: object = {}): Record<string, unknown> {
  return {
    payee_type: 'mobile_money',
    phone_number: '+254712345678',
    account_name: 'Amina Odhiambo',
    bank_name: 'M-PESA',
    currency: 'KES',
    customer_id: customerId,
    institution_id: M_PESA,
    ...fields,
  };
}

export function usPayee(customerId: string, fields: object = {}): Record<string, unknown> {
  return {
    payee_type: 'bank_account_us',
    account_number: '000123456789',
    account_name: 'Jordan Ellis',
    bank_name: 'First Example Bank',
    currency: 'USD',
    customer_id: customerId,
    routing_number: '021000021',
    account_owner_type: 'individual',
    account_type: 'savings',
    address: {
      address_line1: '5 Elm Street',
      city: 'Albany',
      state: 'US-NY',
      country: 'US',
      postal_code: '12207',
    },
    ...fields,
  };
}

export function sepaPayee(customerId: string, fields: object = {}): Record<string, unknown> {
  return {
    payee_type: 'sepa',
    account_owner_type: 'individual',
    iban: 'DE89370400440532013000',
    account_name: 'Jana Vogel',
    bank_name: 'Beispielbank',
    currency: 'EUR',
    customer_id: customerId,
    address: { address_line1: 'Lindenweg 4', city: 'Leipzig', postal_code: '04109', country: 'DE' },
    ...fields,
  };
}

export function collectionOf(
  customerId: string,
  accountId: string,
  fields: object = {},
): Record<string, unknown> {
  return {
    amount: '1500.50',
    currency: 'KES',
    country: 'KE',
    customer_id: customerId,
    client_customer_id: 'cust-1',
    client_reference: 'INV-1001',
    source: { source_type: 'external', methods: ['mobile_money'] },
    destination: { id: accountId, destination_type: 'internal_account' },
    ...fields,
  };
}
