/* What people have answered about files, on disk, so that it outlives the console. Only its owner may read it. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TalkStart } from './mapping-talk.ts';

/** The file that a dialogue is about, and the person who is asked. */
export interface TalkAbout {
  readonly by: string;
  readonly name: string;
  readonly address: string;
  readonly path: string;
}

/** The answers of one person about one file. */
export interface AnswersOfTalk {
  readonly key: string;
  readonly about: TalkAbout;
  readonly isAgain: boolean;
  readonly start: TalkStart;
  /** The number of questions that were open at least. */
  readonly left: number;
}

/** A file with more than this was not written here. */
const mostBytes = 16_777_216;

/** The answers in a folder, a file for each dialogue. */
export class KeptAnswers {
  readonly #folder: string;
  /** What was written last, by key: the same is not written twice. */
  readonly #written = new Map<string, string>();
  #last: Promise<void> = Promise.resolve();

  constructor(uploadFolder: string) {
    this.#folder = join(uploadFolder, 'open-questions');
  }

  /** Those whose file is still there, the ones that were written last at the end. What cannot be read is left out. */
  read(): readonly AnswersOfTalk[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
      .map((name) => join(this.#folder, name))
      .map((path) => ({ path, at: statSync(path).mtimeMs }))
      .sort((left, right) => left.at - right.at)
      .flatMap(({ path }) => answersIn(path));
  }

  /** Keeps the answers of a dialogue in place of earlier ones. It is there once `settled` has resolved. */
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

  /** Resolves once all that was asked for is done. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** One after the other. Where the disk is full, the answers are in memory all the same. */
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
