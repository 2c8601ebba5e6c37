import { expect, it } from 'vitest';
import { rememberMapping } from '../../src/ledger/batches/readings.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { headerKeyOf } from '../../src/read/sources/remembered-mappings.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';

const header = ['Surname', 'First name', 'Client No'];
const mapping = { kind: 'customers', columns: { Surname: 'last_name', 'Client No': 'external_id' } };

/** A desk whose ledger remembers the mapping of two partners. */
async function deskThatRemembers(): Promise<Desk> {
  const desk = await openDesk();
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  for (const [name, titles] of [
    ['umoja', header],
    ['tausi', ['Name', 'No']],
  ] as const) {
    const headerKey = headerKeyOf(titles);
    const text = JSON.stringify(name === 'umoja' ? mapping : { ...mapping, sheet: 'NOV' });
    await rememberMapping(ledger.database, {
      headerKey,
      header: titles,
      name,
      kind: 'customers',
      mapping: text,
    });
  }
  await ledger.close();
  return desk;
}

it('remembered mappings are listed, shown by name or file, and forgotten', async () => {
  const desk = await deskThatRemembers();
  const list = await desk.run(['mapping', '--show']);
  expect(list.exitCode, list.stderr).toBe(0);
  expect(list.stdout).toContain('Surname, First name, Client No');
  expect(list.stdout).toMatch(/tausi +customers +NOV/);

  const file = await desk.write('list.csv', `${header.join(',')}\nOtieno,Amina,C-1\n`);
  for (const named of ['umoja', file]) {
    const shown = await desk.run(['mapping', named, '--show']);
    expect(shown.exitCode, shown.stderr).toBe(0);
    expect(JSON.parse(shown.stdout)).toEqual(mapping);
  }
  const json = await desk.run(['mapping', '--show', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ mappings: [{}, { name: 'umoja' }], forgotten: false });

  const forgotten = await desk.run(['mapping', file, '--forget']);
  expect(forgotten.exitCode, forgotten.stderr).toBe(0);
  expect(forgotten.stderr).toContain('Forgotten: "umoja".');
  expect(JSON.parse(forgotten.stdout)).toEqual(mapping);
  const again = await desk.run(['mapping', 'umoja', '--forget']);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain('No mapping is remembered for "umoja".');
  expect((await desk.run(['mapping', '--show'])).stdout).not.toContain('umoja');
});

it('what to forget has to be named, and a proposal needs a file', async () => {
  const desk = await openDesk();
  expect((await desk.run(['mapping', '--forget'])).stderr).toContain('needs the name of a mapping');
  const { exitCode, stderr } = await desk.run(['mapping']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('A file is needed');
  expect((await desk.run(['mapping', '--show'])).stdout).toContain('No mapping is remembered.');
});
