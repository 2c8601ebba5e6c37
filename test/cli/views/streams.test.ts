import { expect, it } from 'vitest';
import { terminalWidth, widthFor } from '../../../src/cli/views/streams.ts';

it('a terminal is as wide as it says, at this moment where it can tell', () => {
  expect(terminalWidth({ isTTY: true, columns: 40 })).toBe(40);
  expect(terminalWidth({ isTTY: true, columns: 40, getWindowSize: () => [30, 20] })).toBe(30);
});

it.each([{}, { columns: 0 }, { columns: 0, getWindowSize: (): [number, number] => [0, 0] }])(
  'a terminal without a size counts as 80 columns wide: %o',
  (stream) => {
    expect(terminalWidth({ isTTY: true, ...stream })).toBe(80);
    expect(widthFor({ isTTY: true, ...stream }, 200)).toBe(80);
  },
);

it('what is no terminal is as wide as its text may be', () => {
  expect(widthFor({ columns: 40 }, 200)).toBe(200);
});
