/* Shows the events of a call on a terminal. */

import { noteText } from '../../account/words/note-text.ts';
import { workbookGap } from '../../account/words/wording.ts';
import type { CallEvent, Step } from '../../call/context.ts';
import type { CheckedAccount } from '../../domain/batches/account.ts';
import type { Note } from '../../domain/batches/note.ts';
import type { Selection } from '../../domain/batches/open-rows.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import type { FindingGroup, TalliedFindings } from '../../domain/rows/finding.ts';
import { printable } from '../../domain/text/characters.ts';
import { terminalText } from '../options/options.ts';
import { changeLines } from '../views/summary.ts';
import {
  alignedTable,
  blocksOf,
  type Colour,
  colourIf,
  fileNames,
  noteLines as linesOfNotes,
  padded,
  shortened,
  TEXT_COLUMNS,
  textWidth,
  wrapped,
} from '../views/terminal-text.ts';
import { boundHeapGrowth } from './process.ts';
import type { Terminal } from './terminal.ts';

const COLUMN_CHARACTERS = 28;

const MESSAGE_INDENT = '      ';

/** The findings of validation for one input, for a terminal: several lines, without a newline at the end. */
export function findingsSummary(input: CheckedAccount, useColour: boolean): string {
  const colour = colourIf(useColour);
  const blocks = [
    [`${colour('bold', printable(input.place))} · ${input.kind}`, `  ${verdictOf(input, colour)}`],
    changeLines(input.changes, colour),
    findingLines(input.findings, colour),
    noteLines(input),
    aliasLines(input.findings),
    fileLines(input),
  ];
  return blocksOf(blocks);
}

function fileLines({ files }: CheckedAccount): string[] {
  const named = [
    ['findings', files.findings],
    ['', files.findingsWorkbook],
    ['', workbookGap(files.findingsWorkbook ?? null, files.findingsWorkbookLeftOut, files.findings)],
    ['changes', files.changes],
    ['report', files.report],
  ] as const;
  return fileNames(named, 8);
}

function verdictOf({ rows, counts, repeats: repeatsOf }: CheckedAccount, colour: Colour): string {
  if (rows === 0) return 'No rows below the header: nothing to do';
  const { not_sent: notSent = 0, existing = 0, invalid = 0, held = 0 } = counts;
  const repeats = repeatsOf.not_sent ?? 0;
  const sendable = notSent - repeats;
  const parts = [
    ...(invalid > 0 ? [colour('red', `${groupedNumber(invalid)} invalid`)] : []),
    ...(held > 0 ? [colour('yellow', `${groupedNumber(held)} for a person to decide`)] : []),
    ...(existing > 0 ? [`${groupedNumber(existing)} created before`] : []),
    ...(repeats > 0 ? [colour('yellow', `${countOf(repeats, 'repeat')} of an earlier row`)] : []),
    ...(sendable > 0 ? [colour('green', `${groupedNumber(sendable)} ready to be sent`)] : []),
  ];
  return `${countOf(rows, 'row')}: ${parts.join(', ')}`;
}

function findingLines({ groups, groupsLeftOut }: TalliedFindings, colour: Colour): string[] {
  if (groups.length === 0) return [];
  const titles = groups.map(({ column }) =>
    shortened(printable(column === '' ? '(row)' : column), COLUMN_CHARACTERS),
  );
  const columnWidth = Math.max(...titles.map(textWidth));
  const codeWidth = Math.max(...groups.map(({ code }) => code.length));
  const countWidth = Math.max(...groups.map(({ count }) => groupedNumber(count).length));
  const lines = groups.flatMap((group, index) => {
    const title = padded(titles[index] ?? '', columnWidth);
    const code = colour(group.severity === 'held' ? 'yellow' : 'red', group.code.padEnd(codeWidth));
    const count = groupedNumber(group.count).padStart(countWidth);
    return [`  ${count}  ${code}  ${title}  ${rowsOf(group)}`, ...messageLines(group)];
  });
  const more =
    groupsLeftOut === 0 ? [] : [`  and ${groupsLeftOut} more kinds of findings, in the findings file`];
  return [...lines, ...more];
}

function rowsOf({ firstRows, count }: FindingGroup): string {
  const rows = firstRows.map(groupedNumber).join(', ');
  return `${count === 1 ? 'row' : 'rows'} ${rows}${count > firstRows.length ? ', …' : ''}`;
}

function messageLines(group: FindingGroup): string[] {
  const message = printable(terminalText(group.message));
  const [first = '', second = '', ...others] = wrapped(message, MESSAGE_INDENT);
  const shown = others.length > 0 ? [first, shortened(`${second} …`, TEXT_COLUMNS)] : [first, second];
  return shown.filter((line) => line !== '');
}

/** Aliases that can be pasted into a mapping after a person has checked each of them. */
function aliasLines({ aliases }: TalliedFindings): string[] {
  if (Object.keys(aliases).length === 0) return [];
  const text = JSON.stringify({ values: aliases }, null, 2).split('\n').slice(1, -1);
  return [
    '  If these are meant, add to the mapping (the nearest names; correct what is not):',
    ...text.map((line) => `  ${printable(line)}`),
  ];
}

function noteLines({ findings, notes }: CheckedAccount): string[] {
  const counted = findings.notes.map(({ note, count }) => `${countOf(count, 'row')}: ${note}`);
  const others = findings.notesLeftOut === 0 ? [] : [`${countOf(findings.notesLeftOut, 'other note')}`];
  const all = [...notes, ...counted, ...others];
  return linesOfNotes(all);
}

/** The steps in which rows and records are only streamed, without being kept in memory. */
const transientSteps: ReadonlySet<Step> = new Set<Step>(['planning', 'sending', 'asking', 'comparing']);

/** A note of a call, as `--json` prints it. */
export interface SaidNote {
  /** Stable, for programs. */
  readonly code: Note['code'];
  readonly text: string;
}

/** A note without its advice. */
export function saidNote(note: Note): SaidNote {
  return { code: note.code, text: terminalText(noteText(note).text) };
}

/** Shows a person the events of a call. */
export function showEventsOn(terminal: Terminal, words: Phrasebook): (event: CallEvent) => void {
  const { progress } = terminal;
  return (event) => {
    switch (event.kind) {
      case 'step.started':
        if (transientSteps.has(event.step)) boundHeapGrowth();
        if (event.step === 'comparing') break;
        progress.start({
          label: printable(stepLabel(event)),
          total: event.rows,
          done: event.done ?? 0,
          isLogged: event.step === 'sending' || event.step === 'asking',
        });
        break;
      case 'step.advanced':
        progress.advance(event);
        break;
      case 'api.paused':
        progress.pause(event.waitInMs);
        break;
      case 'step.ended':
        progress.stop();
        break;
      case 'note': {
        const { text, remedies = [] } = noteText(event.note);
        const below = remedies.map(
          (remedy) => `
  ${printable(words.remedy(remedy))}`,
        );
        terminal.say(`${printable(terminalText(text))}${below.join('')}`);
        break;
      }
      case 'detail':
        terminal.detail(event.text, event.fields);
        break;
      case 'file.checked':
        terminal.print(`${findingsSummary(event.checked, terminal.useColour)}\n`);
        break;
      case 'rows.selected':
        terminal.print(`${selectionTable(event.selection, terminal.useColour)}\n`);
        break;
    }
  };
}

/** `sending customers`. */
function stepLabel({ step, about }: Extract<CallEvent, { kind: 'step.started' }>): string {
  if (step === 'asking') return 'asking for facts';
  if (step === 'comparing') return 'comparing records';
  return about === null ? step : `${step} ${about}`;
}

/* Formats the rows of a verdict for many rows, which a person reads before agreeing. */

/** The count, the sums, the first rows and the hash, for a terminal: several lines, without a newline at the end. */
function selectionTable(selection: Selection, useColour: boolean): string {
  const { verdict, rows, sums, samples, sentRepeatedly, hash } = selection;
  const colour = colourIf(useColour);
  const more = rows - samples.length;
  const lines = [
    colour('bold', `${verdict}: ${countOf(rows, 'row')}`),
    ...sums.map(
      ({ currency, amount, rows: summed }) =>
        `  ${currency} ${groupedAmount(amount, currency)} in ${countOf(summed, 'row')}`,
    ),
    ...(sentRepeatedly === 0 ? [] : [`  sent more than once: ${groupedNumber(sentRepeatedly)}`]),
    '',
    ...alignedTable(
      [
        { title: 'row', isFigure: true },
        { title: 'status' },
        { title: 'code' },
        { title: 'name', mayShrink: true },
        { title: 'amount', isFigure: true },
        { title: 'reference', mayShrink: true },
        { title: 'requests', isFigure: true },
      ],
      samples.map(({ row, status, code, name, amount, reference, attempts }) => [
        String(row),
        status,
        code ?? '',
        name,
        amount,
        reference,
        String(attempts),
      ]),
      colour,
    ),
    ...(more === 0 ? [] : [`  and ${countOf(more, 'more row', 'more rows')}`]),
    '',
    `  selection  ${hash}`,
  ];
  return lines.join('\n');
}
