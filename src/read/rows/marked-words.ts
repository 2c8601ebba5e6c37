/* Words by which a file says that rows are not to be sent: in values, in titles, and in lines that explain colours. */

import { readFileSync } from 'node:fs';
import { foldWord } from '../../domain/tables/mapping.ts';

/** What `marked-words.json` has: lists of words, a language an entry, separated by semicolons. */
export interface MarkedWords {
  /** Values of rows that are not to be sent. */
  readonly notToSend: readonly string[];
  /** Values that answer the question whether a row is to be sent. */
  readonly answers: readonly string[];
  /** Titles of columns that ask it. */
  readonly titles: readonly string[];
  readonly colours: readonly string[];
  readonly strikes: readonly string[];
  /** Words of lines that explain how rows are marked. */
  readonly rows: readonly string[];
  /** Words of lines that explain what is not done. */
  readonly negations: readonly string[];
}

const data: MarkedWords = JSON.parse(readFileSync(new URL('./marked-words.json', import.meta.url), 'utf8'));
const setOf = (lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split('; ').map(foldWord)));
const [notToSend, answers, titles] = [setOf(data.notToSend), setOf(data.answers), setOf(data.titles)];
const [colours, strikes, rows] = [setOf(data.colours), setOf(data.strikes), setOf(data.rows)];
const negations = setOf(data.negations);

function bareWord(text: string): string {
  return foldWord(text).replace(/[\s.!?:]+$/u, '');
}

/** Whether a value says by itself that its row is not to be sent, alone or at the beginning of a remark. */
export function saysNotToSend(value: string): boolean {
  return [foldWord(value), bareWord(value), headOf(value)].some((word) => notToSend.has(word));
}

/** A remark's first words: `HOLD` of `HOLD - clearance`, `paid` of `Paid 12/11`. */
function headOf(value: string): string {
  return bareWord(value.split(/\s+[-–—/]|[:;,(–—]|\s+(?=\d)/u)[0] ?? '');
}

/** Whether a value answers the question whether its row is to be sent. */
export function isAnswer(value: string): boolean {
  return saysNotToSend(value) || answers.has(foldWord(value)) || answers.has(bareWord(value));
}

/** Whether a column's title asks that question: also where the whole title is a word for it (`Settled?`, `On hold`). */
export function asksWhetherToSend(title: string): boolean {
  return phrasesOf(title).some((phrase) => titles.has(phrase)) || saysNotToSend(title);
}

/** The words of a text, and each two and three that follow each other. */
function phrasesOf(text: string): readonly string[] {
  const words = wordsOf(text);
  return words.flatMap((_, at) => [1, 2, 3].map((count) => words.slice(at, at + count).join(' ')));
}

function wordsOf(text: string): readonly string[] {
  return foldWord(text).match(/[\p{L}\p{M}\p{N}º-]+/gu) ?? [];
}

const longestExplanation = 300;

/**
 * Whether a line explains a value of a column, or the first words of one: it names both, and says right behind the value what
 * it means, or what is not done (`Status W/off = with the lawyers`, `members with WAIVED in Remarks must not be asked`). A
 * heading such as `Branch: Nairobi` explains nothing.
 */
export function explainsValue(text: string, title: string, value: string): boolean {
  if (text.length > longestExplanation) return false;
  const line = foldWord(text);
  if (placeOf(foldWord(title), line) < 0) return false;
  const isDenied = phrasesOf(text).some((phrase) => notToSend.has(phrase) || negations.has(phrase));
  return [foldWord(value), headOf(value)].some((word) => {
    const at = placeOf(word, line);
    if (at < 0) return false;
    return isDenied || /^["”»']?(?:\s*[=:–—→]|\s+-\s)/u.test(line.slice(at + word.length));
  });
}

const isLetterOrDigit = /[\p{L}\p{N}]/u;

/** The place of a text in a line, as a whole word or words; -1 where there is none. */
function placeOf(text: string, line: string): number {
  for (let at = text === '' ? -1 : line.indexOf(text); at >= 0; at = line.indexOf(text, at + 1)) {
    const beside = `${line[at - 1] ?? ''}${line[at + text.length] ?? ''}`;
    if (!isLetterOrDigit.test(beside)) return at;
  }
  return -1;
}

/**
 * Whether a line explains how rows are marked: a strike, or a colour with a word for rows, or with its meaning right behind
 * it. A name such as `Red Cross` explains nothing.
 */
export function explainsMarks(text: string): boolean {
  if (text.length > longestExplanation) return false;
  const phrases = phrasesOf(text);
  if (phrases.some((phrase) => strikes.has(phrase))) return true;
  if (!phrases.some((phrase) => colours.has(phrase))) return false;
  if (phrases.some((phrase) => rows.has(phrase))) return true;
  const named = foldWord(text).match(/[\p{L}\p{M}-]+(?=\s*[=:–—→]|\s+-\s)/gu) ?? [];
  return named.some((word) => colours.has(word));
}
