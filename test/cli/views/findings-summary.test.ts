import { expect, it } from 'vitest';
import { findingsSummary } from '../../../src/cli/terminal/show-events.ts';
import type { CheckedAccount } from '../../../src/domain/batches/account.ts';

const nothing = { count: 0, groups: [], groupsLeftOut: 0, notes: [], notesLeftOut: 0, aliases: {} };

const input: CheckedAccount = {
  id: null,
  place: 'payees.csv',
  file: 'payees.csv',
  sheet: null,
  kind: 'recipients',
  rows: 1200,
  counts: { not_sent: 1190, invalid: 9, held: 1 },
  repeats: {},
  sums: [],
  attention: null,
  plan: null,
  auditHead: null,
  logHead: null,
  findings: nothing,
  notes: [],
  changes: { counts: {}, shown: [] },
  files: {
    ...{ results: null, failed: null, log: null },
    findings: 'results/payees.findings.csv',
    findingsWorkbook: null,
    findingsWorkbookLeftOut: 0,
    changes: null,
    report: 'results/payees.report.html',
  },
};

it('says how many rows are what, and where the findings are', () => {
  expect(findingsSummary(input, false)).toBe(
    [
      'payees.csv · recipients',
      '  1,200 rows: 9 invalid, 1 for a person to decide, 1,190 ready to be sent',
      '',
      '  findings  results/payees.findings.csv',
      '  report    results/payees.report.html',
    ].join('\n'),
  );
});

it('says beside the workbook which rows are in the other file only', () => {
  const workbook = { findingsWorkbook: 'results/payees.findings.xlsx', findingsWorkbookLeftOut: 20_000 };
  expect(findingsSummary({ ...input, files: { ...input.files, ...workbook } }, false)).toContain(
    [
      '            results/payees.findings.xlsx',
      '            without 20,000 rows, which are in payees.findings.csv only',
    ].join('\n'),
  );
});

it('lists findings in columns, with their messages, and what is worth knowing', () => {
  const group = { severity: 'invalid' as const, column: 'Mobile', code: 'invalid_phone', count: 9 };
  const findings = {
    ...nothing,
    groups: [
      { ...group, firstRows: [2, 1003], message: 'is no phone' },
      {
        ...group,
        column: '',
        code: 'conflicting_duplicate',
        count: 1,
        firstRows: [7],
        message: 'x'.repeat(20),
      },
    ],
    groupsLeftOut: 3,
    notes: [{ note: 'unseen value: gender', count: 2 }],
    notesLeftOut: 4,
    aliases: {},
  };
  const text = findingsSummary({ ...input, findings, notes: ['the encoding was guessed'] }, false);
  expect(text).toContain('  9  invalid_phone          Mobile  rows 2, 1,003, …\n      is no phone');
  expect(text).toContain('  1  conflicting_duplicate  (row)   row 7');
  expect(text).toContain('3 more kinds of findings');
  expect(text).toContain('    the encoding was guessed\n    2 rows: unseen value: gender\n    4 other notes');
});

it('lets nothing from the file move the cursor, and keeps within 100 columns', () => {
  const group = {
    severity: 'held' as const,
    column: `A\u001b[2J${'é'.repeat(80)}`,
    code: 'institution_unverifiable',
    count: 1,
    firstRows: [2],
    message: `\u001b]0;x\u0007 ${'long words '.repeat(80)}`,
  };
  const text = findingsSummary({ ...input, findings: { ...nothing, groups: [group] } }, false);
  expect(text).not.toContain('\u001b');
  for (const line of text.split('\n')) expect(Array.from(line).length).toBeLessThanOrEqual(100);
});

it('does not call a row ready that repeats another one', () => {
  const counts = { not_sent: 1200 };
  expect(findingsSummary({ ...input, counts, repeats: { not_sent: 1199 } }, false)).toContain(
    '1,200 rows: 1,199 repeats of an earlier row, 1 ready to be sent',
  );
});

it('names what may be meant, ready to be put into a mapping', () => {
  const aliases = { institution_name: { 'M-PESSA\u001b': 'M-PESA' } };
  const text = findingsSummary({ ...input, findings: { ...nothing, aliases } }, false);
  const json = /"values": [\s\S]*?\n {4}\}/.exec(text)?.[0] ?? '';
  expect(JSON.parse(`{${json}}`)).toEqual({ values: { institution_name: { 'M-PESSA\u001b': 'M-PESA' } } });
  expect(text).not.toContain('\u001b');
});
