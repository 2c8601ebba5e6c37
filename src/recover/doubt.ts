/* Finds the rows of which a damaged run log does not show whether they were sent, or under which key. */

import type { ClaimedRange, LogProof } from '../domain/batches/run-log.ts';
import type { EndWithoutRequest, LoggedRow } from './logged-event.ts';

/**
 * Why the fate of a row is unknown. `key_lost`: a claim names it, and the line with its key is missing. `log_damaged`:
 * lines are missing that may be about it. `log_unproven`: nothing proves that no lines are missing, and a person has
 * chosen to hold such rows.
 */
export type Doubt = 'key_lost' | 'log_damaged' | 'log_unproven';

/** The newest key of each row under which it was claimed, in two bytes per row. */
export class ClaimedKeys {
  #generations = new Uint16Array(4_096);

  note(ranges: readonly ClaimedRange[]): void {
    for (const [first, last, generation = 1] of ranges) {
      if (last >= this.#generations.length) this.#makeRoom(last);
      for (let row = first; row <= last; row += 1)
        this.#generations[row] = Math.max(this.generationOf(row), generation);
    }
  }

  /** The number of that key; 0 for a row that no claim names. */
  generationOf(row: number): number {
    return this.#generations[row] ?? 0;
  }

  #makeRoom(row: number): void {
    const generations = new Uint16Array(Math.max(row + 1, this.#generations.length * 2));
    generations.set(this.#generations);
    this.#generations = generations;
  }
}

/** What the logs of a batch have on one row. */
export interface ToldOfRow {
  /** Undefined where they have no key of it. */
  readonly known: LoggedRow | undefined;
  readonly rests: EndWithoutRequest | undefined;
  /** The number of the newest key under which it was claimed; 0 where it was not. */
  readonly claimedKey: number;
  /** The last line about it, by log; logs that do not name it are absent. */
  readonly lastLines: ReadonlyMap<number, number>;
}

/** What the logs of a batch prove, and how to treat rows of which they prove nothing. */
export interface ProvenLogs {
  /** In the order in which the logs were read. */
  readonly proofs: readonly LogProof[];
  /** Whether rows without a final event in an unproven log are held. */
  readonly holdsRest: boolean;
}

/** @returns null where the logs have everything about a row */
export function doubtAbout(
  { known, rests, claimedKey, lastLines }: ToldOfRow,
  { proofs, holdsRest }: ProvenLogs,
): Doubt | null {
  if (rests !== undefined || isDecided(known)) return null;
  // Without the line of its key a row is held anyway.
  if (known !== undefined && known.generation === null) return null;
  if (claimedKey > (known?.generation ?? 0)) return 'key_lost';
  const isDoubtful = ({ doubtUntil }: LogProof, log: number): boolean =>
    doubtUntil > 0 && (lastLines.get(log) ?? 0) <= doubtUntil;
  if (proofs.some(isDoubtful) || (mayHaveNewKey(known) && mayLackNewKey(proofs))) return 'log_damaged';
  return holdsRest && proofs.some(({ head }) => head !== 'there') ? 'log_unproven' : null;
}

/** Created rows stay created, and the others already wait for a person. */
function isDecided(known: LoggedRow | undefined): boolean {
  const state = known?.end.state;
  return state === 'created' || state === 'held' || state === 'unclear';
}

/** A row in doubt keeps its key until a person has decided; one that was refused, or never sent, gets a new key. */
function mayHaveNewKey(known: LoggedRow | undefined): boolean {
  return known === undefined || known.end.state === 'rejected' || known.end.state === 'waiting';
}

/** A sent row is named in at least two lines: that of its key and that of its claim. */
function mayLackNewKey(proofs: readonly LogProof[]): boolean {
  const lost = proofs.reduce((sum, { lostLines }) => sum + lostLines, 0);
  return lost > 1 && proofs.some(({ mayLackClaims }) => mayLackClaims);
}
