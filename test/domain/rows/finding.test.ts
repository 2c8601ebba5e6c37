import { describe, expect, it } from 'vitest';
import {
  type Finding,
  FindingsTally,
  noteOnColumn,
  noteText,
  readAs,
} from '../../../src/domain/rows/finding.ts';

function finding(code: string, column: string, message = 'is wrong'): Finding {
  return { severity: 'invalid', field: column, column, code, message };
}

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
