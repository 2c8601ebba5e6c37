/* The account of a file that was only checked: no batch is made of it. */

import type { BatchFiles, ChangesSummary } from '../domain/batches/batch-facts.ts';
import type { TalliedFindings } from '../domain/rows/finding.ts';
import { checkedHeadline } from '../output/words/wording.ts';
import type { InputAccount } from './account.ts';
import { changesTables } from './changes-tables.ts';
import { notesTables, type Report } from './report.ts';

/** One input as a check leaves it. Rows that would be sent are `not_sent`. */
export interface CheckedAccount extends InputAccount {
  readonly id: null;
  /** As messages name it: the file, and its sheet where it has one. */
  readonly place: string;
  readonly findings: TalliedFindings;
  readonly changes: ChangesSummary;
  readonly files: BatchFiles & { readonly findings: string };
}

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
