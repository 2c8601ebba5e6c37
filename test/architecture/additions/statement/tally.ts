import { text } from 'node:stream/consumers';
import {
  damagedStatement,
  type StatementEntry,
  type StatementFormat,
} from '../../../../src/read/statement/entry.ts';

/** A statement format that no bank has: a line for the account, then a line for each entry, its fields between bars. */
export const tally: StatementFormat = {
  name: 'tally',
  messages: ['TALLY'],
  recognises: (start) => start.startsWith('TALLY|'),
  async *entries(bytes) {
    const [head = '', ...lines] = (await text(bytes)).trim().split('\n');
    const [, account = '', currency = ''] = head.split('|');
    yield lines.map((line): StatementEntry => {
      const [entry = '', date = '', amount, about = ''] = line.split('|');
      if (amount === undefined) throw damagedStatement('a line of it has no amount');
      return {
        ...{ statement: account, account, entry, date, amount, currency },
        ...{ status: 'BOOK', isReversal: false, counterparty: '', texts: [about] },
      };
    });
  },
};
