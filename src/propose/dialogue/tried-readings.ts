/* The readings of a file as the validator has tried them, and the one with which most rows pass. */

import { type Decisions, refuseFile, totalsId } from '../decisions.ts';
import type { ProposedReading, ReadingSource, TablePlace, Trial, TrialResult } from './reading-source.ts';
import type { TriedRow } from './refused-groups.ts';

/** A reading with the validator's result. */
export interface TriedReading<R> {
  readonly reading: R;
  readonly result: TrialResult;
}

/** The readings of one source, each validated once: a dialogue looks at the same ones after each answer. */
export class TriedReadings<R extends ProposedReading> {
  readonly source: ReadingSource<R>;
  readonly #trial: Trial<R>;
  readonly #results = new Map<string, TrialResult>();

  constructor(source: ReadingSource<R>, trial: Trial<R>) {
    this.source = source;
    this.#trial = trial;
  }

  /** The readings of another table of the file. */
  at(place: TablePlace): TriedReadings<R> {
    return new TriedReadings(this.source.at(place), this.#trial);
  }

  /** The reading with which most rows pass under the decisions. */
  async best(decisions: Decisions): Promise<TriedReading<R>> {
    let best: (TriedReading<R> & { readonly passes: number }) | undefined;
    for (const reading of await this.source.propose(decisions)) {
      const result = await this.result(reading, decisions);
      const { agreed: mapping } = reading;
      // Rows that a single yes would add count for the reading, but the change is made only after the yes.
      const passes =
        mapping === undefined
          ? result.forecast.pass
          : (await this.result({ ...reading, mapping }, decisions)).forecast.pass;
      if (best === undefined || passes > best.passes) best = { reading, result, passes };
    }
    if (best === undefined) throw new Error('a file with rows has a reading');
    return best;
  }

  /** The validator's result for a reading under the decisions; by a sample of the rows, or by all of them. */
  async result(
    reading: R,
    decisions: Decisions,
    rows: 'looked_at' | 'whole' = 'looked_at',
  ): Promise<TrialResult> {
    const isWhole = rows === 'whole' && reading.sheet.grid.isCut;
    const key = `${isWhole ? 'whole ' : ''}${JSON.stringify(reading.mapping)}`;
    const result = this.#results.get(key) ?? (await this.#trial(reading, isWhole ? 'whole' : 'looked_at'));
    this.#results.set(key, result);
    return withTotalsDecided(result, decisions);
  }

  /** The rows of the sample under a reading, and how many pass. */
  async rows(
    reading: R,
    isMeant: (row: TriedRow) => boolean = () => true,
  ): Promise<{ readonly rows: readonly TriedRow[]; readonly passes: number }> {
    const rows: TriedRow[] = [];
    const { forecast } = await this.#trial(reading, 'looked_at', (row) => {
      if (isMeant(row)) rows.push(row);
    });
    return { rows, passes: forecast.pass };
  }
}

/** The result for a person's decision: a file whose totals are right, and its rows are not, is refused. */
function withTotalsDecided(result: TrialResult, decisions: Decisions): TrialResult {
  if (result.differing === undefined || decisions.get(totalsId) !== refuseFile) return result;
  const { pass, refused, left_out } = result.forecast;
  return { ...result, forecast: { pass: 0, refused: pass + refused, left_out } };
}
