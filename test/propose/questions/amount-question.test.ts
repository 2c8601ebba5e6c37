import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/propose/decisions.ts';
import { decisionOf } from '../../../src/propose/dialogue/answers.ts';
import { MappingDialogue } from '../../../src/propose/dialogue/dialogue.ts';
import { rowsToImport } from '../../../src/propose/dialogue/reading-source.ts';
import { everyRowPasses, gridOf, type Lines, proposingOf, readLines } from '../grids.ts';

const members = Array.from({ length: 12 }, (_, at) => at);
const head = ['Member No', 'Name', 'Phone'];
const stated = { stated: { kind: 'collections' } } as const;

/** A list of members with two columns of numbers. */
function list(
  titles: readonly [string, string],
  cells: (at: number) => readonly [string | number, string | number],
): Lines {
  const rows = members.map((at) => [`M-${100 + at}`, 'Amina Otieno', `+25671200${1000 + at}`, ...cells(at)]);
  return [[...head, ...titles], ...rows];
}

const balance = (at: number): number => 900_000 + at * 777;
const typed = (at: number): string | number =>
  [`${50 + at},000/=`, `UGX ${50 + at},000`, 50_000 + at * 1000][at % 3] ?? '';
const added = (at: number): string | number => (at % 2 === 0 ? 45_000 + at : `=E${at + 2}*0.05`);

async function read(lines: Lines, decisions: Readonly<Record<string, Decision>> = {}) {
  const { uses, points, mapping } = await readLines(lines, decisions, stated);
  const open = points.find(({ why }) => why.code === 'several_amounts');
  return {
    open,
    proposal: open?.subject.proposal,
    taken: uses.find(({ fields }) => fields.includes('amount'))?.column.title,
    amounts: Object.entries(mapping.columns ?? {}).filter(([, field]) => field === 'amount'),
  };
}

describe('which of several columns is the amount', () => {
  it.each([
    ['with units, under a title of its own', 'Amount to collect', typed],
    ['with units, under any title', 'This week', typed],
    ['partly of formulas', 'Due', added],
  ] as const)('is asked without a proposal beside plain balances, for one %s', async (_, title, cells) => {
    const { open, proposal, taken } = await read(list([title, 'Balance'], (at) => [cells(at), balance(at)]));
    expect([open?.about, proposal]).toEqual([taken, null]);
    const others = taken === title ? ['Balance'] : [title];
    expect(open?.why).toMatchObject({ columns: others });
  });

  it('is asked without a proposal where two titles are as good', async () => {
    const { proposal } = await read(list(['Total', 'Balance'], (at) => [45_000 + at * 13, balance(at)]));
    expect(proposal).toBeNull();
  });

  it('is asked of each column until a person has named one', async () => {
    const lines = list(['Total', 'Balance'], (at) => [45_000 + at * 13, balance(at)]);
    const { open } = await read(lines);
    const second = await read(lines, { [`column:${open?.about}`]: 'ignore' });
    expect(second.open?.about).not.toBe(open?.about);
    expect(second.proposal).toBeNull();
    const last = await read(lines, {
      [`column:${open?.about}`]: 'ignore',
      [`column:${second.open?.about}`]: 'amount',
    });
    expect([last.open, last.taken]).toEqual([undefined, second.open?.about]);
  });

  it.each([
    ['another column was paid already', 'Paid so far'],
    ['another column counts', 'Weeks'],
  ])('is not asked where %s', async (_, title) => {
    const lines = list([title, 'Balance'], (at) => [title === 'Weeks' ? at + 1 : typed(at), balance(at)]);
    const { open, amounts } = await read(lines);
    expect([open, amounts]).toEqual([undefined, [['Balance', 'amount']]]);
  });

  it('is what a person says, and is not asked again', async () => {
    const lines = list(['This week', 'Balance'], (at) => [typed(at), balance(at)]);
    const { open, amounts } = await read(lines, { 'column:Balance': 'ignore', 'column:This week': 'amount' });
    expect([open, amounts]).toEqual([undefined, [['This week', 'amount']]]);
    const chosen = await read(lines, { 'review:first': { columns: { Balance: 'amount' } } });
    expect(chosen.open).toBeUndefined();
  });

  it('is never a mere yes', async () => {
    const lines = list(['This week', 'Balance'], (at) => [typed(at), balance(at)]);
    const dialogue = new MappingDialogue(rowsToImport(proposingOf([gridOf(lines)], stated)), everyRowPasses);
    for (let asked = 0; asked < 10; asked += 1) {
      const question = await dialogue.next();
      if (question?.why.code === 'several_amounts') {
        expect(question.proposal).toBeNull();
        expect([decisionOf(question, 'accept'), decisionOf(question, 'amount')]).toEqual([
          'ignore',
          'amount',
        ]);
        return;
      }
      await dialogue.answer(question?.question ?? 0, 'accept');
    }
    throw new Error('it was not asked');
  });
});
