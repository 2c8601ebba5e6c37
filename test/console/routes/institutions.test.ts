import { describe, expect, inject, it } from 'vitest';
import { institutionLinks } from '../../../src/console/pages/institutions.ts';
import { csvOf, readCsv, recipient } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck } from '../../support/console.ts';

describe.each(inject('ledgers'))('institutions on the %s ledger', (ledger) => {
  it('are listed by country, searched without regard to capitals, and downloaded', async () => {
    const { visitor } = await openConsole({ ledger });
    const empty = await visitor.get('/institutions');
    expect(empty.text).toContain('No list was read yet');
    const chosen = await visitor.get('/institutions?country=KE');
    expect([chosen.path, chosen.status]).toEqual(['/institutions/KE', 200]);
    const list = await visitor.until('/institutions/KE', ({ text }) => text.includes('The list is complete'));
    for (const shown of [
      'Institutions of Kenya',
      'KCB Bank Kenya',
      '<th scope="col">Code</th>',
      'mobile money',
    ]) {
      expect(list.text).toContain(shown);
    }
    expect((await visitor.get('/institutions')).text).toContain('<a href="/institutions/KE">Kenya</a>');
    const found = await visitor.get('/institutions/KE?text=kcb');
    expect(found.text).toContain('Institutions found');
    expect(found.text).not.toContain('mobile money');
    const { text } = await visitor.get('/institutions/KE?text=kcb&csv=institutions-found');
    expect(readCsv(text)).toMatchObject([{ Name: 'KCB Bank Kenya', Type: 'bank', Currency: 'KES' }]);
    const none = await visitor.get('/institutions/KE?text=%3Cscript%3Ealert(1)');
    expect(none.text).toContain('Nothing was found');
    expect(none.text).not.toContain('<script>alert');
  });
});

it('refuses what is no country, and offers the nearest one', async () => {
  const { visitor } = await openConsole();
  const { status, text } = await visitor.get('/institutions/KEN');
  expect([status, text.includes('href="/institutions/KE"')]).toEqual([422, true]);
});

it('is reached from the rows that are refused because of an institution', async () => {
  const { visitor } = await openConsole();
  const people = csvOf([{ external_id: 'C-1', first_name: 'A', last_name: 'B', email: 'a@people.example' }]);
  const payees = csvOf([
    recipient(1, { amount: '100.00' }),
    recipient(1, { institution_name: 'No Such Bank', account_number: '99' }),
  ]);
  await uploadAndCheck(visitor, [
    { name: 'people.csv', content: people },
    { name: 'payees.csv', content: payees },
  ]);
  const list = await visitor.get('/batches');
  const path =
    /href="(\/batches\/[0-9a-f-]+)">[0-9a-f]+<\/a><\/td><td data-title="File">payees/.exec(list.text)?.[1] ??
    '';
  expect((await visitor.get(path)).text).toContain('<a href="/institutions/KE">Institutions of KE</a>');
  expect((await visitor.get(`${path}/rows`)).text).toContain('<a href="/institutions">Institutions</a>');
});

it('is named once where several countries may be meant, and each link says what it leads to', () => {
  expect(institutionLinks('below_minimum', ['GH', 'KE'])?.text).toBe(
    '<div class="soft lists">Institutions: <a href="/institutions/GH"><span class="visually-hidden">Institutions of </span>GH</a>' +
      ' <a href="/institutions/KE"><span class="visually-hidden">Institutions of </span>KE</a></div>',
  );
  expect(institutionLinks('required', ['GH', 'KE'])).toBeNull();
});
