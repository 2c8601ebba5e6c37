/*
 * Values with a label beside them in their cell: `IBAN: DE89 3704 …`, `0712 345 678 (WhatsApp)`, `A/C 0123456789`,
 * `Ann Lee <ann@people.example>`. A label says what the value is. Other words may say that it is somebody else's, or is not to be
 * used any more, so a value beside them stays refused.
 */

import { readFileSync } from 'node:fs';
import type { FieldType } from '../definition.ts';
import { checkIban, checkRoutingNumber, ibanLength } from './bank-numbers.ts';
import { checkEmail } from './field-types.ts';
import { isValidPhone } from './phone.ts';
import { passedValue } from './value-text.ts';

/** Words in lower case without accents, several languages in a list. */
const labels: ReadonlySet<string> = new Set(
  (
    JSON.parse(readFileSync(new URL('./label-words.json', import.meta.url), 'utf8')) as readonly string[]
  ).flatMap((line) => line.split('; ')),
);

/** Whether there are words before and behind a value, and all of them are labels. */
function areLabels(before: string, behind: string): boolean {
  const wordsBehind = wordsOf(behind);
  const words = [...wordsOf(before), ...wordsBehind];
  // Before a value, `no` is short for number. Behind it, it may be an answer: `0712 345 678 - no`.
  return words.length > 0 && words.every((word) => labels.has(word)) && !wordsBehind.includes('no');
}

/** The words of a text in the form of the list. `A/C` is one word. */
function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  return plain.replace(/(?<=\p{L})[./](?=\p{L})/gu, '').match(/[\p{L}\p{N}]+/gu) ?? [];
}

type ReadBesideLabel = (text: string, country: () => string | undefined) => string | undefined;

const readers: Partial<Readonly<Record<FieldType, ReadBesideLabel>>> = {
  iban: ibanBesideLabel,
  phone: phoneBesideLabel,
  email: emailBesideLabel,
  routing_number: (text) => {
    const number = numberBesideLabel(text);
    return number === undefined ? undefined : passedValue(checkRoutingNumber(number));
  },
  account_number: numberBesideLabel,
  us_account_number: numberBesideLabel,
};

/** The types of values that are taken out from beside a label. */
export const typesBesideLabels = Object.keys(readers) as readonly FieldType[];

/**
 * The only value of a cell that also has a label; undefined for a value without one, and if there is none or more than one.
 * @param country of phone numbers without `+`, ISO 3166-1 alpha-2; undefined if it is not known
 */
export function valueBesideLabel(
  type: FieldType,
  text: string,
  country: () => string | undefined,
): string | undefined {
  return readers[type]?.(text, country);
}

const startOfIban = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}/giu;
const separator = /[\s.\u2010-\u2015-]/;

function ibanBesideLabel(text: string): string | undefined {
  for (const { index } of text.matchAll(startOfIban)) {
    const found = ibanFrom(text, index);
    if (found === undefined) continue;
    const behind = withoutBic(text.slice(found.end), found.iban.slice(0, 2));
    return areLabels(text.slice(0, index), behind) ? found.iban : undefined;
  }
  return undefined;
}

/** The IBAN that begins at this place and has the length of its country's IBANs. */
function ibanFrom(text: string, start: number): { readonly iban: string; readonly end: number } | undefined {
  const length = ibanLength(text.slice(start, start + 2).toUpperCase()) ?? 0;
  let iban = '';
  let end = start;
  while (end < text.length && iban.length < length) {
    const character = text[end] ?? '';
    if (!separator.test(character)) iban += character;
    end += 1;
  }
  const isWhole = !/[\p{L}\p{N}]/u.test(text[end] ?? '');
  const value = isWhole ? passedValue(checkIban(iban)) : undefined;
  return value === undefined ? undefined : { iban: value, end };
}

/** The text behind an IBAN without the code of a bank in the same country, which is a label as well (ISO 9362). */
function withoutBic(text: string, country: string): string {
  return text.replace(/\b[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?\b/, (code, of: string) =>
    of === country ? 'BIC' : code,
  );
}

/** Words, one number, and words again. */
const oneNumber = /^(?<before>[^\d+]*?)(?<number>\+?\(?\d[\d\s().\u2010-\u2015/-]*\d)(?<behind>[^\d]*)$/u;

/** The number of a text that has nothing else but labels. */
function labelledNumber(text: string): string | undefined {
  const { before = '', number, behind = '' } = oneNumber.exec(text)?.groups ?? {};
  return number !== undefined && areLabels(before, behind) ? number : undefined;
}

function phoneBesideLabel(text: string, countryOf: () => string | undefined): string | undefined {
  const number = labelledNumber(text);
  return number !== undefined && isValidPhone(number, countryOf) ? number : undefined;
}

function numberBesideLabel(text: string): string | undefined {
  const number = labelledNumber(text);
  return number !== undefined && /^\d[\d\s.\u2010-\u2015-]*$/.test(number) ? number : undefined;
}

const namedAddress = /^[^<>@]*<\s*(?:mailto:)?([^<>\s]+)\s*>$/i;
const addresses = /[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;:]+/g;

/** An address in angle brackets, behind the name of whom it belongs to (RFC 5322), or one beside a label. */
function emailBesideLabel(text: string): string | undefined {
  const named = namedAddress.exec(text)?.[1];
  if (named !== undefined) return passedValue(checkEmail(named));
  const [address, another] = text.match(addresses) ?? [];
  if (address === undefined || another !== undefined) return undefined;
  const [before = '', behind = ''] = text.split(address);
  return areLabels(before, behind) ? passedValue(checkEmail(address)) : undefined;
}
