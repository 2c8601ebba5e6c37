import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { progressOn } from '../../../src/output/terminal/progress.ts';

function recordedStream(isTTY: boolean) {
  let text = '';
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 100, rows: 24 });
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { stream: stream as unknown as NodeJS.WriteStream, written: () => text };
}

it('nothing is written to what is no terminal', () => {
  const { stream, written } = recordedStream(false);
  const progress = progressOn(stream);
  progress.start('reading', 100);
  progress.advance(50);
  progress.stop();
  expect(written()).toBe('');
});

it('a terminal sees the step and how far it is, also where nobody knows the end', () => {
  const { stream, written } = recordedStream(true);
  const progress = progressOn(stream);
  progress.start('sending', 20_000);
  progress.advance(5000);
  progress.start('reading', null);
  progress.advance(1234);
  progress.stop();
  const text = stripVTControlCharacters(written());
  expect(text).toContain('25% | 5,000 of 20,000');
  expect(text).toContain('reading | 1,234');
});

it('signals stay with the command line', () => {
  const before = process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
  const progress = progressOn(recordedStream(true).stream);
  progress.start('sending', 10);
  expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(before);
  progress.stop();
});

it('advancing or stopping without a step does no harm', () => {
  const progress = progressOn(recordedStream(true).stream);
  progress.advance(1);
  progress.stop();
  progress.stop();
});

const esc = String.fromCharCode(27);
const sequences = new RegExp(
  `${esc}([78])|${esc}\\[(\\d+)G|${esc}\\[(\\d*)K|${esc}\\[[?\\d;]*[A-Za-z]|[\\s\\S]`,
  'g',
);

/** The lines that a terminal shows after text that moves its cursor and clears lines. */
function shownLines(text: string): string[] {
  const lines: string[] = [];
  let [row, column] = [0, 0];
  let saved: readonly [number, number] = [0, 0];
  for (const [part, memory, move, clear] of text.matchAll(sequences)) {
    const line = (lines[row] ?? '').padEnd(column);
    if (memory === '7') saved = [row, column];
    else if (memory === '8') [row, column] = saved;
    else if (move !== undefined) column = Number(move) - 1;
    else if (clear !== undefined) lines[row] = clear === '2' ? '' : line.slice(0, column);
    else if (part === '\n') [row, column] = [row + 1, 0];
    else if (!part.startsWith(esc)) {
      lines[row] = line.slice(0, column) + part + line.slice(column + 1);
      column += 1;
    }
  }
  return Array.from(lines, (line = '') => line.trimEnd());
}

it('messages stand on lines of their own, and the end leaves nothing of the line that went on', async () => {
  const { stream, written } = recordedStream(true);
  const progress = progressOn(stream);
  progress.start('sending customers', 20_000);
  progress.advance(1);
  progress.aside(() => stream.write('Stopping.\n'));
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(shownLines(written())).toEqual(['Stopping.', expect.stringContaining('1 of 20,000')]);
  progress.stop();
  stream.write('1 unknown\n');
  expect(shownLines(written())).toEqual(['Stopping.', '1 unknown']);
});
