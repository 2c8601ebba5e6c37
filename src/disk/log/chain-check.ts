/* Checks whether the lines of a run log are those that were written: no line was changed, is missing, or was moved. */

import { createHash, type Hash } from 'node:crypto';
import type { ChainTip, LogDamage, LogProof } from '../../domain/batches/run.ts';
import {
  eventNameOf,
  type FoundHead,
  hashOfLine,
  hashOfLines,
  type LineLink,
  linkOf,
  namedBy,
  noHash,
  unlinkedChain,
} from './run-head.ts';

/** Value for an unknown number of lines or claims. */
const notKnown = Number.POSITIVE_INFINITY;

/** How far a line is trusted: `unlinked` lines are of earlier versions and not proven, `suspect` lines prove nothing. */
type LineTrust = 'intact' | 'unlinked' | 'suspect';

/** Knowledge about a log from other sources. */
export interface KnownOfLog {
  /** The content of the head file beside the log. */
  readonly head: FoundHead;
  /** The last lines that the ledger recorded at the end of a run; empty without such a record. */
  readonly kept: readonly ChainTip[];
}

/** Follows the chains of a log while it is read, line by line. */
export class ChainCheck {
  readonly #known: KnownOfLog;
  /** Lines that the head or the ledger names, by chain and number. */
  readonly #expected = new Map<string, ChainTip>();
  /** Positions in the file of the lines that the head or the ledger names, as far as they were read. */
  readonly #headPlaces = new Map<string, number>();
  readonly #chains = new Map<string, SeenChain>();
  /** The lines of earlier versions, which come before the first linked line. */
  readonly #unlinked: { lines: number; readonly hash: Hash } = { lines: 0, hash: createHash('sha256') };
  #damages: LogDamage[] = [];
  #unreadable: { readonly from: number; readonly to: number } | null = null;
  #lastChain: string | null = null;
  #lines = 0;

  constructor(known: KnownOfLog) {
    this.#known = known;
    for (const tip of [...tipsOf(known.head), ...known.kept]) this.#expected.set(placeOf(tip), tip);
  }

  /** Whether the log has linked lines, as far as it was read. */
  get isLinked(): boolean {
    return this.#chains.size > 0;
  }

  /**
   * Takes a line of the file, before it is parsed.
   * @param at its number in the file
   */
  begin(text: string, at: number): void {
    this.#lines = at;
    if (this.isLinked || linkOf(text) !== null) return;
    this.#unlinked.lines += 1;
    this.#unlinked.hash.update(`${text}\n`, 'latin1');
  }

  /**
   * Takes the text of a whole event.
   * @param at the number of its line in the file
   */
  event(text: string, at: number): LineTrust {
    const link = linkOf(text);
    if (link === null) {
      if (!this.isLinked) return 'unlinked';
      this.#damaged({ kind: 'unlinked', from: at, to: at, hidden: 1, chain: this.#lastChain });
      return 'suspect';
    }
    const isFirstLinked = !this.isLinked;
    const named = namedBy(text);
    const trust = this.#follow(link, named, at);
    if (isFirstLinked) this.#checkUnlinked(named ?? [], at);
    for (const tip of named ?? []) this.#checkNamed(tip, at);
    this.#endUnreadable();
    this.#lastChain = link.chain;
    const chain = this.#chains.get(link.chain);
    if (trust === 'intact' && chain !== undefined) this.#note(chain, eventNameOf(text));
    return trust;
  }

  /** Takes lines that are not events, and that no crash can have left. */
  unreadable(from: number, to: number): void {
    this.#unreadable = { from, to };
  }

  /** Returns what the log proves, after it was read to its end. */
  end(): LogProof {
    this.#endUnreadable();
    const end = this.#lines + 1;
    for (const tip of this.#expected.values()) this.#checkEnd(tip, end);
    const { head } = this.#known;
    if (head === 'damaged')
      this.#damaged({ kind: 'head', from: end, to: end, hidden: notKnown, chain: null });
    return {
      lines: this.#lines,
      isLinked: this.isLinked,
      head: typeof head === 'object' ? 'there' : head,
      damages: this.#damages,
      ...this.#consequences(),
    };
  }

  /**
   * Derives the consequences of the damages. Damage after the last line that the head names has no effect: a claim, a
   * verdict or a correction takes effect only after the head names its line.
   */
  #consequences(): Pick<LogProof, 'lostLines' | 'mayLackClaims' | 'doubtUntil'> {
    const headAt = this.#lineOfHead();
    const isRelevant = ({ kind, from, hidden }: LogDamage): boolean =>
      hidden > 0 && (kind === 'cut' || headAt === null || from <= headAt);
    const harmful = this.#damages.filter(isRelevant);
    const chainOf = ({ chain }: LogDamage): SeenChain | undefined =>
      chain === null ? undefined : this.#chains.get(chain);
    const ofSending = harmful.filter((damage) => chainOf(damage)?.isSending === true);
    const others = harmful.filter((damage) => chainOf(damage)?.isSending !== true);
    return {
      lostLines: ofSending.reduce((sum, { hidden }) => sum + hidden, 0),
      mayLackClaims: ofSending.some((damage) => lacksClaims(chainOf(damage))),
      doubtUntil: Math.max(0, ...others.map(({ to }) => to)),
    };
  }

  /** The number in the file of the last line that the head names; null if any line that it names is missing or changed. */
  #lineOfHead(): number | null {
    const places = tipsOf(this.#known.head).map((tip) => this.#headPlaces.get(placeOf(tip)) ?? Number.NaN);
    const last = places.length === 0 ? Number.NaN : Math.max(...places);
    return Number.isNaN(last) ? null : last;
  }

  /** Compares a line with the previous line of its chain. */
  #follow(link: LineLink, named: readonly ChainTip[] | null, at: number): LineTrust {
    const { chain: name, line, hash, body } = link;
    const chain = this.#chains.get(name);
    const isNext = chain !== undefined && line === chain.line + 1;
    if (!isNext && named !== null && hashOfLine(noHash, body) === hash) {
      this.#begin(link, at);
      return this.#asExpected(link, at);
    }
    if (chain === undefined) {
      this.#begin(link, at);
      // It is unknown how many earlier lines the chain had.
      this.#lost({ kind: 'missing', at, hidden: notKnown, chain: name });
      return 'suspect';
    }
    if (line <= chain.line) {
      this.#damaged({ kind: 'moved', from: at, to: at, hidden: 0, chain: name });
      return 'suspect';
    }
    const fits = isNext && chain.hashes.some((before) => hashOfLine(before, body) === hash);
    if (fits) {
      this.#advance(chain, line, [hash], at);
      return this.#asExpected(link, at);
    }
    if (isNext) {
      // Either the line or its hash was changed. The next line shows which of them.
      const hashes = [hash, ...chain.hashes.map((before) => hashOfLine(before, body))];
      this.#lost({ kind: 'changed', at, hidden: 1, chain: name });
      this.#advance(chain, line, hashes, at);
      return 'suspect';
    }
    // The line before is missing, so this line cannot be verified.
    this.#lost({ kind: 'missing', at, hidden: line - chain.line, chain: name });
    this.#advance(chain, line, [hash], at);
    return 'suspect';
  }

  #begin({ chain: name, line, hash }: LineLink, at: number): void {
    this.#chains.set(name, {
      line,
      hashes: [hash],
      lastAt: at,
      claims: 0,
      claimsNamed: null,
      isSending: false,
    });
  }

  #advance(chain: SeenChain, line: number, hashes: readonly string[], at: number): void {
    chain.line = line;
    chain.hashes = hashes;
    chain.lastAt = at;
  }

  /** Checks whether a line that fits into its chain also matches the head and the ledger. */
  #asExpected({ chain: name, line, hash }: LineLink, at: number): LineTrust {
    const expected = this.#expected.get(`${name} ${line}`);
    if (expected === undefined) return 'intact';
    if (expected.hash === hash) {
      this.#headPlaces.set(placeOf(expected), at);
      return 'intact';
    }
    this.#damaged({ kind: 'changed', from: at, to: at, hidden: 1, chain: null });
    return 'suspect';
  }

  #note(chain: SeenChain, name: string | undefined): void {
    if (name === 'claim.made') chain.claims += 1;
    if (name === 'claim.made' || name === 'run.started') chain.isSending = true;
    // Earlier damage does not count any more: everything that it may have hidden was written again from the ledger.
    if (name === 'log.completed') this.#damages = [];
  }

  /** Records missing or changed lines: those right before a line, the line itself, or lines that cannot be read. */
  #lost({ at, ...damage }: Omit<LogDamage, 'from' | 'to'> & { readonly at: number }): void {
    const unreadable = this.#unreadable;
    this.#unreadable = null;
    if (unreadable === null) this.#damaged({ ...damage, from: at, to: at });
    else this.#damaged({ ...damage, kind: 'unreadable', ...unreadable });
  }

  #endUnreadable(): void {
    if (this.#unreadable === null) return;
    const { from, to } = this.#unreadable;
    this.#unreadable = null;
    this.#damaged({ kind: 'unreadable', from, to, hidden: to - from + 1, chain: this.#lastChain });
  }

  #checkUnlinked(named: readonly ChainTip[], at: number): void {
    const { lines, hash } = this.#unlinked;
    const tip = named.find(({ chain }) => chain === unlinkedChain);
    const isAsNamed = tip?.line === lines && tip.hash === hashOfLines(hash.copy().digest('hex'));
    if (isAsNamed || (lines === 0 && tip === undefined)) return;
    this.#damaged({ kind: 'changed', from: 1, to: Math.max(1, at - 1), hidden: lines, chain: null });
  }

  /** Checks a line that another line names. It must come before that line. */
  #checkNamed(tip: ChainTip, at: number): void {
    if (tip.chain === unlinkedChain) return;
    const chain = this.#chains.get(tip.chain);
    if (chain === undefined) {
      this.#damaged({ kind: 'missing', from: at, to: at, hidden: notKnown, chain: null });
      return;
    }
    chain.claimsNamed = Math.max(chain.claimsNamed ?? 0, tip.claims ?? notKnown);
    if (chain.line < tip.line) {
      this.#lost({ kind: 'missing', at, hidden: tip.line - chain.line, chain: tip.chain });
      // The damage is reported only once: the following lines of the chain do not count as missing.
      this.#advance(chain, tip.line, [tip.hash], chain.lastAt);
    } else if (chain.line === tip.line && !chain.hashes.includes(tip.hash)) {
      this.#damaged({ kind: 'changed', from: chain.lastAt, to: chain.lastAt, hidden: 1, chain: tip.chain });
    }
  }

  /** Checks that a line that the head or the ledger names was read. */
  #checkEnd(tip: ChainTip, end: number): void {
    if (tip.chain === unlinkedChain) return;
    const chain = this.#chains.get(tip.chain);
    const hidden = chain === undefined ? notKnown : tip.line - chain.line;
    if (chain !== undefined) {
      chain.claimsNamed = Math.max(chain.claimsNamed ?? 0, tip.claims ?? notKnown);
    }
    if (hidden <= 0) return;
    this.#damaged({ kind: 'cut', from: end, to: end, hidden, chain: chain === undefined ? null : tip.chain });
  }

  #damaged(damage: LogDamage): void {
    const last = this.#damages.at(-1);
    if (this.#damages.length < mostDamages || last === undefined) this.#damages.push(damage);
    else this.#damages[mostDamages - 1] = { ...last, to: damage.to, hidden: notKnown, chain: null };
  }
}

/** Maximum of damages. If a log has more, the others are joined into one. */
const mostDamages = 1_000;

function tipsOf(head: FoundHead): readonly ChainTip[] {
  return typeof head === 'object' ? [head, ...head.others, ...head.lacking] : [];
}

function placeOf({ chain, line }: ChainTip): string {
  return `${chain} ${line}`;
}

/** A chain as far as a log was read. */
interface SeenChain {
  /** The number of its last line, and its possible hashes: for a changed line, the hash in it and the correct ones. */
  line: number;
  hashes: readonly string[];
  /** The number of that line in the file. */
  lastAt: number;
  /** Number of claims in its intact lines. */
  claims: number;
  /** Number of its claims that other lines state; infinite if they do not state it, null if no line names the chain. */
  claimsNamed: number | null;
  /** Whether the chain is of a run that sends. Such a run writes no verdicts. */
  isSending: boolean;
}

function lacksClaims(chain: SeenChain | undefined): boolean {
  return chain === undefined || chain.claimsNamed === null || chain.claimsNamed > chain.claims;
}
