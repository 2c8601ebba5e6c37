import { expect, it } from 'vitest';
import { dateFormatOf } from '../../../src/kinds/fields/column-profile.ts';

it.each([
  [['1990-01-05', '1985-03-09'], 'YYYY-MM-DD'],
  [['1986/4/3', '1956/10/02', '1990年1月5日', '1985-03-09'], 'YYYY/M/D'],
  [['1990年1月5日', '1966年5月12日', '1985/3/9'], 'YYYY年M月D日'],
  [['1990년 1월 5일', '1966년 5월 12일'], 'YYYY년 M월 D일'],
  [['1990/01/05', '1985.03.09', '1985/03/09'], 'YYYY/MM/DD'],
  [['1990-1-5', '1985-3-9'], 'YYYY-M-D'],
  [['1990/01/05', 'unknown'], null],
  [['31/01/1990', '1990年1月5日'], null],
  [['03/04/1990', '05/06/1990'], 'unclear'],
  [['07-ene-1979', '22-ago-1973', '13/02/1999'], 'DD/MM/YYYY'],
  [['07-ene-1979', '22-ago-1973', '01/02/1999'], 'unclear'],
  [[...Array(9).fill('9 de maig de 1962'), '21/04/1971'], 'DD/MM/YYYY'],
  [[...Array(9).fill('9 de maig de 1962'), '03/04/1971'], 'D MMM YYYY'],
  [['18.10.1969.', '13. 2. 2009.', '01.05.1999'], 'D.M.YYYY'],
  [['March 3, 1979', 'June 5, 1981', '2000-01-02'], 'D MMM YYYY'],
  [['07-ene-79', '22-ago-73'], null],
  [['19800305', '19661224', '20011130'], 'YYYYMMDD'],
  [['05031980', '24121966', '30112001'], 'DDMMYYYY'],
  [['03051980', '12241966', '11302001'], 'MMDDYYYY'],
  // Days or months first: no value shows which.
  [['03051980', '01021966'], null],
  // Numbers of customers.
  [['10002345', '10002346'], null],
])('the format of the days %j is %s', (values, expected) => {
  expect(dateFormatOf(values)).toBe(expected);
});
