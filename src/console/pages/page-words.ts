/* The words of pages: verdicts, settings, steps and remedies, for people who click and type no commands. */

import { type Html, html } from '../../account/report/page.ts';
import { noteText } from '../../account/words/note-text.ts';
import { rowRemedyText, type StepNames } from '../../account/words/row-words.ts';
import { apiName, statusLabel } from '../../account/words/wording.ts';
import type { Note } from '../../domain/batches/note.ts';
import type { Adjustment, CallRemedy, Phrasebook, Remedy } from '../../domain/failures/paybatch-error.ts';
import type { Verdict } from '../../domain/rows/ledger-row.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { type Adjustable, fieldName, inWords, listOf, type Message } from '../../domain/settings/message.ts';

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
  acceptDrift: 'the choice to take the file as it is',
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
  ledgerId: 'the name of the ledger for live mode',
  left: 'the first column to compare',
  liveApiKey: 'the API key for live mode',
  liveApiKeyFile: 'the file of the API key for live mode',
  liveKeyFingerprint: 'the fingerprint of the API key for live mode',
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
  policyHash: 'the hash of the policy for live mode',
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
  'acceptDrift',
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
function isChosenOnPages({ setting }: Pick<Adjustment, 'setting'>): boolean {
  return chosenOnPages.has(setting);
}

/** A setting's name, for use in a sentence. */
export function settingName(setting: Adjustable): string {
  return names[setting];
}

/** A message in the words of pages: with the settings' names for people, such as `the limit on invalid rows`. */
export function pageText(message: Message): string {
  return inWords(message, { setting: settingName, origin: apiName, field: fieldName });
}

/** A note in the words of pages. The folder of the sandbox is for those who run the console. */
export function pageNoteText(note: Note): string {
  return note.code === 'built_in_sandbox'
    ? 'Using the built-in sandbox of the API: no money moves.'
    : pageText(noteText(note).text);
}

/* Remedies in words, for the console's reports and for steps without a button. */

const callTexts: Readonly<Record<Exclude<CallRemedy['action'], 'lift_halt'>, string>> = {
  resume: 'the button "Go on" on the page of the batch',
  retry: 'the button "Send them again" on the page of the batch',
  submit: 'the button "Send" on the page of the batch',
  approve: 'the page "Approval" of the batch',
  status: 'the page of the batch',
  results: 'the files on the page of the batch',
  reconcile: 'the page "Reconcile" of the batch',
  resolve: 'the rows to decide about, on the page of the batch',
  close: 'the page "Close" of the batch',
  import: 'correct the rows on the page of the batch, or upload the corrected file',
  plan: 'upload the file again',
  validate: 'upload the file again',
  mapping: 'say on the page of the upload how the file is read',
  edit_mapping: 'say on the page of the upload how the file is read',
  remembered_mappings: 'the page "Mappings"',
  institutions: 'the list of institutions of the country',
  template: 'an empty file to fill in, from the first page',
  help: 'the operator of paybatch finds it in its manual',
  doctor: 'the page "Checks"',
  verify_audit: 'the operator of paybatch has to verify the audit trail',
  migrate: 'the operator of paybatch has to bring the database schema up to date',
  recover: 'the operator of paybatch has to recover the batch from its run log',
};

/** The phrases for remedies, for readers who use the console. */
export const consoleWords: Phrasebook = {
  isOnPages: true,
  message: pageText,
  rowRemedy: (remedy) => rowRemedyText(remedy, pageStepNames),
  remedy: (remedy) => {
    const { purpose, effect, remark, next } = remedy;
    const text = `${purpose === undefined ? '' : `${purpose}: `}${textOf(remedy)}`;
    const said = [
      text,
      ...[effect, remark].flatMap((part) => (part === undefined ? [] : [`(${part})`])),
    ].join(' ');
    return next === undefined ? said : `${said}, then ${consoleWords.remedy(next)}`;
  },
};

function textOf(remedy: Remedy): string {
  switch (remedy.action) {
    case 'advice':
      return pageText(remedy.text);
    case 'again':
      return 'try again';
    case 'set': {
      const own = remedy.oneOf.filter(isChosenOnPages);
      return own.length > 0
        ? `choose ${listOf(own.map(adjustmentText), 'or')}`
        : `the operator of paybatch sets ${listOf(remedy.oneOf.map(adjustmentText), 'or')}`;
    }
    case 'leave_out': {
      const texts = remedy.settings.map(({ setting }) => settingName(setting));
      return `the operator of paybatch leaves out ${listOf(texts, 'and')}`;
    }
    case 'check':
      return `the operator of paybatch checks ${listOf(remedy.settings.map(settingName), 'and')}`;
    case 'lift_halt':
      return remedy.policy === null
        ? 'a person who may change the policy lifts that, with paybatch halt --lift'
        : `version ${remedy.policy} of the policy lifts that once it is approved, with paybatch policy approve ${remedy.policy}`;
    default:
      return callTexts[remedy.action];
  }
}

function adjustmentText({ setting, value }: Adjustment): string {
  if (setting === 'hidden' && value !== undefined)
    return value === 'skip' ? 'that hidden rows are left out' : 'that hidden rows are read like the others';
  if (setting === 'leaveOutNonRows') return 'that headings and totals are left out';
  if (setting === 'acceptDrift') return 'that the file is taken as it is';
  return value === undefined ? settingName(setting) : `${settingName(setting)}: ${value}`;
}

/** What becomes of a row of a draft, besides the reason. @param status of the check, and of the plan after it */
export function draftStatusText(status: ResultStatus): string {
  switch (status) {
    case 'not_sent':
      return 'With its edits it passes.';
    case 'held':
      return 'With its edits it can be read, but the plan holds it until a person decides.';
    case 'waiting':
      return 'With its edits it passes the check, but it has to wait.';
    case 'existing':
      return 'With its edits nothing is sent for it: it exists already.';
    default:
      return `With its edits it is still ${statusLabel(status)}.`;
  }
}

/** The same in a word or two beside the status. */
export function draftStatusNote(status: ResultStatus): string {
  return status === 'held' || status === 'waiting' || status === 'existing' ? 'in the plan' : 'still';
}
