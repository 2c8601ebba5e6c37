/*
 * The dialogues of a console about how files are read. Their answers are kept after a dialogue has ended, and after a
 * restart of the console.
 */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BeginTalk, MappingTalk } from './mapping-talk.ts';
import { type AgainWith, repliesIn, startWith, type TalkStart } from './replies.ts';

/*
 * Stores people's answers about files on disk, so that the answers outlive the console. Only its owner may read them.
 */

/** The file that a dialogue is about, and the person who is asked. */
interface TalkAbout {
  readonly by: string;
  readonly name: string;
  readonly address: string;
  readonly path: string;
}

/** The answers of one person about one file. */
interface AnswersOfTalk {
  readonly key: string;
  readonly about: TalkAbout;
  readonly isAgain: boolean;
  readonly start: TalkStart;
  /** The minimum number of questions that were open. */
  readonly left: number;
}

/** A larger file was not written by this console. */
const mostBytes = 16_777_216;

/** The answers in a folder, with one file for each dialogue. */
export class KeptAnswers {
  readonly #folder: string;
  /** The last written text of each key, so that the same text is not written twice. */
  readonly #written = new Map<string, string>();
  #last: Promise<void> = Promise.resolve();

  constructor(uploadFolder: string) {
    this.#folder = join(uploadFolder, 'open-questions');
  }

  /**
   * The answers about files that still exist, the last written ones at the end. Files that cannot be read are left out.
   */
  read(): readonly AnswersOfTalk[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
      .map((name) => join(this.#folder, name))
      .map((path) => ({ path, at: statSync(path).mtimeMs }))
      .sort((left, right) => left.at - right.at)
      .flatMap(({ path }) => answersIn(path));
  }

  /** Keeps the answers of a dialogue in place of earlier ones. They are on disk once `settled` has resolved. */
  write(answers: AnswersOfTalk): void {
    const text = JSON.stringify(answers);
    if (this.#written.get(answers.key) === text) return;
    this.#written.set(answers.key, text);
    const path = this.#pathOf(answers.key);
    this.#then(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(`${path}.new`, text, { mode: 0o600 });
      await rename(`${path}.new`, path);
    });
  }

  /** Removes the answers of a dialogue. */
  remove(key: string): void {
    this.#written.delete(key);
    this.#then(() => rm(this.#pathOf(key), { force: true }));
  }

  /** Resolves once all requested work is done. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** Does one piece of work after the other. If the disk is full, the answers are still in memory. */
  #then(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch(() => {});
  }

  #pathOf(key: string): string {
    return join(this.#folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  }
}

function answersIn(path: string): readonly AnswersOfTalk[] {
  try {
    if (statSync(path).size > mostBytes) return [];
    const answers: AnswersOfTalk = JSON.parse(readFileSync(path, 'utf8'));
    return existsSync(answers.about.path) ? [answers] : [];
  } catch {
    return [];
  }
}

/* The dialogues. */

/** A dialogue that its person may continue. */
export interface OpenTalk extends TalkAbout {
  readonly answered: number;
  readonly left: number;
}

/** The data with which a dialogue begins. */
interface TalkBeginning {
  readonly about: TalkAbout;
  /** Whether everything is asked again although a person agreed to it before. */
  readonly isAgain: boolean;
  /** Counts the changes of what exists at the API. After such a change, the forecasts of the dialogue are outdated. */
  readonly changes: number;
  readonly begin: (isAgain: boolean) => BeginTalk;
}

/** The answers of a dialogue that has ended. Another dialogue begins with them. */
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
 * Limits of dialogues. An idle dialogue ends. If there are too many dialogues, the one that has waited longest ends. If
 * too many ended ones are kept, the oldest answers are forgotten.
 */
export const talkLimits = { idleInMs: 30 * 60_000, most: 20, mostResting: 200 } as const;

/** The dialogues of this process, one for each file and person. After a restart they continue with the kept answers. */
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
    // Idle dialogues end even if no request arrives, because each holds the rows of its file in memory.
    this.#sweeping = setInterval(() => this.#endIdle(), 60_000).unref();
  }

  /** The active dialogue of a file and a person; undefined if it has ended. @param key its unique key */
  find(key: string): MappingTalk | undefined {
    this.#endIdle();
    const kept = this.#talks.get(key);
    if (kept === undefined || kept.talk instanceof RestingTalk) return undefined;
    kept.usedAtInMs = this.#nowInMs();
    return kept.talk;
  }

  /** The dialogues of a person, including those that have ended, the last used ones first. */
  of(by: string): readonly OpenTalk[] {
    return [...this.#talks.values()]
      .filter(({ about }) => about.by === by)
      .sort((left, right) => right.usedAtInMs - left.usedAtInMs)
      .map(({ about, talk }) => ({ ...about, ...talk.progress }));
  }

  /** Whether something has changed since a dialogue began, so that its numbers may be outdated. */
  isOld(key: string, changes: number): boolean {
    const kept = this.#talks.get(key);
    return kept !== undefined && kept.changes !== changes;
  }

  /** Whether there are answers with which a dialogue could continue. */
  hasAnswers(key: string): boolean {
    return (this.#talks.get(key)?.talk.progress.answered ?? 0) > 0;
  }

  /** Begins a dialogue. It replaces an existing one, and continues with the answers of that one. */
  open(key: string, { about, isAgain, changes, begin }: TalkBeginning, again: AgainWith = {}): MappingTalk {
    const before = this.#talks.get(key);
    before?.talk.end();
    const isAsBefore = before?.isAgain ?? isAgain;
    const start = before?.talk.startAgain(again);
    const talk = new MappingTalk(begin(isAsBefore), start, () => this.#keep(key));
    // The entries are in the order in which the dialogues began.
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
   * Ends a dialogue, and keeps its answers. If everything was asked again about a file that is read already, there is
   * nothing to keep before the first answer.
   */
  rest(key: string): void {
    const kept = this.#talks.get(key);
    if (kept === undefined) return;
    this.#keep(key);
    kept.talk.end();
    kept.talk = new RestingTalk(kept.talk.startAgain(), kept.talk.progress.left);
    if (!isWorthKeeping(kept)) this.forget(key);
  }

  /** Ends a dialogue, and keeps nothing of it. */
  forget(key: string): void {
    this.#talks.get(key)?.talk.end();
    this.#talks.delete(key);
    this.#answers.remove(key);
  }

  /** Ends all dialogues. Their answers are on disk afterwards. */
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
