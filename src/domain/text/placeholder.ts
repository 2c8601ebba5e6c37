/** What is written where there is nothing to say: a word of the formats of statements for that. */
const placeholderWord = /^(?:NON?REF|NOTPROVIDED|NOTAVAILABLE|NOTAPPLICABLE|NONE|NULL|NIL|NA|UNKNOWN)?$/;

/** Whether a name stands for none: records that have the same placeholder have nothing in common. */
export function isPlaceholder(name: string): boolean {
  return placeholderWord.test(lettersAndFigures(name));
}

/** Whether the number that a bank gives an entry stands for none: zeros do too. */
export function isPlaceholderNumber(number: string): boolean {
  return isPlaceholder(number) || /^0+$/.test(lettersAndFigures(number));
}

function lettersAndFigures(text: string): string {
  return text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
}
