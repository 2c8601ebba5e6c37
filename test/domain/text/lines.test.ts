import { expect, it } from 'vitest';
import { linesOf } from '../../../src/domain/text/characters.ts';

async function* each(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

async function found(...pieces: string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(each(pieces))) lines.push(line);
  return lines;
}

it('gives each line whole, wherever the pieces begin and end', async () => {
  expect(await found()).toEqual([]);
  expect(await found('a\nb', 'c\n', '\nd')).toEqual(['a', 'bc', '', 'd']);
  expect(await found('a\n')).toEqual(['a']);
  expect(await found('a', 'b', 'c')).toEqual(['abc']);
});

it('ends no line at another character that some programs take for an end', async () => {
  expect(await found('a\u2028b\u2029c\u0085d\n')).toEqual(['a\u2028b\u2029c\u0085d']);
});
