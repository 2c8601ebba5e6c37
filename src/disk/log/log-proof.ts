import type { LogDamage, LogProof } from '../../domain/batches/run-log.ts';
import type { FoundHead } from './run-head.ts';

/** A chain as far as a log was read. */
export interface SeenChain {
  readonly name: string;
  /** Its last line, and what the hash of that may be: of a changed line either its own or the one that it should have. */
  line: number;
  hashes: readonly string[];
  /** The number of that line in the file. */
  lastAt: number;
  /** How many claims its intact lines name. */
  claims: number;
  /** How many it has named as others say, infinite where they do not; null where no line says anything. */
  claimsNamed: number | null;
  /** Whether it is of a run that sends: such a run has no verdicts. */
  isSending: boolean;
}

/** What was found in a log. */
interface Found {
  readonly lines: number;
  readonly isLinked: boolean;
  readonly head: FoundHead;
  readonly damages: readonly LogDamage[];
  readonly chains: ReadonlyMap<string, SeenChain>;
  /** The number in the file of the last line that the head names; null where not all of them are there and intact. */
  readonly headAt: number | null;
}

/**
 * What follows from the damages of a log. What comes behind the line that the head names was never relied on: a claim, a
 * verdict or a correction has a head before anything happens that it tells of.
 */
export function proofOf({ lines, isLinked, head, damages, chains, headAt }: Found): LogProof {
  const isRelevant = ({ kind, from, hidden }: LogDamage): boolean =>
    hidden > 0 && (kind === 'cut' || headAt === null || from <= headAt);
  const harmful = damages.filter(isRelevant);
  const chainOf = ({ chain }: LogDamage): SeenChain | undefined =>
    chain === null ? undefined : chains.get(chain);
  const ofSending = harmful.filter((damage) => chainOf(damage)?.isSending === true);
  const others = harmful.filter((damage) => chainOf(damage)?.isSending !== true);
  return {
    lines,
    isLinked,
    head: typeof head === 'object' ? 'there' : head,
    damages,
    lostLines: ofSending.reduce((sum, { hidden }) => sum + hidden, 0),
    mayLackClaims: ofSending.some((damage) => lacksClaims(chainOf(damage))),
    doubtUntil: Math.max(0, ...others.map(({ to }) => to)),
  };
}

function lacksClaims(chain: SeenChain | undefined): boolean {
  return chain === undefined || chain.claimsNamed === null || chain.claimsNamed > chain.claims;
}
