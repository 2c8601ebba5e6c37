import { describe, expect, it } from 'vitest';
import {
  cellMarks,
  LookBuilder,
  MarkTally,
  noFillMark,
  type RowLook,
  struckMark,
} from '../../../src/domain/tables/row-marks.ts';

const yellow = 'yellow FFFF00';
const grey = 'grey D9D9D9';

function look(...marks: readonly string[]): RowLook {
  return { marks, partly: [] };
}

/** The marks found in rows that look like this, one a row from row 2 on. */
function foundIn(looks: readonly (RowLook | undefined)[], known: readonly string[] = []): readonly string[] {
  const tally = new MarkTally(new Set(known));
  for (const [at, own] of looks.entries())
    tally.add({ number: at + 2, ...(own === undefined ? {} : { look: own }) });
  return tally.found().map(({ mark, rows, first }) => `${mark}: ${rows}, first ${first[0]}`);
}

function rows(count: number, of: (at: number) => RowLook | undefined): (RowLook | undefined)[] {
  return Array.from({ length: count }, (_, at) => of(at));
}

describe('the mark of a colour', () => {
  it.each([
    ['ffff00', [yellow]],
    ['FF0000', ['red FF0000']],
    ['C6EFCE', ['green C6EFCE']],
    ['BDD7EE', ['blue BDD7EE']],
    ['FFFFFF', []],
    [undefined, []],
  ])('of the fill %s is %j', (rgb, marks) => {
    expect(cellMarks({ fill: rgb })).toEqual(marks);
  });

  it('of letters has another name, and black letters have none', () => {
    expect([
      cellMarks({ text: 'FF0000' }),
      cellMarks({ text: '000000' }),
      cellMarks({ text: '333333' }),
    ]).toEqual([['red text FF0000'], [], []]);
  });
});

describe('a row', () => {
  it('has the marks of more than half of its filled cells', () => {
    const builder = new LookBuilder();
    for (const marks of [[struckMark, yellow], [struckMark], []]) builder.add(marks);
    expect(builder.build()).toEqual({ marks: [struckMark], partly: [yellow] });
  });

  it('without a marked cell has no look', () => {
    const builder = new LookBuilder();
    builder.add([]);
    expect(builder.build()).toBeUndefined();
  });
});

describe('the marks that set rows apart', () => {
  it('are fills of some rows, and strikes', () => {
    const looks = rows(30, (at) =>
      at === 7 || at === 19 ? look(yellow) : at === 11 ? look(struckMark) : undefined,
    );
    expect(foundIn(looks)).toEqual([`${yellow}: 2, first 9`, `${struckMark}: 1, first 13`]);
  });

  it('are rows without a fill where most have one', () => {
    expect(foundIn(rows(20, (at) => (at === 3 || at === 4 ? undefined : look(grey))))).toEqual([
      `${noFillMark}: 2, first 5`,
    ]);
  });

  it.each([
    ['every second row', (at: number) => at % 2 === 1],
    ['every third row', (at: number) => at % 3 === 2],
    ['two of four rows', (at: number) => at % 4 > 1],
    ['every fifth row', (at: number) => at % 5 === 4],
  ])('are no stripes: %s', (_, isStripe) => {
    expect(foundIn(rows(40, (at) => (isStripe(at) ? look(grey) : undefined)))).toEqual([]);
  });

  it('are found among stripes', () => {
    const looks = rows(60, (at) => (at === 20 || at === 33 ? look(yellow) : at % 2 ? look(grey) : undefined));
    expect(foundIn(looks)).toEqual([`${yellow}: 2, first 22`]);
  });

  it('are no fills of whole columns, although rows with empty cells have more of them', () => {
    const looks = rows(20, (at) => (at < 3 ? look(grey) : { marks: [], partly: [grey] }));
    expect(foundIn(looks)).toEqual([]);
  });

  it('are no looks that all rows have', () => {
    expect(foundIn(rows(9, () => look(yellow)))).toEqual([]);
  });

  it('are not those that a person has spoken of', () => {
    const looks = rows(20, (at) => (at === 3 ? look(yellow) : at === 9 ? look(struckMark) : undefined));
    expect(foundIn(looks, [yellow])).toEqual([`${struckMark}: 1, first 11`]);
  });
});
