/* The words of column titles: which of them identify a field, and which have no meaning. */

import type { Kind } from '../../domain/batches/batch.ts';
import { currencyCodes } from '../../domain/money/money.ts';
import { isSignOf } from '../../kinds/fields/currency.ts';
import { columnsOf, fieldForHeader, kinds, ruleOf } from '../../kinds/registry.ts';
import type { Synonyms } from '../../kinds/words-of-files.ts';

/** Rates the meaning of the words in a column's title. Words are only evidence: the values and the validator decide. */

/** How strongly a title's words indicate a field: from 0 (not at all) to 1 (the field's own name). */
type TitleScores = ReadonlyMap<string, number>;

const ownName = 1;
const knownName = 0.95;
/** The score for a field's name in brackets after a title in another language: `Izina (Surname)`. */
const translated = 0.9;
/** The minimum score with which a title counts as a known title in other words. */
const known = 0.6;

/** A phrase that people use for a field, as the set of its words. */
interface Phrase {
  readonly field: string;
  readonly words: readonly string[];
  readonly plain: string;
}

const numberWords = new Set('no nr num number nummer numero numro nro n номер broj blg'.split(' '));

/** The words of a title, without accents, case, signs and units, and with one spelling of `number`. */
export function wordsOf(title: string): readonly string[] {
  return (
    inWords(title)
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .toLowerCase()
      // The Japanese sign for postal codes is used as their name.
      .replaceAll('〒', '郵便番号'.normalize('NFKD'))
      .replace(/[#№]|n[º°]/g, ' no ')
      .replace(/\ba\s*\/\s*c\b/g, ' account ')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
      .map((word) => (numberWords.has(word) ? 'no' : word))
  );
}

/** Splits a title whose words are written together, as in the exports of programs: `POAddressLine1`, `FirstName`. */
function inWords(title: string): string {
  if (/\s/.test(title.trim())) return title;
  return title.replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/gu, ' ');
}

/** A title of a program without the currency at its end: `net_usd`. */
function withoutCode(title: string): string {
  const code = /_([a-z]{3})$/i.exec(title)?.[1];
  return code !== undefined && currencyCodes.includes(code.toUpperCase()) ? title.slice(0, -4) : title;
}

/** A title without its unit or currency: `Net Pay (GHS)`, `Total UGX`, `Betrag in EUR`, `Importe (€)`. */
function withoutUnit(title: string): string {
  const short = withoutCode(title)
    .replace(/\([^()]*\)|\[[^[\]]*\]|\p{Sc}/gu, ' ')
    .trim();
  const words = short.split(/\s+/).filter((word) => !currencyCodes.includes(word));
  return words.length === 0 ? title : words.join(' ').replace(/\s+(?:in|en|em|kwa)$/i, '');
}

/** Whether a title also names a unit or currency: `Kwota (PLN)`. */
export function hasUnit(title: string): boolean {
  if (withoutUnit(title) === title.trim()) return false;
  const inBrackets = /\(([\p{L}][\p{L}. ]{0,5})\)/u.exec(title)?.[1];
  const isSign = inBrackets !== undefined && currencyCodes.some((code) => isSignOf(inBrackets, code));
  return isSign || /\p{Sc}|\b[A-Z]{3}\b/u.test(title);
}

/** The fields that a column may be, and their common names. */
export interface Vocabulary {
  /** Its unique name. */
  readonly name: string;
  readonly fields: readonly { readonly field: string; readonly synonyms?: Synonyms }[];
  /** The field that a title certainly means. */
  readonly ownField: (title: string) => string | undefined;
}

const vocabularies = new Map<Kind, Vocabulary>();

/** The fields of a kind. */
function vocabularyOf(kind: Kind): Vocabulary {
  let vocabulary = vocabularies.get(kind);
  if (vocabulary === undefined) {
    const fields = columnsOf(kind).map((field) => ({ field, ...ruleOf(kind, field) }));
    vocabulary = { name: kind, fields, ownField: (title) => fieldForHeader(kind, title) };
    vocabularies.set(kind, vocabulary);
  }
  return vocabulary;
}

const phrasesByName = new Map<string, readonly Phrase[]>();

function phrasesOf({ name: vocabulary, fields }: Vocabulary): readonly Phrase[] {
  const kept = phrasesByName.get(vocabulary);
  if (kept !== undefined) return kept;
  const phrases = fields.flatMap(({ field, synonyms = {} }) => {
    const names = Object.values(synonyms).flat();
    return [field.replaceAll('_', ' '), ...names].map((name): Phrase => {
      const words = wordsOf(name);
      return { field, words, plain: words.join('') };
    });
  });
  phrasesByName.set(vocabulary, phrases);
  return phrases;
}

/**
 * Scores of titles by kind and title. They are kept, because a dialogue needs the scores of a file after each answer.
 */
const knownScores = new Map<string, TitleScores>();
const mostScoresKept = 4_096;
/** Scores of longer titles are not kept. */
const longestTitleKept = 100;

/**
 * The scores of a title's words. A title of two rows is rated by its lower part and by both parts. For a title in an
 * unknown language, the name in brackets counts.
 * @param title as in the header; `upper / lower` if it has two rows
 */
export function titleScores(of: Kind | Vocabulary, title: string): TitleScores {
  const vocabulary = typeof of === 'string' ? vocabularyOf(of) : of;
  const key = `${vocabulary.name} ${title}`;
  const kept = knownScores.get(key);
  if (kept !== undefined) return kept;
  const scores = scoresOfTitle(vocabulary, title);
  if (title.length > longestTitleKept) return scores;
  if (knownScores.size >= mostScoresKept) knownScores.clear();
  knownScores.set(key, scores);
  return scores;
}

/**
 * The title in the lower one of two header rows, which is directly above the values.
 * @param title `upper / lower`, or a single title
 */
export function lowerTitle(title: string): string {
  const between = ' / ';
  return title.includes(between) ? title.slice(title.lastIndexOf(between) + between.length) : title;
}

function scoresOfTitle(vocabulary: Vocabulary, title: string): TitleScores {
  const scores = new Map<string, number>();
  for (const text of new Set([title, lowerTitle(title)])) {
    for (const [field, score] of scoresOf(vocabulary, text)) {
      scores.set(field, Math.max(score, scores.get(field) ?? 0));
    }
  }
  const isUnderstood = [...scores.values()].some((score) => score >= known);
  for (const text of isUnderstood ? [] : inBrackets(title)) {
    for (const [field, score] of scoresOf(vocabulary, text)) {
      if (score >= knownName) scores.set(field, Math.max(translated, scores.get(field) ?? 0));
    }
  }
  return scores;
}

/** The texts in brackets of a title: its name in another language, a unit, or a remark. */
export function inBrackets(title: string): readonly string[] {
  return [...title.matchAll(/\(([^()]+)\)|\[([^[\]]+)\]/gu)].map(([, round, square]) =>
    (round ?? square ?? '').trim(),
  );
}

function scoresOf(vocabulary: Vocabulary, title: string): Map<string, number> {
  const scores = new Map<string, number>();
  const raise = (field: string, score: number): void => {
    if (score > (scores.get(field) ?? 0)) scores.set(field, score);
  };
  const own = vocabulary.ownField(title) ?? vocabulary.ownField(withoutUnit(title));
  if (own !== undefined) raise(own, ownName);
  const words = wordsOf(withoutUnit(title));
  const shortened = abbreviationsIn(title);
  const plain = words.join('');
  if (plain === '') return scores;
  for (const phrase of phrasesOf(vocabulary)) {
    if (phrase.plain === plain) raise(phrase.field, knownName);
    else raise(phrase.field, likeness(words, phrase.words, shortened));
  }
  return scores;
}

/** How much a phrase and a title have in common, in both directions. The word `no` alone has no meaning. */
function likeness(
  title: readonly string[],
  phrase: readonly string[],
  shortened: ReadonlySet<string>,
): number {
  const distinctive = phrase.filter((word) => word !== 'no');
  if (distinctive.length === 0) return 0;
  const found = distinctive.filter((word) => title.some((own) => isSameWord(own, word, shortened)));
  if (found.length === 0) return 0;
  const ofTitle = title.filter((word) => word !== 'no');
  const [inPhrase, inTitle] = [found.length / distinctive.length, found.length / Math.max(1, ofTitle.length)];
  if (inPhrase === 1) return 0.45 + 0.4 * inTitle;
  return 0.5 * Math.min(inPhrase, inTitle);
}

/**
 * Whether two words are the same, or one abbreviates the other: by four letters or more (`cust` and `customer`), or by
 * three with a point.
 */
function isSameWord(left: string, right: string, shortened: ReadonlySet<string>): boolean {
  if (left === right) return true;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= (shortened.has(short) ? 3 : 4) && long.startsWith(short);
}

/** Words before a point: `nac` of `Fecha de nac.` */
function abbreviationsIn(title: string): ReadonlySet<string> {
  const words = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .match(/\p{L}{3,}(?=\.)/gu);
  return new Set(words ?? []);
}

/** The share of the titles that are known, for the kind that knows most of them, from 0 to 1. */
export function knownTitleShare(titles: readonly string[]): number {
  const shares = kinds.map((kind) => titles.filter((title) => isKnown(kind, title)).length / titles.length);
  return Math.max(0, ...shares);
}

function isKnown(kind: Kind, title: string): boolean {
  for (const score of titleScores(kind, title).values()) if (score >= known) return true;
  return false;
}

/**
 * Words of amounts that are not paid: parts of the paid amount, taxes, sums of a year. A title that names the paid
 * amount counts nevertheless (`net after tax`).
 */
const otherAmounts =
  /\b(?:gross|deductions?|tax|vat|paye|ytd|balance|allowance|basic|bonus|rate|hours|days|qty|quantity|discount|fees?|brutto|ust|mwst|steuer|abzuge?|brut|tva|retenue|ht|bruto|iva|irpf|descuento|desconto|imposto|lordo|ritenuta|btw|makato)\b/;
const paidAmounts =
  /\b(?:net|netto|payable|paid|due|pay|total|auszahlung|payer|ttc|liquido|neto|pagar|pagare|betalen)\b/;

/**
 * Words of amounts that are not to be collected. The amount to collect is the amount still owed, not the amount billed
 * or paid.
 */
const alreadyPaid = /\b(?:paid|received|limit|tax|vat|tva|iva|discount|rate|days|qty|quantity)\b/;
const stillOwed = /\b(?:unpaid|due|owed|owing|balance|outstanding|arrears|to be paid|not paid)\b/;

/** Words and units of measured or counted things, which are never money: `Poids net (kg)`, `Area, ha`. */
const measures =
  /\b(?:weight|poids|gewicht|peso neto|peso liquido|kg|kilos?|tonnes?|tonnage|lbs|litres?|liters?|ltrs?|hectares?|acres?|ha|km|pcs|pieces)\b/;

/** Whether a title names an amount that is not to be paid or collected. */
export function isOtherThanPaid(title: string, kind: Kind): boolean {
  const words = wordsOf(title).join(' ');
  if (measures.test(words)) return true;
  if (kind === 'collections') return alreadyPaid.test(words) && !stillOwed.test(words);
  if (!otherAmounts.test(words)) return false;
  return !paidAmounts.test(words) || /\b(?:ytd|balance)\b/.test(words);
}

const identifierWords = new Set('id ids no code ref reference key uuid guid'.split(' '));

/** Whether a title names identifiers, whatever they identify: `payout_id`, `Payment ref.` */
export function namesIdentifier(title: string): boolean {
  const words = wordsOf(withoutUnit(lowerTitle(title)));
  return words.length > 1 && identifierWords.has(words.at(-1) ?? '');
}

/** Words of an export's amounts other than the payment's amount: deductions, and what is left. */
const besideAmounts =
  /\b(?:fees?|charges?|commission|tax|vat|balance|discount|rate|limit|days|qty|quantity|gebuhr(?:en)?|provision|saldo|steuer|mwst|frais|solde|tva|comision|iva|taxa|tarifa|ada|salio|prowizja|oplata)\b/;

/** Whether an export's title names an amount other than the paid one. */
export function isBesideAmount(title: string): boolean {
  return besideAmounts.test(wordsOf(title).join(' '));
}
