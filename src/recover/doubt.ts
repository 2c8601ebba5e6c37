/* For which rows a damaged run log leaves open whether they were sent, or under which key. */

import type { ClaimedRange, LogProof } from '../domain/batches/run-log.ts';
import type { EndWithoutRequest, LoggedRow } from './logged-event.ts';

/**
 * Why it is not known what became of a row. `key_lost`: a claim names it, and the line with its key is not there.
 * `log_damaged`: lines are missing that may be about it. `log_unproven`: nothing proves that none are missing, and a person
 * wants such rows held.
 */
export type Doubt = 'key_lost' | 'log_damaged' | 'log_unproven';

/** The newest key of each row under which claims have taken it, in two bytes a row. */
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

/** What the logs of a batch say of one row. */
export interface ToldOfRow {
  /** Undefined where they name no key of it. */
  readonly known: LoggedRow | undefined;
  readonly rests: EndWithoutRequest | undefined;
  /** The number of the newest key under which a claim took it; 0 where none did. */
  readonly claimedKey: number;
  /** The last line that is about it, by log; a log that does not name it is not among them. */
  readonly lastLines: ReadonlyMap<number, number>;
}

/** What the logs of a batch prove, and how rows are treated of which they prove nothing. */
export interface ProvenLogs {
  /** In the order in which the logs were read. */
  readonly proofs: readonly LogProof[];
  /** Whether rows are held of which an unproven log says nothing final. */
  readonly holdsRest: boolean;
}

/** @returns null where the logs tell all that there is to know of a row */
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

/** Created rows stay so, and the others are for a person already. */
function isDecided(known: LoggedRow | undefined): boolean {
  const state = known?.end.state;
  return state === 'created' || state === 'held' || state === 'unclear';
}

/** A row in doubt keeps its key until a person has decided; one that was refused, or never sent, gets another one. */
function mayHaveNewKey(known: LoggedRow | undefined): boolean {
  return known === undefined || known.end.state === 'rejected' || known.end.state === 'waiting';
}

/** What was sent has two lines at least that name it: that of its key and that of its claim. */
function mayLackNewKey(proofs: readonly LogProof[]): boolean {
  const lost = proofs.reduce((sum, { lostLines }) => sum + lostLines, 0);
  return lost > 1 && proofs.some(({ mayLackClaims }) => mayLackClaims);
}
