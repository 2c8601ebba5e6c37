/* What changed since last time, for a terminal: values masked. */

import { changesHeadlines, printable, seriesSentences } from '../../account/words/wording.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { ChangesSummary } from '../../domain/batches/batch-facts.ts';
import { countOf, groupedNumber } from '../../domain/money/figures.ts';
import type { ShownChange, ShownPayee } from '../../domain/rows/payee-change.ts';
import { mask } from '../../domain/text/characters.ts';
import { type Colour, wrapped } from './terminal-text.ts';

const shownChanges = 5;

/** The counts of both findings, the first few of them, before and after, and how the file compares with the last one. */
export function changeLines(
  changes: ChangesSummary | null,
  colour: Colour,
  terminalColumns?: number,
): string[] {
  if (changes === null) return [];
  const found = findingLines(changes, colour, terminalColumns);
  const { series = null } = changes;
  const compared =
    series === null
      ? []
      : seriesSentences(series).flatMap((sentence) => wrapped(sentence, '  ', terminalColumns));
  const lines = [...found, ...compared];
  return lines.length === 0 ? [] : [`  ${colour('bold', 'What changed since last time')}`, ...lines];
}

function findingLines(
  { counts, shown }: ChangesSummary,
  colour: Colour,
  terminalColumns: number | undefined,
): string[] {
  if (shown.length === 0) return [];
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const left = all - Math.min(shownChanges, shown.length);
  const lines = shown
    .slice(0, shownChanges)
    .flatMap((change) => wrapped(changeText(change), '    ', terminalColumns));
  const more = left === 0 ? [] : [`    and ${countOf(left, 'more finding')}, in the changes file`];
  return [...changesHeadlines(counts).map((line) => `  ${colour('yellow', line)}`), ...lines, ...more];
}

function changeText({ row, code, before, after, earlier }: ShownChange): string {
  const place =
    earlier.batch === null
      ? `row ${groupedNumber(earlier.row)} of this file`
      : `row ${groupedNumber(earlier.row)} of ${printable(earlier.file)}, batch ${shortBatchId(earlier.batch)}`;
  const created = earlier.createdAt === null ? '' : `, created ${earlier.createdAt.slice(0, 10)}`;
  const what =
    code === 'payee_details_changed'
      ? `${accountOf(before, after)} before, ${accountOf(after, before)} now`
      : `${accountOf(after)} is another payee's`;
  return `row ${groupedNumber(row)}: ${what} (${place}${created})`;
}

/** An account, masked; where its end is that of the other one, so much more of it as shows the difference. */
function accountOf({ account, institution }: ShownPayee, other?: ShownPayee): string {
  const where =
    institution === '' || /^[\da-f-]{36}$/.test(institution) ? '' : ` at ${printable(institution)}`;
  return `${other === undefined ? mask(account) : maskedBeside(account, other.account)}${where}`;
}

function maskedBeside(account: string, other: string): string {
  const masked = mask(account);
  if (account === other || masked !== mask(other)) return masked;
  const [own, others] = [[...account], [...other]];
  const at = own.findIndex((character, index) => character !== others[index]);
  if (at < 0) return masked;
  // As many characters as the mask shows at the end.
  const visible = masked.length - '“…”'.length;
  if (visible === 0) return masked;
  const differing = own.slice(at, at + visible).join('');
  return `“${at === 0 ? '' : '…'}${printable(differing)}${masked.slice(1)}`;
}
