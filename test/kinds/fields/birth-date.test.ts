import { describe, expect, it } from 'vitest';
import type { CellKind } from '../../../src/domain/tables/table.ts';
import { createBirthDateCheck, isDateFormat } from '../../../src/kinds/fields/days.ts';
import { noOtherValues, passedValue } from '../../../src/kinds/fields/value-text.ts';
import { saying } from '../../support/messages.ts';
import { summarise } from './verdicts.ts';

function check(text: string, format = 'YYYY-MM-DD', kind?: CellKind): string {
  const verdict = createBirthDateCheck(format, '2026-11-20')(text, kind, noOtherValues);
  return summarise(verdict).replace(/ \(read as .*\)$/, '');
}

describe('a date of birth is a real day between 1900 and today', () => {
  it.each([
    ['1990-01-31', '1990-01-31'],
    ['2000-02-29', '2000-02-29'],
    ['2024-02-29', '2024-02-29'],
    ['1900-01-01', '1900-01-01'],
    ['2026-11-20', '2026-11-20'],
    ['2026-11-21', 'date_in_future!'],
    ['2990-01-01', 'date_in_future!'],
    ['1899-12-31', 'date_too_early!'],
    ['0190-01-31', 'date_too_early!'],
    ['1990-02-30', 'invalid_date!'],
    ['1900-02-29', 'invalid_date!'],
    ['2023-02-29', 'invalid_date!'],
    ['1990-04-31', 'invalid_date!'],
    ['1990-13-01', 'invalid_date!'],
    ['1990-00-10', 'invalid_date!'],
    ['1990-01-00', 'invalid_date!'],
    ['1990-1-31', 'invalid_date!'],
    ['31/01/1990', 'invalid_date!'],
    ['1990/01/31', 'invalid_date!'],
    ['1990-01-31T00:00:00Z', 'invalid_date!'],
    ['19900131', 'invalid_date!'],
    ['yesterday', 'invalid_date!'],
  ])('%s: %s', (text, expected) => {
    expect(check(text)).toBe(expected);
  });

  it.each<[string, string, CellKind | undefined, string]>([
    ['31/01/1990', 'DD/MM/YYYY', undefined, '1990-01-31'],
    ['01/31/1990', 'MM/DD/YYYY', undefined, '1990-01-31'],
    ['31.1.1990', 'D.M.YYYY', undefined, '1990-01-31'],
    ['5.12.1990', 'D.M.YYYY', undefined, '1990-12-05'],
    ['19900131', 'YYYYMMDD', undefined, '1990-01-31'],
    ['31x01x1990', 'DD.MM.YYYY', undefined, 'invalid_date!'],
    ['31/01/1990', 'MM/DD/YYYY', undefined, 'invalid_date!'],
    ['1990-01-31', 'DD/MM/YYYY', 'date', '1990-01-31'],
    ['15.03.84', 'DD.MM.YY', undefined, '1984-03-15'],
    ['15.03.1984.', 'DD.MM.YYYY', undefined, '1984-03-15'],
    ['15. 3. 1984.', 'D.M.YYYY', undefined, '1984-03-15'],
    ['1984. 03. 15.', 'YYYY.MM.DD', undefined, '1984-03-15'],
    ['15.03.1984', 'DD.MM.Y', undefined, '1984-03-15'],
    ['15.03.84', 'DD.MM.Y', undefined, '1984-03-15'],
    ['15.03.984', 'DD.MM.Y', undefined, 'invalid_date!'],
    ['20.11.26', 'DD.MM.YY', undefined, '2026-11-20'],
    ['21.11.26', 'DD.MM.YY', undefined, '1926-11-21'],
    ['29.02.00', 'DD.MM.YY', undefined, '2000-02-29'],
    ['29.02.01', 'DD.MM.YY', undefined, 'invalid_date!'],
    ['3/15/84', 'M/D/YY', undefined, '1984-03-15'],
    ['15.03.1984', 'DD.MM.YY', undefined, 'invalid_date!'],
    ['1984-03-15', 'DD.MM.YY', undefined, '1984-03-15'],
    ['15.03.84', 'DD.MM.YYYY', undefined, 'invalid_date!'],
    ['32874', 'YYYY-MM-DD', 'number', 'invalid_date!'],
    ['1990-01-31', 'YYYY-MM-DD', 'boolean', 'invalid_date!'],
  ])('%s in %s as %s: %s', (text, format, kind, expected) => {
    expect(check(text, format, kind)).toBe(expected);
  });
});

describe('a day with another sign than its format, where a person has agreed to read such days', () => {
  const read = (text: string, format: string, anySign = true) => {
    const verdict = createBirthDateCheck(format, '2026-11-20', anySign)(text, undefined, noOtherValues);
    return passedValue(verdict) ?? 'refused';
  };

  it.each([
    ['15.03.1984', 'DD/MM/YYYY', '1984-03-15'],
    ['05-03-1984', 'DD/MM/YYYY', '1984-03-05'],
    ['05-03-1984', 'MM/DD/YYYY', '1984-05-03'],
    ['5.3.84', 'D/M/YY', '1984-03-05'],
    ['5.3.1984.', 'D/M/YYYY', '1984-03-05'],
  ])('%s in %s is %s', (text, format, day) => {
    expect(read(text, format)).toBe(day);
    expect(read(text, format, false)).toBe('refused');
  });

  it.each([
    // Dots are for days that come first.
    ['05.03.1984', 'MM/DD/YYYY'],
    ['05.03/1984', 'DD/MM/YYYY'],
    ['03.15.1984', 'DD/MM/YYYY'],
    ['5.3.1984', 'DD/MM/YYYY'],
  ])('%s in %s stays refused', (text, format) => {
    expect(read(text, format)).toBe('refused');
  });
});

it('says how years of two digits may be declared', () => {
  const result = createBirthDateCheck('YYYY-MM-DD', '2026-11-20')('15.03.84', undefined, noOtherValues);
  expect(result).toMatchObject({ message: saying('("dateFormat": "DD.MM.YY")') });
});

describe('isDateFormat', () => {
  it.each([
    ['DD.MM.YY', true],
    ['YYMMDD', true],
    ['DD.MM.YYY', false],
    ['YY-MM-YYYY', false],
    ['YYYY-MM-DD', true],
    ['DD/MM/YYYY', true],
    ['D.M.YYYY', true],
    ['YYYYMMDD', true],
    ['DMYYYY', false],
    ['DM.YYYY', false],
    ['DM.YYYY.', false],
    ['D.MYYYY', false],
    ['YYYYM-D', false],
    ['YYYYY-MM-DD', false],
    ['DD/MM/YYYY DD', false],
    ['dd/mm/yyyy', false],

    ['DD/MM', false],
    ['DD/DD/YYYY', false],
    ['DD MMM YYYY', true],
    ['MMM', false],
    ['DDMMMYYYY', true],
    ['DD MMMM YYYY', false],
    ['', false],
    ['DD1MM1YYYY', false],
  ])('%s: %s', (format, expected) => {
    expect(isDateFormat(format)).toBe(expected);
  });

  it('is asked when the check is made', () => {
    expect(() => createBirthDateCheck('DD/MM/YYY', '2026-11-20')).toThrow('DD/MM/YY');
  });
});

describe('days written year first', () => {
  it.each([
    ['1990年1月5日', 'YYYY/M/D', '1990-01-05'],
    ['1990 年 01 月 05 日', 'YYYY/M/D', '1990-01-05'],
    ['1990년 1월 5일', 'YYYY年M月D日', '1990-01-05'],
    ['1990. 1. 5.', 'YYYY/MM/DD', '1990-01-05'],
    ['1985/3/9', 'YYYY年M月D日', '1985-03-09'],
    ['1985-03-09', 'YYYY年M月D日', '1985-03-09'],
    ['1985.3.9', 'YYYY-M-D', '1985-03-09'],
    ['１９８５／３／９', 'YYYY/M/D', '1985-03-09'],
    ['昭和48年7月2日', 'YYYY/M/D', '1973-07-02'],
    ['昭和４８年７月２日', 'YYYY/M/D', '1973-07-02'],
    ['大正 15 年 3 月 1 日', 'YYYY/M/D', '1926-03-01'],
    ['平成元年5月9日', 'YYYY年M月D日', '1989-05-09'],
    ['令和2/2/29', 'YYYY/M/D', '2020-02-29'],
    ['S48.7.2', 'YYYY/M/D', '1973-07-02'],
    ['昭和64年1月7日', 'YYYY/M/D', '1989-01-07'],
    ['民國75年3月9日', 'YYYY/M/D', '1986-03-09'],
    ['昭和65年1月7日', 'YYYY/M/D', 'invalid_date!'],
    ['昭和0年12月30日', 'YYYY/M/D', 'invalid_date!'],
    ['平成元年1月3日', 'YYYY/M/D', 'invalid_date!'],
    ['昭和48年2月30日', 'YYYY/M/D', 'invalid_date!'],
    ['X48.7.2', 'YYYY/M/D', 'invalid_date!'],
    ['昭和48年7月2日', 'DD/MM/YYYY', 'invalid_date!'],
    ['1990年2月30日', 'YYYY/M/D', 'invalid_date!'],
    ['1990/2-3', 'YYYY/M/D', 'invalid_date!'],
    ['5/1/1990', 'YYYY/M/D', 'invalid_date!'],
    ['1990年1月5日', 'YYYY-MM-DD', 'invalid_date!'],
    ['1990年1月5日', 'DD/MM/YYYY', 'invalid_date!'],
    ['1990/3/1', 'YYYY-DD-MM', 'invalid_date!'],
  ])('%s in %s: %s', (text, format, expected) => {
    expect(check(text, format)).toBe(expected);
  });
});

describe('a day of ISO 8601 beside a declared format', () => {
  it.each([
    ['1990-01-31', 'DD/MM/YYYY', '1990-01-31'],
    ['1990-01-31', 'M/D/YYYY', '1990-01-31'],
    ['1990-01-31', 'YYYY/MM/DD', '1990-01-31'],
    ['1990-31-01', 'DD/MM/YYYY', 'invalid_date!'],
    ['1990-03-01', 'YYYY-DD-MM', '1990-01-03'],
    ['1990-01-31', 'YYYY-DD-MM', 'invalid_date!'],
  ])('%s with %s is %s', (text, format, expected) => {
    expect(check(text, format)).toBe(expected);
  });

  it('reports what it read in the declared format, and nothing where no conversion was needed', () => {
    const checkDay = createBirthDateCheck('DD/MM/YYYY', '2026-11-20');
    expect(summarise(checkDay('31/01/1990', undefined, noOtherValues))).toBe(
      '1990-01-31 (read as 1990-01-31)',
    );
    expect(checkDay('1990-01-31', undefined, noOtherValues)).toBe('1990-01-31');
  });
});

describe('a day whose month is a word', () => {
  it.each([
    ['07-ene-1979', 'DD/MM/YYYY', '1979-01-07'],
    ['22 août 1973', 'M/D/YYYY', '1973-08-22'],
    ['March 9, 1985', 'D MMM YYYY', '1985-03-09'],
    ['1979. január 7.', 'YYYY/MM/DD', '1979-01-07'],
    ['3 мая 1980 г.', 'D MMM YYYY', '1980-05-03'],
    ['12-Sept-80', 'D MMM YY', '1980-09-12'],
    ['12-Sept-80', 'D MMM YYYY', 'invalid_date!'],
    ['31 abril 1980', 'D MMM YYYY', 'invalid_date!'],
    // June in Croatian, July in Polish.
    ['5 lip 1990', 'D MMM YYYY', 'invalid_date!'],
    ['07-ene-1979', 'YYYY-MM-DD', 'invalid_date!'],
    ['3/4/1990', 'D MMM YYYY', 'invalid_date!'],
  ])('%s in %s: %s', (text, format, expected) => {
    expect(check(text, format)).toBe(expected);
  });
});
