import { countOf, groupedNumber } from '../words/wording.ts';
import { shortened, textWidth } from './terminal-text.ts';

/** How far a step is, and what came of its rows so far. */
export interface ProgressState {
  readonly label: string;
  /** Null where nobody knows how much there is. */
  readonly total: number | null;
  /** Rows that are done, those of earlier runs included. */
  readonly done: number;
  /** From 0 to 1: of the total, or of a file whose rows nobody has counted yet; null where that is not known. */
  readonly share: number | null;
  /** Null until there is something to go by. */
  readonly secondsLeft: number | null;
  /** Null until there is something to go by. */
  readonly rowsPerSecond: number | null;
  readonly outcomes: Outcomes;
  /** Requests in flight. */
  readonly inFlight: number;
  /** How long the API still wants to be left alone; 0 when it does not. */
  readonly pauseInMs: number;
}

/** What came of rows in this run. */
export interface Outcomes {
  readonly created: number;
  readonly refused: number;
  readonly inDoubt: number;
}

export const noOutcomes: Outcomes = { created: 0, refused: 0, inDoubt: 0 };

/** The state in one line; where it does not fit, what matters least is left out, and the label is cut or left out. */
export function progressText(state: ProgressState, columns: number): string {
  const [first = '', ...others] = partsOf(state);
  const room = columns - textWidth(first) - 2;
  let text = room < fewestOfLabel ? first : `${shortened(state.label, room)}: ${first}`;
  for (const part of others) {
    const longer = `${text} · ${part}`;
    if (textWidth(longer) <= columns) text = longer;
  }
  return shortened(text, columns);
}

/** A label of fewer columns says nothing. */
const fewestOfLabel = 10;

/** What matters most comes first. */
function partsOf(state: ProgressState): string[] {
  const { total, done, share, secondsLeft, rowsPerSecond, outcomes, inFlight, pauseInMs } = state;
  const { created, refused, inDoubt } = outcomes;
  const percent = share === null ? '' : ` (${Math.floor(share * 100)}%)`;
  const rows = total === null ? countOf(done, 'row') : `${groupedNumber(done)} of ${countOf(total, 'row')}`;
  const ended = [
    ...(created > 0 ? [`${groupedNumber(created)} created`] : []),
    ...(refused > 0 ? [`${groupedNumber(refused)} refused`] : []),
    ...(inDoubt > 0 ? [`${groupedNumber(inDoubt)} in doubt`] : []),
  ];
  return [
    `${rows}${percent}`,
    ...(pauseInMs > 0 ? [`the API asks to wait ${Math.ceil(pauseInMs / 1000)} s`] : []),
    ...(secondsLeft === null ? [] : [`${durationText(secondsLeft)} left`]),
    ...(ended.length === 0 ? [] : [ended.join(', ')]),
    ...(rowsPerSecond === null ? [] : [`${rateText(rowsPerSecond)} rows/s`]),
    ...(inFlight === 0 ? [] : [`${groupedNumber(inFlight)} in flight`]),
  ];
}

function rateText(rowsPerSecond: number): string {
  return rowsPerSecond < 10 ? rowsPerSecond.toFixed(1) : groupedNumber(Math.round(rowsPerSecond));
}

/** `45 s`, `12 min`, `3 h 20 min`. */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
