import { expect, it } from 'vitest';
import { openConsole, type Shown, uploadAndCheck } from '../../support/console.ts';
import { beginMapping, fieldsOf, genders, headingOf, open, say, sayAll } from './mapping-steps.ts';

/** Each row has more commas, and as regularly, than the semicolons that separate its columns. */
function groupsList(month = 'nov'): string {
  const rows = genders.map((gender, at) =>
    [
      `${month}-${at}`,
      'Zoë',
      `Vogel${month}${at}`,
      `l${at}.${month}@post.example`,
      gender,
      '1,2,3,4,5,6',
    ].join(';'),
  );
  return `${['Kd-Nr;Vorname;Nachname;E-Mail;Geschlecht;Gruppen (a,b,c,d,e,f)', ...rows].join('\r\n')}\r\n`;
}

function chosenIn(shown: Shown): readonly (string | undefined)[] {
  return ['delimiter', 'encoding'].map((name) => {
    const [, options = ''] =
      new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`, 's').exec(shown.text) ?? [];
    return /<option[^>]* selected>([^<]*)</.exec(options)?.[1];
  });
}

it('reads the columns by the delimiter that a person chooses, and the next file of the series too', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor, 'list.csv', groupsList());
  expect(chosenIn(first)).toEqual(['comma (found by itself)', 'UTF-8 (found by itself)']);
  const posted = await visitor.post(`${first.path}/dialect`, { delimiter: ';', encoding: '' });
  const anew = await open(visitor, posted.path);
  // The person has asked for it: no problem.
  expect(anew.text).toMatch(/<section class="note" role="status"><p [^>]*>[^<]*so its questions begin anew/);
  expect(chosenIn(anew)[0]).toBe('semicolon (as you said)');
  expect(anew.text).toMatch(/id="column-\d">Geschlecht</);
  const plan = await sayAll(visitor, anew);
  expect(plan.text).toContain('Send 5 rows');
  const next = await uploadAndCheck(visitor, [{ name: 'dec.csv', content: groupsList('dec') }]);
  expect(next.text).toContain('Send 5 rows');
  const again = await open(visitor, (await visitor.get(`${next.path}/mapping`)).path);
  expect(again.text).toMatch(/id="column-\d">Geschlecht</);
  expect(chosenIn(again)[0]).toBe('semicolon (as you said)');
});

it('begins anew only where something else is chosen, and finds it again where a person wants that', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor, 'list.csv', groupsList());
  await visitor.post(`${first.path}/dialect`, { delimiter: ';', encoding: 'windows-1252' });
  const mixed = await open(visitor, first.path);
  expect(mixed.text).toContain('ZoÃ«');
  const second = await say(visitor, mixed);
  await visitor.post(`${first.path}/dialect`, { delimiter: ';', encoding: 'windows-1252' });
  expect(headingOf(await open(visitor, first.path))).toBe(headingOf(second));
  await visitor.post(`${first.path}/dialect`, { delimiter: ';', encoding: '' });
  const mended = await open(visitor, first.path);
  expect(headingOf(mended)).toBe('How the file is read');
  expect(mended.text).toContain('Zoë');
  expect(chosenIn(mended)[1]).toBe('UTF-8 (found by itself)');
});

it('says plainly where a delimiter leaves one column, and refuses what is none of the choices', async () => {
  const { visitor } = await openConsole();
  const first = await beginMapping(visitor, 'list.csv', groupsList());
  await visitor.post(`${first.path}/dialect`, { delimiter: '|', encoding: '' });
  const one = await open(visitor, first.path);
  expect(one.status).toBe(200);
  expect(one.text).toContain('With a vertical bar between columns, this file has only one column.');
  const table = await visitor.get(`${first.path}/table`);
  expect(chosenIn(table)[0]).toBe('vertical bar (as you said)');
  const wrong = await visitor.post(`${first.path}/dialect`, { delimiter: '"', encoding: '' });
  expect([wrong.status, wrong.text.includes('names no such choice')]).toEqual([422, true]);
  await visitor.post(`${first.path}/dialect`, { delimiter: '\\t', encoding: '' });
  expect((await open(visitor, first.path)).text).toContain('With a tab between columns');
  await visitor.post(`${first.path}/dialect`, { delimiter: ';', encoding: '' });
  const mended = await open(visitor, first.path);
  expect(mended.text).not.toContain('only one column');
  expect(fieldsOf(mended)['turn']).not.toBe('');
});
