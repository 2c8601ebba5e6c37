import type { Institution } from '../../src/domain/institution.ts';
import type { CellKind } from '../../src/domain/tables/table.ts';
import type { Decision, Proposing } from '../../src/propose/decisions.ts';
import type { Trial } from '../../src/propose/dialogue/reading-source.ts';
import { proposeReadings, type Reading } from '../../src/propose/reading/propose.ts';
import type { Grid, GridRow } from '../../src/propose/sheet/grid.ts';

/** A number in a cell is a number cell, a row of cells that begins with `hidden:` a hidden one. */
export function gridOf(
  lines: readonly (readonly (string | number | null)[])[],
  sheet: string | null = null,
): Grid {
  const rows = lines.flatMap((line, index): GridRow[] => {
    const isHidden = line[0] === 'hidden:';
    const own = isHidden ? line.slice(1) : line;
    if (own.length === 0) return [];
    const kinds = new Map<number, CellKind>(
      own.flatMap((cell, at) => (typeof cell === 'number' ? [[at, 'number'] as const] : [])),
    );
    return [
      {
        number: index + 1,
        cells: own.map((cell) => String(cell ?? '')),
        kinds,
        ...(isHidden ? { isHidden: true as const } : {}),
      },
    ];
  });
  return {
    sheet,
    rows,
    isHidden: false,
    isCut: false,
    allRows: rows.length,
    titles: async ([first, second]) => {
      const upper = rows.find(({ number }) => number === first)?.cells ?? [];
      if (second === undefined) return upper;
      const lower = rows.find(({ number }) => number === second)?.cells ?? [];
      let group = '';
      return lower.map((own, index) => {
        group = upper[index] || group;
        return own === '' ? (upper[index] ?? '') : `${group} / ${own}`;
      });
    },
  };
}

export function institution(
  name: string,
  type: 'bank' | 'mobile_money',
  country = 'KE',
  currency = 'KES',
): Institution {
  return {
    id: `id of ${name}`,
    name,
    country,
    currency,
    minAmount: '1',
    maxAmount: '100000',
    accountNumberType: type === 'bank' ? 'bank_account_number' : 'phone_number',
  };
}

export function proposingOf(grids: readonly Grid[], own: Partial<Proposing> = {}): Proposing {
  return {
    grids,
    stated: {},
    facts: {
      knownCustomers: async (ids) => ids.filter((id) => id.startsWith('C-')).length / ids.length,
      institutions: async () => [],
      accountLabels: async () => new Map(),
    },
    ...own,
  };
}

/** Accepts every row whose required columns are there: enough to lead a dialogue. */
export const everyRowPasses: Trial = async ({ sheet, assignment }) => {
  const rows = sheet.rows.length;
  const pass = assignment.missing.some((group) => group.includes('account_name')) ? 0 : rows;
  return { forecast: { pass, refused: rows - pass, left_out: sheet.otherLines }, reasons: [] };
};

export type Lines = Parameters<typeof gridOf>[0];

/** The likeliest reading of some lines. */
export async function readLines(
  lines: Lines,
  decisions: Readonly<Record<string, Decision>> = {},
  own = {},
): Promise<Reading> {
  const [best] = await proposeReadings(proposingOf([gridOf(lines)], own), new Map(Object.entries(decisions)));
  if (best === undefined) throw new Error('nothing was proposed');
  return best;
}

/** Customers and institutions of Kenya. */
export const kenyan = {
  facts: {
    accountLabels: async () => new Map([['Rent', 1]]),
    knownCustomers: async (ids: readonly string[]) =>
      ids.filter((id) => id.startsWith('C-')).length / ids.length,
    institutions: async (country: string) =>
      country === 'KE'
        ? [
            institution('M-Pesa', 'mobile_money'),
            institution('Airtel Money', 'mobile_money'),
            institution('KCB Bank Kenya', 'bank'),
          ]
        : [],
  },
};
