/* A possible question about a reading, and the data from which it is made. */

import type { Institution } from '../../domain/institution.ts';
import type { Assignment } from '../columns/assignment.ts';
import type { PayeeType } from '../columns/payee-types.ts';
import type { Places } from '../columns/places.ts';
import type { ValueTable } from '../columns/value-tables.ts';
import type { Writing } from '../columns/writing.ts';
import type { Decisions, Proposing } from '../decisions.ts';
import type { QuestionOption, QuestionReason, QuestionSubject, RepairSample } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import type { Sheet } from '../sheet/sheet.ts';

/** A possible question. Trying its options shows whether it changes anything. */
export interface Point {
  /** The key of its decision, such as `column:MoMo Number`. */
  readonly id: string;
  readonly subject: QuestionSubject;
  readonly about: string;
  readonly rows: number;
  readonly samples: readonly (string | RepairSample)[];
  readonly why: QuestionReason;
  readonly options: readonly Pick<QuestionOption, 'id' | 'label' | 'evidence'>[];
  readonly freeText: boolean;
  /**
   * Whether the question is asked even if no option changes how many rows pass. It may change what is sent, or only a
   * person may know the answer.
   */
  readonly isNeeded: boolean;
  /** Questions on which others depend come first. */
  readonly stage: 1 | 2 | 3 | 4;
}

/** A reading, and all data from which it was made. */
export interface ReadingParts {
  readonly proposing: Proposing;
  readonly decisions: Decisions;
  readonly sheet: Sheet;
  readonly assignment: Assignment;
  readonly places: Places;
  readonly writing: Writing;
  readonly tables: readonly ValueTable[];
  readonly payeeType: PayeeType;
  readonly institutions: readonly Institution[];
  /** The labels of the customers' accounts, with the share of customers that have one. */
  readonly labels: ReadonlyMap<string, number>;
  readonly others: readonly Assignment[];
  /** The likeliest assignment of each kind that is possible. */
  readonly ofKinds: readonly Assignment[];
}

/** An answer that sends this share of the rows or less sends almost none. Such an answer is usually wrong. */
export const nearlyNone = 0.1;

/** Another answer counts as nearly as good if it gives this share of the proposal's rows. */
const nearlyAsGood = 0.9;

/**
 * A question is worth asking if another answer gives nearly as many rows. A repair is asked about if it changes
 * anything.
 */
export function isWorthAsking(
  { subject }: Point,
  options: readonly QuestionOption[],
  passes: number,
): boolean {
  if (subject.kind === 'repair') return options.some((option) => option.passes !== passes);
  const others = options.filter(({ id }) => id !== subject.proposal);
  return others.some((option) => option.passes >= passes * nearlyAsGood);
}

/** Whether an import refuses the file without an answer to this question. */
export const isOfMarks = ({ why }: Point): boolean => why.code === 'rows_marked';

/**
 * Whether the question is asked whatever the number of earlier questions is. Without an answer, every row would be
 * sent.
 */
export const isAlwaysAsked = (point: Point): boolean =>
  isOfMarks(point) || point.why.code === 'column_decides';

/**
 * The order of questions: first those on which others depend, then those that are needed, then those that concern most
 * rows.
 */
export function byImportance(left: Point, right: Point): number {
  return left.stage - right.stage || Number(right.isNeeded) - Number(left.isNeeded) || right.rows - left.rows;
}

/* A question about how the file is read, with the parts that most such questions share. */

/** A question with options, one of which is proposed. It is of the first stage unless another stage is stated. */
export function reading(
  id: string,
  {
    about,
    rows,
    proposal,
    options,
    why,
    freeText = false,
    isNeeded = false,
    stage = 1,
    samples = [],
  }: {
    readonly about: string;
    readonly rows: number;
    readonly proposal: string | null;
    readonly options: Point['options'];
    readonly why: QuestionReason;
    readonly freeText?: boolean;
    readonly isNeeded?: boolean;
    readonly stage?: Point['stage'];
    readonly samples?: readonly string[];
  },
): Point {
  return {
    id: `reading:${id}`,
    about,
    rows,
    samples,
    why,
    options,
    freeText,
    isNeeded,
    stage,
    subject: { kind: 'reading', proposal },
  };
}

const samplesShown = 4;

/** The data about a column that a question about it shows. */
export function aboutColumn({
  title,
  cells,
  values,
}: Column): Pick<Point, 'about' | 'rows'> & { readonly samples: readonly string[] } {
  return { about: title, rows: cells.length, samples: values.slice(0, samplesShown).map(({ text }) => text) };
}

/** How the amounts and the dates of a file are written, as far as the values show it. */
interface FormsFound extends Pick<Writing, 'isDecimalUnclear' | 'dateFormats'> {
  readonly amounts: Column | undefined;
  readonly days: Column | undefined;
  readonly likelyDecimal: string | null;
}

/** The questions about forms that the values of amounts and dates do not show. */
export function formQuestions(found: FormsFound): Point[] {
  const { amounts, days, isDecimalUnclear, likelyDecimal, dateFormats } = found;
  const points: Point[] = [];
  if (amounts !== undefined && isDecimalUnclear) {
    points.push(
      reading('decimal', {
        ...aboutColumn(amounts),
        proposal: likelyDecimal,
        options: [
          { id: '.', label: 'a point comes before decimals' },
          { id: ',', label: 'a comma comes before decimals' },
        ],
        why: { code: 'decimal_unclear' },
        isNeeded: true,
        stage: 3,
      }),
    );
  }
  if (days !== undefined && dateFormats.length > 0) {
    points.push(
      reading('date_format', {
        ...aboutColumn(days),
        proposal: null,
        options: dateFormats.map((id) => ({ id, label: id })),
        why: { code: 'date_format_unclear' },
        freeText: true,
        isNeeded: true,
        stage: 3,
      }),
    );
  }
  return points;
}
