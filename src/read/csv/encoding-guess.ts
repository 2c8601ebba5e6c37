/* Guesses the encoding of text that is neither UTF-8 nor UTF-16. */

import { readFileSync } from 'node:fs';
import iconv from 'iconv-lite';
import type { EncodingCandidate } from '../rows/input-table.ts';

/* Whether words beyond ASCII look like those of a Western European language. */

const vowel = 'aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœ';
const consonant = 'bcdfghjklmnpqrstvwxzßçñðþšž';
const accent = 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿßœšž';

/**
 * Sequences that no Western European language has in one word, but that appear where a word of another encoding is
 * read as Windows-1252; in lower case.
 */
const strangeSequences: readonly RegExp[] = [
  // č of Czech, Croatian and Slovenian is read as è, which comes before consonants of a syllable with e.
  `è[${vowel}kjw]|(?:[ae]|(?<!gl)i)è$|eè|ièn(?!es?$)`,
  // ě and ů of Czech: ì and ù end a word.
  '[ìù](?!$)',
  // ň of Czech, ņ of Latvian: ò has no vowels beside it, but in Italian an i before the end.
  `[${vowel}]ò.|ò[${vowel}]|[aeou]ò$`,
  // ļ of Latvian: ï comes after a vowel.
  `[${consonant}]ï|^ï`,
  // ř of Czech.
  `(?:[aouáíúý]ø|[${vowel}]ø(?=[${vowel}]))(?!e?(?:n|r|rne)?$|y)|ø.*[áíýèìšž]|[áíýèìšž].*ø|øe[bckmptvz]|øi[ctšž]|ø[ou]`,
  // ć of Croatian and Polish: æ comes after consonants.
  `[${vowel}]æ`,
  // ń of Polish: ñ comes before vowels.
  `ñ(?![${vowel}]|ch)`,
  // ę and ś of Polish.
  `ê[kjw]|ê[bdgz][bcdfghjkmnpqstvwxz]|[${vowel}]œ|œ(?![bdnstmu])`,
  '(?:rz|cz|sz|dz|ski).*[êæñœ]|[êæñœ].*(?:rz|cz|sz|dz|ski|cki)',
  // ă of Romanian: ã is in a few endings of Portuguese.
  'ã(?![eo]|i[bm]|s?$)|[bcdpz]ã$|[aeo]rã$',
  // ő and ű of Hungarian: õ is Portuguese before e, or Estonian in the first syllable.
  `(?<!^[${consonant}]{0,3}|õ)õ(?!õ|e(?:[smz]|$))|õ.*[áéíóúû]|[áéíóúû].*õ(?!e)`,
  '(?:sz|gy|cs|zs|ny|ty).*[õû]|[õû].*(?:sz|gy|cs|zs|ny|ty)|.{3}[^h]ûs$',
  // ē, ā, ī and ū of Latvian, ė and ū of Lithuanian, also recognised by the endings.
  `^[${consonant}]+ç|^ç[bdfgnprstvz]|[bdfghjkmpstvwxz]ç[${consonant}]|[rln]ç[bdfgmnrsv]`,
  '[âîû].*(?:[dlmvz]s|[^e]rs|[tlv]is|ij[as])$',
  `[${consonant}][ûë].+(?:as|us|is)$|(?:ien|yt|ait|ut|ût)ë$`,
  // ß of old code pages is read as á; á of others is read as ß, without a vowel before it.
  `aá|eiá|auá$|(?<![${vowel}])ß`,
  // ö of Macintosh comes out as š, ń of old code pages as ä.
  '[bdfghjkmpstvz]š[bcdfghjklmnpqrstvwxz]|[rl]š[mdfgh]|[ao]ä',
  // Accents of two kinds in one word: French has no acute but é, Spanish and Portuguese have no grave.
  '[èìòùï].*[áíúýšž]|[áíúýšž].*[èìòùï]',
  // Accents side by side.
  `(?!ç|[áéíóúü]{2}|ñ[áéíóúü]|[áíúóü]ñ|[ðþšž]|.[ðþšž]|(.)\\1|[äöüõ]{2}|[öüä]ß|[øåæ]{2})[${accent}](?!ç)[${accent}]`,
  `(?!..?[ðþ]|[ðþ])[${accent}]{3}`,
].map((source) => new RegExp(source));

const letter = 'A-Za-zÀ-ÖØ-öø-ÿŒœŠšŽžŸ';
/** Quotation marks around words. */
const quotes = new RegExp(`(?<![${letter}])[“”„«»‹›‘’‚]([^“”„«»‹›‘’‚\\n]*)[“”«»‹›‘’](?![${letter}])`, 'g');
/** Signs that may come between letters: hyphens, apostrophes, and the point of Catalan. */
const signsInside = new RegExp(
  [
    '(?<=l)·(?=l)',
    `(?<=[${letter}])[–—](?=[A-ZÀ-ÖØ-ÞŒŠŽŸ])`,
    `(?<=[${letter}])[’´‘](?=[A-ZÀ-ÖØ-ÞŒŠŽŸ])`,
    `(?<=^[DLNMCSTJOdlnmcstjo]|ll|nt|qu|[${vowel}])[’´](?=[${vowel}]|[${letter}]{2})`,
    `(?<=[Nn]g)[’´](?=[${vowel}])`,
    `(?<=[${letter}]{3})[’´](?=s$)`,
  ].join('|'),
  'g',
);
const signsBehind = new RegExp(`(?<=s)’$|(?<=[${letter}])[…™®©]$|(?<=^[${letter}]{1,3})[°ºª²³]$`);
const signsBefore = new RegExp(`^[¿¡©•€£¥§–—…†](?=[${letter}])`);
const foreignSign = new RegExp(`[^${letter}]`);
/** A capital among small letters, or behind a small letter with an accent. */
const capitalInWord =
  /[à-öø-ÿœšž][A-Z]|(?<=[a-zß-öø-ÿœšž])[À-ÖØ-ÞŒŠŽŸ]|(?<=[A-ZÀ-ÖØ-Þ])[À-ÖØ-ÞŒŠŽŸ](?=[a-zß-öø-ÿœšž])/;
const irishPrefix = /^[bdghmnt](?=[ÁÉÍÓÚ])/;
const icelandicLetter = /[þðý]/;
/** Letters that, beside these, only Icelandic has. */
const icelandicWord = /[áíóú]|rð(?!e)/;
/** A blank that does not break, between small letters: á of old code pages. */
const blankInside =
  /(?<=[a-z])\u00a0(?=[a-z])(?!(?:d[aeiou]s?|l[ae]s?|v[ao]n|de[nrl]|und|et?|y|en|te[nr]?|zu[mr]?|a[nmf]?|i[mn])\b)/g;
/** Signs alone, such as those between words, are not a word. */
const signsOnly = /^(?:[\0-\x7f]*|[ªº¡-¿×÷‰†‡•™€]|[–—…“”„‘’‚«»‹›€£]{1,2})$/;
/** A longer run is not a word, and would take long to check. */
const longestWord = 60;
const wordOfText = new RegExp(`[A-Za-z\\u0080-\\uffff]{1,${longestWord}}`, 'g');

function isStrange(found: string): boolean {
  if (found.length > 1 && !/[A-Za-z]/.test(found) && !/^(.)\1$/i.test(found)) return true;
  const letters = found.replace(signsBefore, '').replace(signsBehind, '').replace(signsInside, '');
  if (foreignSign.test(letters) || capitalInWord.test(letters.replace(irishPrefix, ''))) return true;
  const small = letters.toLowerCase();
  return strangeSequences.some((sequence) => sequence.test(small));
}

/** The distinct words of a text that contain non-ASCII characters. */
function wordsBeyondAscii(text: string): readonly string[] {
  const plain = text
    .replace(quotes, '$1')
    .replace(blankInside, '\u0080')
    .replace(/[\u00a0\u00ad]/g, ' ');
  return [...new Set(plain.match(wordOfText) ?? [])].filter((found) => !signsOnly.test(found));
}

/** The words beyond ASCII that are of no Western European language, in a text that was decoded as Windows-1252. */
function strangeWords(words: readonly string[]): readonly string[] {
  const small = words.map((found) => found.toLowerCase());
  const icelandic = small.filter((found) => icelandicLetter.test(found)).length;
  const isIcelandic = small.filter((found) => /[áíóú]/.test(found)).length * 2 >= icelandic;
  return words.filter((found, at) => {
    const own = small[at] ?? '';
    const isTurkish = icelandicLetter.test(own) && !isIcelandic && !icelandicWord.test(own);
    return isTurkish || isStrange(found);
  });
}

/** The percentage of words in Windows-1252 that may belong to no Western European language, as typing errors do. */
const strangePercent = 1;
const candidatesNamed = 3;
const samplesShown = 3;
const sampleCharacters = 40;
/** The number of values that are checked for Windows-1252, and that rank the candidates. More would not help. */
const valuesJudged = 2000;
const valuesRanked = 500;
/** From the third on, a candidate is dropped if its share of words is below this part of the best one's. */
const shareOfBest = 0.6;
/** Candidates that explain a smaller share of the words are dropped. */
const leastShare = 0.3;

/** Non-ASCII letters of a language, in lower case; `frequent` if it has its own script. */
interface Language {
  readonly letters: RegExp;
  readonly frequent: RegExp | null;
}

type LanguagePart = 'latin' | 'script' | 'words' | 'frequent';

/** What `encodings.json` has. */
export interface EncodingData {
  /**
   * Of each language its letters beyond ASCII in small letters; or those of its own script, or the form of its words, with
   * the letters that are frequent in it.
   */
  readonly languages: Readonly<Record<string, Readonly<Partial<Record<LanguagePart, string>>>>>;
  /**
   * By label, the languages that its text may be in; none for Western European ones, whose words are judged as a whole.
   * The most common encodings are first. Where two give the same text, the first is named.
   */
  readonly encodings: Readonly<Record<string, string>>;
}

const data: EncodingData = JSON.parse(readFileSync(new URL('./encodings.json', import.meta.url), 'utf8'));

const languages: ReadonlyMap<string, Language> = new Map(
  Object.entries(data.languages).map(([name, { latin, script, words, frequent }]) => {
    const form = latin === undefined ? `[${script}]+` : `[a-z'’-]*(?:[${latin}][a-z'’-]*)+`;
    const letters = new RegExp(words ?? `^${form}$`);
    return [name, { letters, frequent: frequent === undefined ? null : new RegExp(`[${frequent}]`, 'g') }];
  }),
);

/** The values of a text, cut at bytes that are a delimiter or a quotation mark in every encoding. */
function valuesIn(lines: Buffer): readonly Buffer[] {
  const values = new Map<string, Buffer>();
  let begin = 0;
  let isAscii = true;
  for (let at = 0; at <= lines.length; at += 1) {
    const byte = lines[at] ?? 0x0a;
    if (byte >= 0x80) isAscii = false;
    // Other bytes, such as | and \, can be second bytes of characters in East Asian encodings.
    if (byte !== 0x0a && byte !== 0x0d && byte !== 0x2c && byte !== 0x3b && byte !== 0x09 && byte !== 0x22)
      continue;
    const value = lines.subarray(begin, at);
    if (!isAscii) values.set(value.toString('latin1'), value);
    if (values.size >= valuesJudged) break;
    begin = at + 1;
    isAscii = true;
  }
  return [...values.values()];
}

interface Reading {
  readonly label: string;
  readonly texts: readonly string[];
  /** The share of the words that the encoding explains, from 0 to 1. */
  readonly share: number;
}

/** Words of any script, with non-ASCII signs inside them, which are a sign of a wrong encoding. */
const word = /(?:\p{L}|\p{M}|'|[^\0-\x7f\u00a0]){1,60}/gu;
const capitalInside = /\p{Ll}\p{Lu}/u;
/** Signs, digits and blanks of full width, which are written between and beside the words of East Asian texts. */
const eastAsianSigns = /[\u3000-\u3004\u3006-\u303f\uff00-\uff65\uffe0-\uffee]/g;

function shareOf(texts: readonly string[], languages: readonly Language[]): number {
  const text = texts.join('\n');
  if (languages.length === 0) {
    const words = wordsBeyondAscii(text);
    return words.length === 0 ? 0 : 1 - strangeWords(words).length / words.length;
  }
  const words = [...new Set(text.replace(eastAsianSigns, ' ').match(word) ?? [])].filter((found) =>
    /[^\0-\x7f]/.test(found),
  );
  const shares = languages.map((language) => {
    const sum = words.reduce((total, found) => total + fitOf(found, language), 0);
    return words.length === 0 ? 0 : sum / words.length;
  });
  return Math.max(...shares);
}

/** How well a word fits the language, from 0 to 1. */
function fitOf(found: string, { letters, frequent }: Language): number {
  const small = found.normalize('NFC').toLowerCase();
  if (!letters.test(small) || capitalInside.test(found)) return 0;
  if (frequent === null) return 1;
  return ((small.match(frequent)?.length ?? 0) / small.length + 1) / 2;
}

/**
 * Guesses the encoding of a text that is neither UTF-8 nor UTF-16: Windows-1252 where the words fit it.
 * @param lines some of its lines with non-ASCII bytes, in file order
 * @returns null for Windows-1252, else the likeliest encodings, the best first; none where no encoding fits
 */
export function guessEncoding(lines: Buffer): readonly EncodingCandidate[] | null {
  const values = valuesIn(lines);
  const western = values.map((value) => iconv.decode(value, 'windows-1252'));
  const words = wordsBeyondAscii(western.join('\n'));
  if (strangeWords(words).length * 100 <= words.length * strangePercent) return null;
  const ranked = values.slice(0, valuesRanked);
  const readings = Object.entries(data.encodings).map(([label, names]): Reading => {
    const texts = ranked.map((value) => iconv.decode(value, label));
    return {
      label,
      texts,
      share: shareOf(
        texts,
        names.split(' ').flatMap((name) => languages.get(name) ?? []),
      ),
    };
  });
  const likely = readings
    .filter(({ share }) => share >= leastShare)
    .sort((left, right) => right.share - left.share);
  const distinct = likely.filter(
    ({ texts }, at) => !likely.slice(0, at).some((better) => isSame(better.texts, texts)),
  );
  const best = distinct[0]?.share ?? 0;
  const named = distinct
    .filter(({ share }, at) => at < 2 || share >= best * shareOfBest)
    .slice(0, candidatesNamed);
  const shown = samplesOf(named);
  return named.map(({ label, texts }) => ({
    encoding: label,
    samples: shown.map((at) => shownText(texts[at] ?? '')),
  }));
}

/** Removes control characters, which come from bytes that are no letters in the encoding. */
function shownText(text: string): string {
  return [...text.trim().replace(/\p{Cc}/gu, '\ufffd')].slice(0, sampleCharacters).join('');
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.every((text, at) => text === right[at]);
}

/** The indexes of values that differ in each of the candidates, as far as there are any. */
function samplesOf(readings: readonly Reading[]): readonly number[] {
  const places = (readings[0]?.texts ?? []).map((_, at) => at);
  const differing = (at: number): number => new Set(readings.map(({ texts }) => texts[at])).size;
  return places
    .sort((left, right) => differing(right) - differing(left) || left - right)
    .slice(0, samplesShown);
}
