/* Questions to a person at a terminal. */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { callTables, plannedRows, sendTable } from '../../account/batch-tables.ts';
import { modeWord } from '../../account/words/wording.ts';
import type {
  AnswerOfPerson,
  EncodingQuestion,
  LiveBatch,
  NewAddressQuestion,
  PassphraseQuestion,
  Question,
  SandboxAtLiveQuestion,
} from '../../call/context.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { Disowning } from '../../domain/controls/controls.ts';
import { countOf, groupedAmount } from '../../domain/money/money.ts';
import { printable } from '../../domain/text/characters.ts';
import { type Colour, colourIf, titledTable } from '../views/terminal-text.ts';
import type { Terminal } from './terminal.ts';

/**
 * Asks a person a question and returns the answer, or null where the person has stopped (Ctrl-C, Ctrl-D). The function
 * itself is null if no terminal is available. A secret answer is not shown while it is typed.
 */
export type Ask = ((question: string, isSecret?: boolean) => Promise<string | null>) | null;

export function askOnTerminal(): Ask {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  return (question, isSecret = false) =>
    new Promise((resolve) => {
      const output = isSecret ? nowhere() : process.stderr;
      const dialogue = createInterface({ input: process.stdin, output, terminal: true });
      // Ctrl-C and Ctrl-D also end the question, but do not count as yes.
      dialogue.once('SIGINT', () => dialogue.close());
      dialogue.once('close', () => {
        if (isSecret) process.stderr.write('\n');
        resolve(null);
      });
      if (isSecret) process.stderr.write(question);
      dialogue.question(question, (answer) => {
        resolve(answer);
        dialogue.close();
      });
    });
}

/** A stream that discards what a terminal would echo. */
function nowhere(): Writable {
  return new Writable({ write: (_, __, done) => done() });
}

/** Only the whole word `yes` counts, since the next step may move money. */
function isYes(answer: string | null): boolean {
  return answer?.trim().toLowerCase() === 'yes';
}

/**
 * Asks a use case's questions at the terminal. Without a person, the answer is `nobody`.
 * @param ask returns how a question is asked; called for each question, since it depends on the standard streams
 */
export function answerOn(
  terminal: Terminal,
  ask: () => Ask = askOnTerminal,
): (question: Question) => Promise<AnswerOfPerson> {
  return async (question) => {
    const put = ask();
    if (put === null) return 'nobody';
    const colour = colourIf(terminal.useColour);
    const agreed = async (text: string): Promise<'yes' | 'no'> => (isYes(await put(text)) ? 'yes' : 'no');
    if (question.kind === 'send_live') {
      const mode = modeWord({ environment: { mode: 'live' }, ...question });
      terminal.complain(announcements(question.batches, colour('red', mode), colour).join('\n\n'));
      return agreed(`\nType "yes" to send this ${mode}: `);
    }
    if (question.kind === 'sandbox_at_live' || question.kind === 'new_address')
      return agreed(keyQuestion(question));
    if (question.kind === 'disown') {
      terminal.complain(
        [
          `The API key with the fingerprint ${question.key} was used live. If it was a sandbox key, these rows are not there:`,
          ...disowningLines(question.disowning),
          'They are sent again under new keys. Whatever was created with it, if it was a live key after all, is then created twice.',
        ].join('\n'),
      );
      return agreed('Type "yes" if it was a sandbox key: ');
    }
    if (question.kind === 'resolve') {
      const { rows, verdict } = question.selection;
      const mode = liveWord(question, colour);
      return agreed(`${mode}Type "yes" to record ${verdict} for ${countOf(rows, 'row')}: `);
    }
    if (question.kind === 'passphrase') {
      const text = await put(passphraseQuestion(question), true);
      return text === null ? 'stop' : { text };
    }
    if (question.kind === 'encoding') return answerAboutEncoding(terminal, put, question);
    const answer = await put(replayQuestion(question, colour));
    // After Ctrl-C the cursor is still after the question.
    if (answer === null || answer === '') terminal.complain('');
    return isYes(answer) ? 'yes' : 'no';
  };
}

/**
 * Shows the same values in each likely encoding. Asks again until the answer is one of their numbers, or a name of an
 * encoding.
 */
async function answerAboutEncoding(
  terminal: Pick<Terminal, 'complain'>,
  put: NonNullable<Ask>,
  { file, candidates }: EncodingQuestion,
): Promise<AnswerOfPerson> {
  const width = Math.max(0, ...candidates.map(({ encoding }) => encoding.length));
  const lines = candidates.map(
    ({ encoding, samples }, at) =>
      `  ${at + 1}  ${encoding.padEnd(width)}  ${samples.map(printable).join('   ')}`,
  );
  const title = `${printable(file)} is not UTF-8. In which encoding are its values right?`;
  terminal.complain(['', title, '', ...lines, ''].join('\n'));
  for (;;) {
    const typed = (await put('  Number, or the name of another encoding (Enter: none): '))?.trim();
    if (typed === undefined) {
      terminal.complain('');
      return 'stop';
    }
    if (typed === '' || typed.toLowerCase() === 'none') return 'no';
    const candidate = candidates[Number(typed) - 1];
    if (candidate !== undefined) return { text: candidate.encoding };
    if (/^[a-z]/i.test(typed)) return { text: typed };
    terminal.complain(`  1 to ${candidates.length}, or a name such as windows-1252`);
  }
}

function keyQuestion(question: SandboxAtLiveQuestion | NewAddressQuestion): string {
  const { environment, fingerprint } = question;
  const origin = printable(environment.origin);
  if (question.kind === 'sandbox_at_live') {
    return [
      `${origin} is known as live, and the API key with the fingerprint ${fingerprint} is new here.`,
      'If it is a live key, sandbox mode creates live objects without any approval. Compare it with the dashboard of the API.',
      'Type "yes" if it is the sandbox key: ',
    ].join('\n');
  }
  const before = question.origins.map(printable).join(', ');
  return [
    `The API key with the fingerprint ${fingerprint} was used in ${environment.mode} mode at ${before}, and never at ${origin}.`,
    'What was created there is not known as created here: the rows of earlier files would be created again.',
    'Type "yes" if the API has moved: ',
  ].join('\n');
}

function passphraseQuestion({ purpose, user, file }: PassphraseQuestion): string {
  if (purpose === 'repeat') return 'The same once more: ';
  return `${purpose === 'open' ? 'Passphrase of' : 'New passphrase for'} ${user} (${printable(file)}): `;
}

/** The beginning of a question about a live batch; empty for a sandbox batch. */
function liveWord(
  { batch, unprovenKey }: Extract<Question, { kind: 'replay' | 'resolve' }>,
  colour: Colour,
): string {
  if (batch.mode !== 'live') return '';
  return `${colour('red', modeWord({ environment: batch, unprovenKey }))}: `;
}

/** The totals of each plan, and of all plans together if there are several. */
function announcements(batches: readonly LiveBatch[], mode: string, colour: Colour): string[] {
  const each = batches.map(({ batch, plan }) => {
    const rows = countOf(plannedRows(plan.totals), 'row');
    const title = `${mode}: about to send ${rows} of ${printable(batch.fileName)} to ${batch.origin}`;
    const table = titledTable(sendTable(plan.totals), colour);
    return [title, '', ...table, '', `  plan hash  ${plan.planHash}`].join('\n');
  });
  if (batches.length < 2) return each;
  const plans = batches.map(({ batch, plan }) => ({ file: batch.fileName, sheet: batch.sheet, ...plan }));
  const all = callTables(plans).map((table) => titledTable(table, colour).join('\n'));
  return [...each, ...all.filter((text) => text !== '')];
}

function replayQuestion(question: Extract<Question, { kind: 'replay' }>, colour: Colour): string {
  const { batch, rows, missingResponses } = question;
  const live = liveWord(question, colour);
  const goAgain = (count: number, noun: string): string =>
    `${countOf(count, noun)} ${count === 1 ? 'goes' : 'go'} again to ${batch.origin} under ${count === 1 ? 'its own key' : 'their own keys'}`;
  const lines = [
    ...(rows === 0 ? [] : [`${goAgain(rows, 'unknown row')}.`]),
    ...(missingResponses === 0
      ? []
      : [`${goAgain(missingResponses, 'created row')}, for what was answered about them.`]),
  ];
  return (
    `${live}${lines.join('\n')}\n` +
    'What was created already is not created twice while the API remembers its keys; what was never created is created now.\n' +
    'Type "yes" to send: '
  );
}

/* The batches, rows and sums that disowning an API key takes back, for a terminal. */

/** A line for each batch, and one for the rows that are kept. */
export function disowningLines({ batches, decided }: Disowning): readonly string[] {
  return [
    ...batches.map(({ id, created, sums, existing, ready }) => {
      const amounts = sums.map(({ amount, currency }) => `${groupedAmount(amount, currency)} ${currency}`);
      const parts = [
        ...(created > 0
          ? [`${countOf(created, 'created row')}${amounts.length === 0 ? '' : ` (${amounts.join(', ')})`}`]
          : []),
        ...(existing > 0 ? [countOf(existing, 'existing row')] : []),
        ...(ready > 0 ? [`${countOf(ready, 'row')} not sent yet, prepared anew`] : []),
      ];
      return `  batch ${shortBatchId(id)}: ${parts.join(', ')}`;
    }),
    ...(decided > 0
      ? [
          `  ${countOf(decided, 'row')} that a person has named as created ${decided === 1 ? 'stays' : 'stay'} so`,
        ]
      : []),
  ];
}
