import { usesOfValues } from '../columns/column-use.ts';
import { type Decision, type Decisions, type RefusedChange, saidIn } from '../decisions.ts';
import type { QuestionOption, QuestionSubject, RepairSample } from '../question.ts';
import type { Point } from '../questions/point.ts';
import { leaveOutOption } from '../questions/points.ts';
import type { Reading } from '../reading/propose.ts';
import { idOfRefused, withChange } from '../reading/refused-answers.ts';
import { cellText } from '../sheet/grid.ts';
import { changesFor, leaveOutId, type PossibleChange } from './refused-changes.ts';
import { refusedGroups, type TriedRow } from './refused-groups.ts';

/** The question about the meaning of the values in a group of refused rows. */

/** A change with the reading that it leads to, for the validator to try. */
interface TriedChange extends PossibleChange {
  readonly reading: Reading;
}

/**
 * A group about which a person has to be asked. The options are the changes that help, and the answer that the values
 * are wrong.
 */
export interface RefusedPoint extends Point {
  readonly changes: readonly TriedChange[];
  /** The values that are shown, by each of their rows. */
  readonly shown: ReadonlyMap<number, string>;
  /** The value of a row as it would be sent; undefined if the row is still refused. */
  readonly sentIn: (row: TriedRow) => string | undefined;
  readonly subject: Extract<QuestionSubject, { readonly kind: 'refused' }>;
}

/** The id of the answer that the values are wrong. */
const areWrong = 'wrong';

const valuesShown = 40;
const samplesShown = 4;
const cellsShown = 8;

/** The largest group of refused rows about which a person was not asked; undefined if none exists. */
export function refusedPoint(
  reading: Reading,
  rows: readonly TriedRow[],
  decisions: Decisions,
  only: string | undefined,
): RefusedPoint | undefined {
  const groups = refusedGroups(reading, rows, decisions);
  const group = groups.find(({ column }) => only === undefined || column.title === only);
  if (group === undefined) return undefined;
  const { column, field, code, message, values } = group;
  const fields = usesOfValues(reading.uses).find((use) => use.column === column)?.fields ?? [];
  const changes = changesFor(group, reading).map((possible): TriedChange => {
    const mapping = withChange(reading.mapping, column.title, fields, possible.change);
    return { ...possible, reading: { ...reading, mapping } };
  });
  const meanings = changes.flatMap(({ id, change }) =>
    id === leaveOutId ? [] : Object.entries(change.values ?? {}),
  );
  const meant = new Map(meanings);
  const shown = values.slice(0, valuesShown);
  return {
    id: idOfRefused(column.title, code),
    about: column.title,
    rows: Math.round(group.rows * reading.sheet.weight),
    samples: shown.slice(0, samplesShown).map(({ text }) => text),
    options: [],
    freeText: false,
    isNeeded: true,
    stage: 4,
    changes,
    shown: new Map(shown.flatMap(({ text, rows: own }) => own.map((row) => [row, text] as const))),
    sentIn: ({ isPassed, record }) => (isPassed ? sentValue(record, field) : undefined),
    why: { code: 'values_refused', finding: code, message },
    subject: {
      kind: 'refused',
      field,
      code,
      values: shown.map(({ text, rows: own }) => ({
        value: text,
        rows: own.length,
        example_row: own[0] ?? 0,
        in_row: rowAround(reading, own[0] ?? 0, column.index),
        proposal: meant.get(text) ?? null,
        options: [{ id: null, label: 'wrong: refuse the rows with it' }, leaveOutOption],
      })),
      more: values.length - shown.length,
      proposal: meanings.length > 0 ? 'meanings' : areWrong,
    },
  };
}

/** The phone number that an account number has become; otherwise the field's own value. */
function sentValue(record: TriedRow['record'], field: string): string {
  return (field === 'account_number' ? record['phone_number'] : undefined) ?? record[field] ?? '';
}

/** The filled cells nearest to a column, in the order of the file. They explain its value best. */
function rowAround({ sheet }: Reading, number: number, column: number): readonly string[] {
  const row = sheet.rows.find((own) => own.number === number);
  if (row === undefined) return [];
  const cells = sheet.titles.flatMap((title, index) => {
    const text = cellText(row, index);
    return title === '' || text === '' ? [] : [{ index, text: `${title}: ${text}` }];
  });
  const nearest = [...cells].sort(
    (left, right) => Math.abs(left.index - column) - Math.abs(right.index - column),
  );
  const shown = new Set(nearest.slice(0, cellsShown));
  return cells.filter((cell) => shown.has(cell)).map(({ text }) => text);
}

/**
 * The question about a group with the options that let more rows pass, and the answer that the values are wrong. That
 * answer is proposed if the likely change does not help.
 * @param passes the number of rows that pass without an answer
 * @param rowsUnder the rows under a changed reading that have the values that are shown, and how many rows pass
 */
export async function withHelpfulOptions<Changed>(
  point: RefusedPoint & { readonly changes: readonly { readonly reading: Changed }[] },
  passes: number,
  rowsUnder: (reading: Changed) => Promise<{ readonly rows: readonly TriedRow[]; readonly passes: number }>,
): Promise<{ readonly asked: Point; readonly options: readonly QuestionOption[] }> {
  const options: QuestionOption[] = [{ id: areWrong, label: 'they are wrong: refuse their rows', passes }];
  for (const { id, label, reading } of point.changes) {
    const tried = await rowsUnder(reading);
    if (tried.passes <= passes && id !== leaveOutId) continue;
    options.push({ id, label, passes: tried.passes, samples: samplesOf(point, tried.rows) });
  }
  const { subject } = point;
  const isPossible = options.some(({ id }) => id === subject.proposal);
  return { asked: isPossible ? point : { ...point, subject: { ...subject, proposal: areWrong } }, options };
}

/** The result of an option for each value that is shown, in its first row without another fault. */
function samplesOf(point: RefusedPoint, rows: readonly TriedRow[]): readonly RepairSample[] {
  const samples = new Map<string, RepairSample>();
  for (const row of rows) {
    const before = point.shown.get(row.row);
    const after = before === undefined || samples.has(before) ? undefined : point.sentIn(row);
    if (before !== undefined && after !== undefined) samples.set(before, { row: row.row, before, after });
  }
  return [...samples.values()];
}

/** The decision in an answer: how the chosen option changes the reading. */
export function refusedDecision(point: RefusedPoint, said: Decision): Decision {
  if (typeof said === 'string') {
    const change: RefusedChange | undefined = point.changes.find(({ id }) => id === said)?.change;
    return change === undefined ? areWrong : { change };
  }
  const { values } = saidIn(said);
  return values === undefined ? areWrong : { change: { values } };
}
