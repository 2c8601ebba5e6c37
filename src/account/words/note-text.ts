/* Notes during a run in sentences, with their remedies, and the texts about damaged run logs and unknown facts. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { MissingFact, Note } from '../../domain/batches/note.ts';
import type { LogDamage } from '../../domain/batches/run.ts';
import type { Remedy } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import { durationOption } from '../../domain/settings/setting.ts';

/*
 * Advice about facts that this program does not know: the provider's lifetime of keys, the pages of a list, the mode of
 * a key.
 */

/** The remedy when a list could not be read in full because the way to select its pages is unknown. */
export const pagingAdvice = say`If the API chooses pages in a way of its own, name the query parameter with ${{ setting: 'institutionsPageParameter' }} and the number of the first page with ${{ setting: 'institutionsFirstPage' }}.`;

/** What a person should know while the provider's lifetime of keys is not configured. The text has no full stop. */
export function assumedLifetimeText(durationInMs: number): string {
  return (
    'It is not stated how long the provider keeps idempotency keys, so a row in doubt is sent again by itself ' +
    `only within ${durationOption(durationInMs)} of its first send; after that it is held for a person`
  );
}

export const assumedLifetimeRemedy: Remedy = {
  action: 'advice',
  text:
    'ask the provider: "For how long after its first use is a request with the same Idempotency-Key answered ' +
    'with the first result, and nothing created again?"',
  next: { action: 'set', purpose: 'state that', oneOf: [{ setting: 'keyLifetime', value: '24h' }] },
};

/** Why a batch in live mode may not be live. The text has no full stop. @param fingerprint of its API key */
export function unprovenKeyText(fingerprint: string): string {
  return (
    `This is live only if the API key with the fingerprint ${fingerprint} is a live key: it is used here for the ` +
    'first time, and a sandbox key would create everything in the sandbox. Compare it with the live secret key in the ' +
    'dashboard of the API'
  );
}

/** The remedy when a key may not be live. @param fingerprint of the API key */
export function unprovenKeyRemedy(fingerprint: string): Remedy {
  return {
    action: 'set',
    purpose: 'once they are the same',
    oneOf: [{ setting: 'liveKeyFingerprint', value: fingerprint }],
  };
}

/* Texts about run logs that are damaged, or to which another ledger writes. */

/** The maximum number of places of a log that are named. */
const shownPlaces = 5;

/** Says what is wrong with a log, place by place: "line 412 was changed, and 3 lines are missing before line 500". */
export function damageText(damages: readonly LogDamage[]): string {
  const places = damages.slice(0, shownPlaces).map(placeText);
  const left = damages.length - places.length;
  const all = left > 0 ? [...places, `${countOf(left, 'more place')}`] : places;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Rows by number: "rows 3, 7 to 12 and 20 more". @param rows at least one, in order */
export function rowsText(rows: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const row of rows) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] + 1 === row) range[1] = row;
    else ranges.push([row, row]);
  }
  const shown = ranges.slice(0, shownRanges);
  const left = rows.length - shown.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const named = shown
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`))
    .join(', ');
  return `${rows.length === 1 ? 'row' : 'rows'} ${named}${left > 0 ? ` and ${left} more` : ''}`;
}

const shownRanges = 10;

function placeText({ kind, from, to, hidden }: LogDamage): string {
  const [lines, are] = from === to ? [`line ${from}`, 'is'] : [`lines ${from} to ${to}`, 'are'];
  switch (kind) {
    case 'changed':
      return `${lines} ${from === to ? 'was' : 'were'} changed`;
    case 'unreadable':
      return `${lines} cannot be read`;
    case 'missing':
      return `${Number.isFinite(hidden) ? countOf(hidden, 'line') : 'lines'} before or at line ${from} ${hidden === 1 ? 'is' : 'are'} missing`;
    case 'moved':
      return `${lines} ${are} out of place`;
    case 'unlinked':
      return `${lines} ${are} without number and hash`;
    case 'cut': {
      const lacking = Number.isFinite(hidden) ? countOf(hidden, 'line') : 'lines';
      return `it ends after line ${from - 1} and lacks ${lacking} that its head names`;
    }
    case 'head':
      return 'its head file is damaged';
  }
}

/** A note in a sentence, and its remedies. Names from outside are unescaped. */
export function noteText(note: Note): { readonly text: Message; readonly remedies?: readonly Remedy[] } {
  switch (note.code) {
    case 'file_remark':
      return { text: note.file === null ? note.text : say`${fileName(note.file)}: ${note.text}` };
    case 'proposed_without':
      return { text: say`${missingText(note.missing)} are not known: ${note.error.said}` };
    case 'built_in_sandbox':
      return { text: `Using the built-in sandbox of the API; what it holds is in ${note.folder}.` };
    case 'live_key_first_used': {
      const { fingerprint } = note;
      return { text: `${unprovenKeyText(fingerprint)}.`, remedies: [unprovenKeyRemedy(fingerprint)] };
    }
    case 'key_lifetime_assumed':
      return { text: `${assumedLifetimeText(note.durationInMs)}.`, remedies: [assumedLifetimeRemedy] };
    case 'institutions_changed': {
      const { file, countries, movedRows } = note;
      const passes = movedRows === 1 ? 'passes' : 'pass';
      const verdict =
        movedRows === 0 ? 'every row still passes' : `${countOf(movedRows, 'row')} no longer ${passes}`;
      return { text: `${file}: the institutions of ${countries.join(', ')} have changed; ${verdict}.` };
    }
    case 'rows_verified': {
      const { file, rows } = note;
      const are = rows === 1 ? 'is' : 'are';
      return { text: `${file}: ${countOf(rows, 'row')} could be verified now, and ${are} held no longer.` };
    }
    case 'institutions_incomplete': {
      const read = countOf(note.institutions, 'institution');
      const text = `The list of institutions of ${note.country} could not be read in full (${read} of it): rows that name another one are held.`;
      return { text, remedies: [{ action: 'advice', text: pagingAdvice }] };
    }
    case 'read_from_standby': {
      const { server, knownUntil } = note;
      const last = knownUntil === null ? '' : ` Its last transaction is of ${knownUntil}.`;
      return { text: `Read from the standby ${server}: the primary may know more.${last}` };
    }
    case 'log_completed': {
      const { file, rows } = note;
      const them = rows === 1 ? 'it' : 'them';
      const text = `${file}: the run log lacked ${countOf(rows, 'row')} of earlier runs, and has ${them} now.`;
      return { text };
    }
    case 'log_torn': {
      const { log, events, lines } = note;
      const passed = `passed over ${countOf(events, 'event')}`;
      const where = `(line ${lines.join(', ')})`;
      return { text: `${log}: ${passed} that a full disk or the end of a run cut off ${where}.` };
    }
    case 'log_damaged': {
      const { log, damages, isCompleted } = note;
      const then = isCompleted ? ' The ledger has what is missing, and writes it into the log.' : '';
      return { text: `${log} is damaged: ${damageText(damages)}.${then}` };
    }
    case 'log_unproven':
      return unprovenText(note);
    case 'rows_shown': {
      const [are, theirIds] = note.rows === 1 ? ['is', 'its id'] : ['are', 'their ids'];
      const text = `${countOf(note.rows, 'row')} ${are} held with ${theirIds}: a result file beside the run log has ${note.rows === 1 ? 'it' : 'them'} as created, and the log does not.`;
      return { text };
    }
    case 'mapping_not_remembered': {
      const text = say`The mapping is not remembered: ${note.reason}`;
      const mapping = { setting: 'mapping', value: note.path } as const;
      return { text, remedies: [{ action: 'set', purpose: 'give it with each file', oneOf: [mapping] }] };
    }
    case 'same_content': {
      const [file, first] = [fileName(note.file), fileName(note.firstFile)];
      const text = `${file}: the same content as ${first}, which was taken in before; its files are named after that.`;
      return { text };
    }
    case 'rows_returned': {
      const { batch, rejected, waiting } = note;
      const again = rejected === 1 ? 'is sent again under a new key' : 'are sent again under new keys';
      const parts = [
        rejected > 0 && `${countOf(rejected, 'rejected row')} ${again}`,
        waiting > 0 && `${countOf(waiting, 'waiting row')} ${waiting === 1 ? 'is' : 'are'} tried again`,
      ].filter((part) => part !== false);
      return { text: `batch ${shortBatchId(batch)}: ${parts.join('; ')}` };
    }
    case 'later_batch': {
      const text = `Batch ${shortBatchId(note.batch)} has later rows for those of this import: it went on as well.`;
      return { text };
    }
    case 'rows_recovered': {
      const { rows, wasKnown } = note;
      if (wasKnown) return { text: 'This ledger knows all that the logs tell; nothing was changed or sent.' };
      const have = rows === 1 ? 'has its key and answer' : 'have their keys and answers';
      return { text: `${countOf(rows, 'row')} ${have} back; nothing was sent.` };
    }
    case 'notice_not_written':
      return { text: `The notice could not be written to ${note.path}: ${note.reason}.` };
    case 'files_kept':
      return { text: `What was handed over before is kept: ${note.paths.join(', ')}.` };
    case 'reading_contradicted': {
      const { said: text, remedies } = note.error;
      return { text, remedies };
    }
  }
}

function unprovenText({
  log,
  isUnlinked,
  lines,
  isFinished,
  isHeld,
}: Extract<Note, { code: 'log_unproven' }>): ReturnType<typeof noteText> {
  const origin = isUnlinked
    ? 'an earlier version wrote it without numbers and hashes, so changed or missing lines cannot be noticed'
    : 'its head file is not beside it, so a cut at its end cannot be excluded';
  const end = `It ends after line ${lines} ${isFinished ? 'with the end of a run' : 'of a run that did not finish'}.`;
  const text = `${log} proves too little: ${origin}. ${end}`;
  if (isHeld) return { text: `${text} Rows of which it says nothing final are held.` };
  const effect = 'holds the rows of which it says nothing final';
  return { text, remedies: [{ action: 'set', oneOf: [{ setting: 'holdRest' }], effect }] };
}

function missingText(missing: MissingFact): string {
  return missing.of === 'institutions'
    ? `The institutions of ${missing.country}`
    : 'The customers of the ledger';
}

function fileName(file: string): string {
  return file === '-' ? 'standard input' : file;
}
