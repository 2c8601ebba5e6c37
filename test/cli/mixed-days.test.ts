import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.ts';
import { readCsv } from '../support/cli-files.ts';
import { agreeing, openEngine } from '../support/engine.ts';

interface Office {
  readonly header: string;
  readonly dayTitle: string;
  readonly names: readonly string[];
  /** Days as people of the office type them, and what they mean. */
  readonly days: readonly (readonly [string, string])[];
}

const japanese: Office = {
  header: '顧客番号,姓,名,生年月日,国',
  dayTitle: '生年月日',
  names: ['林,蓮', '池田,陽菜', '松本,悠真', '石川,結衣', '木村,大和', '原,葵'],
  days: [
    ['1971/4/9', '1971-04-09'],
    ['1982年11月30日', '1982-11-30'],
    ['1990-01-05', '1990-01-05'],
    ['昭和61年2月3日', '1986-02-03'],
    ['１９７７／８／１４', '1977-08-14'],
    ['1969.12.1', '1969-12-01'],
  ],
};

const spanish: Office = {
  header: 'No. de cliente,Apellido,Nombre,Fecha de nacimiento,País',
  dayTitle: 'Fecha de nacimiento',
  names: ['Ruiz,Ana', 'Paz,Luz', 'Gil,Eva', 'Sol,Ivo', 'Rey,Noe', 'Mora,Ian'],
  days: [
    ['09-abr-1971', '1971-04-09'],
    ['30/11/1982', '1982-11-30'],
    ['05/01/1990', '1990-01-05'],
    ['3 de febrero de 1986', '1986-02-03'],
    ['14-ago-1977', '1977-08-14'],
    ['1-DIC-1969', '1969-12-01'],
  ],
};

it.each([
  ['with the year first', japanese],
  ['with months in words', spanish],
])(
  'days in several forms %s are read from the proposal to the import',
  async (_, { header, dayTitle, names, days }) => {
    const cwd = await mkdtemp(join(inject('testFolder'), 'mixed-days-'));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const lines = days.map(([day], at) => `K-${at},${names[at]},${day},KE`);
    await writeFile(join(cwd, 'one.csv'), `${header}\n${lines.join('\n')}\n`);
    const paybatch = await openEngine({
      ledger: { ledgerDir: join(cwd, '.paybatch') },
      output: { out: join(cwd, 'results') },
      reading: { kind: 'customers' },
    });
    const answer = () => 'accept';
    const request = { file: join(cwd, 'one.csv'), answer, stem: join(cwd, 'office') };
    const { agreed } = await paybatch.mapping(request, agreeing).result;
    await paybatch.close();
    expect(agreed?.mapping.columns).toMatchObject({ [dayTitle]: 'date_of_birth' });

    const imported = await runCli(['import', 'one.csv', '--local-sandbox', '--json', '--out', 'results'], {
      cwd,
    });
    expect(imported.exitCode, imported.stdout).toBe(0);
    const [batch] = JSON.parse(imported.stdout).batches;
    expect(batch.counts).toEqual({ created: days.length });
    const results = readCsv(await readFile(batch.files.results, 'utf8'));
    const notes = results.map((row) => row['result_notes'] ?? '');
    for (const [at, [day, meant]] of days.entries()) {
      if (day !== meant) expect(notes[at]).toMatch(new RegExp(`read as ${meant}|repaired 生年月日`));
    }
    const journal = await readFile(join(cwd, '.paybatch-sandbox', 'journal.jsonl'), 'utf8');
    for (const [, meant] of days) expect(journal).toContain(meant);
  },
);
