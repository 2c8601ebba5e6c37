/*
 * Every channel says the same of a batch: counts, sums, reasons, sentences and next steps, in each state that it may be in. A new
 * state is an entry of `states`, a new channel one of `channels`.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amountsTable, reasonsTable } from '../../src/account/batch-tables.ts';
import { notesOf, sentencesOf } from '../../src/account/facts.ts';
import { nextSteps, stepText } from '../../src/account/next-steps.ts';
import { cellText, type Table } from '../../src/account/table.ts';
import { statusLabel } from '../../src/account/words/wording.ts';
import type { BatchAccount, NextStep } from '../../src/domain/batches/account.ts';
import { correctedRows } from '../../src/domain/batches/batch-facts.ts';
import { resultStatuses } from '../../src/domain/rows/row-state.ts';
import { plainText } from '../../src/domain/settings/message.ts';
import type { Worklist } from '../../src/engine/status.ts';
import type { Engine } from '../../src/index.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import type { Desk } from '../support/cli-desk.ts';
import { csvOf, customers, readCsv, readCsvLines } from '../support/cli-files.ts';
import { openConsole, type Visitor } from '../support/console.ts';
import { onLedgerOf } from '../support/console-users.ts';
import { proposePolicy, testRule } from '../support/controls.ts';
import { configOfDesk, openEngine } from '../support/engine.ts';
import { executeByHand } from '../support/ledger-rows.ts';
import { emptyLedger } from '../support/lost-ledger.ts';
import { addTestUser } from '../support/user-key.ts';

/** A desk on which the batch is brought into its state. */
interface Place {
  readonly desk: Desk;
  /** What the API does with the next recipients. */
  fault: FaultName | undefined;
}

type Fields = Readonly<Record<string, string>>;

/** Recipients with an amount each; the first customer is there. */
function payees(count: number, given: Fields = {}): Fields[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ payee_type: 'bank_account_us', customer_external_id: 'C-1', account_name: 'Amina Otieno' },
    ...{ account_number: String(40_001_000 + index), routing_number: '021000021', bank_name: 'Chase' },
    ...{ currency: 'USD', amount: '1000.5', account_owner_type: 'individual', account_type: 'checking' },
    ...{ address_line1: '1 Main Street', city: 'San Francisco', state: 'US-CA', country: 'US' },
    ...{ postal_code: '94103', ...given },
  }));
}

const invalid = { routing_number: 'none' };
const refused = { account_owner_type: 'Privat' };
const once = ['--max-attempts', '1', '--concurrency', '1'];

/** Runs a command on a file of these rows. @returns the id of its batch */
async function run(
  { desk }: Place,
  rows: readonly Fields[],
  words: readonly string[] = ['import'],
  env: Fields = {},
): Promise<string> {
  const [command = '', ...options] = words;
  const file = await desk.write('payees.csv', csvOf(rows));
  const { summary } = await desk.json([command, file, ...options], { env });
  return summary.batches[0]?.batch ?? '';
}

/** Corrects the invalid rows of a batch in its failed file. @returns the id of the correction */
async function correct({ desk }: Place, batch: string, command = 'import'): Promise<string> {
  const [name = ''] = (await desk.resultNames()).filter((each) =>
    each.endsWith(`${batch.slice(0, 8)}.failed.csv`),
  );
  const rows = readCsv(await readFile(join(desk.folder, 'results', name), 'utf8'));
  const right = rows.map((row) => ({ ...row, routing_number: '021000021' }));
  const file = await desk.write('corrected.csv', csvOf(right));
  return (await desk.json([command, file])).summary.batches[0]?.batch ?? '';
}

/** Types a name into a row, and does not plan that correction. */
async function typeName({ desk }: Place, batch: string, row: number): Promise<void> {
  const engine = await openEngine(configOfDesk(desk));
  const { columns } = await engine.rows({ batch, limit: 1 }).result;
  const place = columns.indexOf('account_name');
  const edits = [{ row, place, before: 'Amina Otieno', after: 'Amina A. Otieno' }];
  await engine.editDraft({ batch, edits }).result;
}

/** How a batch comes to be in each state. */
const states: Readonly<Record<string, (place: Place) => Promise<string>>> = {
  created: (place) => run(place, payees(2)),
  'invalid and rejected': (place) =>
    run(place, [
      ...payees(2),
      ...payees(1, { ...invalid, account_number: '1' }),
      ...payees(1, { ...refused, account_number: '2' }),
    ]),
  'planned, with a row that repeats another': (place) =>
    run(place, [...payees(3), ...payees(1), ...payees(1, invalid)], ['plan']),
  'planned, with an amount that its currency cannot have': (place) =>
    run(place, [...payees(2), ...payees(1, { amount: '1.005', account_number: '1' })], ['plan']),
  'stopped, since all are refused alike': (place) =>
    run(place, payees(9, refused), ['import', '--refused-alike', '5', ...once]),
  'refused alike, with none left': (place) =>
    run(place, payees(5, refused), ['import', '--refused-alike', '5', ...once]),
  'planned, with a correction that is not planned': async (place) => {
    const batch = await run(
      place,
      [...payees(3), ...payees(1, { ...invalid, account_number: '1' })],
      ['plan'],
    );
    await typeName(place, batch, 2);
    await typeName(place, batch, 5);
    return batch;
  },
  'rejected, with a correction that is not planned': async (place) => {
    const batch = await run(place, [...payees(2), ...payees(2, { ...refused, account_number: '1' })]);
    await typeName(place, batch, 4);
    return batch;
  },
  'invalid, with a correction that is not planned': async (place) => {
    const batch = await run(place, [...payees(2), ...payees(1, { ...invalid, account_number: '1' })]);
    await typeName(place, batch, 4);
    return batch;
  },
  closed: async (place) => {
    const batch = await run(place, [...payees(2), ...payees(1, invalid)], ['plan']);
    await place.desk.run(['close', batch, '--note', 'wrong month']);
    return batch;
  },
  superseded: async (place) => {
    const batch = await run(place, [...payees(2), ...payees(1, { ...invalid, account_number: '1' })]);
    await correct(place, batch);
    return batch;
  },
  'a correction': async (place) => {
    const batch = await run(place, [...payees(2), ...payees(2, { ...invalid, account_number: '1' })]);
    return correct(place, batch);
  },
  'waiting for approval': async (place) => {
    await onLedgerOf(place.desk, async (database) => {
      await addTestUser(database, 'ada');
      await proposePolicy(database, {
        rules: [testRule({ mode: 'sandbox', kinds: ['recipients'] }), testRule()],
        approvers: ['ada'],
      });
    });
    return run(place, [...payees(3), ...payees(1)]);
  },
  'in doubt': async (place) => {
    place.fault = 'empty_answer';
    const batch = await run(place, payees(2), ['import', ...once]);
    place.fault = undefined;
    return batch;
  },
  'in doubt, with keys that have run out': async (place) => {
    place.fault = 'empty_answer';
    const batch = await run(place, payees(2), ['import', ...once]);
    place.fault = undefined;
    await onLedgerOf(place.desk, async (database) => {
      await executeByHand(
        database,
        "UPDATE row_states SET first_sent_at = now() - interval '2 days' WHERE batch_id = ?",
        [batch],
      );
    });
    return batch;
  },
  held: async (place) => {
    await run(place, payees(1));
    return run(place, payees(2, { bank_name: 'Another' }));
  },
  waiting: (place) => run(place, payees(2, { customer_external_id: 'C-9' })),
  'without an answer': (place) => {
    place.fault = '503';
    return run(place, payees(3), ['import', ...once]).finally(() => {
      place.fault = undefined;
    });
  },
  recovered: async (place) => {
    const { desk } = place;
    const lost = await emptyLedger(desk);
    const people = await desk.write('people.csv', csvOf(customers(1)));
    await desk.json(['import', people], { env: lost });
    const batch = await run(place, [...payees(2), ...payees(1, refused)], ['import'], lost);
    const [log = ''] = (await desk.resultNames()).filter((name) =>
      name.endsWith(`${batch.slice(0, 8)}.run.jsonl`),
    );
    await desk.json(['recover', '--log', join('results', log), 'payees.csv']);
    return batch;
  },
};

/** What a channel says of a batch; what it does not speak of by its nature is absent. */
interface Said {
  readonly counts?: Readonly<Record<string, number>>;
  readonly sums?: readonly string[];
  readonly reasons?: readonly string[];
  readonly steps?: readonly string[];
  /** Its whole text, in which every sentence has to be found. */
  readonly text?: string;
}

/** Where a channel looks. */
interface Look {
  readonly desk: Desk;
  readonly engine: Engine;
  readonly visitor: Visitor;
  readonly account: BatchAccount;
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function lineText(table: Table | null): readonly string[] {
  return [...(table?.rows ?? []), ...(table?.totals ?? [])].map((line) =>
    line
      .map(cellText)
      .filter((text) => text !== '')
      .join(' '),
  );
}

/** The numbers of a text in which each status has a line of its own. */
function countsIn(
  lines: readonly (readonly [label: string, count: string])[],
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    lines.flatMap(([label, count]) => {
      const status = resultStatuses.find((each) => statusLabel(each) === label);
      return status === undefined ? [] : [[status, Number(count.replaceAll(',', ''))]];
    }),
  );
}

const labels = resultStatuses.map(statusLabel).join('|');

/** A terminal's lines under a title, up to the next blank line. */
function tableUnder(text: string, title: string): readonly string[] {
  const [, after] = text.split(`\n  ${title}\n`);
  if (after === undefined) return [];
  const [, ...lines] = (after.split('\n\n', 1)[0] ?? '').split('\n');
  return lines.filter((line) => / {2,}/.test(line.trim())).map(plain);
}

/** Each command with the sentences before it. */
function stepsOnTerminal(text: string): readonly string[] {
  const steps: string[] = [];
  let why: string[] = [];
  for (const line of text.split('\n')) {
    if (/^ {4}paybatch /.test(line)) {
      steps.push(plain(why.join(' ')));
      why = [];
    } else if (/^ {2}\S/.test(line)) why.push(line);
    else why = [];
  }
  return steps;
}

function onTerminal(text: string): Said {
  const counted = [...text.matchAll(new RegExp(`^ {2}(${labels}) +([\\d,]+) {2}\\S`, 'gm'))];
  return {
    counts: countsIn(counted.map(([, label = '', count = '']) => [label, count])),
    sums: tableUnder(text, 'Amounts'),
    steps: stepsOnTerminal(text),
    text,
  };
}

function withoutMarkup(text: string): string {
  return plain(
    text
      .replace(/<style>.*?<\/style>/s, '')
      // A moment within a sentence is an element of its own.
      .replace(/<\/?time\b[^>]*>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  );
}

/** What a report or a page says: both have the same lists. */
function inMarkup(text: string): Said {
  const counts = /<ul class="counts">(.*?)<\/ul>/s.exec(text)?.[1] ?? '';
  const steps = /<ol class="steps">(.*?)<\/ol>/s.exec(text)?.[1] ?? '';
  return {
    counts: countsIn(
      [...counts.matchAll(/<b>([\d,]+)<\/b>(.*?)<span>/g)].map(([, count = '', label = '']) => [
        withoutMarkup(label),
        count,
      ]),
    ),
    steps: [...steps.matchAll(/<li>(.*?)(?:<pre>|<div class="actions">)/gs)].map(([, why = '']) =>
      withoutMarkup(why),
    ),
    text: withoutMarkup(text),
  };
}

function tableInReport(text: string, title: string): readonly string[] {
  const section = new RegExp(`<h2>${title}</h2>(.*?)</section>`, 's').exec(text)?.[1] ?? '';
  return [...section.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, line = '']) => withoutMarkup(line));
}

async function reportOf({ desk, account }: Look): Promise<Said> {
  const [name = ''] = (await desk.resultNames()).filter((each) =>
    each.endsWith(`${account.id.slice(0, 8)}.report.html`),
  );
  const text = await readFile(join(desk.folder, 'results', name), 'utf8');
  expect(withoutMarkup(text)).toMatch(/Audit trail then event \d+, [0-9a-f]{64}/);
  return { ...inMarkup(text), sums: tableInReport(text, 'Amounts') };
}

/** A table of a page, as its download has it. */
async function tableOfPage({ visitor, account }: Look, id: string): Promise<readonly string[]> {
  const { status, text } = await visitor.get(`/batches/${account.id}?csv=${id}`);
  if (status === 404) return [];
  return readCsvLines(text)
    .slice(1)
    .map((line) => plain(line.join(' ')));
}

type Lines = readonly { readonly batch: { readonly id: string }; readonly rows: number | null }[];

function rowsIn({ tasks }: { readonly tasks: Lines }, id: string): number {
  return tasks.filter(({ batch }) => batch.id === id).reduce((sum, { rows }) => sum + (rows ?? 0), 0);
}

/** What the work list has of a batch, by what is to be done. */
function workOf(list: Worklist, id: string): Readonly<Record<string, number | boolean>> {
  const { approvals, doubts, changedPayees, held, corrections, waiting, sending } = list;
  return {
    ...{ approve: rowsIn(approvals, id), doubt: rowsIn(doubts, id), correct: rowsIn(corrections, id) },
    ...{ decide: rowsIn(held, id) + rowsIn(changedPayees, id), wait: rowsIn(waiting, id) },
    send: rowsIn(sending, id),
    isEdited:
      sending.tasks.some(({ batch, state }) => batch.id === id && state === 'edited') ||
      corrections.tasks.some(({ batch, isEdited }) => batch.id === id && isEdited),
  };
}

interface Channel {
  readonly read: (look: Look) => Promise<Said>;
  /** Whether it speaks to somebody who clicks. */
  readonly isOnPages?: boolean;
  /** Whether it has just written the file that asks for verdicts. */
  readonly hasVerdicts?: boolean;
  /** Steps that it offers elsewhere; none when absent. */
  readonly isLeftOut?: (step: NextStep, account: BatchAccount) => boolean;
}

/** In this order: the last ones write the report anew. */
const channels: Readonly<Record<string, Channel>> = {
  summary: {
    read: async ({ desk, account }) => onTerminal((await desk.run(['results', account.id])).stdout),
  },
  report: { read: reportOf },
  status: {
    read: async ({ desk, account }) => {
      const { stdout } = await desk.run(['status', account.id]);
      return { ...onTerminal(stdout), reasons: tableUnder(stdout, 'Reasons') };
    },
  },
  '--json': {
    read: async ({ desk, account }) => {
      const { summary } = await desk.json(['status', account.id]);
      const [batch] = summary.batches as unknown as readonly {
        counts: Readonly<Record<string, number>>;
        amounts: readonly Readonly<Record<string, unknown>>[];
        next: readonly { why: string }[];
      }[];
      return { counts: batch?.counts ?? {}, steps: batch?.next.map(({ why }) => why) ?? [] };
    },
  },
  page: {
    isOnPages: true,
    // The button of a planned batch is under its plan.
    isLeftOut: ({ what }, { state }) => what === 'resume' && state === 'planned',
    read: async (look) => {
      const { text } = await look.visitor.get(`/batches/${look.account.id}`);
      return { ...inMarkup(text), sums: grouped(await tableOfPage(look, 'amounts')) };
    },
  },
  reconcile: {
    hasVerdicts: true,
    read: async ({ desk, account }) => {
      const { stdout } = await desk.run(['reconcile', account.id]);
      const counted = /each in exactly one status: (.*?)\./.exec(plain(stdout))?.[1] ?? '';
      const counts = counted.split(', ').map((part): [string, string] => {
        const [count = '', ...label] = part.split(' ');
        return [label.join(' '), count];
      });
      return { counts: countsIn(counts), steps: stepsOnTerminal(stdout.slice(stdout.lastIndexOf('\n\n'))) };
    },
  },
  'the report after reconcile': { hasVerdicts: true, read: reportOf },
};

/** Amounts of a CSV file as people read them. */
function grouped(lines: readonly string[]): readonly string[] {
  return lines.map((line) =>
    line.replace(/\d+(?:\.\d+)?$/, (amount) => cellText({ amount, currency: 'USD' })),
  );
}

function expected(
  account: BatchAccount,
  { isOnPages = false, isLeftOut = () => false }: Channel,
  verdicts: string | null,
): Required<Omit<Said, 'text'>> {
  const all = nextSteps({ ...account, files: { ...account.files, verdicts } });
  const steps = all.filter((step) => !isLeftOut(step, account));
  return {
    counts: account.counts,
    sums: lineText(amountsTable(account)),
    reasons: lineText(reasonsTable(account)),
    steps: steps.map((step) => plain(stepText(step, isOnPages))),
  };
}

describe.each(Object.entries(states))('a batch that is %s', (_, bring) => {
  it('is reported alike by every channel', async () => {
    const place: { desk: Desk | null; fault: FaultName | undefined } = { desk: null, fault: undefined };
    let batch = '';
    const { desk, engine, visitor } = await openConsole(
      {
        onRequest: ({ method, path }) =>
          method === 'POST' && path.endsWith('/external-accounts') ? place.fault : undefined,
      },
      {},
      async (opened) => {
        place.desk = opened;
        await opened.run(['import', await opened.write('people.csv', csvOf(customers(1)))]);
        batch = await bring(place as Place);
      },
    );
    const accountNow = async (): Promise<BatchAccount> => {
      const { shown } = await engine.status({ batch }).result;
      if (shown.kind !== 'batch') throw new Error('the batch is not there');
      return shown.batch;
    };
    // What was added up by an earlier run may be out of date: the first channel adds it up again.
    await desk.run(['results', batch]);
    const account = await accountNow();
    expect(account.sums).not.toBeNull();
    for (const [name, channel] of Object.entries(channels)) {
      const said = await channel.read({ desk, engine, visitor, account });
      const names = await desk.resultNames();
      const verdicts =
        channel.hasVerdicts === true ? (names.find((each) => each.includes('.verdicts.')) ?? null) : null;
      const { text, ...parts } = said;
      const all = expected(account, channel, verdicts);
      const wanted = Object.fromEntries(
        Object.keys(parts).map((part) => [part, all[part as keyof typeof all]]),
      );
      expect([name, parts]).toEqual([name, wanted]);
      const { isOnPages } = channel;
      const sentences = [
        ...sentencesOf(account, isOnPages).map((each) => each.text),
        ...notesOf(account, isOnPages).map(plainText),
      ];
      const missing =
        text === undefined ? [] : sentences.filter((each) => !plain(text).includes(plain(each)));
      expect([name, missing]).toEqual([name, []]);
    }
    const { counts, repeats, corrected, closing, state, edited } = await accountNow();
    const { not_sent = 0, unknown = 0, held = 0, waiting = 0, invalid = 0, rejected = 0 } = counts;
    const toSend = not_sent - (repeats.not_sent ?? 0);
    expect(workOf(await engine.worklist({ limit: 100 }).result, batch)).toEqual({
      approve: state === 'unapproved' ? toSend + unknown - (repeats.unknown ?? 0) : 0,
      doubt: unknown,
      correct: closing === null ? invalid + rejected - correctedRows({ corrected }) : 0,
      decide: held,
      wait: waiting,
      send: closing === null && state !== 'unapproved' ? toSend : 0,
      isEdited: edited.notSent + edited.rejected + edited.invalid > 0,
    });
  });
});
