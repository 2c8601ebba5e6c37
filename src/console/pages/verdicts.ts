/* What a person may decide about a row that only a person may decide about, and what each choice means. */

import { type Html, html } from '../../account/report/page.ts';
import type { StepNames } from '../../account/words/row-remedy-words.ts';
import type { Verdict } from '../../domain/rows/ledger-row.ts';

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

const quoted = (verdict: Verdict): string => `"${meanings[verdict].name}"`;

/** What is done about a row on pages, by the names of their buttons and choices. */
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
