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
  type ProposedReading,
  type ReadingSource,
  type TablePlace,
  type Trial,
  type TrialResult,
  type TriedReading,
  TriedReadings,
} from './reading-source.ts';
import { leaveOutId } from './refused-changes.ts';
import { areWrong, refusedDecision, samplesOf } from './refused-point.ts';
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

/** The most questions besides the review; later open points keep their proposal. */
const mostQuestions = 12;
/** Up to this number, all options are tried before the question, to see whether they change anything. */
const fewOptions = 12;

type RefusedOf<R extends ProposedReading> = ReturnType<NonNullable<ReadingSource<R>['refused']>>;

interface OpenQuestion {
  readonly question: DialogueQuestion;
  readonly id: string;
  /** The decision in an answer, where it is more than the answer itself. */
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
   * @param remembered a reading agreed to before, from which the dialogue begins; absent to begin without one
   * @param questionsBefore the number of questions asked before the file could be read; numbering continues after
   * them
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
    if (this.#open !== undefined) return this.#open.question;
    this.#current = await this.#best();
    const found = await this.#nextOf(this.#current);
    if (found === null) return null;
    this.#open = found;
    return found.question;
  }

  /**
   * Takes the answer to the open question.
   * @returns an error text where the answer is not possible; the question stays open
   */
  answer(number: number, given: unknown): string | undefined {
    const open = this.#open;
    if (open === undefined || open.question.question !== number) return `question ${number} is not open`;
    if (given === 'back') return this.#goBack();
    const decision = decisionOf(open.question, given);
    if (typeof decision === 'object' && decision !== null && 'error' in decision) return decision.error;
    // With another use of a column, what was said of its values counts no more.
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

  /** The place of the current table; null where no other can be chosen. */
  async place(): Promise<TablePlace | null> {
    const { reading } = this.#current ?? (await this.#best());
    return this.#readings.source.placeOf(reading);
  }

  /** How the current reading takes the lines and columns of its file. */
  async seen(): Promise<SeenReading> {
    const current = this.#current ?? (await this.#best());
    return seenReading(current.reading, await this.#following(current));
  }

  /** The questions that follow the open one, as far as they are known before it is answered. */
  async #following({ reading, result }: TriedReading<R>): Promise<readonly NextQuestion[]> {
    const points = await this.#pointsOf(reading);
    const isNext: NextQuestion[] = [];
    // What other questions change is tried for the review alone, which says how much there is to decide.
    const isReview = this.#open?.question.kind === 'review';
    const passes = result.forecast.pass;
    for (const point of points)
      if (point.isNeeded || (isReview && isWorthAsking(point, await this.#optionsOf(point, result), passes)))
        isNext.push({ ...point.subject, about: point.about });
    if (!isReview || isNext.length > 0) return isNext;
    const refused = await this.#refusedPoint({ reading, result });
    return refused === undefined ? [] : [{ ...refused.subject, about: refused.about }];
  }

  /**
   * Reads another table. Decisions on the earlier table's columns are dropped, and the dialogue restarts.
   * @returns a sentence where the file has no such table
   */
  readFrom(place: TablePlace): string | undefined {
    const { sheet, headerRows } = place;
    const grid = this.grids.find((other) => other.sheet === sheet);
    if (grid === undefined) return 'there is no such sheet';
    const [first, second] = headerRows;
    const isThere = headerRows.every((number) => grid.rows.some((row) => row.number === number));
    if (!isThere || (second !== undefined && second !== first + 1)) return 'there is no such row';
    this.#remembered = undefined;
    this.#decisions.clear();
    this.#asked.length = 0;
    this.#open = undefined;
    this.#readings = this.#readings.at(place);
    this.#decisions.set('reading:header_rows', headerRows.join(','));
    return undefined;
  }

  /** The current reading, with all decisions. */
  async reading(): Promise<AgreedReading<R['mapping']>> {
    const { reading } = this.#current ?? (await this.#best());
    return { mapping: reading.mapping, forecast: (await this.#try(reading, 'whole')).forecast };
  }

  /** The best reading, for callers that ask no person. */
  async proposed(): Promise<TriedReading<R>> {
    const { reading } = await this.#best();
    const result = await this.#try(reading, 'whole');
    return { reading: this.#withMarks(reading, result), result };
  }

  #goBack(): string | undefined {
    const last = this.#asked.pop();
    if (last === undefined) return 'there is no question before this one';
    this.#decisions.delete(last);
    this.#open = undefined;
    return undefined;
  }

  /** All that is decided: what was agreed to before, and the answers of this dialogue, or these. */
  #decided(answers: Decisions = this.#decisions): Decisions {
    return withRemembered(this.#remembered?.decisions ?? new Map(), answers);
  }

  /** The best reading under the answers; with a further one where it is tried. */
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
      if (!point.isNeeded && !isWorthAsking(point, options, result.forecast.pass)) continue;
      return this.#ask(point, options, current);
    }
    const left =
      (await this.#totalsQuestion(reading)) ??
      (await this.#marksQuestion(reading)) ??
      (await this.#refusedQuestion(current));
    if (left !== null) return left;
    if (!isReviewed) return null;
    // After a change the whole reading is shown again, until it is accepted unchanged.
    const reviews = [...this.#decisions].filter(([id]) => id.startsWith('review:'));
    const isAgreed = reviews.at(-1)?.[1] === 'accept' && (asked === 0 || reviews.length > 1);
    return isAgreed ? null : this.#review(`review:${reviews.length}`, reading);
  }

  async #pointsOf(reading: R): Promise<readonly Point[]> {
    const own = this.#withMarks(reading, await this.#try(reading));
    if (this.#remembered === undefined) return own.points;
    const { about, ...whole } = this.#remembered;
    const remembered = isEditedAsAWhole(this.#remembered, reading) ? whole : this.#remembered;
    const base = withRemembered(structureOf(remembered), this.#decisions);
    const [found] = await this.#readings.source.propose(base);
    const again = found === undefined ? own : this.#withMarks(found, await this.#try(found));
    const points = questionsAgain(remembered, own, again);
    return points.filter(({ id }) => !this.#decisions.has(id));
  }

  /** A reading with the question about the marks that an import would refuse the file for. */
  #withMarks(reading: R, { marked = [] }: TrialResult): R {
    const points = this.#readings.source.marked?.(reading, marked) ?? [];
    return points.length === 0 ? reading : { ...reading, points: [...points, ...reading.points] };
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
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const fresh = this.#questionsBefore + this.#numbers.size + 1;
    this.#numbers.set(id, fresh);
    return fresh;
  }

  async #ask(
    point: Point,
    options: readonly QuestionOption[],
    { reading, result }: TriedReading<R>,
  ): Promise<OpenQuestion> {
    const { id, about, rows, samples, why, freeText } = point;
    const question = {
      question: this.#numberOf(id),
      ...(isMarkedPoint(point) ? await this.#withSending(point) : point.subject),
      sheet: reading.sheet.grid.sheet,
      about,
      rows,
      samples,
      why,
      options,
      free_text: freeText,
      forecast: result.forecast,
    };
    return { id, question };
  }

  /** What is asked about rows that are set apart, with the rows that would be sent with each answer. */
  async #withSending(point: Point): Promise<Point['subject']> {
    const { subject } = point;
    if (subject.kind !== 'values') return subject;
    const { reading } = await this.#best([point.id, sendingAll(point)]);
    const { rows } = await this.#readings.rows(reading);
    return { ...subject, sending: rowsToSend(point, reading.sheet, rows) };
  }

  async #refusedPoint({ reading, result }: TriedReading<R>): Promise<RefusedOf<R>> {
    const { isEdited = false, about } = this.#remembered ?? {};
    if (this.#readings.source.refused === undefined || result.forecast.refused === 0) return undefined;
    const { rows } = await this.#readings.rows(reading);
    return this.#readings.source.refused(reading, rows, isEdited ? this.#decisions : this.#decided(), about);
  }

  /** The question about a group of rows that would be refused without one. */
  async #refusedQuestion({ reading, result }: TriedReading<R>): Promise<OpenQuestion | null> {
    const point = await this.#refusedPoint({ reading, result });
    if (point === undefined) return null;
    const passes = result.forecast.pass;
    const options: QuestionOption[] = [{ id: areWrong, label: 'they are wrong: refuse their rows', passes }];
    for (const { id, label, reading: changed } of point.changes) {
      const tried = await this.#readings.rows(changed, ({ row }) => point.shown.has(row));
      if (tried.passes <= passes && id !== leaveOutId) continue;
      options.push({ id, label, passes: tried.passes, samples: samplesOf(point, tried.rows) });
    }
    const { subject } = point;
    const isPossible = options.some(({ id }) => id === subject.proposal);
    const asked = isPossible ? point : { ...point, subject: { ...subject, proposal: areWrong } };
    const open = await this.#ask(asked, options, { reading, result });
    return { ...open, decide: (said) => refusedDecision(point, said) };
  }

  /** The question about totals that are none of the rows, with which an import would refuse the file. */
  async #totalsQuestion(reading: R): Promise<OpenQuestion | null> {
    const result = await this.#try(reading, 'whole');
    const { differing = [], forecast } = result;
    const point = totalsPoint(differing, forecast.pass + forecast.refused, this.#decisions);
    if (point === undefined) return null;
    const options = point.options.map((option) => ({
      ...option,
      passes: option.id === 'rows' ? forecast.pass : 0,
    }));
    const before = new Map(this.#decisions);
    const open = await this.#ask(point, options, { reading, result });
    return { ...open, decide: (said) => totalsDecision(differing, before, said) };
  }

  /** The question about such marks that no other question was about: a sample may lack them. */
  async #marksQuestion(reading: R): Promise<OpenQuestion | null> {
    const result = await this.#try(reading, 'whole');
    const point = this.#withMarks(reading, result).points.find(isOfMarks);
    if (result.marked === undefined || point === undefined) return null;
    return this.#ask(point, [], { reading, result });
  }

  async #review(id: string, reading: R): Promise<OpenQuestion> {
    const result = await this.#try(reading, 'whole');
    const { rows } = await this.#readings.rows(reading);
    const leftOut = leftOutSheets(reading.sheet.grid, this.#readings.source.grids);
    return { id, question: reviewOf(this.#numberOf(id), reading, result, rows, this.#decided(), leftOut) };
  }
}
