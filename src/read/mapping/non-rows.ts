/* Lines of a table that are no rows: headings, totals, signatures. */

import { readFileSync } from 'node:fs';
import { unprotectCell } from '../../domain/tables/table.ts';
import { hasLetters } from '../../domain/text/characters.ts';
import { type CellsOf, labelledHeading, type NonRow, type RowColumns } from './headings.ts';
import { isSameTitle } from './mapping-schema.ts';
import { titleInFile } from './titles.ts';

/** What `line-words.json` has, in the languages of partners' files. */
export interface LineWords {
  readonly totals: readonly string[];
  /** Those of them that may be followed by what is summed: `Total Nairobi`. */
  readonly totalsOf: readonly string[];
  /** Sums at the end of a page and at the beginning of the next one. */
  readonly carried: readonly string[];
  readonly signatures: readonly string[];
  /** What the first cell of a line says that shows how the table is to be filled in. */
  readonly examples: readonly string[];
}

/** With fewer columns than these, a header does not show what a row looks like. */
const fewestColumns = 3;

/** In English, German, French, Swahili and Portuguese, as the first words of a cell. */
const totalWords =
  /^(?:(?:sub|s\s*[./-]|grand|page|running)[\s-]*total|totals?\b|(?:sum|soma)\s*:?$|(?:zwischen|end|gesamt)?summe\b|gesamt(?:betrag)?\b|sous[\s-]*total|total\s+g[eé]n[eé]ral|jumla(?:\s+(?:kuu|ndogo))?\s*:?$|soma\s+total|subtotal)|\btotal\s*:?$/iu;
const signatureWords =
  /^(?:approved|prepared|checked|verified|reviewed|authori[sz]ed|certified|signed|signature|genehmigt|gepr[uü]ft|erstellt|freigegeben|unterschrift|approuv[eé]|v[eé]rifi[eé]|pr[eé]par[eé]|imeidhinishwa|imeandaliwa|imekaguliwa|sahihi|saini|aprovado|verificado|preparado|elaborado|assinatura)\b/iu;
const lineWords: LineWords = JSON.parse(readFileSync(new URL('./line-words.json', import.meta.url), 'utf8'));
const totals = phrasesIn([...lineWords.totals, ...lineWords.carried]);
const carried = phrasesIn(lineWords.carried);
const totalsOf = [...phrasesIn(lineWords.totalsOf)];
const signatures = phrasesIn(lineWords.signatures);
const examples: ReadonlySet<string> = new Set(lineWords.examples);
const hasLetter = /\p{L}/u;
const hasDigit = /\d/;
const currencyCode = /^[A-Z]{3}$/;
/** A sum with a short unit before or behind it: `kr 41 750`, `5.000 Ft`. */
const amountWithUnit = /^(?:\p{L}{1,3}\.?\s?\d[\d\s.,']*|\d[\d\s.,']*\s?\p{L}{1,3}\.?)$/u;
const countedPeople = /^\(?\d+\s+\p{L}+\)?$/u;
const ownWord = /^\p{L}[\p{L}'’.-]*$/u;
/** A line to write on. */
const blankLine = /_{3,}|\.{4,}|…{2,}/u;
/** How lists of SAP and programs like it mark sums in their first column: one asterisk for each level. */
const sumMark = /^\*+$/;
/** What a person signs as, and perhaps a name: `Headteacher:`, `Seen by: A. Mensah`. */
const labelled = /^\p{L}[^\d:]*:[^\d:]*$/u;

/** Whether a text is a usual name for a total: such words, alone or at its beginning. */
export function isCalledTotal(text: string): boolean {
  if (totalWords.test(text)) return true;
  const own = plainWords(text);
  return totals.has(own) || totalsOf.some((phrase) => own.startsWith(`${phrase} `));
}

/** Whether a text is that of a signature line. The words of most languages count alone, or with a colon or a line behind. */
function isCalledSignature(text: string): boolean {
  if (signatureWords.test(text)) return true;
  const [before = ''] = text.split(/[:_…]|\.{3}/u);
  const own = plainWords(before);
  return signatures.has(own);
}

/** Words without case, accents and signs, with one blank between them. */
function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

function phrasesIn(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map(plainWords));
}

/**
 * Creates the check for lines that are not rows: a heading, a subtotal, a signature line, a repeated header, or a
 * numbered line that is otherwise empty. It compares how many cells are filled, so a row of one value is never left
 * out of a file whose rows have only one.
 */
export function createNonRowCheck(
  header: readonly string[],
  { own, identifiers = new Set(), isHeaderAgain: isInOtherWords, above = [], labels = new Set() }: RowColumns,
): (row: CellsOf) => NonRow | null {
  if (own.length < fewestColumns) return (row) => (isInOtherWords?.(row) ? 'repeated header' : null);
  const few = Math.max(2, Math.floor(own.length / 2));
  const columns = new Set(own);
  const pageHeadings = new Set(above.map(headingText).filter((text) => hasLetter.test(text)));
  return (row) => {
    const { cells } = row;
    if (isInOtherWords?.(row) || areColumnNumbers(cells)) return 'repeated header';
    if (isExample(cells)) return 'example';
    const label = labels.size > 0 ? labelledHeading(cells)?.label : undefined;
    if (label !== undefined && labels.has(label)) return 'heading';
    if (label !== undefined && isCalledTotal(label)) return 'total';
    if (!mayBeNone(cells, header, own, few)) return null;
    const filled = cells.flatMap((cell, index) => {
      const text = unprotectCell(cell).trim();
      return text === '' ? [] : [{ text, index }];
    });
    if (filled.length > 1 && isHeaderAgain(filled, header)) return 'repeated header';
    if (pageHeadings.size > 0 && pageHeadings.has(headingText(row))) return 'repeated header';
    if (isMergedLine(filled)) return 'heading';
    const used = filled.filter(({ index }) => columns.has(index)).length;
    if (used > few) return null;
    if (own.length >= manyColumns && isTotalWithCount(filled)) return totalCalled(filled[0]?.text ?? '');
    const isSomebodys = ({ text, index }: FilledCell): boolean =>
      identifiers.has(index) && hasDigit.test(text) && !countedPeople.test(text) && !areWords(text);
    if (filled.some(isSomebodys)) return null;
    const texts = filled.map(({ text }) => text).filter((text) => hasLetter.test(text));
    const words = texts.filter((text) => !currencyCode.test(text) && !countedPeople.test(text));
    if (words.some(isCalledSignature) || isToBeSigned(texts)) return 'signature';
    if (sumMark.test(filled[0]?.text ?? '')) return 'total';
    const [name, another] = words.filter((text) => !amountWithUnit.test(text));
    if (name !== undefined && another === undefined && isCalledTotal(name)) return totalCalled(name);
    // `KES` or `MTN` alone says what the rows below it have.
    if (words.length === 0 && filled.length === 1 && texts[0] !== undefined && currencyCode.test(texts[0]))
      return 'heading';
    if (words.length === 0) return filled.length <= 2 ? 'empty form' : null;
    return isHeading(filled, words, used) ? 'heading' : null;
  };
}

/** The sort of a total with this name. */
function totalCalled(name: string): NonRow {
  return carried.has(plainWords(name)) ? 'carried total' : 'total';
}

/** From as many columns on, a line of two cells is hardly a row. */
const manyColumns = 6;
const rowCount = /^[1-9]\d{0,4}$/;

/** The name of a total and a number of rows, in whatever column the number is: `Total Nairobi: | 22`. */
function isTotalWithCount(filled: readonly FilledCell[]): boolean {
  const [name, count, another] = filled.map(({ text }) => text);
  if (name === undefined || count === undefined || another !== undefined) return false;
  return isCalledTotal(name) && rowCount.test(count);
}

/** The cells of a line without their digits: page numbers and times differ from page to page. */
function headingText({ cells }: CellsOf): string {
  return cells
    .map((cell) => unprotectCell(cell).trim().replace(/\d+/g, '0'))
    .join('\t')
    .trim();
}

const columnNumber = /^\(?(\d{1,2})[.)]?$/;
const fewestNumbered = 4;

/** Whether a line numbers the columns from 1 on, as forms do below their header. */
function areColumnNumbers(cells: readonly string[]): boolean {
  let count = 0;
  for (const cell of cells) {
    const text = cell === '' ? '' : unprotectCell(cell).trim();
    if (text === '') continue;
    if (Number(columnNumber.exec(text)?.[1]) !== count + 1) return false;
    count += 1;
  }
  return count >= fewestNumbered;
}

/**
 * A quick check that recognises most rows: enough of their columns are filled with something other than the titles.
 */
function mayBeNone(
  cells: readonly string[],
  header: readonly string[],
  own: readonly number[],
  few: number,
): boolean {
  let used = 0;
  for (const index of own) if (cells[index] !== undefined && cells[index] !== '') used += 1;
  if (used <= few) return true;
  const [first = 0, second = 0] = own;
  const text = cells[first] ?? '';
  const title = header[first] ?? '';
  const isLikeTitle = text.charAt(0).toLowerCase() === title.charAt(0).toLowerCase();
  return text === (cells[second] ?? '') || (isLikeTitle && isSameTitle(text, title));
}

/** Whether a line shows how the table is to be filled in: its first cell says nothing but that. */
function isExample(cells: readonly string[]): boolean {
  const first = cells.find((cell) => cell !== '')?.trim() ?? '';
  return !/\d/.test(first) && examples.has(first.toLowerCase().replace(/[:.]+$/, ''));
}

interface FilledCell {
  readonly text: string;
  readonly index: number;
}

function isHeaderAgain(filled: readonly FilledCell[], header: readonly string[]): boolean {
  return filled.every(({ text, index }) => {
    const title = header[index] ?? '';
    return isSameTitle(text, title) || isSameTitle(text, titleInFile(title));
  });
}

/** The same words in three cells or more: a merged line, as some programs write it out. */
function isMergedLine(filled: readonly FilledCell[]): boolean {
  const [first] = filled;
  return (
    filled.length > 2 && hasLetter.test(first?.text ?? '') && filled.every(({ text }) => text === first?.text)
  );
}

/** Whether a text is words with a number among them (`Branch 02 North`), which no account, phone or code is. */
function areWords(text: string): boolean {
  const parts = text.split(/[\s:;,()]+/u);
  const isWord = (part: string): boolean => ownWord.test(part) && hasLetters(part, 3);
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return parts.length > 1 && parts.some(isWord) && letters > (text.match(/\p{Nd}/gu)?.length ?? 0);
}

/** Whether the texts of a line are places for signatures, in whatever language: by a line to write on, or as labels only. */
function isToBeSigned(texts: readonly string[]): boolean {
  if (texts.some((text) => blankLine.test(text))) return true;
  return (
    texts.length > 1 && texts.every((text) => labelled.test(text)) && texts.some((text) => text.endsWith(':'))
  );
}

/** One text and nothing else, or `Region:` and its name. */
function isHeading(filled: readonly FilledCell[], words: readonly string[], used: number): boolean {
  if (filled.length === 1) return true;
  return used <= 2 && filled.length === 2 && words[0]?.endsWith(':') === true;
}
