import { expect, it } from 'vitest';
import { openConsole, type Shown } from '../../support/console.ts';
import { beginMapping, fieldsOf, headingOf, list, meaningsIn, open, say } from './mapping-steps.ts';

/** The addresses of the buttons that change an answer, in their order. */
function changesIn({ text }: Shown): readonly string[] {
  return [...text.matchAll(/action="([^"]*\/again\?change=[^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );
}

it('lists the answers so far, and opens each again with what was answered', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor);
  expect(changesIn(first)).toEqual([]);
  const values = await say(visitor, first);
  const [toReview = ''] = changesIn(values);
  const last = await say(visitor, values, meaningsIn(values));
  expect(last.text).toContain('Your answers so far: 2');
  expect(last.text).toMatch(
    /What do the values of &quot;Geschlecht&quot; mean\?<\/b> <span class="soft">M: male; W: female/,
  );
  const [, toValues = ''] = changesIn(last);
  const late = await visitor.post(toReview);
  expect([late.status, late.text.includes('not open any more')]).toEqual([409, true]);
  const again = await open(visitor, (await visitor.post(toValues)).path);
  expect(headingOf(again)).toBe(headingOf(values));
  expect(Object.values(fieldsOf(again))).toEqual(expect.arrayContaining(['word:male', 'word:female']));
  const at = /id="value-(\d+)">W</.exec(again.text)?.[1] ?? '';
  const changed = await say(visitor, again, { [`value.${at}`]: 'refuse' });
  expect(headingOf(changed)).toBe('How the file is read');
  expect(changed.text).toContain('3 of 5 rows would pass');
});

it('keeps later answers where an earlier one is changed, and shows the reading again', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor, 'list.csv', list(['M', 'W', 'M', 'W', 'M']));
  const values = await say(visitor, first);
  const last = await say(visitor, values, meaningsIn(values));
  const [toReview = ''] = changesIn(last);
  const review = await open(visitor, (await visitor.post(toReview)).path);
  expect(headingOf(review)).toBe('How the file is read');
  const column = /id="column-(\d+)">E-Mail/.exec(review.text)?.[1] ?? '';
  const again = await say(visitor, review, { [`field.${column}`]: 'ignore' });
  // What the values mean was answered before, so the whole reading follows.
  expect(headingOf(again)).toBe('How the file is read');
  expect(again.text).toContain('&quot;E-Mail&quot; is: left out');
  const [back = ''] = changesIn(again);
  const shown = await open(visitor, (await visitor.post(back)).path);
  expect(fieldsOf(shown)[`field.${column}`]).toBe('ignore');
  // With nothing changed it is the same answer again.
  expect((await say(visitor, shown)).text).toContain('&quot;E-Mail&quot; is: left out');
});

it('shows what was answered where a person goes back: going on without a change says it again', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor, 'list.csv', list(['M', 'W', 'M', 'W', 'M']));
  const values = await say(visitor, first);
  const last = await say(visitor, values, meaningsIn(values));
  const backAt = await visitor.post(last.path, { ...fieldsOf(last), do: 'back' });
  const again = await open(visitor, backAt.path);
  expect(headingOf(again)).toBe(headingOf(values));
  expect(Object.values(fieldsOf(again))).toEqual(expect.arrayContaining(['word:male', 'word:female']));
  expect(headingOf(await say(visitor, again))).toBe(headingOf(last));
});
