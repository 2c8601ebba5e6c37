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
/** A capital among small letters. */
const capitalInside = /(?<=[a-zß-öø-ÿœšž])[À-ÖØ-ÞŒŠŽŸ]|(?<=[A-ZÀ-ÖØ-Þ])[À-ÖØ-ÞŒŠŽŸ](?=[a-zß-öø-ÿœšž])/;
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
const word = new RegExp(`[A-Za-z\\u0080-\\uffff]{1,${longestWord}}`, 'g');

function isStrange(found: string): boolean {
  if (found.length > 1 && !/[A-Za-z]/.test(found) && !/^(.)\1$/i.test(found)) return true;
  const letters = found.replace(signsBefore, '').replace(signsBehind, '').replace(signsInside, '');
  if (foreignSign.test(letters) || capitalInside.test(letters.replace(irishPrefix, ''))) return true;
  const small = letters.toLowerCase();
  return strangeSequences.some((sequence) => sequence.test(small));
}

/** The distinct words of a text that contain non-ASCII characters. */
export function wordsBeyondAscii(text: string): readonly string[] {
  const plain = text
    .replace(quotes, '$1')
    .replace(blankInside, '\u0080')
    .replace(/[\u00a0\u00ad]/g, ' ');
  return [...new Set(plain.match(word) ?? [])].filter((found) => !signsOnly.test(found));
}

/** Of the words beyond ASCII of a text that was decoded as Windows-1252, those of no Western European language. */
export function strangeWords(words: readonly string[]): readonly string[] {
  const small = words.map((found) => found.toLowerCase());
  const icelandic = small.filter((found) => icelandicLetter.test(found)).length;
  const isIcelandic = small.filter((found) => /[áíóú]/.test(found)).length * 2 >= icelandic;
  return words.filter((found, at) => {
    const own = small[at] ?? '';
    const isTurkish = icelandicLetter.test(own) && !isIcelandic && !icelandicWord.test(own);
    return isTurkish || isStrange(found);
  });
}
