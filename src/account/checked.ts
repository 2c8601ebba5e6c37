/* The account of a file that was only checked: no batch is made of it. */

import type { CheckedAccount } from '../domain/batches/account.ts';
import { changesTables } from './changes-tables.ts';
import { notesTables, type Report } from './report.ts';
import { checkedHeadline } from './words/wording.ts';

/** The report of a check. */
export function reportOfCheck(
  account: Omit<CheckedAccount, 'findings' | 'place'>,
  { madeAt, words }: Pick<Report, 'madeAt' | 'words'>,
): Report {
  return {
    account,
    sentences: [
      { tone: 'main', text: 'Checked only; nothing was sent' },
      { tone: 'counts', text: checkedHeadline(account.counts, account.repeats) },
    ],
    madeAt,
    words,
    leading: changesTables(account.changes),
    tables: notesTables(account.notes),
  };
}
