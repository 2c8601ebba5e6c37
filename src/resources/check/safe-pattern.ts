import { longestValue } from './value-text.ts';

/** More ways than this to try a value against a pattern could take noticeable time on every row. */
const mostWays = 100_000;
const longestPattern = 200;

const quantifier = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/;
const unit =
  /^(?:\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[A-Za-z]|\\[^\dk]|\\0|\[\^?(?:\\.|[^\]\\])*\]|[^\\()[\]])/su;

class NotTried extends Error {}

interface Repetition {
  readonly least: number;
  readonly most: number;
  readonly length: number;
}

function readRepetition(rest: string): Repetition {
  const match = quantifier.exec(rest);
  if (match === null) return { least: 1, most: 1, length: 0 };
  const [text, least, comma, most] = match;
  const length = text.length;
  if (text.startsWith('?')) return { least: 0, most: 1, length };
  if (least === undefined) return { least: 0, most: longestValue, length };
  if (comma === undefined) return { least: Number(least), most: Number(least), length };
  return { least: Number(least), most: most ? Number(most) : longestValue, length };
}

/**
 * In how many ways a backtracking engine may try a pattern at one place, at most: every repetition
 * multiplies by the lengths it may have, every alternative adds, and a repeated group to the power of its
 * repetitions.
 */
function countWays(pattern: string): number {
  let at = 0;
  const alternatives = (): number => {
    let total = 0;
    let ways = 1;
    while (at < pattern.length && pattern[at] !== ')') {
      if (pattern[at] === '|') {
        total += ways;
        ways = 1;
        at += 1;
        continue;
      }
      const inner = pattern[at] === '(' ? group() : single();
      const { least, most, length } = readRepetition(pattern.slice(at));
      at += length;
      ways *= inner ** Math.min(most, longestValue) * Math.max(1, Math.min(most, longestValue) - least + 1);
    }
    return total + ways;
  };
  const group = (): number => {
    const opening = /^\((?:\?:|\?<[A-Za-z]\w*>)?(?!\?)/.exec(pattern.slice(at));
    if (opening === null) throw new NotTried('looking ahead or behind is not possible here');
    at += opening[0].length;
    const ways = alternatives();
    at += 1;
    return ways;
  };
  const single = (): number => {
    const match = unit.exec(pattern.slice(at));
    if (match === null) throw new NotTried('referring back to a group is not possible here');
    at += match[0].length;
    return 1;
  };
  return alternatives();
}

/**
 * Compiles a pattern of a rules file, to be matched against whole values of at most 255 characters.
 * Patterns that could take long on some value (nested or many repetitions) are not accepted, so that a
 * rules file cannot bring an import to a standstill.
 *
 * @returns the expression, or what speaks against the pattern
 */
export function compilePattern(pattern: string): RegExp | string {
  if (pattern.length > longestPattern) return `is longer than ${longestPattern} characters`;
  try {
    const compiled = new RegExp(`^(?:${pattern})$`, 'u');
    const ways = countWays(pattern);
    return ways <= mostWays ? compiled : 'could take too long: it nests repetitions, or has too many of them';
  } catch (error) {
    if (error instanceof NotTried) return error.message;
    if (error instanceof SyntaxError) return 'is not a regular expression';
    throw error;
  }
}
