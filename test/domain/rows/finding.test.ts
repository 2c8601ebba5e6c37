import { describe, expect, it } from 'vitest';
import {
  type Finding,
  FindingsTally,
  noteOnColumn,
  noteText,
  readAs,
  unmasked,
} from '../../../src/domain/rows/finding.ts';
import { type Message, plainText, say } from '../../../src/domain/settings/message.ts';
import { mask } from '../../../src/domain/text/characters.ts';

function finding(code: string, column: string, message = 'is wrong'): Finding {
  return { severity: 'invalid', field: column, column, code, message };
}

/** What a message says where the whole cell may be shown. */
function shown(message: Message, cell: string): string {
  return plainText(unmasked(message, cell));
}

const masked = (value: string) => ({ value: mask(value), isMasked: true });

it('a message gets its whole value back, and nothing else', () => {
  const message = say`${masked('0712345678')} has no country; ${masked('1234567')} is another one`;
  expect(shown(message, ' 0712345678 ')).toBe('“0712345678” has no country; “…67” is another one');
  expect(shown(message, '$&')).toBe(plainText(message));
  expect(shown('is empty', '')).toBe('is empty');
  // Only a value is replaced, not a text that looks like one.
  expect(shown(`${mask('0712345678')} is a text`, '0712345678')).toBe('“…678” is a text');
  const iban = 'de89 3704 0044 0532 0130 01';
  expect(shown(say`${masked('DE89370400440532013001')} is no IBAN`, iban)).toBe(`“${iban}” is no IBAN`);
  expect(shown(say`${masked('12')} is short`, '12')).toBe('“12” is short');
  const long = '𐐷'.repeat(255);
  expect(shown(say`${masked(long)} is wrong`, long)).toBe(`“${long}” is wrong`);
});

describe('FindingsTally', () => {
  it('groups by code and column, the largest group first, with the first rows and message', () => {
    const tally = new FindingsTally();
    tally.add(2, [finding('required', 'iban')], []);
    for (let row = 3; row < 10; row += 1)
      tally.add(row, [finding('invalid_phone', 'Mobile', `of ${row}`)], []);
    const { count, groups } = tally.result();
    expect(count).toBe(8);
    expect(groups).toEqual([
      {
        severity: 'invalid',
        code: 'invalid_phone',
        column: 'Mobile',
        count: 7,
        firstRows: [3, 4, 5, 6, 7],
        message: 'of 3',
      },
      expect.objectContaining({ code: 'required', count: 1, firstRows: [2] }),
    ]);
  });

  it('keeps a bounded number of notes and groups, and counts what it leaves out', () => {
    const tally = new FindingsTally();
    for (let row = 2; row < 1002; row += 1) {
      tally.add(row, [finding('unexpected_value', `column ${row}`)], [`same as row ${row}`, 'common']);
    }
    const { groups, groupsLeftOut, notes, notesLeftOut } = tally.result();
    expect(groups.length + groupsLeftOut).toBe(1000);
    expect(groups.length).toBeLessThan(50);
    expect(notes[0]).toEqual({ note: 'common', count: 1000 });
    expect(notes.reduce((sum, note) => sum + note.count, 0) + notesLeftOut).toBe(2000);
    expect(notes.length).toBeLessThan(20);
  });
});

it('notes of rows are sentences that a reader of a summary understands, whatever the columns are called', () => {
  const tally = new FindingsTally();
  const notSent = noteOnColumn('Betrag', [{ kind: 'not_sent' }]);
  const translated = noteOnColumn('Art', [{ kind: 'unseen_value' }, readAs('business')]);
  tally.add(2, [], [notSent, translated, { text: 'corrects row 7 of a.csv', counted: null }]);
  tally.add(3, [], [notSent, noteOnColumn('Tel: home', [readAs('+254712345678')])]);
  tally.add(4, [], [noteOnColumn('Tel: home', [readAs('+254712345679')])]);
  expect(tally.result().notes).toEqual([
    { note: 'Betrag is checked and not sent', count: 2 },
    { note: 'read in another form: Tel: home', count: 2 },
    {
      note: "Art has a word that the API's specification does not show; it is sent as it is",
      count: 1,
    },
  ]);
  expect([notSent, translated].map(noteText)).toEqual([
    'not sent: Betrag',
    'unseen value, read as business: Art',
  ]);
});
