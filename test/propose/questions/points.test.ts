import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/domain/settings/message.ts';
import { MappingDialogue } from '../../../src/propose/dialogue/dialogue.ts';
import { rowsToImport, type Trial } from '../../../src/propose/dialogue/reading-source.ts';
import type { DialogueQuestion } from '../../../src/propose/question.ts';
import { everyRowPasses, gridOf, type Lines, proposingOf } from '../grids.ts';

const people = Array.from({ length: 6 }, (_, at) => [
  `R-${at}`,
  'Ann',
  'Lee',
  `a${at}@post.example`,
  `+25471200${1000 + at}`,
]);
const titles = ['Kd-Nr', 'Vorname', 'Nachname', 'E-Mail', 'Telefon'];

async function firstQuestion(lines: Lines, trial = everyRowPasses) {
  return new MappingDialogue(rowsToImport(proposingOf([gridOf(lines)])), trial).next();
}

function evidenceFor(question: DialogueQuestion | null, kind: string): string {
  return plainText(question?.options.find(({ id }) => id === kind)?.evidence ?? '');
}

/** No customer is known yet: only rows of customers pass. */
const onlyCustomersPass: Trial = async (reading, columns) =>
  reading.assignment.kind === 'customers'
    ? everyRowPasses(reading, columns)
    : { forecast: { pass: 0, refused: 6, left_out: 0 }, reasons: [] };

describe('the kind of the rows', () => {
  it('is asked before the reading is shown where a second one is not clearly worse, with what speaks for each', async () => {
    const question = await firstQuestion([
      [...titles, 'Geschlecht', 'Geburtsdatum', 'Currency'],
      ...people.map((cells) => [...cells, 'w', '24.03.1981', 'KES']),
    ]);
    expect(question).toMatchObject({ kind: 'reading', about: 'kind' });
    expect(evidenceFor(question, 'customers')).toContain('is first_name');
    expect(evidenceFor(question, 'recipients')).toContain('"Currency" is currency');
  });

  it('is asked where columns of a payout list would be left out of customers, whatever passes', async () => {
    const masterlist: Lines = [
      ['No.', 'First Name', 'Surname', 'Bank', 'Account Number', 'Amount to pay', 'E-mail'],
      ...Array.from({ length: 6 }, (_, at) => [
        ...[String(at + 1), 'Ann', 'Lee', 'BDO Unibank', `00120044012${at}`, `${at + 1}50.00`],
        `a${at}@post.example`,
      ]),
    ];
    const question = await firstQuestion(masterlist, onlyCustomersPass);
    expect(question).toMatchObject({ kind: 'reading', about: 'kind', proposal: 'customers' });
    expect(evidenceFor(question, 'recipients')).toContain('"Account Number" is account_number');
  });

  it('is not asked of a list of people with addresses, of which every column is read as customers', async () => {
    const list: Lines = [
      ['Nr klienta', 'Name', 'Geschlecht', 'Telefon', 'Straße', 'Ort', 'PLZ', 'Land'],
      ...people.map(([id = ''], at) => [
        ...[id, 'Ann Lee', 'w', `+4930123450${at}`, `Allee ${at}`, 'Berlin', '10115', 'DE'],
      ]),
    ];
    expect(await firstQuestion(list, onlyCustomersPass)).toMatchObject({
      kind: 'review',
      about: 'customers',
    });
  });

  it('is not asked of a list of people, though a column of it is only read for payouts', async () => {
    const contacts: Lines = [
      [...titles, 'Geschlecht', 'Geburtsdatum', 'Betrag'],
      ...people.map((cells, at) => [...cells, 'w', '24.03.1981', `${at + 1}50.00`]),
    ];
    expect(await firstQuestion(contacts, onlyCustomersPass)).toMatchObject({ kind: 'review' });
  });

  it('is asked where the proposed kind lacks the accounts of its payees', async () => {
    const wallets: Lines = [
      ['Customer no.', 'Beneficiary', 'Nick', 'Net', 'Currency'],
      ...Array.from({ length: 6 }, (_, at) => [`C-${at}`, 'Ann Lee', `Savings ${at}`, 'PLG', 'USD']),
    ];
    const question = await firstQuestion(wallets);
    expect(question).toMatchObject({ kind: 'reading', about: 'kind' });
  });

  it('is asked, and none proposed, where rows with amounts may be paid out or collected', async () => {
    const bills: Lines = [
      ['Customer no.', 'Invoice no.', 'Name', 'Mobile', 'Network', 'Amount'],
      ...Array.from({ length: 6 }, (_, at) => [
        ...[`C-${at}`, `INV-00${at}`, 'Ann Lee', `+25471200${1000 + at}`, 'M-PESA', `${at + 1}50.00`],
      ]),
    ];
    const question = await firstQuestion(bills);
    expect(question).toMatchObject({ kind: 'reading', about: 'kind', proposal: null });
    expect(evidenceFor(question, 'collections')).toContain('"Invoice no." is client_reference');
    const withoutReference = bills.map((cells) => cells.filter((_, at) => at !== 1));
    expect(await firstQuestion(withoutReference)).toMatchObject({ kind: 'review', about: 'recipients' });
  });

  it('is not asked where the others lack what every row of them needs', async () => {
    expect(await firstQuestion([titles, ...people])).toMatchObject({ kind: 'review', about: 'customers' });
  });
});

describe('the sheet that is read', () => {
  const own: Lines = [
    [...titles, 'Gruppe'],
    ...people.map((cells, at) => [...cells, at % 2 === 0 ? 'A1' : 'B2']),
  ];
  const codes: Lines = [
    ['A1', 'those who are paid weekly'],
    ['B2', 'those who are paid monthly'],
  ];
  const askedFirst = async (other: Lines) => {
    const grids = [gridOf(own, 'People'), gridOf(other, 'Other')];
    return new MappingDialogue(rowsToImport(proposingOf(grids)), everyRowPasses).next();
  };

  it('is not asked where the other one only explains the codes of a column', async () => {
    expect(await askedFirst(codes)).toMatchObject({ kind: 'review', sheet: 'People' });
    expect(
      await askedFirst([['Vorname', 'Nachname', 'Telefon'], ...people.map((cells) => cells.slice(1, 4))]),
    ).toMatchObject({ kind: 'reading', about: 'sheet' });
  });
});
