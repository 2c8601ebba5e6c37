import type { Decision, Decisions } from '../decisions.ts';
import type { DialogueQuestion, QuestionOption } from '../question.ts';
import { firstQuestions, totalsDecision, totalsPoint } from '../questions/file-questions.ts';
import { isMarkedPoint, withoutValuesOf } from '../questions/marked-decisions.ts';
import { byImportance, isAlwaysAsked, isOfMarks, isWorthAsking, type Point } from '../questions/point.ts';
import type { Reading } from '../reading/propose.ts';
import type { Grid } from '../sheet/grid.ts';
import { leftOutSheets } from '../sheet/sheet.ts';
import { decisionOf } from './answers.ts';
import { rowsToSend, sendingAll } from './marked-effects.ts';
import {
  type AgreedReading,
  missingTable,
  type ProposedReading,
  type ReadingSource,
  type TablePlace,
  type Trial,
  type TrialResult,
  type TriedReading,
  TriedReadings,
} from './reading-source.ts';
import { refusedDecision, withHelpfulOptions } from './refused-point.ts';
import {
  isEditedAsAWhole,
  questionsAgain,
  type RememberedReading,
  structureOf,
  withRemembered,
} from './remembered.ts';
import { type NextQuestion, reviewOf, type SeenReading, seenReading } from './review.ts';

/**
 * The dialogue about how a file is read. It asks one question at a time, the one that changes the result most, with a
 * forecast by the validator. It is a state with two steps, independent of terminal and page.
 */

/** The maximum number of questions besides the review. Later open points keep their proposal. */
const mostQuestions = 12;
/** Up to this number, all options are tried before the question to find out whether they change anything. */
const fewOptions = 12;

interface OpenQuestion {
  readonly question: DialogueQuestion;
  readonly id: string;
  /** The decision that an answer contains, if it is more than the answer itself. */
  readonly decide?: (said: Decision) => Decision;
}

export class MappingDialogue<R extends ProposedReading = Reading> {
  #readings: TriedReadings<R>;
  #remembered: RememberedReading | undefined;
  readonly #questionsBefore: number;
  readonly #decisions = new Map<string, Decision>();
  /** The ids of the answered questions, in order. */
  readonly #asked: string[] = [];
  readonly #numbers = new Map<string, number>();
  #current: TriedReading<R> | undefined;
  #open: OpenQuestion | undefined;

  /**
   * @param remembered the agreed reading with which the dialogue begins; absent to begin without one
   * @param questionsBefore number of questions before the file could be read; numbering continues after them
   */
  constructor(
    source: ReadingSource<R>,
    trial: Trial<R>,
    remembered?: RememberedReading,
    questionsBefore = 0,
  ) {
    this.#readings = new TriedReadings(source, trial);
    this.#remembered = remembered;
    this.#questionsBefore = questionsBefore;
  }

  /** The question to be answered next; null once there is nothing left to ask. */
  async next(): Promise<DialogueQuestion | null> {
    if (this.#open === undefined) {
      this.#current = await this.#best();
      this.#open = (await this.#nextOf(this.#current)) ?? undefined;
    }
    return this.#open?.question ?? null;
  }

  /**
   * Takes the answer to the open question.
   * @returns an error text where the answer is not possible; the question stays open
   */
  answer(number: number, said: unknown): string | undefined {
    const open = this.#open;
    if (open === undefined || open.question.question !== number) return `question ${number} is not open`;
    if (said === 'back') {
      const last = this.#asked.pop();
      if (last === undefined) return 'there is no question before this one';
      this.#decisions.delete(last);
      this.#open = undefined;
      return undefined;
    }
    const decision = decisionOf(open.question, said);
    if (typeof decision === 'object' && decision !== null && 'error' in decision) return decision.error;
    // If a column gets another use, the answers about its values no longer count.
    for (const id of withoutValuesOf(decision, this.#decisions, this.#remembered?.decisions))
      this.#decisions.delete(id);
    this.#decisions.set(open.id, open.decide === undefined ? decision : open.decide(decision));
    this.#asked.push(open.id);
    this.#open = undefined;
    return undefined;
  }

  /** Whether there is a question before the open one. */
  get canGoBack(): boolean {
    return this.#asked.length > 0;
  }

  /** The sheets of the file, with their rows as they are in it. */
  get grids(): readonly Grid[] {
    return this.#readings.source.grids;
  }

  /** The place of the current table; null if no other table can be chosen. */
  async place(): Promise<TablePlace | null> {
    const { reading } = this.#current ?? (await this.#best());
    return this.#readings.source.placeOf(reading);
  }

  /** How the current reading takes the lines and columns of its file, and the known questions after the open one. */
  async seen(): Promise<SeenReading> {
    const current = this.#current ?? (await this.#best());
    const { reading, result } = current;
    const following: NextQuestion[] = [];
    // The effects of other questions are tried only for the review, which says how much there is to decide.
    const isReview = this.#open?.question.kind === 'review';
    const passes = result.forecast.pass;
    for (const point of await this.#pointsOf(reading))
      if (point.isNeeded || (isReview && isWorthAsking(point, await this.#optionsOf(point, result), passes)))
        following.push({ ...point.subject, about: point.about });
    const refused = isReview && following.length === 0 ? await this.#refusedPoint(current) : undefined;
    if (refused !== undefined) following.push({ ...refused.subject, about: refused.about });
    return seenReading(reading, following);
  }

  /**
   * Reads another table. Decisions on the earlier table's columns are dropped, and the dialogue restarts.
   * @returns a sentence if the file has no such table
   */
  readFrom(place: TablePlace): string | undefined {
    const missing = missingTable(place, this.grids);
    if (missing !== undefined) return missing;
    this.#remembered = undefined;
    this.#decisions.clear();
    this.#asked.length = 0;
    this.#open = undefined;
    this.#readings = this.#readings.at(place);
    this.#decisions.set('reading:header_rows', place.headerRows.join(','));
    return undefined;
  }

  /** The current reading, with all decisions. */
  async reading(): Promise<AgreedReading<R['mapping']>> {
    const { reading } = this.#current ?? (await this.#best());
    return { mapping: reading.mapping, forecast: (await this.#try(reading, 'whole')).forecast };
  }

  /** The best reading, for callers that do not ask a person. */
  async proposed(): Promise<TriedReading<R>> {
    const { reading } = await this.#best();
    const result = await this.#try(reading, 'whole');
    return { reading: this.#readings.withMarks(reading, result), result };
  }

  /** All decisions: those agreed to before, and the answers of this dialogue, or the answers passed in. */
  #decided(answers: Decisions = this.#decisions): Decisions {
    return withRemembered(this.#remembered?.decisions ?? new Map(), answers);
  }

  /** The best reading under the answers, or with further answers to be tried. */
  #best(...further: readonly (readonly [id: string, decision: Decision])[]): Promise<TriedReading<R>> {
    return this.#readings.best(this.#decided(new Map([...this.#decisions, ...further])));
  }

  #try(reading: R, rows?: 'whole'): Promise<TrialResult> {
    return this.#readings.result(reading, this.#decisions, rows);
  }

  async #nextOf(current: TriedReading<R>): Promise<OpenQuestion | null> {
    const { reading, result } = current;
    const isReviewed = this.#remembered === undefined || isEditedAsAWhole(this.#remembered, reading);
    const points = [...(await this.#pointsOf(reading))].sort(byImportance);
    if (isReviewed && !this.#decisions.has('review:first')) {
      const first = points.find(({ id, isNeeded }) => isNeeded && firstQuestions.has(id));
      if (first === undefined) return this.#review('review:first', reading);
      return this.#ask(first, await this.#optionsOf(first, result), current);
    }
    const asked = this.#asked.filter((id) => !id.startsWith('review:')).length;
    for (const point of asked < mostQuestions ? points : points.filter(isAlwaysAsked)) {
      const options = await this.#optionsOf(point, result);
      if (point.isNeeded || isWorthAsking(point, options, result.forecast.pass))
        return this.#ask(point, options, current);
    }
    const left = (await this.#fileQuestion(reading)) ?? (await this.#refusedQuestion(current));
    if (left !== null || !isReviewed) return left;
    // After a change the whole reading is shown again, until a person accepts it unchanged.
    const reviews = [...this.#decisions].filter(([id]) => id.startsWith('review:'));
    const isAgreed = reviews.at(-1)?.[1] === 'accept' && (asked === 0 || reviews.length > 1);
    return isAgreed ? null : this.#review(`review:${reviews.length}`, reading);
  }

  async #pointsOf(reading: R): Promise<readonly Point[]> {
    const own = this.#readings.withMarks(reading, await this.#try(reading));
    if (this.#remembered === undefined) return own.points;
    const { about, ...whole } = this.#remembered;
    const remembered = isEditedAsAWhole(this.#remembered, reading) ? whole : this.#remembered;
    const base = withRemembered(structureOf(remembered), this.#decisions);
    const [found] = await this.#readings.source.propose(base);
    const again = found === undefined ? own : this.#readings.withMarks(found, await this.#try(found));
    return questionsAgain(remembered, own, again).filter(({ id }) => !this.#decisions.has(id));
  }

  async #optionsOf(point: Point, result: TrialResult): Promise<readonly QuestionOption[]> {
    const options: QuestionOption[] = [];
    const isTried = point.options.length <= fewOptions || point.id.startsWith('column:');
    for (const option of point.options) {
      const decision = point.id.startsWith('constant:') ? { text: option.id } : option.id;
      const tried = isTried ? (await this.#best([point.id, decision])).result : result;
      options.push({ ...option, passes: tried.forecast.pass });
    }
    return options;
  }

  #numberOf(id: string): number {
    const number = this.#numbers.get(id) ?? this.#questionsBefore + this.#numbers.size + 1;
    this.#numbers.set(id, number);
    return number;
  }

  async #ask(
    point: Point,
    options: readonly QuestionOption[],
    { reading, result }: TriedReading<R>,
  ): Promise<OpenQuestion> {
    const { id, about, rows, samples, why, freeText } = point;
    const { sheet } = reading.sheet.grid;
    const subject = isMarkedPoint(point) ? await this.#withSending(point) : point.subject;
    const { forecast } = result;
    const asked = { sheet, about, rows, samples, why, options, free_text: freeText, forecast };
    return { id, question: { question: this.#numberOf(id), ...subject, ...asked } };
  }

  /** A question about marked rows, with the rows that each answer would send. */
  async #withSending(point: Point): Promise<Point['subject']> {
    const { subject } = point;
    if (subject.kind !== 'values') return subject;
    const { reading } = await this.#best([point.id, sendingAll(point)]);
    const { rows } = await this.#readings.rows(reading);
    return { ...subject, sending: rowsToSend(point, reading.sheet, rows) };
  }

  #refusedPoint(current: TriedReading<R>): ReturnType<TriedReadings<R>['refused']> {
    const { isEdited = false, about } = this.#remembered ?? {};
    return this.#readings.refused(current, isEdited ? this.#decisions : this.#decided(), about);
  }

  /** The question about a group of rows that would be refused without an answer. */
  async #refusedQuestion(current: TriedReading<R>): Promise<OpenQuestion | null> {
    const point = await this.#refusedPoint(current);
    if (point === undefined) return null;
    const { asked, options } = await withHelpfulOptions<R>(point, current.result.forecast.pass, (changed) =>
      this.#readings.rows(changed, ({ row }) => point.shown.has(row)),
    );
    const open = await this.#ask(asked, options, current);
    return { ...open, decide: (said) => refusedDecision(point, said) };
  }

  /**
   * The question about a reason for which an import would refuse the whole file. Either totals are none of its rows, or
   * no other question was about some marks, because a sample may lack them.
   */
  async #fileQuestion(reading: R): Promise<OpenQuestion | null> {
    const result = await this.#try(reading, 'whole');
    const { differing = [], forecast } = result;
    const { pass, refused } = forecast;
    const totals = totalsPoint(differing, pass + refused, this.#decisions);
    if (totals !== undefined) {
      const options = totals.options.map((one) => ({ ...one, passes: one.id === 'rows' ? pass : 0 }));
      const before = new Map(this.#decisions);
      const open = await this.#ask(totals, options, { reading, result });
      return { ...open, decide: (said) => totalsDecision(differing, before, said) };
    }
    const marks = this.#readings.withMarks(reading, result).points.find(isOfMarks);
    if (result.marked === undefined || marks === undefined) return null;
    return this.#ask(marks, [], { reading, result });
  }

  async #review(id: string, reading: R): Promise<OpenQuestion> {
    const result = await this.#try(reading, 'whole');
    const { rows } = await this.#readings.rows(reading);
    const leftOut = leftOutSheets(reading.sheet.grid, this.#readings.source.grids);
    return { id, question: reviewOf(this.#numberOf(id), reading, result, rows, this.#decided(), leftOut) };
  }
}
