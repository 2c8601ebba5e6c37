import { describe, expect, it } from 'vitest';
import {
  accountNumberLength,
  checkIban,
  checkRoutingNumber,
  isNuban,
  isSepaIban,
} from '../../../src/kinds/fields/bank-numbers.ts';
import { notSaying, saying } from '../../support/messages.ts';
import { summarise } from './verdicts.ts';

/** The examples of the IBAN registry (SWIFT, release 102 of June 2026), in its electronic format. */
const registryExamples = `
AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201
AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678
BH67BMAG00001299123456 BI4210000100010000332045181 BR1800360305000010009795493C1
BY13NBRB3600900000002Z00AB00 CH9300762011623852957 CR05015202001026284066 CY17002001280000001200527600
CZ6508000000192000145399 DE89370400440532013000 DJ2100010000000154000100186 DK5000400440116243
DO28BAGR00000001212453611324 EE382200221020145685 EG380019000500000000263180002
ES9121000418450200051332 FI2112345600000785 FK88SC123456789012 FO6264600001631634
FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917 GI75NWBK000000007099453
GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690
HN88CABF00000000000250005469 HR1210010051863000160 HU42117730161111101800000000 IE29AIBK93115212345678
IL620108000000099999999 IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456
JO94CBJO0010000000000131000302 KW81CBKU0000000000001234560101 KZ86125KZT5004100100
LB62099900000001001901229114 LC55HEMM000100010012001200023015 LI21088100002324013AA
LT121000011101001000 LU280019400644750000 LV80BANK0000435195001 LY83002048000020100120361
MC5811222000010123456789030 MD24AG000225100013104168 ME25505000012345678951 MK07250120000058984
MN121234123456789123 MR1300020001010000123456753 MT84MALT011000012345MTLCAST001S
MU17BOMM0101101030300200000MUR NI45BAPR00000013000003558124 NL91ABNA0417164300 NO9386011117947
OM810180000001299123456 PK36SCBL0000001123456702 PL61109010140000071219812874
PS92PALS000000000400123456702 PT50000201231234567890154 QA58DOHB00001234567890ABCDEFG
RO49AAAA1B31007593840000 RS35260005601001611379 RU0304452522540817810538091310419
SA0380000000608010167519 SC18SSCB11010000000000001497USD SD2129010501234001 SE4550000000058398257466
SI56263300012039086 SK3112000000198742637541 SM86U0322509800000000270100 SO211000001001000100141
ST23000100010051845310146 SV62CENR00000000000000700025 TL380080012345678910157 TN5910006035183598478831
TR330006100519786457841326 UA213223130000026007233566001 VA59001123000012345678
VG96VPVG0000012345678901 XK051212012345678906 YE15CBYE0001018861234567891234`
  .trim()
  .split(/\s+/);

/** ISO 7064 mod 97-10, letters as 10 to 35. */
function remainderOf(text: string): bigint {
  return BigInt([...text].map((character) => Number.parseInt(character, 36)).join('')) % 97n;
}

function withCheckDigits(country: string, bban: string): string {
  return `${country}${String(98n - remainderOf(`${bban}${country}00`)).padStart(2, '0')}${bban}`;
}

describe('checkIban', () => {
  it.each(registryExamples)('accepts the registry’s example %s, and not with another digit', (iban) => {
    expect(checkIban(iban)).toBe(iban);
    const last = iban.at(-1) ?? '';
    const changed = /[0-8]/.test(last)
      ? String(Number(last) + 1)
      : last === '9'
        ? '0'
        : last === 'A'
          ? 'B'
          : 'A';
    expect(summarise(checkIban(iban.slice(0, -1) + changed))).toBe('invalid_iban!');
  });

  it.each([
    ['DE89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
    ['de89370400440532013000', 'DE89370400440532013000'],
    ['GB29\u00a0NWBK\u00a060161331926819', 'GB29NWBK60161331926819'],
  ])('reads %s as %s', (text, iban) => {
    expect(checkIban(text)).toBe(iban);
  });

  it.each([
    ['DE8937040044053201300', 'has 22 characters, this has 21'],
    ['DE893704004405320130000', 'has 22 characters, this has 23'],
    ['GB2960161331926819NWBK', 'do not stand where GB has them'],
    ['DE88370400440532013000', 'check digits'],
    ['DE98370400440532013000', 'check digits'],
    ['US64SVBKUS6S3300958879', 'begin with US'],
    ['ZZ89370400440532013000', 'begin with ZZ'],
    ['DE89-3704-0044-0532-0130-00', 'letters and digits only'],
    ['370400440532013000', 'begins with a country code'],
    ['DEXX370400440532013000', 'begins with a country code'],
    ['DE', 'begins with a country code'],
  ])('refuses %s: %s', (text, why) => {
    expect(checkIban(text)).toMatchObject({ code: 'invalid_iban', message: saying(why) });
  });

  it.each(['00', '01', '99'])(
    'refuses the check digits %s, which leave the same remainder as others',
    (digits) => {
      const bodies = Array.from(
        { length: 97 },
        (_, index) => `37040044053201${String(index).padStart(4, '0')}`,
      );
      const passing = bodies.filter((body) => remainderOf(`${body}1314${digits}`) === 1n);
      expect(passing).toHaveLength(1);
      expect(checkIban(`DE${digits}${passing[0]}`)).toMatchObject({
        code: 'invalid_iban',
        message: saying('from 02 to 98'),
      });
    },
  );

  it('refuses a letter where the registry has a digit, and the other way round', () => {
    const moved = ['IE', 'PK', 'DO', 'GT', 'MT', 'FK', 'MU', 'IT'].map((country) => {
      const example = registryExamples.find((iban) => iban.startsWith(country)) ?? '';
      return withCheckDigits(country, `${example.slice(4 + 1)}${example[4]}`);
    });
    // Where all characters may be letters or digits, their order says nothing.
    expect(
      moved.filter((iban) => typeof checkIban(iban) === 'string').map((iban) => iban.slice(0, 2)),
    ).toEqual(['GT']);
  });

  it.each(['AO', 'CI', 'SN', 'US', 'KE'])('knows no IBAN of %s, which is not in the registry', (country) => {
    expect(checkIban(withCheckDigits(country, '1'.repeat(21)))).toMatchObject({
      message: saying(`begin with ${country}`),
    });
  });

  it.each([
    ['RE', 'FR'],
    ['PF', 'FR'],
    ['AX', 'FI'],
    ['JE', 'GB'],
  ])('names the code with which accounts of %s begin: %s', (territory, country) => {
    expect(checkIban(withCheckDigits(territory, '20041010050500013M02606'))).toMatchObject({
      code: 'invalid_iban',
      message: saying(`begin with ${country}`),
    });
  });

  it('shows no more than the last four characters', () => {
    expect(checkIban('DE89370400440532013001')).toMatchObject({
      message: notSaying(/13001|37040/),
    });
  });
});

describe('isSepaIban', () => {
  it.each(
    'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA'.split(
      ' ',
    ),
  )('%s is in SEPA', (country) => {
    expect(isSepaIban(`${country}00`)).toBe(true);
  });

  it.each(['TR', 'UA', 'AE', 'BA', 'XK', 'GL', 'FO', 'TN', 'BR', 'GE'])('%s is not', (country) => {
    expect(isSepaIban(`${country}00`)).toBe(false);
  });
});

it('knows the check digit of the example in the standard, and the length of Nigerian numbers', () => {
  expect(isNuban('0000014579', '011')).toBe(true);
  expect(isNuban('0000014579', '000011')).toBe(true);
  expect(isNuban('0000014578', '011')).toBe(false);
  expect(isNuban('000001457', '011')).toBe(false);
  expect(accountNumberLength('NG')).toBe(10);
  expect(accountNumberLength('KE')).toBeUndefined();
});

describe('checkRoutingNumber', () => {
  it.each([
    '021000021',
    '011401533',
    '121000358',
    '111000025',
    '026009593',
    '322271627',
    '031176110',
    '110000000',
    '091000019',
    '000000518',
  ])('accepts %s', (number) => {
    expect(checkRoutingNumber(number)).toBe(number);
  });

  it.each([
    ['000000000', 'zeros'],
    ['021000022', 'checksum'],
    ['021000012', 'checksum'],
    ['123456789', 'checksum'],
    ['21000021', 'nine digits'],
    ['0210000210', 'nine digits'],
    ['02100002A', 'nine digits'],
    ['021-000-021', 'nine digits'],
    ['130000006', 'begins like this'],
    ['500000005', 'begins like this'],
    ['990000001', 'begins like this'],
  ])('refuses %s: %s', (number, why) => {
    expect(checkRoutingNumber(number)).toMatchObject({
      code: 'invalid_routing_number',
      message: saying(why),
    });
  });

  it('finds every exchange of two different neighbours that the checksum can see', () => {
    expect(summarise(checkRoutingNumber('012000021'))).toBe('invalid_routing_number!');
  });
});
