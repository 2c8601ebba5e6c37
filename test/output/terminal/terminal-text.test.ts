import { expect, it } from 'vitest';
import { colourIf, jsonText, safeForTerminal } from '../../../src/output/terminal/terminal-text.ts';
import { printable } from '../../../src/output/words/printable.ts';

const hostile = 'a\u001b[2Jb\u009b1mc\rd\u202ee\u2028f';

it('text from outside moves nothing on a terminal, with colours or without', () => {
  for (const useColour of [false, true]) {
    expect(safeForTerminal(hostile, useColour)).toBe(printable(hostile));
  }
});

it('our own lines, tabs and colours stay', () => {
  const own = `${colourIf(true)('red', 'LIVE')}\t1\n2`;
  expect(safeForTerminal(own, true)).toBe(own);
  expect(safeForTerminal(own, false)).not.toContain('\u001b');
});

it('JSON is plain text and keeps its meaning', () => {
  const value = { name: `${hostile}\u{e0001}`, list: [1, '\n'] };
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
  expect(jsonText(value, 2)).toBe(safeForTerminal(jsonText(value, 2), false));
});
