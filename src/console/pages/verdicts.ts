/* What a person may decide about a row that only a person may decide about, and what each choice means. */

import { isVerdict, type Verdict } from '../../domain/rows/ledger-row.ts';
import { type Html, html } from '../../output/report/page.ts';

/** What is known of a row that waits for a verdict. */
interface UndecidedRow {
  readonly code: string | null;
  /** When a request of it first left; null where none did. */
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

/** The verdicts that suit a row. */
export function verdictsFor({ code, firstSentAt }: UndecidedRow): readonly Verdict[] {
  const suiting: Verdict[] =
    firstSentAt === null ? ['existing', 'send'] : ['created', 'not-created', 'existing', 'send'];
  return suiting.filter((verdict) => verdict !== 'send' || code !== 'corrects_in_doubt');
}

/** Verdicts to choose from, each with what it means. */
export function verdictChoices(verdicts: readonly Verdict[], chosen: Verdict | null = null): Html {
  return html`<fieldset><legend>What is true of it?</legend>${verdicts.map((verdict) => {
    const { name, text } = meanings[verdict];
    const checked = verdict === chosen ? html` checked` : null;
    return html`<label class="choice"><input type="radio" name="verdict" value="${verdict}" required${checked}><span><b>${name}</b> <span class="soft">${text}</span></span></label>`;
  })}</fieldset>`;
}

/** What advice of the engine calls by the names of commands, and what pages call it. */
const doneOnPages: readonly (readonly [RegExp, string])[] = [
  [
    /\bresume or resolve the batch of the row that it names first/,
    'go on with the batch of the row that it names first, or decide about that row',
  ],
  [/\bresume the batch\b/, 'go on with the batch'],
  [/\bresume( with|:)/, 'go on with the batch$1'],
  [/\bresolve the row that/, 'decide about the row that'],
  [/\bresolve (row \d+) as\b/, 'decide about $1:'],
  [/\bresolve it as created/, 'decide: created with that id'],
  [/\bcorrect it in the failed file/, 'correct it'],
];

/** Advice of the engine, with the names that verdicts and steps have on pages. */
export function inVerdictNames(advice: string): string {
  const told = doneOnPages.reduce((text, [pattern, words]) => text.replace(pattern, words), advice);
  return told.replace(/\b(?:not-created|existing|send(?! it\b)|created(?= with))(?![\w-])/g, (verdict) =>
    isVerdict(verdict) ? `"${meanings[verdict].name}"` : verdict,
  );
}

/** The verdict in words. */
export function verdictName(verdict: Verdict): string {
  return meanings[verdict].name;
}
