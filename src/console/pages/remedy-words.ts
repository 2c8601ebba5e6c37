/* Remedies in words, for reports that the console has written and for what cannot be clicked. */

import { rowRemedyText } from '../../account/words/row-remedy-words.ts';
import type { Adjustment, CallRemedy, DoorWords, Remedy } from '../../domain/failures/remedy.ts';
import { inPageWords, isChosenOnPages, settingName } from './setting-words.ts';
import { pageStepNames } from './verdicts.ts';

const callTexts: Readonly<Record<CallRemedy['action'], string>> = {
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
  help: 'whoever runs paybatch finds it in its manual',
  doctor: 'the page "Checks"',
  verify_audit: 'whoever runs paybatch has to verify the audit trail',
  migrate: 'whoever runs paybatch has to bring the database schema up to date',
  recover: 'whoever runs paybatch has to recover the batch from its run log',
};

/** What can be done, for somebody who reads it beside the console. */
export const consoleWords: DoorWords = {
  isOnPages: true,
  rowRemedy: (remedy) => rowRemedyText(remedy, pageStepNames),
  remedy: (remedy) => {
    const { purpose, effect, next } = remedy;
    const text = `${purpose === undefined ? '' : `${purpose}: `}${textOf(remedy)}`;
    const said = effect === undefined ? text : `${text} (${withoutBrackets(effect)})`;
    return inPageWords(next === undefined ? said : `${said}, then ${consoleWords.remedy(next)}`);
  },
};

function withoutBrackets(effect: string): string {
  return effect.replace(/^\((.*)\)$/, '$1');
}

function textOf(remedy: Remedy): string {
  switch (remedy.action) {
    case 'advice':
      return remedy.text;
    case 'again':
      return 'try again';
    case 'set': {
      const own = remedy.oneOf.filter(isChosenOnPages);
      return own.length > 0
        ? `choose ${listed(own.map(adjustmentText), 'or')}`
        : `whoever runs paybatch sets ${listed(remedy.oneOf.map(adjustmentText), 'or')}`;
    }
    case 'leave_out': {
      const texts = remedy.settings.map(({ setting }) => settingName(setting));
      return `whoever runs paybatch leaves out ${listed(texts, 'and')}`;
    }
    case 'check':
      return `whoever runs paybatch checks ${listed(remedy.settings.map(settingName), 'and')}`;
    default:
      return callTexts[remedy.action];
  }
}

function adjustmentText({ setting, value }: Adjustment): string {
  if (setting === 'hidden' && value !== undefined)
    return value === 'skip' ? 'that hidden rows are left out' : 'that hidden rows are read like the others';
  if (setting === 'leaveOutNonRows') return 'that headings and totals are left out';
  return value === undefined ? settingName(setting) : `${settingName(setting)}: ${value}`;
}

function listed(texts: readonly string[], word: 'and' | 'or'): string {
  if (texts.length < 3) return texts.join(` ${word} `);
  return `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}
