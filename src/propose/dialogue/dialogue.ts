import type { MappingFile } from '../../read/mapping/mapping-file.ts';
import type { Decision, Decisions } from '../decisions.ts';
import type { DialogueQuestion, Forecast, QuestionOption } from '../question.ts';
import { firstQuestions } from '../questions/file-questions.ts';
import { isMarkedPoint, withoutValuesOf } from '../questions/marked-rows.ts';
import { byImportance, isAlwaysAsked, isOfMarks, isWorthAsking, type Point } from '../questions/point.ts';
import type { Reading } from '../reading/propose.ts';
import type { Grid } from '../sheet/grid.ts';
import { leftOutSheets } from '../sheet/sheet.ts';
import { decisionOf } from './answers.ts';
import { rowsToSend, sendingAll } from './marked-effects.ts';
import type { ProposedReading, ReadingSource, TablePlace, Trial, TrialResult } from './reading-source.ts';
import { leaveOutId } from './refused-changes.ts';
import type { TriedRow } from './refused-groups.ts';
import { areWrong, refusedDecision, samplesOf } from './refused-point.ts';
import { questionsAgain, type RememberedReading, structureOf, withRemembered } from './remembered.ts';
import { type NextQuestion, reviewOf, type SeenReading, seenReading } from './review.ts';
import { totalsDecision, totalsPoint, withTotalsDecided } from './totals-point.ts';

/**
 * The dialogue about how a file is read. It asks one question at a time, the one that changes the result most, with a
 * forecast by the validator. It is a state with two steps, independent of terminal and page.
 */

/** A reading that was agreed to. */
export interface AgreedReading<Mapping = MappingFile> {
  readonly mapping: Mapping;
  readonly forecast: Forecast;
}

/** The most questions besides the review; later open points keep their proposal. */
const mostQuestions = 12;
const samplesShown = 4;
/** Up to this number, all options are tried before the question, to see whether they change anything. */
const fewOptions = 12;

interface Current<R> {
  readonly reading: R;
  readonly result: TrialResult;
}

type Refused<R extends ProposedReading> = NonNullable<ReadingSource<R>['refused']>;

interface OpenQuestion {
  readonly question: DialogueQuestion;
  readonly id: string;
  /** The decision in an answer, where it is more than the answer itself. */
  readonly decide?: (said: Decision) => Decision;
}

export class MappingDialogue<R extends ProposedReading = Reading> {
  #source: ReadingSource<R>;
  readonly #trial: Trial<R>;
  #remembered: RememberedReading | undefined;
  readonly #questionsBefore: number;
  readonly #decisions = new Map<string, Decision>();
  /** The ids of the answered questions, in order. */
  readonly #asked: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #results = new Map<string, TrialResult>();
  #current: Current<R> | undefined;
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
    this.#source = source;
    this.#trial = trial;
    this.#remembered = remembered;
    this.#questionsBefore = questionsBefore;
  }

  /** The question to be answered next; null once there is nothing left to ask. */
  async next(): Promise<DialogueQuestion | null> {
    if (this.#open !== undefined) return this.#open.question;
    const current = await this.#best(this.#decisions);
    this.#current = current;
    const found = await this.#nextOf(current);
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
    return this.#source.grids;
  }

  /** The place of the current table; null where no other can be chosen. */
  async place(): Promise<TablePlace | null> {
    const { reading } = this.#current ?? (await this.#best(this.#decisions));
    return this.#source.placeOf(reading);
  }

  /** How the current reading takes the lines and columns of its file. */
  async seen(): Promise<SeenReading> {
    const current = this.#current ?? (await this.#best(this.#decisions));
    return seenReading(current.reading, await this.#following(current));
  }

  /** The questions that follow the open one, as far as they are known before it is answered. */
  async #following({ reading, result }: Current<R>): Promise<readonly NextQuestion[]> {
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
    this.#source = this.#source.at(place);
    this.#decisions.set('reading:header_rows', headerRows.join(','));
    return undefined;
  }

  /** The current reading, with all decisions. */
  async reading(): Promise<AgreedReading<R['mapping']>> {
    const { reading } = this.#current ?? (await this.#best(this.#decisions));
    return { mapping: reading.mapping, forecast: (await this.#try(reading, 'whole')).forecast };
  }

  /** The best reading, for callers that ask no person. */
  async proposed(): Promise<{ readonly reading: R; readonly result: TrialResult }> {
    const { reading } = await this.#best(this.#decisions);
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

  async #best(decisions: Decisions): Promise<Current<R>> {
    const known = this.#remembered?.decisions ?? new Map();
    const readings = await this.#source.propose(withRemembered(known, decisions));
    let best: (Current<R> & { readonly passes: number }) | undefined;
    for (const reading of readings) {
      const result = await this.#try(reading);
      const { agreed: mapping } = reading;
      // Rows that a single yes would add count for the reading, but the change is made only after the yes.
      const passes =
        mapping === undefined
          ? result.forecast.pass
          : (await this.#try({ ...reading, mapping })).forecast.pass;
      if (best === undefined || passes > best.passes) best = { reading, result, passes };
    }
    if (best === undefined) throw new Error('a file with rows has a reading');
    return best;
  }

  async #try(reading: R, rows: 'looked_at' | 'whole' = 'looked_at'): Promise<TrialResult> {
    const isWhole = rows === 'whole' && reading.sheet.grid.isCut;
    const key = `${isWhole ? 'whole ' : ''}${JSON.stringify(reading.mapping)}`;
    const result = this.#results.get(key) ?? (await this.#trial(reading, isWhole ? 'whole' : 'looked_at'));
    this.#results.set(key, result);
    return withTotalsDecided(result, this.#decisions);
  }

  async #nextOf({ reading, result }: Current<R>): Promise<OpenQuestion | null> {
    const isReviewed = this.#remembered === undefined || this.#isEditedAsAWhole(reading);
    const points = [...(await this.#pointsOf(reading))].sort(byImportance);
    if (isReviewed && !this.#decisions.has('review:first')) {
      const first = points.find(({ id, isNeeded }) => isNeeded && firstQuestions.has(id));
      if (first === undefined) return this.#review('review:first', reading);
      const options = await this.#optionsOf(first, result);
      return { id: first.id, question: await this.#questionOf(first, options, reading, result) };
    }
    const asked = this.#asked.filter((id) => !id.startsWith('review:')).length;
    for (const point of asked < mostQuestions ? points : points.filter(isAlwaysAsked)) {
      const options = await this.#optionsOf(point, result);
      if (!point.isNeeded && !isWorthAsking(point, options, result.forecast.pass)) continue;
      return { id: point.id, question: await this.#questionOf(point, options, reading, result) };
    }
    const left =
      (await this.#totalsQuestion(reading)) ??
      (await this.#marksQuestion(reading)) ??
      (await this.#refusedQuestion({ reading, result }));
    if (left !== null) return left;
    if (!isReviewed) return null;
    // After a change the whole reading is shown again, until it is accepted unchanged.
    const reviews = [...this.#decisions].filter(([id]) => id.startsWith('review:'));
    const isAgreed = reviews.at(-1)?.[1] === 'accept' && (asked === 0 || reviews.length > 1);
    return isAgreed ? null : this.#review(`review:${reviews.length}`, reading);
  }

  /** Whether a person who edits a reading is asked about all of it, since a single column may have no question. */
  #isEditedAsAWhole({ tables, points }: R): boolean {
    const { isEdited = false, about } = this.#remembered ?? {};
    if (about === undefined) return isEdited;
    return (
      !tables.some(({ column }) => column.title === about) && !points.some((point) => point.about === about)
    );
  }

  async #pointsOf(reading: R): Promise<readonly Point[]> {
    const own = this.#withMarks(reading, await this.#try(reading));
    if (this.#remembered === undefined) return own.points;
    const { about, ...whole } = this.#remembered;
    const remembered = this.#isEditedAsAWhole(reading) ? whole : this.#remembered;
    const base = withRemembered(structureOf(remembered), this.#decisions);
    const [found] = await this.#source.propose(base);
    const again = found === undefined ? own : this.#withMarks(found, await this.#try(found));
    const points = questionsAgain(remembered, own, again);
    return points.filter(({ id }) => !this.#decisions.has(id));
  }

  /** A reading with the question about the marks that an import would refuse the file for. */
  #withMarks(reading: R, { marked = [] }: TrialResult): R {
    const points = this.#source.marked?.(reading, marked) ?? [];
    return points.length === 0 ? reading : { ...reading, points: [...points, ...reading.points] };
  }

  async #optionsOf(point: Point, result: TrialResult): Promise<readonly QuestionOption[]> {
    const options: QuestionOption[] = [];
    const isTried = point.options.length <= fewOptions || point.id.startsWith('column:');
    for (const option of point.options) {
      const passes = isTried ? await this.#passesWith(point.id, option.id) : result.forecast.pass;
      options.push({ ...option, passes });
    }
    return options;
  }

  async #passesWith(id: string, option: string): Promise<number> {
    const decision: Decision = id.startsWith('constant:') ? { text: option } : option;
    const { result } = await this.#best(new Map([...this.#decisions, [id, decision]]));
    return result.forecast.pass;
  }

  #numberOf(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const fresh = this.#questionsBefore + this.#numbers.size + 1;
    this.#numbers.set(id, fresh);
    return fresh;
  }

  async #questionOf(
    point: Point,
    options: readonly QuestionOption[],
    reading: R,
    result: TrialResult,
  ): Promise<DialogueQuestion> {
    const { id, about, rows, samples, why, freeText } = point;
    return {
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
  }

  /** What is asked about rows that are set apart, with the rows that would be sent with each answer. */
  async #withSending(point: Point): Promise<Point['subject']> {
    const { subject } = point;
    const { reading } = await this.#best(new Map([...this.#decisions, [point.id, sendingAll(point)]]));
    if (subject.kind !== 'values') return subject;
    return { ...subject, sending: rowsToSend(point, reading.sheet, await this.#rowsOf(reading)) };
  }

  async #refusedPoint({ reading, result }: Current<R>): Promise<ReturnType<Refused<R>>> {
    const { decisions: known = new Map(), isEdited = false, about } = this.#remembered ?? {};
    if (this.#source.refused === undefined || result.forecast.refused === 0) return undefined;
    const decisions = isEdited ? this.#decisions : withRemembered(known, this.#decisions);
    return this.#source.refused(reading, await this.#rowsOf(reading), decisions, about);
  }

  /** The question about a group of rows that would be refused without one. */
  async #refusedQuestion({ reading, result }: Current<R>): Promise<OpenQuestion | null> {
    const point = await this.#refusedPoint({ reading, result });
    if (point === undefined) return null;
    const passes = result.forecast.pass;
    const options: QuestionOption[] = [{ id: areWrong, label: 'they are wrong: refuse their rows', passes }];
    for (const { id, label, reading: changed } of point.changes) {
      const tried: TriedRow[] = [];
      const { forecast } = await this.#trial(changed, 'looked_at', (row) => {
        if (point.shown.has(row.row)) tried.push(row);
      });
      if (forecast.pass <= passes && id !== leaveOutId) continue;
      options.push({ id, label, passes: forecast.pass, samples: samplesOf(point, tried) });
    }
    const isPossible = options.some(({ id }) => id === point.subject.proposal);
    const question: DialogueQuestion = {
      question: this.#numberOf(point.id),
      ...point.subject,
      proposal: isPossible ? point.subject.proposal : areWrong,
      sheet: reading.sheet.grid.sheet,
      about: point.about,
      rows: point.rows,
      samples: [...point.shown.values()].slice(0, samplesShown),
      why: point.why,
      options,
      free_text: false,
      forecast: result.forecast,
    };
    return { id: point.id, question, decide: (said) => refusedDecision(point, said) };
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
    return {
      id: point.id,
      question: await this.#questionOf(point, options, reading, result),
      decide: (said) => totalsDecision(differing, before, said),
    };
  }

  /** The question about such marks that no other question was about: a sample may lack them. */
  async #marksQuestion(reading: R): Promise<OpenQuestion | null> {
    const result = await this.#try(reading, 'whole');
    const point = this.#withMarks(reading, result).points.find(isOfMarks);
    if (result.marked === undefined || point === undefined) return null;
    return { id: point.id, question: await this.#questionOf(point, [], reading, result) };
  }

  async #rowsOf(reading: R): Promise<readonly TriedRow[]> {
    const rows: TriedRow[] = [];
    await this.#trial(reading, 'looked_at', (row) => rows.push(row));
    return rows;
  }

  async #review(id: string, reading: R): Promise<OpenQuestion> {
    const result = await this.#try(reading, 'whole');
    const rows = await this.#rowsOf(reading);
    const decided = withRemembered(this.#remembered?.decisions ?? new Map(), this.#decisions);
    const leftOut = leftOutSheets(reading.sheet.grid, this.#source.grids);
    return { id, question: reviewOf(this.#numberOf(id), reading, result, rows, decided, leftOut) };
  }
}
