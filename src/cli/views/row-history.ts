import type { RowView } from '../../account/status/row.ts';
import { eventSentence, standingSentences, untoldSentence } from '../../account/words/row-history.ts';
import { printable, statusLabel, statusMeaning } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { RowEvent } from '../../domain/rows/row-event.ts';
import { type Colour, colourIf, shortened, statusColour, stepLines, wrapped } from './terminal-text.ts';

/** A row with the batch that it belongs to. */
interface ShownRow {
  readonly batch: Pick<BatchAccount, 'id' | 'file' | 'sheet' | 'kind' | 'environment'>;
  readonly row: RowView;
}

/** So many lines of an answer are shown; `--json` has the whole of it. */
const answerLines = 3;

/** Below this, times and what happened do not stand beside each other. */
const leastColumnsForTwo = 76;

/** A row and all that happened to it, for a terminal. */
export function rowHistoryText(
  shown: ShownRow,
  words: DoorWords,
  useColour: boolean,
  terminalColumns: number,
): string {
  const colour = colourIf(useColour);
  const blocks = [
    [titleOf(shown, colour), ...standingLines(shown.row, colour, terminalColumns)],
    [
      `  ${colour('bold', 'Times in UTC')}`,
      ...shown.row.history.flatMap((event) => eventLines(event, terminalColumns)),
    ],
    untoldLines(shown.row, terminalColumns),
    shown.row.next.flatMap((step) => stepLines(step, words, colour, terminalColumns)),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

function titleOf({ batch, row }: ShownRow, colour: Colour): string {
  const file = batch.sheet === null ? batch.file : `${batch.file}, sheet ${batch.sheet}`;
  const mode = batch.environment.mode === 'live' ? colour('red', 'LIVE') : 'sandbox';
  return [
    colour('bold', printable(file)),
    batch.kind,
    mode,
    `batch ${shortBatchId(batch.id)}`,
    colour('bold', `row ${row.row}`),
  ].join(' · ');
}

function standingLines(row: RowView, colour: Colour, terminalColumns: number): string[] {
  const { status } = row;
  return [
    `  ${colour(statusColour(status), statusLabel(status))}: ${statusMeaning(status)}`,
    ...standingSentences(row).flatMap((text) => wrapped(printable(text), '  ', terminalColumns)),
  ];
}

function eventLines(event: RowEvent, terminalColumns: number): string[] {
  const time = `  ${event.time.slice(0, 23).replace('T', ' ')}`;
  const isBeside = terminalColumns >= leastColumnsForTwo;
  const indent = isBeside ? ' '.repeat(time.length + 2) : '      ';
  const texts = [
    ...wrapped(printable(eventSentence(event)), indent, terminalColumns),
    ...(event.event === 'attempt' && event.answer !== null
      ? cut(printable(event.answer), indent, terminalColumns)
      : []),
  ];
  const [first = '', ...others] = texts;
  return isBeside ? [`${time}  ${first.slice(indent.length)}`, ...others] : [time, ...texts];
}

/** An answer has few places to break it at, so it is cut where a line ends. */
function cut(text: string, indent: string, terminalColumns: number): string[] {
  const room = Math.max(20, terminalColumns - indent.length);
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < answerLines - 1) {
    const line = shortened(rest, room + 1).replace(/…$/, '');
    const taken = rest.startsWith(line) && line !== '' ? line : rest;
    lines.push(indent + taken);
    rest = rest.slice(taken.length);
  }
  return rest === '' ? lines : [...lines, indent + shortened(rest, room)];
}

function untoldLines({ attempts, history }: RowView, terminalColumns: number): string[] {
  const text = untoldSentence(attempts, history);
  return text === null ? [] : wrapped(text, '  ', terminalColumns);
}
