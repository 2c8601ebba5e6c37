/*
 * The dialogues about how uploaded files are read that are open, or rest with their answers until somebody goes on with them.
 */

import { type AgainWith, type BeginTalk, MappingTalk } from './mapping-talk.ts';

/** The file that a dialogue is about, and the person who is asked. */
export interface TalkAbout {
  readonly by: string;
  readonly name: string;
  readonly address: string;
  readonly path: string;
}

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

interface Kept extends Omit<TalkBeginning, 'begin'> {
  readonly talk: MappingTalk;
  /** Whether it has ended, and only its answers are kept. */
  isResting: boolean;
  usedAtInMs: number;
}

/**
 * Idle dialogues end; beyond the most dialogues, the one that has waited longest ends. Beyond the most that rest, the oldest
 * answers are forgotten.
 */
export const talkLimits = { idleInMs: 30 * 60_000, most: 20, mostResting: 200 } as const;

/** The dialogues of this process, one per file and person. After a restart they begin again. */
export class MappingTalks {
  readonly #talks = new Map<string, Kept>();
  readonly #nowInMs: () => number;
  readonly #sweeping: NodeJS.Timeout;

  /** @param nowInMs the monotonic clock */
  constructor(nowInMs: () => number = () => performance.now()) {
    this.#nowInMs = nowInMs;
    // Idle dialogues also end without visitors, since each has the rows of its file in memory.
    this.#sweeping = setInterval(() => this.#endIdle(), 60_000).unref();
  }

  /** The dialogue of a file and person, unless it rests. @param key its unique key */
  find(key: string): MappingTalk | undefined {
    this.#endIdle();
    const kept = this.#talks.get(key);
    if (kept === undefined || kept.isResting) return undefined;
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
    const talk = new MappingTalk(begin(isAsBefore), before?.talk.startAgain(again));
    // The order of the entries is that in which they were begun.
    this.#talks.delete(key);
    this.#talks.set(key, {
      about,
      isAgain: isAsBefore,
      changes,
      talk,
      isResting: false,
      usedAtInMs: this.#nowInMs(),
    });
    this.#endIdle();
    return talk;
  }

  /** Ends one, and keeps what was answered; one without answers is forgotten. */
  rest(key: string): void {
    const kept = this.#talks.get(key);
    if (kept === undefined) return;
    kept.talk.end();
    kept.isResting = true;
    if (kept.talk.progress.answered === 0) this.#talks.delete(key);
  }

  /** Ends one, and keeps nothing of it. */
  forget(key: string): void {
    this.#talks.get(key)?.talk.end();
    this.#talks.delete(key);
  }

  /** Ends all of them. */
  close(): void {
    clearInterval(this.#sweeping);
    for (const key of [...this.#talks.keys()]) this.forget(key);
  }

  #endIdle(): void {
    const oldestFirst = [...this.#talks].sort(([, left], [, right]) => left.usedAtInMs - right.usedAtInMs);
    const now = this.#nowInMs();
    const active = oldestFirst.filter(([, { isResting }]) => !isResting);
    const tooMany = active.length - talkLimits.most;
    for (const [at, [key, { usedAtInMs }]] of active.entries()) {
      if (at < tooMany || now - usedAtInMs > talkLimits.idleInMs) this.rest(key);
    }
    const resting = oldestFirst.filter(([, { isResting }]) => isResting);
    for (const [key] of resting.slice(0, Math.max(0, resting.length - talkLimits.mostResting)))
      this.forget(key);
  }
}
