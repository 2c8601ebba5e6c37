import { expect, it } from 'vitest';
import { changedValue, isCorrectable, numberToConfirm } from '../../../src/domain/rows/draft.ts';

it('gives a value another beginning, once', () => {
  const local = { kind: 'begin', beginning: '0', with: '+254' } as const;
  expect(['0712', '712', '', '0'].map((value) => changedValue(value, local))).toEqual([
    '+254712',
    '712',
    '',
    '+254',
  ]);
  const before = { kind: 'begin', beginning: '', with: '+254' } as const;
  expect(['712', '+254712', ''].map((value) => changedValue(value, before))).toEqual([
    '+254712',
    '+254712',
    '',
  ]);
});

it('replaces exactly one value, and sets every one', () => {
  const replace = { kind: 'replace', value: 'GTB', with: 'Guaranty' } as const;
  expect(['GTB', 'GTB ', 'gtb'].map((value) => changedValue(value, replace))).toEqual([
    'Guaranty',
    'GTB ',
    'gtb',
  ]);
  expect(changedValue('', { kind: 'set', with: 'KES' })).toBe('KES');
});

it('lets nothing be corrected that exists, may exist, or stands corrected', () => {
  const open = ['invalid', 'rejected', 'not_sent', 'waiting', 'held'] as const;
  expect(open.every((status) => isCorrectable({ status, code: null }))).toBe(true);
  const others = ['created', 'existing', 'unknown'] as const;
  expect(others.some((status) => isCorrectable({ status, code: null }))).toBe(false);
  expect(isCorrectable({ status: 'invalid', code: 'superseded' })).toBe(false);
});

it.each([
  ['712995032', '712995032'],
  ['712995032.0', '712995032'],
  ['+254712995032,00', '+254712995032'],
  [' 712995032 ', '712995032'],
  ['123456789012345', '123456789012345'],
  ['1234567890123456', undefined],
  ['1.23457E+11', undefined],
  ['712995032.5', undefined],
  ['TRUE', undefined],
  ['2024-05-01', undefined],
  ['-5', undefined],
  ['', undefined],
])('of %j a person may say that %j is right', (text, number) => {
  expect(numberToConfirm(text)).toBe(number);
});
