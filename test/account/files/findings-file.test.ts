import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findingsStems, writeFindingsFile } from '../../../src/account/files/result-files.ts';
import type { Finding } from '../../../src/domain/rows/finding.ts';
import { faultyDisk } from '../faulty-disk.ts';
import { inGroups } from '../sample-rows.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const finding: Finding = {
  severity: 'invalid',
  field: 'phone_number',
  column: '+Phone',
  code: 'invalid_phone',
  message: 'This is no phone number, but "abc".',
};

it('the findings file lists row, column, code and message, as spreadsheet programs want them', async () => {
  const directory = temporaryFolder();
  const findings = inGroups([{ row: 3, finding }], [{ row: 9, finding: { ...finding, column: 'Phone' } }]);
  const written = await writeFindingsFile({ directory, stem: 'people', findings });
  expect(written.count).toBe(2);
  expect(readdirSync(directory)).toEqual(['people.findings.csv']);
  expect(statSync(written.path).mode & 0o777).toBe(0o600);
  expect(readFileSync(written.path, 'utf8')).toBe(
    [
      '\uFEFFrow,column,code,message',
      `3,'+Phone,invalid_phone,"This is no phone number, but ""abc""."`,
      '9,Phone,invalid_phone,"This is no phone number, but ""abc""."',
      '',
    ].join('\r\n'),
  );
});

it('a file without findings replaces an older one with findings', async () => {
  const directory = temporaryFolder();
  await writeFindingsFile({ directory, stem: 'people', findings: inGroups([{ row: 3, finding }]) });
  const written = await writeFindingsFile({ directory, stem: 'people', findings: inGroups() });
  expect(readFileSync(written.path, 'utf8')).toBe('\uFEFFrow,column,code,message\r\n');
});

it('a full disk is said, and leaves nothing half-written', async () => {
  const directory = temporaryFolder();
  const findings = inGroups([{ row: 3, finding }]);
  const attempt = writeFindingsFile({ directory, stem: 'people', findings, files: faultyDisk('write') });
  await expect(attempt).rejects.toMatchObject({ code: 'disk_full' });
  expect(readdirSync(directory)).toEqual([]);
});

it('inputs of one name, in any case, have findings files of their own', () => {
  const inputs = ['a/pay.csv', 'b/Pay.csv', 'pay.2.csv', 'c/pay.xlsx', '-'].map((fileName) => ({
    fileName,
    sheet: null,
  }));
  const stems = findingsStems(inputs);
  expect(stems[0]).toBe('pay');
  expect(stems[4]).toBe('stdin');
  expect(new Set(stems.map((stem) => stem.toLowerCase())).size).toBe(5);
  expect(findingsStems([{ fileName: 'b.xlsx', sheet: 'May' }])).toEqual(['b.May']);
});
