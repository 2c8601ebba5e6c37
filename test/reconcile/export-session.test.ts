import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ExportMappingSession } from '../../src/reconcile/export-session.ts';
import { openDesk } from '../support/cli-desk.ts';
import { openEngine } from '../support/engine.ts';

/** Two columns that may be the amount, and days that may be read in two ways. */
const unclear = [
  'Order;Gross total;Net total;Booked',
  'A-1;1.234,50;1.200,00;03.04.2026',
  'A-2;20,00;19,00;05.06.2026',
  'A-3;7,25;7,00;07.08.2026',
].join('\n');

type Answers = Readonly<Record<string, unknown>>;

/** Answers a question by what it is about, once, and accepts every other proposal: a review comes again after a change. */
function answering(answers: Answers, asked: string[]) {
  return async ({ dialogue }: ExportMappingSession): Promise<undefined> => {
    const left = new Map(Object.entries(answers));
    for (let question = await dialogue.next(); question !== null; question = await dialogue.next()) {
      asked.push(`${question.kind} ${question.about}`);
      const problem = dialogue.answer(question.question, left.get(question.about) ?? 'accept');
      left.delete(question.about);
      expect(problem).toBeUndefined();
    }
    return undefined;
  };
}

async function openWork(text: string) {
  const desk = await openDesk();
  const file = join(desk.folder, await desk.write('export.csv', `${text}\n`));
  const paybatch = await openEngine({ ledger: { databaseUrl: desk.databaseUrl ?? '' } });
  const agree = async (answers: Answers, again = false) => {
    const asked: string[] = [];
    const request = { file, folder: desk.folder, lead: answering(answers, asked), again };
    return { ...(await paybatch.agreeOnExportMapping(request).result), asked };
  };
  return { desk, file, paybatch, agree };
}

it('reads the column that a person chooses of two with the same title', async () => {
  const { agree, paybatch, file, desk } = await openWork(
    unclear.replace('Gross total;Net total', 'Total;Total'),
  );
  const { mapping, path } = await agree({
    'Total (1 of 2)': 'ignore',
    'Total (2 of 2)': 'amount',
    currency: { text: 'EUR' },
    Booked: 'DD.MM.YYYY',
  });
  expect(mapping).toMatchObject({ columns: { Order: 'reference', 'Total (2 of 2)': 'amount' } });
  const withOtherGross = unclear
    .replace('Gross total;Net total', 'Total;Total')
    .replace('1.234,50', '1.300,00');
  const left = join(desk.folder, await desk.write('ours.csv', `${withOtherGross}\n`));
  const compared = paybatch.compare({
    left: [left],
    right: [file],
    rules: {},
    reading: { mapping: path ?? '' },
  });
  expect(await compared.result).toMatchObject({ outcome: 'done' });
  await paybatch.close();
});

it('asks about what is not certain of an export, and remembers the answers for its header', async () => {
  const { agree, paybatch } = await openWork(unclear);
  const answers = {
    'Gross total': 'ignore',
    'Net total': 'amount',
    currency: { text: 'EUR' },
    Booked: 'DD.MM.YYYY',
  };
  const { asked, mapping, forecast, path } = await agree(answers);
  expect(asked.slice(0, 1)).toEqual(['review export']);
  expect(asked).toEqual(expect.arrayContaining(['constant currency', 'reading Booked']));
  expect(mapping).toMatchObject({
    columns: { Order: 'reference', 'Net total': 'amount', Booked: 'date' },
    constants: { currency: 'EUR' },
    dateFormat: 'DD.MM.YYYY',
    ...{ decimal: ',', thousands: '.' },
  });
  expect(forecast).toEqual({ pass: 3, refused: 0, left_out: 0 });
  expect(path).toContain('export.export.mapping.json');
  // The next export of this header is read so, and nothing is asked; all of it is where somebody wants that.
  expect(await agree({})).toMatchObject({ asked: [], path: null, mapping });
  expect((await agree({}, true)).asked.length).toBeGreaterThan(1);
  await paybatch.close();
});

it('asks whether amounts matter where none of the columns is the amount', async () => {
  const { agree, paybatch } = await openWork('Order;Column 7\nA-1;12,50\nA-2;8,00\nA-3;7,25');
  const needed = await agree({});
  expect(needed.asked).toEqual(['review export', 'column Column 7', 'reading amounts', 'review export']);
  expect(needed.mapping.compare).toBeUndefined();
  const without = await agree({ amounts: 'without' }, true);
  expect(without.mapping).toMatchObject({ columns: { Order: 'reference' }, compare: ['reference'] });
  await paybatch.close();
});

it('keeps nothing where no column identifies a record', async () => {
  const { agree, paybatch } = await openWork('Order;Column 7\nA-1;12,50\nA-2;8,00\nA-3;7,25');
  const nothing = agree({ export: { columns: { Order: 'ignore' } } });
  await expect(nothing).rejects.toThrow('No column tells a record');
  expect((await agree({})).asked).not.toEqual([]);
  await paybatch.close();
});
