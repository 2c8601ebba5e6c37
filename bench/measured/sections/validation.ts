import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeTable } from '../../../src/check/judging.ts';
import { createValidation } from '../../../src/check/validation.ts';
import type { TableMapping } from '../../../src/domain/tables/mapping.ts';
import type { Table } from '../../../src/domain/tables/table.ts';
import { createRowChecker } from '../../../src/kinds/fields/row-checker.ts';
import { createInstitutionList, type DirectoryPort } from '../../../src/kinds/institutions/directory.ts';
import type { ReferencePort } from '../../../src/kinds/request.ts';
import type { RowChecker } from '../../../src/kinds/row-check.ts';
import { readingRulesOf } from '../../../src/read/mapping/mapping-file.ts';
import { looksLikeHeader, mapTable } from '../../../src/read/mapping/table-mapping.ts';
import { openInput } from '../../../src/read/sources/open-file.ts';
import { institutions, knownCustomers, writeRecipients } from '../recipients-file.ts';
import { atMost, type Figures, interleave, median, type Report, type SidesReport } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const parsing = 'reading and parsing';

const judging = 'with every check';

const list = createInstitutionList('KE', institutions, true);

/**
 * How much longer a file takes that is validated than one that is only read and parsed: by the clock, and in
 * processor time, which depends less on what else the machine does.
 */
async function validationAgainstParsing({ rounds, rows }: SectionOptions): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  const path = join(folder, 'recipients.csv');
  await writeRecipients(path, rows);
  const processor = { parsing: [] as number[], judging: [] as number[] };
  const sides = await interleave(rounds, [
    { name: parsing, measure: () => secondsOf(path, rows, countRows, processor.parsing) },
    { name: judging, measure: () => secondsOf(path, rows, countJudgedRows, processor.judging) },
  ]);
  await rm(folder, { recursive: true });
  // Warm-up rounds come first.
  const inProcessor = [
    { name: parsing, values: processor.parsing.slice(-rounds) },
    { name: judging, values: processor.judging.slice(-rounds) },
  ];
  const conditions = `CSV of ${rows} valid recipients of four payee types in turn; customers and institutions from memory`;
  return [
    { ...reportOf('Validation', sides), conditions },
    { ...reportOf('Validation, processor time', inProcessor), conditions },
  ];
}

function reportOf(title: string, [left, right]: readonly Figures[]): Omit<SidesReport, 'conditions'> {
  if (left === undefined || right === undefined) throw new Error('a side was not measured');
  const times = median(right.values) / median(left.values);
  return { title, unit: 's', figures: [left, right], ratios: [atMost(2, `${judging} / ${parsing}`, times)] };
}

async function secondsOf(
  path: string,
  rows: number,
  count: (table: Table) => Promise<number>,
  processorSeconds: number[],
): Promise<number> {
  const usageBefore = process.cpuUsage();
  const startedAtInMs = performance.now();
  const file = await openInput(path, { isHeader: (cells) => looksLikeHeader(cells, null, {}) });
  const [table] = file.tables;
  if (table === undefined) throw new Error('the file has no table');
  const counted = await count(table);
  await file.close();
  if (counted !== rows) throw new Error(`${counted} rows came out of ${rows}`);
  const seconds = (performance.now() - startedAtInMs) / 1000;
  const { user, system } = process.cpuUsage(usageBefore);
  processorSeconds.push((user + system) / 1_000_000);
  return seconds;
}

async function countRows(table: Table): Promise<number> {
  let count = 0;
  for await (const group of table.rows()) count += group.length;
  return count;
}

const references: ReferencePort = {
  findByHandles: async (_kind, handles) => knownCustomers(handles),
  findCustomersById: async () => new Map(),
  findRivals: async () => new Map(),
  findKeyOwners: async () => new Map(),
};

const directory: DirectoryPort = { list: async () => list };

function checkerOf(table: Table): { mapping: TableMapping; checker: RowChecker } {
  const rules = {};
  const mapping = mapTable(table, { kind: null, mapping: {}, rules, fileName: 'recipients.csv' });
  const checker = createRowChecker({
    mapping,
    reading: readingRulesOf({}),
    today: new Date().toISOString().slice(0, 10),
    headerWidth: table.header.length,
    rules,
  });
  return { mapping, checker };
}

/** What `validate` does with each row, and `import` before it stages it: fields, references, institutions and limits, repetitions. */
async function countJudgedRows(table: Table): Promise<number> {
  const validation = createValidation({
    place: 'recipients.csv',
    ...checkerOf(table),
    references,
    directory,
  });
  let count = 0;
  for await (const group of judgeTable(
    table,
    { fileName: 'recipients.csv', path: 'recipients.csv' },
    validation,
    null,
  )) {
    count += group.filter(({ state }) => state === 'staged').length;
  }
  return count;
}

await runSection(validationAgainstParsing);
