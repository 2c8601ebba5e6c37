/**
 * The forms of the world's postal codes, and the places of codes that begin with a zero.
 *
 * Sources, read in November 2026: `postalCodeData` of Unicode's CLDR (common/supplemental), brought up to date by
 * the package postcode-validator 3.10 (MIT) and the Universal Postal Union's pages on addresses; the postal services'
 * public lists of prefixes for the United States (by state) and for the first two digits elsewhere.
 */

/** The form of a country's postal codes. */
interface PostalCodeForm {
  /** Whether a text has the form, in any case, with any spaces and hyphens. */
  readonly matches: (text: string) => boolean;
  /** How many digits a code has, where it is all digits and of one length; for the United States without `+4`. */
  readonly digits: number | null;
  /** In words: `five digits`, `such as SW1A 1AA`. */
  readonly inWords: string;
}

/** Countries whose codes are digits only, by their number of digits. */
const plainDigits: Readonly<Record<number, string>> = {
  3: 'FO GN IS LS MG OM PG',
  4: 'AF AL AM AU BD CK CV CY DK ET GE GW HM HT LR MK MZ NE NO NZ PA PH SJ SV TN VE ZA',
  5: 'BA BT CR CU DO DZ EE EG EH FI HN HR ID IQ JO KE KH KR KW LA LK LT MA MM MN MU MV MY NA NI NP PE PK PL SD SN SO TZ UA UY XK ZM',
  6: 'BY CN CO EC KG KZ NG RO SG TJ TM TT UZ',
  7: 'CL JP',
  8: 'BR',
  10: 'IR',
};

/** Countries with all-digit codes whose first digits are restricted. */
const restrictedDigits: Readonly<Record<string, readonly [digits: number, form: string]>> = {
  AT: [4, '[1-9]\\d{3}'],
  BE: [4, '[1-9]\\d{3}'],
  BG: [4, '[1-9]\\d{3}'],
  CC: [4, '6799'],
  CH: [4, '[1-9]\\d{3}'],
  CX: [4, '6798'],
  GL: [4, '39\\d{2}'],
  HU: [4, '[1-9]\\d{3}'],
  LI: [4, '94(?:8[5-9]|9[0-8])'],
  NF: [4, '2899'],
  AX: [5, '22\\d{3}'],
  CZ: [5, '[1-7]\\d{4}'],
  DE: [5, '(?!00|05|43|62)\\d{5}'],
  ES: [5, '(?:0[1-9]|[1-4]\\d|5[0-2])\\d{3}'],
  FR: [5, '(?!00|96|99)\\d{5}'],
  GF: [5, '973\\d{2}'],
  GP: [5, '971\\d{2}'],
  GR: [5, '[1-8]\\d{4}'],
  GT: [5, '(?:0[1-9]|1\\d|2[0-2])\\d{3}'],
  IT: [5, '(?!99)\\d{5}'],
  MC: [5, '980\\d{2}'],
  ME: [5, '8\\d{4}'],
  MQ: [5, '972\\d{2}'],
  MX: [5, '(?:0[1-9]|[1-9]\\d)\\d{3}'],
  NC: [5, '988\\d{2}'],
  PF: [5, '987\\d{2}'],
  PM: [5, '975\\d{2}'],
  RE: [5, '974\\d{2}'],
  SE: [5, '[1-9]\\d{4}'],
  SK: [5, '[089]\\d{4}'],
  SM: [5, '4789\\d'],
  TH: [5, '[1-9]\\d{4}'],
  TR: [5, '(?:0[1-9]|[1-7]\\d|8[01])\\d{3}'],
  VA: [5, '00120'],
  WF: [5, '986\\d{2}'],
  YT: [5, '976\\d{2}'],
  IN: [6, '[1-9]\\d{5}'],
  RU: [6, '[1-6]\\d{5}'],
};

/** Letters before the digits that belong to the code or may be left out, where a postal service writes them this way. */
const optionalLetters: Readonly<Record<string, readonly [letters: string, digits: number]>> = {
  AZ: ['AZ', 4],
  LU: ['L', 4],
  LV: ['LV', 4],
  MD: ['MD', 4],
  SI: ['SI', 4],
};

/** All other forms, without spaces and hyphens, and an example as people write it. */
const otherForms: Readonly<Record<string, readonly [form: string, example: string]>> = {
  AD: ['AD[1-7]\\d{2}', 'AD500'],
  AI: ['(?:AI)?2640', 'AI-2640'],
  AR: ['[A-HJ-NP-Z]?\\d{4}(?:[A-Z]{3})?', 'C1425CLA'],
  AS: ['96799(?:\\d{4})?', '96799'],
  BB: ['BB\\d{5}', 'BB15094'],
  BH: ['(?:1[0-2]|[1-9])\\d{2}', '317'],
  BM: ['[A-Z]{2}[A-Z0-9]{2}', 'HM 12'],
  BN: ['[A-Z]{2}\\d{4}', 'BB3713'],
  CA: ['[ABCEGHJ-NPRSTVXY]\\d[ABCEGHJ-NPRSTV-Z]\\d[ABCEGHJ-NPRSTV-Z]\\d', 'K1A 0B1'],
  FK: ['FIQQ1ZZ', 'FIQQ 1ZZ'],
  FM: ['9694[1-4](?:\\d{4})?', '96941'],
  GB: [
    '(?:GIR0AA|[A-PR-UWYZ](?:\\d{1,2}|[A-HK-Y]\\d{1,2}|\\d[A-HJKPSTUW]|[A-HK-Y]\\d[ABEHMNPRVWXY])\\d[ABD-HJLNP-UW-Z]{2}|BFPO\\d{1,4})',
    'SW1A 1AA',
  ],
  GG: ['GY\\d{2,3}[ABD-HJLNP-UW-Z]{2}', 'GY1 1AA'],
  GI: ['GX111AA', 'GX11 1AA'],
  GS: ['SIQQ1ZZ', 'SIQQ 1ZZ'],
  GU: ['969[1-3]\\d(?:\\d{4})?', '96910'],
  IE: ['(?:[AC-FHKNPRTV-Y]\\d{2}|D6W)[0-9AC-FHKNPRTV-Y]{4}', 'D02 AF30'],
  IL: ['\\d{5}(?:\\d{2})?', '9614303'],
  IM: ['IM\\d{2,3}[ABD-HJLNP-UW-Z]{2}', 'IM2 1AA'],
  IO: ['BBND1ZZ', 'BBND 1ZZ'],
  JE: ['JE\\d{2,3}[ABD-HJLNP-UW-Z]{2}', 'JE1 1AA'],
  KY: ['KY[1-3]\\d{4}', 'KY1-1100'],
  LB: ['\\d{4}(?:\\d{4})?', '2038 3054'],
  MH: ['969[67]\\d(?:\\d{4})?', '96960'],
  MP: ['9695[0-2](?:\\d{4})?', '96950'],
  MT: ['[A-Z]{3}\\d{2,4}', 'VLT 1117'],
  NL: ['[1-9]\\d{3}[A-Z]{2}', '1012 AB'],
  PN: ['PCRN1ZZ', 'PCRN 1ZZ'],
  PR: ['00[679]\\d{2}(?:\\d{4})?', '00901'],
  PT: ['[1-9]\\d{3}(?:\\d{3})?', '1000-205'],
  PW: ['96940(?:\\d{4})?', '96940'],
  PY: ['\\d{4}(?:\\d{2})?', '1209'],
  RS: ['\\d{5,6}', '11000'],
  SA: ['\\d{5}(?:\\d{4})?', '11564'],
  SH: ['(?:ASCN|STHL|TDCU)1ZZ', 'STHL 1ZZ'],
  SZ: ['[HLMS]\\d{3}', 'H100'],
  TC: ['TKCA1ZZ', 'TKCA 1ZZ'],
  TW: ['\\d{3}(?:\\d{2,3})?', '106'],
  VC: ['VC\\d{4}', 'VC0100'],
  VG: ['VG\\d{4}', 'VG1110'],
  VI: ['008\\d{2}(?:\\d{4})?', '00802'],
  VN: ['\\d{5,6}', '10000'],
};

const numbersInWords: Readonly<Record<number, string>> = {
  3: 'three',
  4: 'four',
  5: 'five',
  6: 'six',
  7: 'seven',
  8: 'eight',
  10: 'ten',
};

function formOf(pattern: string, digits: number | null, inWords: string): PostalCodeForm {
  const expression = new RegExp(`^(?:${pattern})$`);
  return { matches: (text) => expression.test(compact(text)), digits, inWords };
}

/** Some people write spaces and hyphens, others leave them out. */
function compact(text: string): string {
  return text.replace(/[\s\u2010-\u2015-]/g, '').toUpperCase();
}

function digitsInWords(digits: number): string {
  return `${numbersInWords[digits] ?? digits} digits`;
}

function createForm(country: string): PostalCodeForm | undefined {
  if (country === 'US') return formOf('\\d{5}(?:\\d{4})?', 5, 'five digits, or nine as in 02108-1234');
  const [plain] = Object.entries(plainDigits).find(([, list]) => list.split(' ').includes(country)) ?? [];
  if (plain !== undefined) return formOf(`\\d{${plain}}`, Number(plain), digitsInWords(Number(plain)));
  const restricted = restrictedDigits[country];
  if (restricted !== undefined) return formOf(restricted[1], restricted[0], digitsInWords(restricted[0]));
  const letters = optionalLetters[country];
  if (letters !== undefined)
    return formOf(`(?:${letters[0]})?\\d{${letters[1]}}`, letters[1], digitsInWords(letters[1]));
  const other = otherForms[country];
  return other === undefined ? undefined : formOf(other[0], null, `such as ${other[1]}`);
}

const forms = new Map<string, PostalCodeForm | undefined>();

/**
 * The form of a country's postal codes; undefined for a country that has none, or none that is generally followed.
 *
 * @param country ISO 3166-1 alpha-2
 */
export function postalCodeForm(country: string): PostalCodeForm | undefined {
  if (!forms.has(country)) forms.set(country, createForm(country));
  return forms.get(country);
}

/** The first three digits of ZIP codes by state (ISO 3166-2 without `US-`), as ranges. */
const zipPrefixes: Readonly<Record<string, string>> = {
  AL: '350-369',
  AK: '995-999',
  AZ: '850-865',
  AR: '716-729 755',
  CA: '900-961',
  CO: '800-816',
  CT: '060-069',
  DE: '197-199',
  DC: '200-205 569',
  FL: '320-349',
  GA: '300-319 398-399',
  HI: '967-968',
  ID: '832-838',
  IL: '600-629',
  IN: '460-479',
  IA: '500-528',
  KS: '660-679',
  KY: '400-427',
  LA: '700-714',
  ME: '039-049',
  MD: '206-219',
  MA: '010-027 055',
  MI: '480-499',
  MN: '550-567',
  MS: '386-397',
  MO: '630-658',
  MT: '590-599',
  NE: '680-693',
  NV: '889-898',
  NH: '030-038',
  NJ: '070-089',
  NM: '870-884',
  NY: '005 063 100-149',
  NC: '270-289',
  ND: '580-588',
  OH: '430-459',
  OK: '730-749',
  OR: '970-979',
  PA: '150-196',
  RI: '028-029',
  SC: '290-299',
  SD: '570-577',
  TN: '370-385',
  TX: '733 750-799 885',
  UT: '840-847',
  VT: '050-054 056-059',
  VA: '201 220-246',
  WA: '980-994',
  WV: '247-268',
  WI: '530-549',
  WY: '820-831 834',
  PR: '006-007 009',
  VI: '008',
  GU: '969',
  AS: '967',
  MP: '969',
};

/** Whether a ZIP code belongs to a state; false for an unknown state. @param state ISO 3166-2, such as `US-MA` */
export function isZipOfState(zip: string, state: string): boolean {
  const prefix = zip.slice(0, 3);
  return (zipPrefixes[state.slice(3)] ?? '').split(' ').some((range) => {
    const [first = '', last = first] = range.split('-');
    return first !== '' && prefix >= first && prefix <= last;
  });
}

/**
 * The places of a country's codes that begin with one zero: their first two digits, and the subdivisions of
 * ISO 3166-2 (regions and provinces) that these belong to.
 */
const homesOfZero: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AU: { '02': 'ACT NSW', '08': 'NT', '09': 'NT' },
  BR: {
    '01': 'SP',
    '02': 'SP',
    '03': 'SP',
    '04': 'SP',
    '05': 'SP',
    '06': 'SP',
    '07': 'SP',
    '08': 'SP',
    '09': 'SP',
  },
  DE: {
    '01': 'SN BB',
    '02': 'SN',
    '03': 'BB SN',
    '04': 'SN BB TH ST',
    '06': 'ST TH SN',
    '07': 'TH SN',
    '08': 'SN TH',
    '09': 'SN',
  },
  ES: {
    '01': 'PV VI',
    '02': 'CM AB',
    '03': 'VC A',
    '04': 'AN AL',
    '05': 'CL AV',
    '06': 'EX BA',
    '07': 'IB PM',
    '08': 'CT B',
    '09': 'CL BU',
  },
  FI: {
    '00': '18',
    '01': '18',
    '02': '18',
    '03': '18',
    '04': '18 06',
    '05': '18 06',
    '06': '18',
    '07': '18',
    '08': '18',
    '09': '18',
  },
  FR: {
    '01': '01 ARA',
    '02': '02 HDF',
    '03': '03 ARA',
    '04': '04 PAC',
    '05': '05 PAC',
    '06': '06 PAC',
    '07': '07 ARA',
    '08': '08 GES',
    '09': '09 OCC',
  },
  IT: {
    '00': '62 RM',
    '01': '62 VT',
    '02': '62 RI',
    '03': '62 FR',
    '04': '62 LT',
    '05': '55 TR',
    '06': '55 PG',
    '07': '88 SS',
    '08': '88 NU OG',
    '09': '88 CA SU OR CI VS',
  },
  MX: {
    '01': 'CMX',
    '02': 'CMX',
    '03': 'CMX',
    '04': 'CMX',
    '05': 'CMX',
    '06': 'CMX',
    '07': 'CMX',
    '08': 'CMX',
    '09': 'CMX',
  },
  NO: {
    '01': '03',
    '02': '03',
    '03': '03',
    '04': '03',
    '05': '03',
    '06': '03',
    '07': '03',
    '08': '03',
    '09': '03',
  },
  TR: {
    '01': '01',
    '02': '02',
    '03': '03',
    '04': '04',
    '05': '05',
    '06': '06',
    '07': '07',
    '08': '08',
    '09': '09',
  },
  ZA: {
    '01': 'GP GT',
    '02': 'GP GT NW',
    '03': 'NW LP',
    '04': 'LP GP GT MP',
    '05': 'LP',
    '06': 'LP',
    '07': 'LP',
    '08': 'LP',
    '09': 'LP',
  },
};

/**
 * The postal code before a spreadsheet removed one zero or more; undefined where nothing confirms it. In the
 * United States, and where the row names a state or province, the code has to belong to that.
 *
 * @param country ISO 3166-1 alpha-2
 * @param state ISO 3166-2; undefined where the row has none
 */
export function withLostZeros(
  digits: string,
  country: string,
  state: string | undefined,
): string | undefined {
  if (country === 'US') {
    const zip = digits.padStart(5, '0');
    const isPossible = /^\d{3,4}$/.test(digits) && state !== undefined && isZipOfState(zip, state);
    return isPossible ? zip : undefined;
  }
  const form = postalCodeForm(country);
  const missing = (form?.digits ?? 0) - digits.length;
  if (form === undefined || !/^\d+$/.test(digits) || missing < 1 || missing > 2) return undefined;
  const code = digits.padStart(form.digits ?? 0, '0');
  if (!form.matches(code)) return undefined;
  const homes = homesOfZero[country]?.[code.slice(0, 2)];
  if (homes === undefined) return undefined;
  return state === undefined || homes.split(' ').includes(state.slice(3)) ? code : undefined;
}
