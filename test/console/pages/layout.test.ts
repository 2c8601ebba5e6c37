import { expect, it } from 'vitest';
import { columnName } from '../../../src/console/pages/cells.ts';
import { type Frame, pageOf } from '../../../src/console/pages/layout.ts';
import { sentence } from '../../../src/console/pages/table.ts';

const frame: Frame = {
  mode: 'sandbox',
  unprovenKey: null,
  place: 'https://api.example',
  viewer: 'mo',
  hasUsers: true,
  may: () => true,
  csrf: 'token',
  isForTrying: false,
  folders: [],
  address: '/',
  kept: null,
};

it.each(['sandbox', 'live'] as const)('has all of a page in landmarks, in %s mode', (mode) => {
  const { text } = pageOf({ ...frame, mode }, { title: 'To do', content: null });
  const [, body = ''] = /<body>([\s\S]*)<\/body>/.exec(text) ?? [];
  const landmarks = /<(aside|header|main)\b[\s\S]*?<\/\1>/g;
  expect(
    body
      .replace(/<a class="skip"[^>]*>[^<]*<\/a>/, '')
      .replace(landmarks, '')
      .trim(),
  ).toBe('');
  expect(body.match(landmarks)).toHaveLength(3);
});

it('shows the moments of a sentence like all others of a page, and the rest as text', () => {
  expect(sentence('Closed by <ama> on 2026-11-20 10:03 UTC: wrong month').text).toBe(
    'Closed by &lt;ama&gt; on <time datetime="2026-11-20T10:03:00.000Z" data-moment>2026-11-20 10:03 UTC</time>: wrong month',
  );
  expect(sentence('created 2026-11-20 10:03:07 UTC').text).toContain('datetime="2026-11-20T10:03:07.000Z"');
  expect(sentence('in all 3 rows').text).toBe('in all 3 rows');
});

it('shows no moment in digits that are none', () => {
  expect(sentence('order 2026-99-99 99:99 UTC').text).toBe('order 2026-99-99 99:99 UTC');
});

it('names a column without a title, so that the field of its cell has a label', () => {
  expect(['Name', ' ', ''].map((_, place, columns) => columnName(columns, place))).toEqual([
    'Name',
    'Column 2',
    'Column 3',
  ]);
});
