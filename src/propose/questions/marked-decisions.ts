/* A person's answers about marked rows, as decisions of a dialogue and as parts of a mapping. */

import { filled } from '../../domain/tables/mapping.ts';
import { type RowMeaning, rowMeanings } from '../../domain/tables/row-marks.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import { saidPrefix } from '../../read/rows/marked-rows.ts';
import { type Decision, type Decisions, decidingColumns, markedField, saidIn } from '../decisions.ts';
import type { Point } from './point.ts';

/** The beginning of the ids of questions about marked rows. */
export const markedPrefix = 'marked:';

/** Whether a question is about marked rows. */
export function isMarkedPoint({ id }: Pick<Point, 'id'>): boolean {
  return id.startsWith(markedPrefix);
}

/** The text between marks of the same rows. Such marks are one line of a question. */
export const withOther = ' + ';

/** A person's answers by mark, and by column and value. */
interface SaidOfRows {
  readonly rows: Readonly<Record<string, RowMeaning>>;
  readonly values: ReadonlyMap<string, Readonly<Record<string, RowMeaning>>>;
}

/** A person's answers about marked rows. */
export function saidOf(decisions: Decisions): SaidOfRows {
  const rows: Record<string, RowMeaning> = {};
  const values = new Map<string, Record<string, RowMeaning>>();
  for (const [id, decision] of decisions) {
    if (!id.startsWith(markedPrefix)) continue;
    const [place, title]: readonly unknown[] = JSON.parse(id.slice(markedPrefix.length));
    const meanings = meaningsIn(decision);
    if (place === 'rows') {
      for (const [marks, meaning] of Object.entries(meanings)) {
        const own = marks.startsWith(saidPrefix) ? [marks] : marks.split(withOther);
        for (const mark of own) rows[mark] = meaning;
      }
    } else if (typeof title === 'string') values.set(title, { ...values.get(title), ...meanings });
  }
  return { rows, values };
}

/** Whether the values of a column decide which rows are sent. */
export function decidesRows(title: string, decisions: Decisions): boolean {
  return decidingColumns(decisions).has(title) || saidOf(decisions).values.has(title);
}

/**
 * The ids of decisions about values of the columns whose use a decision changes. If the decision says that a column is
 * no field, this changes nothing, unless a person has said before that the column's values decide.
 */
export function withoutValuesOf(
  decision: Decision,
  decisions: Decisions,
  remembered: Decisions = new Map(),
): readonly string[] {
  const { columns } = saidIn(decision);
  if (columns === undefined) return [];
  const deciding = new Set([...decidingColumns(remembered), ...decidingColumns(decisions)]);
  const isChanged = (title: string): boolean =>
    Object.hasOwn(columns, title) && (columns[title] !== 'ignore' || deciding.has(title));
  return [...decisions.keys()].filter((id) => {
    if (!id.startsWith(markedPrefix)) return false;
    const [place, title]: readonly unknown[] = JSON.parse(id.slice(markedPrefix.length));
    return place === 'values' && typeof title === 'string' && isChanged(title);
  });
}

function meaningsIn(decision: Decision): Readonly<Record<string, RowMeaning>> {
  return Object.fromEntries(
    Object.entries(saidIn(decision).values ?? {}).map(([value, meaning]) => [
      value,
      rowMeanings.find((each) => each === meaning) ?? 'hold',
    ]),
  );
}

/** The parts of a mapping that say what is done with marked rows. */
export function markedSections(decisions: Decisions): Pick<MappingFile, 'markedRows' | 'markedValues'> {
  const { rows, values } = saidOf(decisions);
  return filled({ markedRows: rows, markedValues: Object.fromEntries(values) });
}

/** The decisions that led to these parts of a mapping. */
export function markedDecisions({ markedRows, markedValues = {} }: MappingFile): Map<string, Decision> {
  const all = new Map<string, Decision>();
  if (markedRows !== undefined) all.set(`${markedPrefix}${JSON.stringify(['rows'])}`, { values: markedRows });
  for (const [title, values] of Object.entries(markedValues)) all.set(idOfMarkedValues(title), { values });
  return all;
}

function idOfMarkedValues(title: string): string {
  return `${markedPrefix}${JSON.stringify(['values', title])}`;
}

/** Whether a decision says what is done with the rows of each value of a column, as a mapping stores it. */
export function isOfMarkedValues(id: string, title: string): boolean {
  return id === idOfMarkedValues(title);
}

/** A question that is asked again, with the earlier answers as its proposals. */
export function askedAgain(point: Point, decisions: Decisions): Point {
  const { subject, about } = point;
  if (subject.kind !== 'values') return point;
  const { rows, values } = saidOf(decisions);
  const before = about === markedField ? rows : (values.get(about) ?? {});
  const lines = subject.values.map((line) => ({
    ...line,
    proposal: before[line.value] ?? before[line.value.split(withOther)[0] ?? ''] ?? line.proposal,
  }));
  return { ...point, subject: { ...subject, values: lines } };
}
