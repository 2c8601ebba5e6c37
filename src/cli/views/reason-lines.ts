import { hasFewValues, type ReasonGroup } from '../../domain/batches/reasons.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { countOf, groupedNumber, printable } from '../../output/words/wording.ts';
import { type Colour, statusColour, wrapped } from './terminal-text.ts';

const shownReasons = 6;
const shownValues = 5;

/** Why rows are not created, the most frequent reasons first, each with its rows and one of them as an example. */
export function reasonLines(
  reasons: readonly ReasonGroup[],
  colour: Colour,
  terminalColumns?: number,
): string[] {
  const told = reasons.filter(({ status, example }) => example !== null && isTold(status));
  if (told.length === 0) return [];
  const shown = [...told].sort((left, right) => right.rows - left.rows).slice(0, shownReasons);
  const lines = shown.flatMap((reason) => {
    const [first = '', ...others] = wrapped(reasonText(reason), '    ', terminalColumns);
    return [`  ${colour(statusColour(reason.status), '•')} ${first.slice(4)}`, ...others];
  });
  const left = told.length - shown.length;
  const more = left === 0 ? [] : [`    and ${countOf(left, 'more reason')}, in the report`];
  return [`  ${colour('bold', 'Reasons')}`, ...lines, ...more];
}

/** What is in doubt, or not sent yet, is told elsewhere. */
function isTold(status: ResultStatus): boolean {
  return status === 'invalid' || status === 'rejected' || status === 'held' || status === 'waiting';
}

function reasonText(reason: ReasonGroup): string {
  const { column, example: message, rows, places } = reason;
  const own = column === null ? [] : [`your column ${printable(column)}${valuesText(reason)}`];
  const first = /^\d+/.exec(places[0]?.rows ?? '')?.[0];
  const where = first === undefined ? [] : [rows === 1 ? `row ${first}` : `for example row ${first}`];
  const about = [...own, ...where];
  return `${whatHappened(reason)}: ${printable(message ?? '')}${about.length === 0 ? '' : ` (${about.join('; ')})`}`;
}

function whatHappened({ status, rows }: ReasonGroup): string {
  const [are, wait] = rows === 1 ? ['is', 'waits'] : ['are', 'wait'];
  switch (status) {
    case 'rejected':
      return `The API refused ${countOf(rows, 'row')}`;
    case 'held':
      return `${countOf(rows, 'row')} ${are} held for a person`;
    case 'waiting':
      return `${countOf(rows, 'row')} ${wait}`;
    default:
      return `${countOf(rows, 'row')} ${are} invalid`;
  }
}

/** `: Privat 1,112, Firma 44`, of a column whose values are few. */
function valuesText(reason: ReasonGroup): string {
  if (!hasFewValues(reason)) return '';
  const { places } = reason;
  const byRows = [...places].sort((left, right) => right.rowCount - left.rowCount);
  const shown = byRows
    .slice(0, shownValues)
    .map(({ value, rowCount }) => `${value === '' ? 'empty' : printable(value)} ${groupedNumber(rowCount)}`);
  const left = byRows.length - shown.length;
  return `: ${shown.join(', ')}${left === 0 ? '' : ` and ${countOf(left, 'other value')}`}`;
}
