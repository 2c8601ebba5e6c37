import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noOutcomes } from '../../../src/call/context.ts';
import {
  type Progress,
  type ProgressState,
  progressText,
  ShownProgress,
} from '../../../src/cli/terminal/progress.ts';
import { textWidth } from '../../../src/cli/views/terminal-text.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Recorded {
  readonly progress: Progress;
  readonly stream: { columns: number; write(text: string): void };
  readonly written: () => string;
}

function recorded(isTTY: boolean, columns = 100): Recorded {
  let text = '';
  const stream = {
    isTTY,
    columns,
    write: (part: string): void => {
      text += part;
    },
  };
  const progress = new ShownProgress({ stream, inFlight: () => 16, now: () => Date.now() });
  return { progress, stream, written: () => text };
}

const sending = { label: 'sending customers', total: 20_000, done: 0, isLogged: true };

const esc = String.fromCharCode(27);
const sequences = new RegExp(
  `${esc}([78])|${esc}\\[(\\d+)G|${esc}\\[(\\d*)[KJ]|${esc}\\[[?\\d;]*[A-Za-z]|[\\s\\S]`,
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
    else if (part === '\r') column = 0;
    else if (!part.startsWith(esc)) {
      lines[row] = line.slice(0, column) + part + line.slice(column + 1);
      column += 1;
    }
  }
  return Array.from(lines, (line = '') => line.trimEnd());
}

const full: ProgressState = {
  label: 'sending customers',
  total: 20_000,
  done: 5_000,
  share: 0.25,
  secondsLeft: 300,
  rowsPerSecond: 50,
  inFlight: 16,
  pauseInMs: 12_000,
  outcomes: { created: 4_990, refused: 8, waiting: 0, inDoubt: 2 },
};

describe('the line', () => {
  it('says how far the step is, and all that its reader may ask', () => {
    expect(progressText(full, 200)).toBe(
      'sending customers: 5,000 of 20,000 rows (25%) · the API asks to wait 12 s · 5 min left · ' +
        '4,990 created, 8 refused, 2 in doubt · 50 rows/s · 16 in flight',
    );
    const outcomes = { created: 0, refused: 0, waiting: 40, inDoubt: 0 };
    expect(progressText({ ...full, outcomes }, 200)).toContain(' · 40 waiting · ');
    const unknownEnd = {
      ...full,
      total: null,
      share: null,
      secondsLeft: null,
      pauseInMs: 0,
      inFlight: 0,
      rowsPerSecond: null,
      outcomes: noOutcomes,
    };
    expect(progressText({ ...unknownEnd, label: 'reading', done: 1 }, 80)).toBe('reading: 1 row');
  });

  it('shows the share of a file that is read while its number of rows is unknown', () => {
    const reading = {
      label: 'reading people.csv',
      total: null,
      done: 12_000,
      share: 0.347,
      secondsLeft: 4,
      outcomes: noOutcomes,
      rowsPerSecond: 9_000,
      inFlight: 0,
      pauseInMs: 0,
    };
    expect(progressText(reading, 80)).toBe('reading people.csv: 12,000 rows (34%) · 4 s left · 9,000 rows/s');
  });

  it('cuts a long name, and not what it says of it', () => {
    const label = 'reading payments of the second half of November, corrected (3).xlsx, sheet "Clients"';
    const text = progressText({ ...full, label, pauseInMs: 0 }, 50);
    expect(text).toBe('reading payments of t…: 5,000 of 20,000 rows (25%)');
    expect(progressText({ ...full, label, pauseInMs: 0 }, 30)).toBe('5,000 of 20,000 rows (25%)');
  });

  it.each([10, 20, 40, 60, 80, 120])('is never wider than %i columns, whatever its text is', (columns) => {
    for (const label of ['sending customers', '送金 送金 送金']) {
      expect(textWidth(progressText({ ...full, label }, columns))).toBeLessThanOrEqual(columns);
    }
  });

  it('leaves out first what matters least', () => {
    expect(progressText(full, 60)).toBe('sending customers: 5,000 of 20,000 rows (25%) · 5 min left');
    expect(progressText({ ...full, pauseInMs: 0 }, 100)).toContain('4,990 created');
  });
});

describe('on a terminal', () => {
  it('goes on where the last run stopped, and is drawn anew in its place', () => {
    const { progress, written } = recorded(true, 120);
    progress.start({ ...sending, done: 5_000 });
    expect(shownLines(written())).toEqual([expect.stringContaining('5,000 of 20,000 rows (25%)')]);
    progress.advance({ rows: 10, outcomes: { created: 9, refused: 1, waiting: 0, inDoubt: 0 } });
    vi.advanceTimersByTime(2_000);
    expect(shownLines(written())).toEqual([expect.stringContaining('5,010 of 20,000')]);
    expect(shownLines(written())[0]).toMatch(/9 created, 1 refused · [\d.]+ rows\/s · 16 in flight$/);
    progress.stop();
    expect(shownLines(written()).join('')).toBe('');
  });

  it('counts down how long the API wants to be left alone', () => {
    const { progress, written } = recorded(true);
    progress.start(sending);
    progress.pause(12_000);
    vi.advanceTimersByTime(2_000);
    expect(shownLines(written())[0]).toContain('the API asks to wait 10 s');
    vi.advanceTimersByTime(11_000);
    expect(shownLines(written())[0]).not.toContain('asks to wait');
  });

  it('messages are on lines of their own, and the end removes the line', () => {
    const { progress, stream, written } = recorded(true);
    progress.start(sending);
    progress.aside(() => stream.write('Stopping.\n'));
    vi.advanceTimersByTime(250);
    expect(shownLines(written())).toEqual(['Stopping.', expect.stringContaining('0 of 20,000')]);
    progress.stop();
    stream.write('1 unknown\n');
    expect(shownLines(written()).filter((line) => line !== '')).toEqual(['Stopping.', '1 unknown']);
  });

  it('takes back the lines that a narrower terminal has made of it', () => {
    const { progress, stream, written } = recorded(true, 100);
    progress.start({ ...sending, label: 'sending customers of a long name' });
    stream.columns = 30;
    vi.advanceTimersByTime(200);
    // Three lines of 30 columns have the text of the one line.
    expect(written()).toContain(`\r${esc}[2A${esc}[J`);
  });
});

it('says no time left before there is enough to reckon it from', () => {
  const { progress, written } = recorded(true, 120);
  progress.start(sending);
  vi.advanceTimersByTime(1_500);
  progress.advance({ rows: 1 });
  vi.advanceTimersByTime(1_000);
  expect(shownLines(written())[0]).toMatch(/rows\/s/);
  expect(shownLines(written())[0]).not.toContain('left');
  vi.advanceTimersByTime(2_000);
  expect(shownLines(written())[0]).toContain('left');
});

it('reckons the time left from the share of a file', () => {
  const { progress, written } = recorded(true);
  progress.start({ label: 'reading people.csv', total: null, done: 0, isLogged: false });
  for (let second = 1; second <= 5; second += 1) {
    progress.advance({ rows: 1_000, share: second / 20 });
    vi.advanceTimersByTime(1_000);
  }
  expect(shownLines(written())).toEqual([
    'reading people.csv: 5,000 rows (25%) · 15 s left · 1,000 rows/s · 16 in flight',
  ]);
});

describe('elsewhere', () => {
  it('is a line at the beginning, one every 30 seconds, and one at the end', () => {
    const { progress, written } = recorded(false);
    progress.start(sending);
    for (let second = 0; second < 70; second += 1) {
      progress.advance({ rows: 100, outcomes: { created: 100, refused: 0, waiting: 0, inDoubt: 0 } });
      vi.advanceTimersByTime(1_000);
    }
    progress.stop();
    const lines = written().trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^sending customers: 0 of 20,000 rows \(0%\)/);
    expect(lines[1]).toMatch(/3,000 of 20,000 rows \(15%\) · 3 min left · 3,000 created · 100 rows\/s/);
    expect(lines[3]).toMatch(/7,000 of 20,000 .*, after 70 s$/);
  });

  it('says nothing of a step that is over soon and sends nothing', () => {
    const { progress, written } = recorded(false);
    progress.start({ label: 'reading', total: null, done: 0, isLogged: false });
    progress.advance({ rows: 100 });
    progress.stop();
    progress.advance({ rows: 1 });
    progress.stop();
    expect(written()).toBe('');
  });
});

it('signals stay with the command line', () => {
  const before = process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
  const { progress } = recorded(true);
  progress.start(sending);
  expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(before);
  progress.stop();
});
