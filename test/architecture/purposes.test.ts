import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

const comment = String.raw`\/\*(?:[^*]|\*(?!\/))*\*\/`;
/** A comment that belongs to no declaration: a blank line or imports follow it. */
const ownComment = new RegExp(String.raw`${comment}\n(?:\n|import\b)`, 'y');
const lineComments = /(?:\/\/ .*\n)+(?:\n|import\b)/y;
const imports = /(?:#!.*\n|import\b[^;]*;\n|export (?:type )?\{[^}]*\} from [^;]*;\n|\s+)*/y;
const exported =
  /^export (?:(?:default|declare|abstract|async) )*(function\*?|const|let|class|enum|interface|type) (\w+)/gm;

function matchAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/**
 * What is missing in a file whose reader does not learn what it is for: a sentence at its top (or behind its imports),
 * or, where it exports one value, the description of that.
 */
function missingPurpose(text: string): string | null {
  const start = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
  if (matchAt(ownComment, text, start) || matchAt(lineComments, text, start)) return null;
  matchAt(imports, text, start);
  if (matchAt(ownComment, text, imports.lastIndex)) return null;
  const all = [...text.matchAll(exported)];
  const values = all.filter(([, what]) => what !== 'interface' && what !== 'type');
  const [only, ...others] = values.length > 0 ? values : all;
  if (only === undefined || others.length > 0) return 'a sentence at its top';
  const isDescribed = /\*\/\n$/.test(text.slice(0, only.index));
  return isDescribed ? null : `a description of ${only[2]}`;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

it('every source file says what it is for', () => {
  const missing = files.flatMap((name) => {
    const what = missingPurpose(readFileSync(join(source, name), 'utf8'));
    return what === null ? [] : [`${name}: ${what}`];
  });
  expect(missing).toEqual([]);
});

it('would find one that does not', () => {
  const one = "import { a } from './a.ts';\n\n/** What it does. */\nexport function b(): void {}\n";
  const two = `${one}\nexport const c = 1;\n`;
  expect(missingPurpose(one)).toBeNull();
  expect(missingPurpose(one.replace('/** What it does. */\n', ''))).toBe('a description of b');
  expect(missingPurpose(two)).toBe('a sentence at its top');
  expect(missingPurpose(`/* What both are about. */\n\n${two}`)).toBeNull();
  expect(missingPurpose(two.replace('\n\n', '\n\n/** What both are about. */\n\n'))).toBeNull();
});

/** Lines, with comments. A file that is longer mostly holds a second thought. */
const mostLines = 300;

it('no source file is too long to be read at once', () => {
  const long = files.filter((name) => {
    const lines = readFileSync(join(source, name), 'utf8').split('\n').slice(0, -1);
    return lines.length > mostLines;
  });
  expect(long).toEqual([]);
});
