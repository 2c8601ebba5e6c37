import { RE2JS, RE2JSException } from 're2js';

const longestPattern = 200;

/** The pattern of a rules file, ready to be tried on whole values. */
export interface ValuePattern {
  /** As the rules file has it. */
  readonly source: string;
  readonly test: (value: string) => boolean;
}

/** A part of a pattern that the two engines write differently, or a character that is escaped. */
const notation =
  /\\u\{([\da-fA-F]+)\}|\\u([\da-fA-F]{4})|\\c([A-Za-z])|\\p\{(?:Script|sc|gc|General_Category)=(\w+)\}|\\([\s\S])|[[\]]/g;
/** JavaScript's `\s`: the space characters of Unicode too. */
const spaces = '\\s\\v\\p{Z}\\x{feff}';

class NotTried extends Error {}

/** JavaScript's notation, which rules files use, in that of the engine. */
function translate(pattern: string): string {
  let isInClass = false;
  return pattern.replace(
    notation,
    (found: string, braced?: string, hex?: string, control?: string, property?: string, escaped?: string) => {
      const code = braced ?? hex;
      if (code !== undefined) return `\\x{${code}}`;
      if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
      if (property !== undefined) return `\\p{${property}}`;
      if (escaped === 's') return isInClass ? spaces : `[${spaces}]`;
      if (escaped === 'S' && isInClass) throw new NotTried('\\S is not possible in a set of characters');
      if (escaped === 'S') return `[^${spaces}]`;
      if (found === '[') isInClass = true;
      if (found === ']') isInClass = false;
      return found;
    },
  );
}

/**
 * Compiles a pattern of a rules file, to be matched against whole values of at most 255 characters. It is tried
 * by an engine whose time grows with the length of the value and of the pattern and with nothing else: in one
 * that goes back and tries again, a few stars can bring an import to a standstill. What cannot be tried so,
 * looking ahead or behind and referring back to a group, is not accepted.
 *
 * @returns the pattern, or what speaks against it
 */
export function compilePattern(pattern: string): ValuePattern | string {
  if (pattern.length > longestPattern) return `is longer than ${longestPattern} characters`;
  try {
    // Both have to take it: alone it must be a whole expression, since brackets are put around it.
    new RegExp(pattern, 'u');
    const compiled = RE2JS.compile(`^(?:${translate(pattern)})$`);
    return { source: pattern, test: (value) => compiled.matcher(value).find() };
  } catch (error) {
    if (error instanceof NotTried) return error.message;
    if (error instanceof SyntaxError) return 'is not a regular expression';
    if (error instanceof RE2JSException) return objectionOf(pattern, error);
    throw error;
  }
}

/** What the engine does not take although it is a regular expression. */
function objectionOf(pattern: string, error: RE2JSException): string {
  if (/\(\?<?[=!]/.test(pattern)) return 'looking ahead or behind is not possible here';
  if (/\\(?:[1-9]|k<)/.test(pattern)) return 'referring back to a group is not possible here';
  if (/repeat/.test(error.message)) return 'could take too long: it repeats something more than 1,000 times';
  return 'has a form that is not possible here';
}
