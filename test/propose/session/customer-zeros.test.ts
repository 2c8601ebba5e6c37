import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DialogueQuestion } from '../../../src/propose/question.ts';
import { forProgram } from '../../../src/propose/session/program-question.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import { openDesk } from '../../support/cli-desk.ts';
import { csvOf, customer } from '../../support/cli-files.ts';
import { openEngine } from '../../support/engine.ts';
import { textRow, workbook } from '../../support/workbook.ts';

type Refused = Extract<DialogueQuestion, { readonly kind: 'refused' }>;

const titles = ['Customer no', 'Currency', 'Blockchain network', 'Label'];
const numbers = [5, 11, 25, 38, 40, 71, 113, 240];

interface Agreed {
  readonly asked: readonly Refused[];
  readonly mapping: MappingFile;
  readonly pass: number;
}

/** Leads the dialogue about accounts of customers whose numbers are number cells; other proposals are accepted. */
async function agree(known: readonly string[], answer: string): Promise<Agreed> {
  const { sandbox, databaseUrl, folder } = await openDesk({ ledger: 'server' });
  const engine = await openEngine({
    api: { baseUrl: sandbox.url, apiKey: sandbox.apiKeys.sandbox },
    ledger: { databaseUrl: databaseUrl ?? '' },
    output: { out: join(folder, 'results') },
  });
  const customers = join(folder, 'customers.csv');
  const rows = known.map((id, at) => customer(at + 1, { external_id: id }));
  await writeFile(customers, csvOf(rows));
  await engine.import({ files: [customers] }).result;
  const path = join(folder, 'accounts.xlsx');
  const lines = numbers.map((number, at) => textRow(at + 2, [number, 'USD', 'polygon', 'Main wallet']));
  await writeFile(
    path,
    workbook({ sheets: [{ name: 'Accounts', rows: [textRow(1, titles), ...lines].join('') }] }),
  );
  const asked: Refused[] = [];
  const { mapping, forecast } = await engine.agreeOnMapping({
    file: path,
    folder,
    reading: { kind: 'accounts' },
    lead: async ({ dialogue }) => {
      for (let question = await dialogue.next(); question !== null; question = await dialogue.next()) {
        if (question.kind === 'refused') asked.push(question);
        const problem = dialogue.answer(question.question, question.kind === 'refused' ? answer : 'accept');
        if (problem !== undefined) throw new Error(problem);
      }
      return undefined;
    },
  }).result;
  return { asked, mapping, pass: forecast.pass };
}

const withZeros = numbers.map((number) => String(number).padStart(3, '0'));

it('asks whether the zeros of customers come back where the ledger knows nearly all of them with zeros', async () => {
  const { asked, mapping, pass } = await agree(withZeros, 'customer_zeros');
  expect(asked).toHaveLength(1);
  const [question] = asked;
  expect(question).toMatchObject({
    about: 'Customer no',
    code: 'customer_unknown',
    rows: 6,
    proposal: 'wrong',
  });
  const option = question?.options.find(({ id }) => id === 'customer_zeros');
  expect(option).toMatchObject({ label: "customers' numbers have 3 digits: put the zeros back", passes: 8 });
  expect(option?.samples).toContainEqual({ row: 3, before: '11', after: '011' });
  if (question !== undefined) expect(forProgram(question).question).toMatchObject({ kind: 'values' });
  expect(mapping.values?.['customer_external_id']).toMatchObject({ '5': '005', '11': '011' });
  expect(pass).toBe(8);
});

it('sends nothing with zeros that a person has not agreed to', async () => {
  const { asked, mapping, pass } = await agree(withZeros, 'accept');
  expect([asked.length, mapping.values, pass]).toEqual([1, undefined, 2]);
});

it.each([
  ['a shorter number is a customer by itself', [...withZeros, '11']],
  ['the ledger does not know nearly all of them with zeros', ['005', '011', '025', '038', '113', '240']],
  [
    'it knows them with zeros of two lengths',
    [...withZeros, ...numbers.map((number) => String(number).padStart(4, '0'))],
  ],
])('asks nothing where %s', async (_, known) => {
  expect((await agree(known, 'accept')).asked).toEqual([]);
});
