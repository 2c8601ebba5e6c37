/* The names of settings on pages, which do not use the programs' names. */

import { type Html, html } from '../../account/report/page.ts';
import type { StepNames } from '../../account/words/row-remedy-words.ts';
import { localSandboxPrefix } from '../../call/opened-api.ts';
import type { Adjustable, Adjustment } from '../../domain/failures/paybatch-error.ts';
import type { Verdict } from '../../domain/rows/ledger-row.ts';

/* The possible verdicts on a row that needs a person's decision, and their meanings. */

/** The facts about a row that waits for a verdict. */
interface UndecidedRow {
  readonly code: string | null;
  /** When its first request was sent; null if none was. */
  readonly firstSentAt: string | null;
}

const meanings: Readonly<Record<Verdict, { readonly name: string; readonly text: string }>> = {
  created: {
    name: 'It was created',
    text: 'The API has the object of this row, with the id below. The row becomes created, and is not sent again.',
  },
  'not-created': {
    name: 'It was not created',
    text: 'The API does not have it. The next run sends it under a new key: if the API has it after all, it is there twice.',
  },
  existing: {
    name: 'An earlier object stands for it',
    text: 'The same object was created before. The row becomes existing, with the id below or the one that this ledger knows, and is not sent.',
  },
  send: {
    name: 'Send it all the same',
    text: 'The next run sends it under a new key, although something speaks against it. Only if another object is meant.',
  },
};

/** The verdicts that fit a row. */
export function verdictsFor({ code, firstSentAt }: UndecidedRow): readonly Verdict[] {
  const suiting: Verdict[] =
    firstSentAt === null ? ['existing', 'send'] : ['created', 'not-created', 'existing', 'send'];
  return suiting.filter((verdict) => verdict !== 'send' || code !== 'corrects_in_doubt');
}

/** Verdicts to choose from, each with its meaning. */
export function verdictChoices(verdicts: readonly Verdict[], chosen: Verdict | null = null): Html {
  return html`<fieldset><legend>What is true of it?</legend>${verdicts.map((verdict) => {
    const { name, text } = meanings[verdict];
    const checked = verdict === chosen ? html` checked` : null;
    return html`<label class="choice"><input type="radio" name="verdict" value="${verdict}" required${checked}><span><b>${name}</b> <span class="soft">${text}</span></span></label>`;
  })}</fieldset>`;
}

const quoted = (verdict: Verdict): string => `"${meanings[verdict].name}"`;

/** The steps for a row on pages, by the names of their buttons and choices. */
export const pageStepNames: StepNames = {
  verdict: quoted,
  resume: 'go on with the batch',
  resumeBatch: 'go on with the batch',
  resumeOrResolveNamed: 'go on with the batch of the row that it names first, or decide about that row',
  resolveNamed: 'decide about the row that it names first',
  resolve: (row, verdict) => `decide about row ${row}: ${quoted(verdict)}`,
  resolveAsCreated: `decide: ${quoted('created')}, with that id`,
  correct: 'correct it',
};

/** The verdict in words. */
export function verdictName(verdict: Verdict): string {
  return meanings[verdict].name;
}

/** The name of a setting, for use in a sentence. */
const names: Readonly<Record<Adjustable, string>> = {
  allowNone: 'the choice whether there may be no file',
  apiKey: 'the API key',
  apiKeyFile: 'the file of the API key',
  attempts: 'the number of requests that the verdict knows of',
  baseUrl: 'the address of the API',
  changes: 'the choice about changed payees',
  compare: 'the choice of what is compared',
  concurrency: 'the number of requests at a time',
  coversFrom: 'the first day that the export covers',
  coversTo: 'the last day that the export covers',
  customerIdPath: "the place of a customer's id in an answer",
  databaseUrl: 'the configuration of the database',
  delimiter: 'the character between the values of a CSV file',
  dialogue: 'the dialogue with a program',
  encoding: 'the encoding of the file',
  expectRows: 'the expected number of rows',
  expectTotal: 'the expected total',
  force: 'the choice to overwrite it',
  graceDays: 'the days of grace',
  holdRest: 'the choice to hold the rest',
  hidden: 'the choice about hidden rows',
  httpsProxy: 'the address of the proxy',
  institutionsFirstPage: 'the number of the first page of institutions',
  institutionsMaxAge: 'the age up to which a list of institutions is used',
  institutionsPageParameter: 'the name by which the API chooses a page of institutions',
  interactive: 'the dialogue at a terminal',
  join: 'the choice to join other runs',
  keyLifetime: 'the time for which the provider keeps idempotency keys',
  kind: 'the kind of the rows',
  leaveOutNonRows: 'the choice to leave headings and totals out',
  ledgerDir: 'the folder of the ledger',
  left: 'the first column to compare',
  liveApiKey: 'the API key for live mode',
  liveApiKeyFile: 'the file of the API key for live mode',
  localSandbox: 'the built-in sandbox',
  mapping: 'how the file is read',
  maxAttempts: 'the number of tries for a row',
  maxInvalid: 'the limit on invalid rows',
  mode: 'the mode, sandbox or live',
  noProxy: 'the list of addresses that are reached without the proxy',
  noRememberedMapping: 'the choice not to use what is remembered for the header',
  note: 'the note',
  notice: 'the file for what a person has to do after a run',
  out: 'the folder of results',
  passphraseFile: 'the file of the passphrase',
  payeeType: 'the type of the payees',
  planHash: 'the hash of the plan',
  rate: 'the number of requests a second',
  refusedAlike: 'the number of equal refusals after which a run stops',
  requireComplete: 'the choice to take whole files only',
  right: 'the second column to compare',
  rules: 'the changes to the rules of validation',
  sandboxApiKey: 'the API key for sandbox mode',
  sandboxApiKeyFile: 'the file of the API key for sandbox mode',
  sandboxDir: 'the folder of the built-in sandbox',
  sandboxFaults: 'the faults of the built-in sandbox',
  selection: 'the hash of the rows that were shown',
  sheet: 'the sheet',
  skipRefused: 'the choice to go on with the other files',
  source: 'the file that was imported',
  sourceMapping: 'how the imported file was read',
  timeout: 'the time for one request',
  tolerance: 'the difference of amounts that is allowed',
  toleranceDays: 'the difference of days that is allowed',
  userKeyFile: 'the key file of the person who acts',
  userPassphrase: 'the passphrase of the key file',
  userPassphraseFile: 'the file of the passphrase',
  waitingCodes: 'the list of refusals after which a row waits',
  waitingDelay: 'the time for which a row waits',
  yes: 'the agreement to a live run',
};

/** The settings that are chosen on a page; all others are set when the console is started. */
const chosenOnPages: ReadonlySet<Adjustable> = new Set([
  'coversFrom',
  'coversTo',
  'encoding',
  'hidden',
  'kind',
  'leaveOutNonRows',
  'mapping',
  'note',
  'sheet',
]);

/** Whether it is chosen on a page. */
export function isChosenOnPages({ setting }: Pick<Adjustment, 'setting'>): boolean {
  return chosenOnPages.has(setting);
}

/** A setting's name, for use in a sentence. */
export function settingName(setting: Adjustable): string {
  return names[setting];
}

/** The name of the built-in sandbox among the addresses of APIs. */
const builtInSandbox = new RegExp(`${localSandboxPrefix}[0-9a-f-]{36}`, 'g');

/** A sentence with the settings' names for people: `the setting maxInvalid` becomes `the limit on invalid rows`. */
export function inPageWords(text: string): string {
  return text
    .replace(builtInSandbox, 'the built-in sandbox')
    .replace(/\b([Tt])he setting `?([a-z][A-Za-z]*)\b`?/g, (whole, first: string, setting: string) => {
      if (!isAdjustable(setting)) return whole;
      const name = names[setting];
      return first === 'T' ? capital(name) : name;
    });
}

/** A text with a capital letter at its beginning. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function isAdjustable(name: string): name is Adjustable {
  return Object.hasOwn(names, name);
}
