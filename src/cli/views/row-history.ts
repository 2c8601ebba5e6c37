import { shortBatchId } from '../../domain/batches/batch.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { BatchView } from '../../engine/status/batch-view.ts';
import type { RowEvent, RowView } from '../../engine/status/row.ts';
import { countOf, groupedNumber, printable, statusLabel, statusMeaning } from '../../output/words/wording.ts';
import { type Colour, colourIf, shortened, statusColour, stepLines, wrapped } from './terminal-text.ts';

/** A row with the batch that it belongs to. */
interface ShownRow {
  readonly batch: Pick<BatchView, 'id' | 'file' | 'sheet' | 'kind' | 'environment'>;
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
    shown.row.remedies.flatMap((step) => stepLines(step, words, colour, terminalColumns)),
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
  const { status, objectId: id, code, message, notes, keyRunsOutAt: runsOutAt, sameAs } = row;
  const said = message === null ? code : `${message}${code === null ? '' : ` (${code})`}`;
  const texts = [
    ...(said === null ? [] : [said]),
    ...(id === null ? [] : [`object ${id}`]),
    ...(sameAs === null ? [] : [`the same as row ${sameAs}, whose fate it shares`]),
    ...(runsOutAt === null
      ? []
      : [`its key runs out at ${secondOf(runsOutAt)}; then only a person may decide`]),
    ...notes.map((note) => `note: ${note}`),
  ];
  return [
    `  ${colour(statusColour(status), statusLabel(status))}: ${statusMeaning(status)}`,
    ...texts.flatMap((text) => wrapped(printable(text), '  ', terminalColumns)),
  ];
}

function secondOf(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}

function eventLines(event: RowEvent, terminalColumns: number): string[] {
  const time = `  ${event.time.slice(0, 23).replace('T', ' ')}`;
  const isBeside = terminalColumns >= leastColumnsForTwo;
  const indent = isBeside ? ' '.repeat(time.length + 2) : '      ';
  const texts = [
    ...wrapped(printable(sentenceOf(event)), indent, terminalColumns),
    ...(event.event === 'attempt' && event.answer !== null
      ? cut(printable(event.answer), indent, terminalColumns)
      : []),
  ];
  const [first = '', ...others] = texts;
  return isBeside ? [`${time}  ${first.slice(indent.length)}`, ...others] : [time, ...texts];
}

function sentenceOf(event: RowEvent): string {
  switch (event.event) {
    case 'staged':
      return 'checked and staged';
    case 'request_written':
      return `${runOf(event)}: request to ${event.path} written, under key ${event.idempotencyKey}`;
    case 'attempt':
      return `${runOf(event)}: ${attemptSentence(event)}`;
    case 'verdict': {
      const object = event.objectId === null ? '' : ` ${event.objectId}`;
      const note = event.note === '' ? '' : `: ${event.note}`;
      const sent = ` (after ${countOf(event.attempts, 'request')})`;
      return `verdict of ${event.decidedBy} on the ${event.fromState} row: ${event.verdict}${object}${note}${sent}`;
    }
    case 'late_answer':
      return `an answer that came too late had created object ${event.objectId} under key ${event.idempotencyKey}`;
  }
}

function runOf({ run }: { readonly run: number | null }): string {
  return run === null ? 'a run of a lost ledger' : `run ${run}`;
}

function attemptSentence(event: Extract<RowEvent, { event: 'attempt' }>): string {
  const { attempt, outcome, reason, httpStatus, objectId: id, durationInMs: duration } = event;
  const because = reason === null || reason === outcome ? '' : ` (${reason})`;
  const answered = httpStatus === null ? 'no answer' : `HTTP ${httpStatus}`;
  const object = id === null ? '' : `, object ${id}`;
  return `request ${attempt}: ${outcome.replace('_', ' ')}${because}, ${answered} after ${groupedNumber(duration)} ms${object}`;
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

/** Of a killed run and of a rebuilt ledger it is known how many requests there may have been, and no more. */
function untoldLines({ attempts, history }: RowView, terminalColumns: number): string[] {
  const told = history.filter(({ event }) => event === 'attempt').length;
  if (told >= attempts) return [];
  const text = `${groupedNumber(attempts - told)} of ${groupedNumber(attempts)} requests have no answer in this ledger: a run that was killed may have sent them, or the ledger was rebuilt from a run log.`;
  return wrapped(text, '  ', terminalColumns);
}
