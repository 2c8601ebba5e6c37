/* Remedies in words, for reports that the console has written and for what cannot be clicked. */

import type { DoorWords, Remedy } from '../../domain/failures/remedy.ts';

const actionTexts: Readonly<Partial<Record<Remedy['action'], string>>> = {
  again: 'try again',
  resume: 'the button "Go on" on the page of the batch',
  retry: 'the button "Send them again" on the page of the batch',
  submit: 'the button "Send" on the page of the batch',
  approve: 'the page of the batch: approval',
  status: 'the page of the batch',
  results: 'the files on the page of the batch',
  reconcile: 'the page of the batch: reconcile',
  resolve: 'the page of the batch: rows to decide about',
  close: 'the page of the batch: close',
  import: 'upload the corrected file',
  plan: 'upload the file again',
  validate: 'upload the file again',
  mapping: 'say on the page of the upload how the file is read',
  edit_mapping: 'say on the page of the upload how the file is read',
  remembered_mappings: 'the page of remembered mappings',
  doctor: 'the page "Checks"',
  migrate: 'whoever runs paybatch has to bring the database schema up to date',
  recover: 'whoever runs paybatch has to recover the batch from its run log',
};

/** What can be done, for somebody who reads it beside the console. */
export const consoleWords: DoorWords = {
  remedy: (remedy) => {
    const [before, after] = [remedy.purpose, remedy.effect];
    const text = [before, textOf(remedy), after].filter((part) => part !== undefined).join(' ');
    return remedy.next === undefined ? text : `${text}, then ${consoleWords.remedy(remedy.next)}`;
  },
};

function textOf(remedy: Remedy): string {
  if (remedy.action === 'advice') return remedy.text;
  if (remedy.action === 'set') {
    return remedy.oneOf
      .map(({ setting, value }) => `the setting ${setting}${value === undefined ? '' : ` = ${value}`}`)
      .join(', or ');
  }
  if (remedy.action === 'leave_out') {
    return `leave out ${remedy.settings.map(({ setting }) => `the setting ${setting}`).join(' and ')}`;
  }
  if (remedy.action === 'check')
    return `check ${remedy.settings.map((name) => `the setting ${name}`).join(' and ')}`;
  return actionTexts[remedy.action] ?? remedy.action;
}
