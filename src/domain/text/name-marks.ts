/*
 * Marks of names, in a few bytes each: two names whose marks do not fit are not alike (`areLikeNames`), so that nobody
 * has to read them. Marks that fit say little; then the names are compared.
 */

import type { PayeeName } from './payee-names.ts';

/** How long the marks of every name are, in bytes. */
export const nameMarkBytes = 16;

/** Of a word: two bytes of how it sounds, and one of how it begins. The first byte of all is the number of words. */
const bytesOfWord = 3;
const mostMarkedWords = (nameMarkBytes - 1) / bytesOfWord;

/** Marks as they are compared: a number for each word, in rising order. Null for a name that nothing is known of. */
export type NameMarks = readonly number[] | null;

/** The marks of a name; null where it has too many words. */
export function nameMarks({ spelled, heard }: PayeeName): NameMarks {
  if (heard.length > mostMarkedWords) return null;
  return heard.map((sound, at) => (hashOf(sound) << 8) | beginningOf(spelled[at] ?? '', sound)).sort(rising);
}

/** Marks as they are kept, a byte in each character. */
export function markBytes(marks: NameMarks): string {
  const numbers = marks ?? [];
  const bytes = numbers.map((mark) => String.fromCharCode(mark >>> 16, (mark >>> 8) & 0xff, mark & 0xff));
  return `${String.fromCharCode(numbers.length)}${bytes.join('')}`.padEnd(nameMarkBytes, '\0');
}

/** Marks as they were kept, `from` this character on; null where that is nothing. */
export function marksIn(bytes: string, from: number): NameMarks {
  const count = bytes.charCodeAt(from);
  if (count === 0) return null;
  const marks: number[] = [];
  for (let at = from + 1; marks.length < count; at += bytesOfWord) {
    marks.push((bytes.charCodeAt(at) << 16) | (bytes.charCodeAt(at + 1) << 8) | bytes.charCodeAt(at + 2));
  }
  return marks;
}

/** Whether two names with these marks can be alike: true for all that are, and for few others. */
export function canBeAlike(one: NameMarks, other: NameMarks): boolean {
  if (one === null || other === null) return true;
  let [lackingInOther, lackingInOne] = [0, 0];
  let [ofOne, ofOther] = [0, 0];
  for (let left = 0, right = 0; left < one.length || right < other.length; ) {
    const [mark, otherMark] = [one[left] ?? 0, other[right] ?? 0];
    const order = right >= other.length ? -1 : left >= one.length ? 1 : (mark >> 8) - (otherMark >> 8);
    if (order <= 0) left += 1;
    if (order >= 0) right += 1;
    if (order < 0) {
      lackingInOther += 1;
      ofOne = mark;
    } else if (order > 0) {
      lackingInOne += 1;
      ofOther = otherMark;
    }
    if (lackingInOther > 1 && lackingInOne > 1) return false;
  }
  const fewest = Math.min(one.length, other.length);
  if (fewest < 2) return false;
  if (one.length <= other.length ? lackingInOther === 0 : lackingInOne === 0) return true;
  return lackingInOther === 1 && lackingInOne === 1 && beginAlike(ofOne, ofOther);
}

function rising(one: number, other: number): number {
  return one - other;
}

/** Sixteen bits (FNV-1a, folded). */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return ((hash >>> 16) ^ hash) & 0xffff;
}

/** Four bits of the first letter as it is spelled, and four of the first as it sounds: one of them has to be the same. */
function beginningOf(spelled: string, sound: string): number {
  return ((spelled.charCodeAt(0) & 0xf) << 4) | (sound.charCodeAt(0) & 0xf);
}

function beginAlike(one: number, other: number): boolean {
  const different = one ^ other;
  return (different & 0xf0) === 0 || (different & 0x0f) === 0;
}
