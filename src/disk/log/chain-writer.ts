import { randomBytes } from 'node:crypto';
import type { ChainTip } from '../../domain/batches/run-log.ts';
import { eventNameOf, linkedLine, noHash } from './line-link.ts';

/** Lines that are about to be written, and the tip of the chain behind each. */
interface LinkedLines {
  readonly lines: readonly string[];
  readonly tips: readonly ChainTip[];
}

/**
 * The lines of one writer. They are numbered and hashed only when they are written, since a line of which the disk took a
 * part is written again behind that piece.
 */
export class ChainWriter {
  #tip: ChainTip;
  #hasBegun = false;

  /** @param linesBefore how many lines the log has already: the numbers go on from there */
  constructor(linesBefore: number, chain: string = randomBytes(4).toString('hex')) {
    this.#tip = { chain, line: linesBefore, hash: noHash, claims: 0 };
  }

  get chain(): string {
    return this.#tip.chain;
  }

  /** The last line that was written; null where none was. */
  get tip(): ChainTip | null {
    return this.#hasBegun ? this.#tip : null;
  }

  /**
   * Gives lines their numbers and hashes. Nothing has changed until `written` says how many of them are in the file.
   * @param after the last lines of other chains, to be named by the first line
   */
  link(texts: readonly string[], after: readonly ChainTip[]): LinkedLines {
    const [lines, tips]: [string[], ChainTip[]] = [[], []];
    let { hash, line, claims, chain } = this.#tip;
    for (const [at, text] of texts.entries()) {
      const isNaming = at === 0 && (after.length > 0 || !this.#hasBegun);
      line += 1;
      const linked = linkedLine(text, { before: hash, chain, line }, isNaming ? after : null);
      hash = linked.hash;
      claims = (claims ?? 0) + (eventNameOf(text) === 'claim.made' ? 1 : 0);
      lines.push(linked.line);
      tips.push({ chain, line, hash, claims });
    }
    return { lines, tips };
  }

  written(tip: ChainTip): void {
    this.#tip = tip;
    this.#hasBegun = true;
  }
}
