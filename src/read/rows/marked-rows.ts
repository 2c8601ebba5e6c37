/*
 * Rows that a file marks, by how they look or by a column: applies what a person has said about them. It also has the
 * words by which a file says that rows are not to be sent: in values, in titles, and in lines that explain colours.
 */

import { readFileSync } from 'node:fs';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { foldWord, type TableMapping } from '../../domain/tables/mapping.ts';
import {
  type FoundMark,
  MarkTally,
  marksOf,
  otherValues,
  type RowMeaning,
} from '../../domain/tables/row-marks.ts';
import { type SourceRow, type SourceTable, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { type MappingFile, placeOfTitle } from '../mapping/mapping-schema.ts';
import { CountedRows, nonRowCheckOf } from './prepared-rows.ts';
import type { SumsOfLeftOut } from './row-sums.ts';

/** The beginning of the key of a line that explains marks which no row has. */
export const saidPrefix = 'said: ';

/** What is done with the marked rows of a table. */
interface Marking {
  readonly mapping: TableMapping;
  readonly stated: Pick<MappingFile, 'markedRows' | 'markedValues'>;
  /** Refuses a file with marks that the mapping does not know; null where no person has to be asked about them. */
  readonly refuseNew: { readonly place: string; readonly path: string } | null;
  /** Called with such marks in place of refusing the file, each time that the rows are read. */
  readonly onNew?: ((fresh: readonly FoundMark[]) => void) | undefined;
  /** Takes the rows that are left out. */
  readonly leftOut?: SumsOfLeftOut | null;
}

/** What a person has said about a row, and the words for its mark. */
interface Said {
  readonly meaning: RowMeaning;
  /** As in `they are struck through`. */
  readonly is: string;
}

type Judge = (row: SourceRow) => Said | null;

/**
 * Leaves out the marked rows that a person has said to leave out, and holds those that are to be held. The table's notes
 * name them.
 *
 * @throws PaybatchError (`file_refused`), at the end of the rows, when other rows are marked than the mapping knows
 */
export function withMarkedRows(
  table: SourceTable,
  { mapping, stated, refuseNew, onNew, leftOut: sums = null }: Marking,
): SourceTable {
  const judge = judgeOf(table.header, stated);
  const isWatched = refuseNew !== null || onNew !== undefined;
  if (judge === null && !isWatched) return table;
  const known = new Set(Object.keys(stated.markedRows ?? {}));
  const isNoRow = nonRowCheckOf(table, mapping);
  const leftOut = new Map<string, CountedRows>();
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    leftOut.clear();
    const tally = new MarkTally(known);
    for await (const group of table.rows()) {
      const kept = group.flatMap((row): readonly SourceRow[] => {
        if (isNoRow(row) !== null) return [row];
        if (isWatched) tally.add(row);
        const said = judge?.(row) ?? null;
        if (said === null || said.meaning === 'send') return [row];
        if (said.meaning === 'hold') return [{ ...row, heldFor: heldMessage(said) }];
        const counted = leftOut.get(said.is) ?? new CountedRows();
        leftOut.set(said.is, counted);
        counted.add(row.number);
        sums?.add(row);
        return [];
      });
      if (kept.length > 0) yield kept;
    }
    const fresh = isWatched ? tally.found() : [];
    if (onNew !== undefined) onNew(fresh);
    else if (refuseNew !== null && fresh.length > 0) throw newMarks(fresh, refuseNew);
  };
  return tableLike(table, { rows, notes: () => [...table.notes, ...markNotesOf(leftOut)] });
}

/** Whether a row is left out for a mark; where a table's totals may be those of the other rows only. */
export function isLeftOutFor(
  header: readonly string[],
  stated: Marking['stated'],
): (row: SourceRow) => boolean {
  const judge = judgeOf(header, stated);
  return judge === null ? () => false : (row) => judge(row)?.meaning === 'leave_out';
}

/** @returns null where nothing is said about any row */
function judgeOf(
  header: readonly string[],
  { markedRows = {}, markedValues = {} }: Marking['stated'],
): Judge | null {
  const isAllHeld = Object.entries(markedRows).some(
    ([mark, meaning]) => mark.startsWith(saidPrefix) && meaning === 'hold',
  );
  const byMark = new Map(Object.entries(markedRows).filter(([, meaning]) => meaning !== 'send'));
  const columns = Object.entries(markedValues).flatMap(([title, meanings]) => {
    const index = placeOfTitle(header, title);
    const folded = new Map(Object.entries(meanings).map(([value, meaning]) => [foldWord(value), meaning]));
    return index === -1 ? [] : [{ title, index, folded }];
  });
  if (byMark.size === 0 && columns.length === 0) return null;
  return (row) => {
    const all: Said[] = isAllHeld ? [{ meaning: 'hold', is: 'explained by a line of the file' }] : [];
    if (byMark.size > 0) {
      for (const mark of marksOf(row.look)) {
        const meaning = byMark.get(mark);
        if (meaning !== undefined) all.push({ meaning, is: mark });
      }
    }
    for (const { title, index, folded } of columns) {
      const text = unprotectCell(row.cells[index] ?? '').trim();
      const meaning = folded.get(foldWord(text)) ?? ofOther(text, folded.get(otherValues));
      const what = text === '' ? 'empty' : `"${text}"`;
      if (meaning !== 'send') all.push({ meaning, is: `${what} in "${title}"` });
    }
    return all.find(({ meaning }) => meaning === 'leave_out') ?? all[0] ?? null;
  };
}

/**
 * What is done with a row whose value the mapping does not name. A row that says itself that it is not to be sent waits
 * for a person.
 */
function ofOther(text: string, others: RowMeaning = 'hold'): RowMeaning {
  return others === 'send' && saysNotToSend(text) ? 'hold' : others;
}

function heldMessage({ is }: Said): string {
  return `The row is held, since it is ${is}: a person has said that such rows are not sent yet.`;
}

function markNotesOf(leftOut: ReadonlyMap<string, CountedRows>): string[] {
  return [...leftOut].map(([is, counted]) =>
    counted.count === 1
      ? `1 row is left out, since it is ${is}: ${counted.numbers}`
      : `${counted.count} rows are left out, since they are ${is}: ${counted.numbers}`,
  );
}

function newMarks(
  fresh: readonly FoundMark[],
  { place, path }: NonNullable<Marking['refuseNew']>,
): PaybatchError {
  const marks = fresh.map(({ mark, rows, first }) => {
    const more = rows > first.length ? ', ...' : '';
    return `${mark} (${rows === 1 ? 'row' : 'rows'} ${first.join(', ')}${more})`;
  });
  return new PaybatchError(
    'mapping_open',
    `${place}: rows are marked in a way that no person has explained, so nothing of it is sent: ${marks.join('; ')}.`,
    { action: 'mapping', file: path, effect: 'asks what becomes of them' },
  );
}

/* The words by which a file says that rows are not to be sent. */

/** What `marked-words.json` has: lists of words, a language an entry, separated by semicolons. */
export interface MarkedWords {
  /** Values of rows that are not to be sent. */
  readonly notToSend: readonly string[];
  /** Values that answer the question whether a row is to be sent. */
  readonly answers: readonly string[];
  /** Titles of columns that ask whether a row is to be sent. */
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
const [colours, strikes, rowWords] = [setOf(data.colours), setOf(data.strikes), setOf(data.rows)];
const negations = setOf(data.negations);

function bareWord(text: string): string {
  return foldWord(text).replace(/[\s.!?:]+$/u, '');
}

/** Whether a value says by itself that its row is not to be sent, alone or at the beginning of a remark. */
export function saysNotToSend(value: string): boolean {
  return [foldWord(value), bareWord(value), headOf(value), beforeActor(value)].some((word) =>
    notToSend.has(word),
  );
}

/** A remark's first words: `HOLD` of `HOLD - clearance`, `paid` of `Paid 12/11`. */
function headOf(value: string): string {
  return bareWord(value.split(/\s+[-–—/]|[:;,(–—]|\s+(?=\d)/u)[0] ?? '');
}

/** The words before the one who did it: `cancelled` of `cancelled by the client`. */
function beforeActor(value: string): string {
  const [word = ''] = bareWord(value).split(/\s(?:by|von|durch|par|por|pelo|pela|door|przez)\s/u);
  // `paid by Amina` may say how a row is paid, and `blocked by` what waits for it.
  return titles.has(word) ? '' : word;
}

/** Whether a value answers the question whether its row is to be sent. */
export function isAnswer(value: string): boolean {
  return saysNotToSend(value) || answers.has(foldWord(value)) || answers.has(bareWord(value));
}

/**
 * Whether a column's title asks whether a row is to be sent, also where the whole title is a word for it (`Settled?`,
 * `On hold`).
 */
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
  if (phrases.some((phrase) => rowWords.has(phrase))) return true;
  const named = foldWord(text).match(/[\p{L}\p{M}-]+(?=\s*[=:–—→]|\s+-\s)/gu) ?? [];
  return named.some((word) => colours.has(word));
}
