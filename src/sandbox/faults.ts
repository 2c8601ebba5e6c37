/* The faults that a sandbox can simulate, by option or by a phrase in the data. */

/** The effect on the connection or the answer. */
type Effect =
  | {
      readonly does:
        | 'reset'
        | 'hang'
        | 'cut'
        | 'cut_json'
        | 'empty'
        | 'no_id'
        | 'wrong_echo'
        | 'delay'
        | 'redirect';
    }
  | { readonly does: 'error'; readonly status: number; readonly retryAfter?: 'seconds' | 'date' }
  | { readonly does: 'html'; readonly status: number };

export interface SandboxFault {
  /** Whether the request takes effect before its answer fails. */
  readonly takesEffect: boolean;
  readonly effect: Effect;
}

const before = (effect: Effect): SandboxFault => ({ takesEffect: false, effect });
const after = (effect: Effect): SandboxFault => ({ takesEffect: true, effect });

/** All faults, in the order of a plan's rates. */
export const FAULTS = {
  reset_before: before({ does: 'reset' }),
  reset_after: after({ does: 'reset' }),
  timeout_before: before({ does: 'hang' }),
  timeout_after: after({ does: 'hang' }),
  '500_before': before({ does: 'error', status: 500 }),
  '500_after': after({ does: 'error', status: 500 }),
  '502_before': before({ does: 'html', status: 502 }),
  '502_after': after({ does: 'html', status: 502 }),
  '503': before({ does: 'error', status: 503, retryAfter: 'seconds' }),
  '504_before': before({ does: 'html', status: 504 }),
  '504_after': after({ does: 'html', status: 504 }),
  '408': before({ does: 'error', status: 408 }),
  '425': before({ does: 'error', status: 425 }),
  '429': before({ does: 'error', status: 429, retryAfter: 'seconds' }),
  '429_date': before({ does: 'error', status: 429, retryAfter: 'date' }),
  '401': before({ does: 'error', status: 401 }),
  '403': before({ does: 'error', status: 403 }),
  '404': before({ does: 'error', status: 404 }),
  '409': before({ does: 'error', status: 409 }),
  '422': before({ does: 'error', status: 422 }),
  redirect: before({ does: 'redirect' }),
  html: before({ does: 'html', status: 200 }),
  cut_answer: after({ does: 'cut' }),
  cut_json: after({ does: 'cut_json' }),
  empty_answer: after({ does: 'empty' }),
  no_id: after({ does: 'no_id' }),
  wrong_echo: after({ does: 'wrong_echo' }),
  slow: after({ does: 'delay' }),
} as const satisfies Record<string, SandboxFault>;

export type FaultName = keyof typeof FAULTS;

export interface FaultPlan {
  readonly seed: number;
  /** Number of a key's first attempts that may fail. Later attempts succeed, so that a run with retries ends. */
  readonly first: number;
  readonly retryAfterInSeconds: number;
  readonly latencyInMs: number;
  /** Share of the attempts for each fault, from 0 to 1. The sum is at most 1. */
  readonly rates: ReadonlyMap<FaultName, number>;
}

export const NO_FAULTS: FaultPlan = {
  seed: 1,
  first: 2,
  retryAfterInSeconds: 1,
  latencyInMs: 0,
  rates: new Map(),
};

/** The plan's integers, by their names in its text. */
const WHOLE_NUMBERS = {
  seed: 'seed',
  first: 'first',
  retry_after: 'retryAfterInSeconds',
  latency_ms: 'latencyInMs',
} as const;

const knownNames = [...Object.keys(WHOLE_NUMBERS), ...Object.keys(FAULTS)].join(', ');

/**
 * Reads a plan such as `seed=7,reset_after=0.05,429=0.1,retry_after=1`.
 *
 * @throws Error that names the wrong part
 */
export function parseFaults(text: string): FaultPlan {
  const rates = new Map<FaultName, number>();
  const numbers: Record<string, number> = {};
  const seen = new Set<string>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue;
    const [name = '', value = '', ...more] = part.split('=').map((piece) => piece.trim());
    if (value === '' || more.length > 0) throw new Error(`faults: "${part}" is not of the form name=number`);
    if (seen.has(name)) throw new Error(`faults: ${name} is given twice`);
    seen.add(name);
    if (Object.hasOwn(FAULTS, name)) rates.set(name as FaultName, parseRate(name, value));
    else if (Object.hasOwn(WHOLE_NUMBERS, name)) {
      numbers[WHOLE_NUMBERS[name as keyof typeof WHOLE_NUMBERS]] = parseWhole(name, value);
    } else throw new Error(`faults: there is no fault ${name}; known are ${knownNames}`);
  }
  const sum = [...rates.values()].reduce((total, rate) => total + rate, 0);
  if (sum > 1 + 1e-9) throw new Error(`faults: the rates add up to ${sum}, more than 1`);
  return { ...NO_FAULTS, ...numbers, rates };
}

function parseRate(name: string, value: string): number {
  if (!/^\d*\.?\d+$/.test(value) || Number(value) > 1) {
    throw new Error(`faults: the rate of ${name} must be a number from 0 to 1, not "${value}"`);
  }
  return Number(value);
}

function parseWhole(name: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`faults: ${name} must be a whole number, not "${value}"`);
  return Number(value);
}

/**
 * Decides on one attempt. The same seed, key and attempt number always result in the same fault.
 *
 * @param attempt number of the attempt with the key, from 1
 */
export function decideFault(plan: FaultPlan, key: string, attempt: number): FaultName | undefined {
  if (plan.rates.size === 0 || attempt > plan.first) return undefined;
  let left = evenShare(`${plan.seed}:${attempt}:${key}`);
  for (const [name, rate] of plan.rates) {
    if (left < rate) return name;
    left -= rate;
  }
  return undefined;
}

/**
 * A number from 0 (inclusive) to 1 (exclusive) that is evenly distributed over texts: FNV-1a, with the final mixing of
 * MurmurHash3.
 */
function evenShare(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

interface MagicPhrase {
  /** The whole value of a last name, a label or an account name. */
  readonly phrase: string;
  /** The beginning of a client reference. */
  readonly prefix: string;
  readonly fault: FaultName;
  /** Number of a key's attempts that fail because of it. */
  readonly attempts: number;
}

const always = Number.POSITIVE_INFINITY;

export const MAGIC_PHRASES: readonly MagicPhrase[] = [
  { phrase: 'Error Once', prefix: 'ERROR-ONCE-', fault: '500_before', attempts: 1 },
  { phrase: 'Error Always', prefix: 'ERROR-ALWAYS-', fault: '500_before', attempts: always },
  { phrase: 'Busy Once', prefix: 'BUSY-ONCE-', fault: '429', attempts: 1 },
  { phrase: 'Timeout Once', prefix: 'TIMEOUT-ONCE-', fault: 'timeout_after', attempts: 1 },
  { phrase: 'Lost Once', prefix: 'LOST-ONCE-', fault: 'reset_after', attempts: 1 },
  { phrase: 'Lost Always', prefix: 'LOST-ALWAYS-', fault: 'reset_after', attempts: always },
  { phrase: 'Slow Answer', prefix: 'SLOW-', fault: 'slow', attempts: always },
];

/** The fault that a magic phrase in the body requests. */
export function magicFault(body: unknown, field: string, attempt: number): FaultName | undefined {
  const value =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : undefined;
  if (typeof value !== 'string') return undefined;
  const isReference = field === 'client_reference';
  const phrase = MAGIC_PHRASES.find((magic) =>
    isReference ? value.startsWith(magic.prefix) : value === magic.phrase,
  );
  return phrase !== undefined && attempt <= phrase.attempts ? phrase.fault : undefined;
}
