import { describe, expect, it } from 'vitest';
import { columnsOf, fieldsForSynonym, kinds, ruleOf } from '../../src/kinds/registry.ts';

describe('what others call our columns', () => {
  it.each([
    ['recipients', 'Betrag', ['amount']],
    ['recipients', 'Montant', ['amount']],
    ['recipients', 'Kiasi', ['amount']],
    ['recipients', 'Kontoinhaber', ['account_name']],
    ['recipients', 'Bénéficiaire', ['account_name']],
    ['recipients', 'BENEFICIAIRE', ['account_name']],
    ['recipients', 'NUBAN', ['account_number']],
    ['recipients', 'A/C No.', ['account_number']],
    ['recipients', 'Namba ya simu', ['phone_number']],
    ['recipients', 'Mobile No.', ['phone_number']],
    ['recipients', 'Handy', ['phone_number']],
    ['recipients', 'Währung', ['currency']],
    ['recipients', 'Moeda', ['currency']],
    ['recipients', 'Banque', ['bank_name', 'institution_name']],
    ['customers', 'PLZ', ['postal_code']],
    ['customers', 'Straße', ['address_line1']],
    ['customers', 'STRASSE', ['address_line1']],
    ['customers', 'Sex', ['gender']],
    ['customers', 'DOB', ['date_of_birth']],
    ['customers', 'Date de naissance', ['date_of_birth']],
    ['customers', 'Zip', ['postal_code']],
    ['customers', 'Sobrenome', ['last_name']],
    ['customers', 'Kaunti', ['state']],
    ['collections', 'Rechnungsnummer', ['client_reference']],
    ['accounts', 'Moeda', ['currency']],
    ['recipients', 'Nazwa odbiorcy', ['account_name']],
    ['recipients', 'Kwota do zapłaty', ['amount']],
    ['recipients', 'Att betala', ['amount']],
    ['recipients', 'Beløb', ['amount']],
    ['recipients', 'Ödenecek tutar', ['amount']],
    ['recipients', 'Maksettava määrä', ['amount']],
    ['recipients', 'Variabilní symbol', []],
    ['recipients', 'Namba ya mkulima', ['customer_external_id']],
    ['recipients', 'Totale da pagare', ['amount']],
    ['recipients', 'Openstaand bedrag', ['amount']],
    ['customers', 'PSČ', ['postal_code']],
    ['customers', 'Județ', ['state']],
    ['customers', 'Vezetéknév', ['last_name']],
    ['customers', 'CEP', ['postal_code']],
    ['customers', 'Approved by', []],
    ['recipients', 'nothing of the kind', []],
  ])('%s: %s is %j', (kind, title, fields) => {
    expect(fieldsForSynonym(kind, title)).toEqual(fields);
  });

  it('is known in English, German, French, Swahili and Portuguese for every column', () => {
    for (const kind of kinds) {
      for (const field of columnsOf(kind)) {
        const languages = Object.entries(ruleOf(kind, field)?.synonyms ?? {});
        const named = languages.filter(([, names]) => names.length > 0).map(([language]) => language);
        expect(named, `${kind} ${field}`).toEqual(expect.arrayContaining(['en', 'de', 'fr', 'sw', 'pt']));
      }
    }
  });
});
