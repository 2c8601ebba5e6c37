import { describe, expect, it } from 'vitest';
import { noteText } from '../../../src/account/words/note-text.ts';
import type { MissingFact } from '../../../src/domain/batches/note.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import { plainText } from '../../../src/domain/settings/message.ts';
import { typedWords } from '../../support/words.ts';

describe('a note in words', () => {
  it('counts rows as people do', () => {
    const said = (rejected: number, waiting: number): string =>
      plainText(noteText({ code: 'rows_returned', batch: '3f2a9c1e-0000', rejected, waiting }).text);
    expect(said(1, 0)).toBe('batch 3f2a9c1e: 1 rejected row is sent again under a new key');
    expect(said(2_000, 0)).toBe('batch 3f2a9c1e: 2,000 rejected rows are sent again under new keys');
    expect(said(0, 40)).toBe('batch 3f2a9c1e: 40 waiting rows are tried again');
    expect(said(3, 1)).toBe(
      'batch 3f2a9c1e: 3 rejected rows are sent again under new keys; 1 waiting row is tried again',
    );
  });

  it('names standard input as such', () => {
    expect(noteText({ code: 'same_content', file: '-', firstFile: 'june.csv' }).text).toBe(
      'standard input: the same content as june.csv, which was taken in before; its files are named after that.',
    );
    expect(noteText({ code: 'file_remark', file: null, text: 'No file matches *.csv.' }).text).toBe(
      'No file matches *.csv.',
    );
  });

  it('names what is missing for the proposal of a mapping', () => {
    const error = new PaybatchError('unavailable', 'The API could not be reached.', null);
    const said = (missing: MissingFact): string =>
      plainText(noteText({ code: 'proposed_without', missing, error }).text);
    expect(said({ of: 'institutions', country: 'KE' })).toBe(
      'The institutions of KE are not known: The API could not be reached.',
    );
    expect(said({ of: 'customers' })).toBe(
      'The customers of the ledger are not known: The API could not be reached.',
    );
  });

  it('says what to do where something can be done', () => {
    const { text, remedies = [] } = noteText({ code: 'key_lifetime_assumed', durationInMs: 600_000 });
    expect(text).toContain('only within 10m of its first send; after that it is held for a person.');
    expect(remedies.map(typedWords.remedy).join()).toContain('--key-lifetime 24h');
    const incomplete = noteText({ code: 'institutions_incomplete', country: 'KE', institutions: 1 });
    expect(incomplete.remedies?.map(typedWords.remedy).join()).toContain('--institutions-page-parameter');
    expect(incomplete).toMatchObject({
      text: 'The list of institutions of KE could not be read in full (1 institution of it): rows that name another one are held.',
    });
  });
});
