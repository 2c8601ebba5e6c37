/*
 * The dialogues of a console about how files are read. What was answered is kept after one has ended, and after the console was
 * started anew.
 */

import type { KeptAnswers, TalkAbout } from './kept-answers.ts';
import {
  type AgainWith,
  type BeginTalk,
  MappingTalk,
  repliesIn,
  startWith,
  type TalkStart,
} from './mapping-talk.ts';

/** A dialogue that somebody may go on with. */
export interface OpenTalk extends TalkAbout {
  readonly answered: number;
  readonly left: number;
}

/** How a dialogue begins. */
interface TalkBeginning {
  readonly about: TalkAbout;
  /** Whether everything is asked again although it was agreed to before. */
  readonly isAgain: boolean;
  /** Counts the changes of what exists, by which its forecasts become old. */
  readonly changes: number;
  readonly begin: (isAgain: boolean) => BeginTalk;
}

/** What is left of a dialogue that has ended: its answers, with which another one begins. */
class RestingTalk {
  readonly #start: TalkStart;
  readonly #left: number;

  constructor(start: TalkStart, left: number) {
    this.#start = start;
    this.#left = left;
  }

  get progress(): MappingTalk['progress'] {
    return { answered: repliesIn(this.#start).length, left: this.#left };
  }

  startAgain(again: AgainWith = {}): TalkStart {
    return startWith(repliesIn(this.#start), this.#start.turn, again);
  }

  end(): void {}
}

interface Kept extends Omit<TalkBeginning, 'begin'> {
  talk: MappingTalk | RestingTalk;
  usedAtInMs: number;
}

/**
 * Idle dialogues end; beyond the most dialogues, the one that has waited longest ends. Beyond the most that rest, the oldest
 * answers are forgotten.
 */
export const talkLimits = { idleInMs: 30 * 60_000, most: 20, mostResting: 200 } as const;

/** The dialogues of this process, one per file and person. After a restart they go on with the answers that are kept. */
export class MappingTalks {
  readonly #talks = new Map<string, Kept>();
  readonly #answers: KeptAnswers;
  readonly #nowInMs: () => number;
  readonly #sweeping: NodeJS.Timeout;

  /** @param nowInMs the monotonic clock */
  constructor(answers: KeptAnswers, nowInMs: () => number = () => performance.now()) {
    this.#answers = answers;
    this.#nowInMs = nowInMs;
    const before = answers.read();
    for (const [at, { key, about, isAgain, start, left }] of before.entries()) {
      const talk = new RestingTalk(start, left);
      this.#talks.set(key, { about, isAgain, changes: 0, talk, usedAtInMs: nowInMs() - before.length + at });
    }
    // Idle dialogues also end without visitors, since each has the rows of its file in memory.
    this.#sweeping = setInterval(() => this.#endIdle(), 60_000).unref();
  }

  /** The dialogue of a file and person, unless it rests. @param key its unique key */
  find(key: string): MappingTalk | undefined {
    this.#endIdle();
    const kept = this.#talks.get(key);
    if (kept === undefined || kept.talk instanceof RestingTalk) return undefined;
    kept.usedAtInMs = this.#nowInMs();
    return kept.talk;
  }

  /** The dialogues of a person, the ones that rest too: those used last first. */
  of(by: string): readonly OpenTalk[] {
    return [...this.#talks.values()]
      .filter(({ about }) => about.by === by)
      .sort((left, right) => right.usedAtInMs - left.usedAtInMs)
      .map(({ about, talk }) => ({ ...about, ...talk.progress }));
  }

  /** Whether something has changed since it has begun, so that its numbers may be old. */
  isOld(key: string, changes: number): boolean {
    const kept = this.#talks.get(key);
    return kept !== undefined && kept.changes !== changes;
  }

  /** Whether there are answers with which a dialogue would go on. */
  hasAnswers(key: string): boolean {
    return (this.#talks.get(key)?.talk.progress.answered ?? 0) > 0;
  }

  /**
   * Begins one, and replaces an existing one. It goes on with the answers of that one.
   */
  open(key: string, { about, isAgain, changes, begin }: TalkBeginning, again: AgainWith = {}): MappingTalk {
    const before = this.#talks.get(key);
    before?.talk.end();
    const isAsBefore = before?.isAgain ?? isAgain;
    const start = before?.talk.startAgain(again);
    const talk = new MappingTalk(begin(isAsBefore), start, () => this.#keep(key));
    // The order of the entries is that in which they were begun.
    this.#talks.delete(key);
    this.#talks.set(key, {
      about,
      isAgain: isAsBefore,
      changes,
      talk,
      usedAtInMs: this.#nowInMs(),
    });
    this.#keep(key);
    this.#endIdle();
    return talk;
  }

  /**
   * Ends one, and keeps what was answered. Where everything was asked again about a file that is read already, there is nothing to
   * go on with before the first answer.
   */
  rest(key: string): void {
    const kept = this.#talks.get(key);
    if (kept === undefined) return;
    this.#keep(key);
    kept.talk.end();
    kept.talk = new RestingTalk(kept.talk.startAgain(), kept.talk.progress.left);
    if (!isWorthKeeping(kept)) this.forget(key);
  }

  /** Ends one, and keeps nothing of it. */
  forget(key: string): void {
    this.#talks.get(key)?.talk.end();
    this.#talks.delete(key);
    this.#answers.remove(key);
  }

  /** Ends all of them. Their answers are on disk then. */
  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    for (const [key, { talk }] of this.#talks) {
      this.#keep(key);
      talk.end();
    }
    this.#talks.clear();
    await this.#answers.settled();
  }

  #keep(key: string): void {
    const kept = this.#talks.get(key);
    if (kept === undefined || !isWorthKeeping(kept)) return;
    const { about, isAgain, talk } = kept;
    this.#answers.write({ key, about, isAgain, start: talk.startAgain(), left: talk.progress.left });
  }

  #endIdle(): void {
    const oldestFirst = [...this.#talks].sort(([, left], [, right]) => left.usedAtInMs - right.usedAtInMs);
    const now = this.#nowInMs();
    const active = oldestFirst.filter(([, { talk }]) => !(talk instanceof RestingTalk));
    const tooMany = active.length - talkLimits.most;
    for (const [at, [key, { usedAtInMs }]] of active.entries()) {
      if (at < tooMany || now - usedAtInMs > talkLimits.idleInMs) this.rest(key);
    }
    const resting = oldestFirst.filter(([, { talk }]) => talk instanceof RestingTalk);
    for (const [key] of resting.slice(0, Math.max(0, resting.length - talkLimits.mostResting)))
      this.forget(key);
  }
}

function isWorthKeeping({ isAgain, talk }: Kept): boolean {
  return !isAgain || talk.progress.answered > 0;
}
