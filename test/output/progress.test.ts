import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { progressOn } from '../../src/output/progress.ts';

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
