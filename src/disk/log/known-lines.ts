/* The lines of a run log: those that a writer adds to the file, and its knowledge of the lines that others have added. */

import { createHash, randomBytes } from 'node:crypto';
import type { ChainTip, LoggedClaim } from '../../domain/batches/run.ts';
import type { LogFile } from './log-file.ts';
import { parseRunEvent } from './run-event.ts';
import {
  eventNameOf,
  type FoundHead,
  hashOfLine,
  hashOfLines,
  type LineLink,
  linkedLine,
  linkOf,
  type NamedClaim,
  namedBy,
  noHash,
  type RunHead,
  unlinkedChain,
} from './run-head.ts';

/** Lines that are about to be written, and the tip of the chain after each of them. */
interface LinkedLines {
  readonly lines: readonly string[];
  readonly tips: readonly ChainTip[];
}

/**
 * The lines of one writer. They are numbered and hashed only when they are written, since a line that was written only in
 * part is written again after the piece.
 */
export class ChainWriter {
  #tip: ChainTip;
  #hasBegun = false;

  /**
   * Begins a chain.
   * @param linesBefore number of lines that the log already has: numbering continues after them
   */
  constructor(linesBefore: number, chain: string = randomBytes(4).toString('hex')) {
    this.#tip = { chain, line: linesBefore, hash: noHash, claims: 0 };
  }

  get chain(): string {
    return this.#tip.chain;
  }

  /** The last line that was written; null before the first line. */
  get tip(): ChainTip | null {
    return this.#hasBegun ? this.#tip : null;
  }

  /**
   * Adds numbers and hashes to lines. The state of the chain changes only when `written` is called with the last line that
   * is in the file.
   * @param after the last lines of other chains, which the first line names
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

/** The last lines of the chains of a log, as far as they were read. */
export class KnownLines {
  readonly #tips = new Map<string, ChainTip>();
  /** Chains whose last line is not named by any line of this writer. */
  readonly #unnamed = new Set<string>();
  #lastClaim: NamedClaim | null = null;

  /** The last lines that no later line names, in the order in which they were first read. */
  get unnamed(): readonly ChainTip[] {
    return [...this.#tips.values()].filter(({ chain }) => this.#unnamed.has(chain));
  }

  get lastClaim(): NamedClaim | null {
    return this.#lastClaim;
  }

  /** Lines that a head names and that are not in the log. */
  lacking: readonly ChainTip[] = [];

  /** The highest line number. */
  get lines(): number {
    return Math.max(0, ...[...this.#tips.values()].map(({ line }) => line));
  }

  /** Takes over the content of a head. The lines after it have to be read next. */
  startAt({ chain, line, hash, claims, others, claimed }: RunHead): void {
    for (const tip of [{ chain, line, hash, claims }, ...others]) this.#note(tip);
    this.#lastClaim = claimed;
  }

  /** Takes over the lines of a log that only earlier versions have written. */
  startBehindUnlinked(lines: number, hash: string): void {
    this.#note({ chain: unlinkedChain, line: lines, hash, claims: null });
  }

  /**
   * Takes a line of the log.
   * @returns the claim in the line, or null
   */
  read(text: string): LoggedClaim | null {
    const link = linkOf(text);
    const name = eventNameOf(text);
    if (link !== null) {
      for (const named of namedBy(text) ?? []) this.#named(named);
      this.#note({ chain: link.chain, line: link.line, hash: link.hash, claims: this.#claimsAt(link, name) });
    }
    if (name === 'run.started') {
      const event = parseRunEvent(text);
      return event?.event === 'run.started' ? { run: event.run, claim: 0 } : null;
    }
    const claim = claimIn(text);
    if (claim === null) return null;
    this.claimed(claim);
    return { run: claim.run, claim: claim.claim };
  }

  claimed(claim: NamedClaim): void {
    this.#lastClaim = claim;
  }

  /** Marks lines as named by a line that this writer has written. */
  areNamed(tips: readonly ChainTip[]): void {
    for (const tip of tips) this.#named(tip);
  }

  #note(tip: ChainTip): void {
    this.#tips.set(tip.chain, tip);
    this.#unnamed.add(tip.chain);
  }

  #named({ chain, line }: ChainTip): void {
    if ((this.#tips.get(chain)?.line ?? 0) <= line) this.#unnamed.delete(chain);
  }

  #claimsAt({ chain, line, hash, body }: LineLink, name: string | undefined): number | null {
    const tip = this.#tips.get(chain);
    // The line was read earlier, while its newline was missing.
    if (tip?.line === line) return tip.claims;
    const isNext = tip !== undefined && tip.line + 1 === line;
    const before = isNext ? tip.claims : hashOfLine(noHash, body) === hash ? 0 : null;
    return before === null ? null : before + (name === 'claim.made' ? 1 : 0);
  }
}

function claimIn(text: string): NamedClaim | null {
  if (eventNameOf(text) !== 'claim.made') return null;
  const event = parseRunEvent(text);
  return event?.event === 'claim.made'
    ? { run: event.run, claim: event.claim, ledger: event.ledger ?? null }
    : null;
}

/** The content of a log when it is opened. */
export interface OpenedLines {
  readonly known: KnownLines;
  /** Whether the log has all lines that its head names. */
  readonly isWhole: boolean;
  /** Whether a readable head is beside the log. */
  readonly hasHead: boolean;
  /** Where the last whole line ends: another writer may still complete the piece of a line after it. */
  readonly end: number;
  /** The claims of the last lines, as far back as requested. */
  readonly claims: readonly LoggedClaim[];
}

/**
 * Reads the last lines of a log: from the line that its head names if the log has that line, otherwise from the beginning.
 * @param claimsFrom the claims of lines after this byte are returned; none when absent
 */
export async function readKnownLines(
  file: LogFile,
  head: FoundHead,
  claimsFrom: number = file.size,
): Promise<OpenedLines> {
  const known = new KnownLines();
  const isThere = typeof head === 'object' && (await endsWithHead(file, head));
  if (isThere) known.startAt(head);
  if (typeof head === 'object')
    known.lacking = isThere ? head.lacking : [head, ...head.others, ...head.lacking];
  const unlinked = createHash('sha256');
  let [unlinkedLines, isLinked] = [0, isThere];
  const read = (text: string): void => {
    isLinked ||= linkOf(text) !== null;
    if (!isLinked) {
      unlinkedLines += 1;
      unlinked.update(`${text}\n`, 'latin1');
    }
    known.read(text);
  };
  const { end, piece } = await file.readLines(isThere ? head.bytes : 0, file.size, read);
  // The piece is read too, since a newline is added to it next, whether or not it is a whole line.
  if (piece !== '') read(piece);
  if (!isLinked && unlinkedLines > 0)
    known.startBehindUnlinked(unlinkedLines, hashOfLines(unlinked.digest('hex')));
  const claims = await readClaims(file, claimsFrom);
  const isWhole = head !== 'damaged' && known.lacking.length === 0;
  return { known, isWhole, hasHead: typeof head === 'object', end, claims };
}

/** The claims after a position of a log. May include a claim that is a little before the position. */
async function readClaims(file: LogFile, from: number): Promise<readonly LoggedClaim[]> {
  const { size } = file;
  if (from === size) return [];
  const claims: LoggedClaim[] = [];
  // The line at the position may have been half written at that time, so reading begins before it. If the log is shorter
  // now, it was replaced, and all of it is read.
  const begin = from > size ? 0 : Math.max(0, from - longestClaim);
  const { piece } = await file.readLines(begin, size, (text) => {
    const claim = claimIn(text);
    if (claim !== null) claims.push({ run: claim.run, claim: claim.claim });
  });
  const last = claimIn(piece);
  return last === null ? claims : [...claims, { run: last.run, claim: last.claim }];
}

/** A number of bytes that is larger than any line with a claim. */
export const longestClaim = 256 * 1024;

/** Whether the last line that a head names is at the stated position. */
async function endsWithHead(file: LogFile, head: RunHead): Promise<boolean> {
  if (head.bytes > file.size) return false;
  const end = await file.textBefore(head.bytes, 200);
  return [head, ...head.others].some(({ hash }) => end.endsWith(`"line_hash":"${hash}"}\n`));
}
