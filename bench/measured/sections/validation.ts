import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openInput } from '../../../src/input/open.ts';
import type { InputTable } from '../../../src/input/table.ts';
import { readingRulesOf } from '../../../src/pipeline/mapping-file.ts';
import { judgeTable } from '../../../src/pipeline/stage.ts';
import { looksLikeHeader, mapTable } from '../../../src/pipeline/table-mapping.ts';
import { createValidation } from '../../../src/pipeline/validate.ts';
import { createRowChecker } from '../../../src/resources/check/row-checker.ts';
import { institutions, knownCustomers, writeRecipients } from '../recipients-file.ts';
import { atMost, interleave, median, type Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const list = createInstitutionList({ country: 'KE', institutions, isComplete: true });

/** How much longer a file takes that is validated than one that is only read and parsed. */
async function validationAgainstParsing({ rounds, rows }: SectionOptions): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  const path = join(folder, 'recipients.csv');
  await writeRecipients(path, rows);
  const [parsing, validating] = await interleave(rounds, [
    { name: 'reading and parsing', measure: () => secondsOf(path, rows, countRows) },
    { name: 'reading, parsing and validating', measure: () => secondsOf(path, rows, countValidRows) },
  ]);
  await rm(folder, { recursive: true });
  if (parsing === undefined || validating === undefined) throw new Error('a side was not measured');
  const ratio = median(validating.values) / median(parsing.values);
  return [
    {
      title: 'Validation',
      unit: 's',
      figures: [parsing, validating],
      ratios: [atMost(2, `${validating.name} / ${parsing.name}`, ratio)],
      conditions: `CSV of ${rows} valid recipients of four payee types in turn; customers and institutions from memory`,
    },
  ];
}

async function secondsOf(
  path: string,
  rows: number,
  count: (table: InputTable) => Promise<number>,
): Promise<number> {
  const startedAtInMs = performance.now();
  const file = await openInput(path, { isHeader: (cells) => looksLikeHeader(cells, null, {}) });
  const [table] = file.tables;
  if (table === undefined) throw new Error('the file has no table');
  const counted = await count(table);
  await file.close();
  if (counted !== rows) throw new Error(`${counted} rows came out of ${rows}`);
  return (performance.now() - startedAtInMs) / 1000;
}

async function countRows(table: InputTable): Promise<number> {
  let count = 0;
  for await (const group of table.rows()) count += group.length;
  return count;
}

async function countValidRows(table: InputTable): Promise<number> {
  const rules = {};
  const mapping = mapTable(table, { kind: null, mapping: {}, rules, fileName: 'recipients.csv' });
  const validation = createValidation({
    checker: createRowChecker({
      mapping,
      reading: readingRulesOf({}),
      today: new Date().toISOString().slice(0, 10),
      headerWidth: table.header.length,
      rules,
    }),
    mapping,
    references: {
      findByHandles: async (_kind, handles) => knownCustomers(handles),
      findCustomersById: async () => new Map(),
      findKeyOwners: async () => new Map(),
    },
    directory: { list: async () => list },
  });
  let count = 0;
  for await (const group of judgeTable(table, 'recipients.csv', validation, null)) {
    count += group.filter(({ state }) => state === 'staged').length;
  }
  return count;
}

await runSection(validationAgainstParsing);
