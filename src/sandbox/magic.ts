import type { FaultName } from './faults.ts';

interface MagicPhrase {
  /** The whole value of a last name, a label or an account name. */
  readonly phrase: string;
  /** The beginning of a client reference. */
  readonly prefix: string;
  readonly fault: FaultName;
  /** How many tries of a key it spoils. */
  readonly attempts: number;
}

export const MAGIC_PHRASES: readonly MagicPhrase[] = [
  { phrase: 'Error Once', prefix: 'ERROR-ONCE-', fault: '500_before', attempts: 1 },
  {
    phrase: 'Error Always',
    prefix: 'ERROR-ALWAYS-',
    fault: '500_before',
    attempts: Number.POSITIVE_INFINITY,
  },
  { phrase: 'Busy Once', prefix: 'BUSY-ONCE-', fault: '429', attempts: 1 },
  { phrase: 'Timeout Once', prefix: 'TIMEOUT-ONCE-', fault: 'timeout_after', attempts: 1 },
  { phrase: 'Lost Once', prefix: 'LOST-ONCE-', fault: 'reset_after', attempts: 1 },
  { phrase: 'Lost Always', prefix: 'LOST-ALWAYS-', fault: 'reset_after', attempts: Number.POSITIVE_INFINITY },
  { phrase: 'Slow Answer', prefix: 'SLOW-', fault: 'slow', attempts: Number.POSITIVE_INFINITY },
];

/** The fault that a magic phrase in the body asks for. */
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
