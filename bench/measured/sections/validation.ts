import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInstitutionList } from '../../../src/directory/institution-list.ts';
import type { TableMapping } from '../../../src/domain/mapping.ts';
import { openInput } from '../../../src/input/open.ts';
import type { InputTable } from '../../../src/input/table.ts';
import { lookUpForGroup } from '../../../src/pipeline/lookups.ts';
import { readingRulesOf } from '../../../src/pipeline/mapping-file.ts';
import type { DirectoryPort, ReferencePort } from '../../../src/pipeline/ports.ts';
import { judgeTable } from '../../../src/pipeline/stage.ts';
import { looksLikeHeader, mapTable } from '../../../src/pipeline/table-mapping.ts';
import { createValidation } from '../../../src/pipeline/validate.ts';
import { createRowChecker } from '../../../src/resources/check/row-checker.ts';
import type { RowChecker } from '../../../src/resources/definition.ts';
import { institutions, knownCustomers, writeRecipients } from '../recipients-file.ts';
import { atMost, type Figures, interleave, median, type Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const list = createInstitutionList('KE', institutions, true);

/** How much longer a file takes that is validated than one that is only read and parsed. */
async function validationAgainstParsing({ rounds, rows }: SectionOptions): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  const path = join(folder, 'recipients.csv');
  await writeRecipients(path, rows);
  const [parsing, checking, judging] = await interleave(rounds, [
    { name: 'reading and parsing', measure: () => secondsOf(path, rows, countRows) },
    { name: 'with every check', measure: () => secondsOf(path, rows, countCheckedRows) },
    { name: 'with requests and natural keys as well', measure: () => secondsOf(path, rows, countJudgedRows) },
  ]);
  await rm(folder, { recursive: true });
  if (parsing === undefined || checking === undefined || judging === undefined) {
    throw new Error('a side was not measured');
  }
  const times = ({ values }: Figures): number => median(values) / median(parsing.values);
  return [
    {
      title: 'Validation',
      unit: 's',
      figures: [parsing, checking, judging],
      ratios: [checking, judging].map((side) => atMost(2, `${side.name} / ${parsing.name}`, times(side))),
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

const references: ReferencePort = {
  findByHandles: async (_kind, handles) => knownCustomers(handles),
  findCustomersById: async () => new Map(),
  findKeyOwners: async () => new Map(),
};
const directory: DirectoryPort = { list: async () => list };

function checkerOf(table: InputTable): { mapping: TableMapping; checker: RowChecker } {
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

/** Fields, then customers and institutions, and nothing that only an import needs. */
async function countCheckedRows(table: InputTable): Promise<number> {
  const { checker } = checkerOf(table);
  let count = 0;
  for await (const group of table.rows()) {
    const checked = group.map((row) => checker.checkFields(row));
    const lookups = await lookUpForGroup(checker, checked, references, directory);
    const judged = checked.map((row) => checker.checkReferences(row, lookups));
    count += judged.filter(({ findings }) => findings.length === 0).length;
  }
  return count;
}

/** What `import` and `validate` do: each row's request, natural key and repetitions too. */
async function countJudgedRows(table: InputTable): Promise<number> {
  const validation = createValidation({ ...checkerOf(table), references, directory });
  let count = 0;
  for await (const group of judgeTable(table, 'recipients.csv', validation, null)) {
    count += group.filter(({ state }) => state === 'staged').length;
  }
  return count;
}

await runSection(validationAgainstParsing);
