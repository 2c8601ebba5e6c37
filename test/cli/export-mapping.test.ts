import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { parseExportMapping } from '../../src/reconcile/export/mapping.ts';
import { runCli } from '../support/cli.ts';

it('mapping --export proposes what the columns of an export are, and how it is written', async () => {
  const cwd = await mkdtemp(join(inject('testFolder'), 'export-mapping-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const lines = [
    'Kontoauszug;;;;;',
    'Buchungsdatum;Verwendungszweck;Betrag;Währung;Transaction ID;Filiale',
    '31.12.2026;Rechnung;1.234,50;EUR;t-1;x',
    '02.01.2027;Rechnung 2;-12,00;EUR;t-2;x',
  ];
  await writeFile(join(cwd, 'export.csv'), `${lines.join('\n')}\n`);
  const { exitCode, stdout, stderr } = await runCli(['mapping', 'export.csv', '--export'], { cwd });
  expect(exitCode, stderr).toBe(0);
  expect(parseExportMapping(stdout, 'export.json')).toEqual({
    columns: {
      Buchungsdatum: 'date',
      Verwendungszweck: 'text',
      Betrag: 'amount',
      Währung: 'currency',
      'Transaction ID': 'id',
    },
    dateFormat: 'DD.MM.YYYY',
    decimal: ',',
    thousands: '.',
    open: [{ about: 'reading', why: 'No person has looked at this reading yet.' }],
  });
  expect(stderr).toContain('Filiale  →  passed over');
  expect(stderr).not.toContain('Rechnung');
});
