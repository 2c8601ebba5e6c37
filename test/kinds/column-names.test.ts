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
    ['recipients', '受取人名', ['account_name']],
    ['recipients', '差引支給額', ['amount']],
    ['recipients', '口座番号', ['account_number']],
    ['recipients', '金融機関名', ['bank_name', 'institution_name']],
    ['recipients', '収款人', []],
    ['recipients', '收款人户名', ['account_name']],
    ['recipients', '實發金額', ['amount']],
    ['recipients', '币种', ['currency']],
    ['recipients', '예금주', ['account_name']],
    ['recipients', '실지급액', ['amount']],
    ['recipients', '사번', ['customer_external_id']],
    ['customers', 'メールアドレス', ['email']],
    ['customers', '生年月日', ['date_of_birth']],
    ['customers', '都道府県', ['state']],
    ['customers', '建物名・部屋番号', ['address_line2']],
    ['customers', '出生日期', ['date_of_birth']],
    ['customers', '郵遞區號', ['postal_code']],
    ['customers', '우편번호', ['postal_code']],
    ['customers', '휴대폰 번호', ['phone']],
    ['customers', 'フリガナ', []],
    ['customers', 'Approved by', []],
    ['customers', 'Име', ['first_name']],
    ['customers', 'Бащино име', ['middle_name']],
    ['customers', 'Фамилия', ['last_name']],
    ['recipients', 'Сума за превод', ['amount']],
    ['recipients', 'Пощ. код', ['postal_code']],
    ['recipients', 'Обслужваща банка', ['bank_name']],
    ['customers', 'Ime', ['first_name']],
    ['customers', 'Prezime', ['last_name']],
    ['recipients', 'Za isplatu', ['amount']],
    ['customers', 'Apelyido', ['last_name']],
    ['customers', 'Gitnang pangalan', ['middle_name']],
    ['recipients', 'Halagang babayaran', ['amount']],
    ['customers', 'Ap. materno', ['last_name']],
    ['customers', 'Fracc.', ['address_line2']],
    ['customers', 'Alcaldía', ['city']],
    ['customers', 'Edo.', ['state']],
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
