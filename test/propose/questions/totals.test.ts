import { describe, expect, it } from 'vitest';
import { MappingDialogue } from '../../../src/propose/dialogue/dialogue.ts';
import { rowsToImport, type Trial } from '../../../src/propose/dialogue/reading-source.ts';
import { openPointsOf } from '../../../src/propose/session/question-reason.ts';
import { everyRowPasses, gridOf, proposingOf } from '../grids.ts';

const lines = [
  ['Staff ID', 'Full name', 'Mobile', 'Amount'],
  ...Array.from({ length: 6 }, (_, at) => [`C-${at}`, `Ann Other ${at}`, `+25471200${1000 + at}`, 500]),
];
const differing = [{ row: 9, total: '9999.99', section: '3000', all: '3000' }];

/** As the validator: a total that a person has accepted is not reported again. */
const trial: Trial = async (reading, ...others) => {
  const result = await everyRowPasses(reading, ...others);
  return (reading.mapping.acceptTotals ?? []).includes('9999.99') ? result : { ...result, differing };
};

async function lead(answer: string) {
  const proposing = proposingOf([gridOf(lines)], { stated: { kind: 'recipients' } });
  const dialogue = new MappingDialogue(rowsToImport(proposing), trial);
  const asked: unknown[] = [];
  for (let question = await dialogue.next(); question !== null; question = await dialogue.next()) {
    if (question.about === 'totals') asked.push(question.why);
    dialogue.answer(question.question, question.about === 'totals' ? answer : 'accept');
  }
  return { asked, ...(await dialogue.reading()) };
}

describe('a total that is none of the rows', () => {
  it('is shown to the person once, beside what the rows add up to', async () => {
    const { asked, mapping, forecast } = await lead('rows');
    expect(asked).toEqual([
      { code: 'total_differs', row: 9, total: '9999.99', section: '3000', all: '3000', more: 0 },
    ]);
    expect(mapping.acceptTotals).toEqual(['9999.99']);
    expect(forecast.pass).toBe(6);
  });

  it('refuses the file where the person says so, or says nothing', async () => {
    for (const answer of ['refuse', 'accept']) {
      const { mapping, forecast } = await lead(answer);
      expect([mapping.acceptTotals, forecast.pass]).toEqual([undefined, 0]);
    }
  });

  it('is an open point of a proposal', () => {
    const open = openPointsOf({ uses: [], points: [] }, differing);
    expect(open.map(({ about }) => about)).toEqual(['reading', 'totals']);
    expect(open[1]?.why).toContain('9999.99');
  });
});
