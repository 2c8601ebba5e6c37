/*
 * The words of pages for verdicts, settings, steps, remedies and folders. They are for people who click and do not type
 * commands.
 */

import { readFileSync } from 'node:fs';
import { type Html, html } from '../../account/report/page.ts';
import { noteText } from '../../account/words/note-text.ts';
import { rowRemedyText, type StepNames } from '../../account/words/row-words.ts';
import { apiName, statusLabel } from '../../account/words/wording.ts';
import type { Note } from '../../domain/batches/note.ts';
import type { Adjustment, CallRemedy, Phrasebook, Remedy } from '../../domain/failures/paybatch-error.ts';
import type { Verdict } from '../../domain/rows/ledger-row.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { type Adjustable, fieldName, inWords, listOf, type Message } from '../../domain/settings/message.ts';
import { escapePattern } from '../../domain/text/characters.ts';

/** The words for things that messages and remedies name. */
export interface PageWords {
  readonly verdicts: Readonly<Record<Verdict, { readonly name: string; readonly text: string }>>;
  /** The name of each setting, for use in a sentence. */
  readonly settings: Readonly<Record<Adjustable, string>>;
  readonly remedies: Readonly<Record<Exclude<CallRemedy['action'], 'lift_halt'>, string>>;
  /** The settings that a page can change. All others are set when the console is started. */
  readonly chosenOnPages: readonly Adjustable[];
  /** The purposes of forms, by the last parts of the forms' addresses. */
  readonly forms: Readonly<Record<string, string>>;
}

const {
  verdicts: meanings,
  settings: settingNames,
  remedies: callTexts,
  chosenOnPages,
  forms,
}: PageWords = JSON.parse(readFileSync(new URL('./page-words.json', import.meta.url), 'utf8'));

/** The purposes of forms, by the last parts of the forms' addresses. */
export const formPurposes = forms;

/* The possible verdicts on a row that needs a person's decision, and their meanings. */

/** The facts about a row that waits for a verdict. */
interface UndecidedRow {
  readonly code: string | null;
  /** The time of the first request; null if no request was sent. */
  readonly firstSentAt: string | null;
}

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

/** A message in the words of pages. Settings have names for people, such as `the limit on invalid rows`. */
export function pageText(message: Message): string {
  const setting = (name: Adjustable): string => settingNames[name];
  return inWords(message, { setting, origin: apiName, field: fieldName });
}

/** A note in the words of pages. The folder of the sandbox concerns only people who run the console. */
export function pageNoteText(note: Note): string {
  return note.code === 'built_in_sandbox'
    ? 'Using the built-in sandbox of the API: no money moves.'
    : pageText(noteText(note).text);
}

/* Remedies in words, for the console's reports and for steps without a button. */

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
      const own = remedy.oneOf.filter(({ setting }) => chosenOnPages.includes(setting));
      return own.length > 0
        ? `choose ${listOf(own.map(adjustmentText), 'or')}`
        : `the operator of paybatch sets ${listOf(remedy.oneOf.map(adjustmentText), 'or')}`;
    }
    case 'leave_out': {
      const texts = remedy.settings.map(({ setting }) => settingNames[setting]);
      return `the operator of paybatch leaves out ${listOf(texts, 'and')}`;
    }
    case 'check':
      return `the operator of paybatch checks ${listOf(
        remedy.settings.map((setting) => settingNames[setting]),
        'and',
      )}`;
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
  return value === undefined ? settingNames[setting] : `${settingNames[setting]}: ${value}`;
}

/** What happens to a row of a draft, besides the reason. @param status of the check, and of the plan after it */
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

/** The same information in one or two words beside the status. */
export function draftStatusNote(status: ResultStatus): string {
  return status === 'held' || status === 'waiting' || status === 'existing' ? 'in the plan' : 'still';
}

/* The names of the machine's folders on pages. Pages do not show paths. */

/** A folder that the console writes to. */
export interface OwnFolder {
  /** An absolute path. */
  readonly path: string;
  /** The name of the folder, for use in a sentence. */
  readonly name: string;
}

/** A sentence without the paths of these folders: their files have no path, and the folders have their names. */
export function withoutFolders(text: string, folders: readonly OwnFolder[]): string {
  // A folder may be within another one, so the longest path comes first.
  const ordered = [...folders].sort((one, other) => other.path.length - one.path.length);
  return ordered.reduce((soFar, { path, name }) => {
    const own = escapePattern(path);
    const before = new RegExp(`${own}(?:[/\\\\][^/\\\\\\s"']+)*[/\\\\](?=[^\\s"'])`, 'g');
    return soFar.replace(before, '').replace(new RegExp(`${own}(?![\\w-])`, 'g'), name);
  }, text);
}
