import { describe, expect, it } from 'vitest';
import {
  changedValue,
  isCorrectable,
  numberToConfirm,
  sharedEndings,
} from '../../../src/domain/batches/draft.ts';

it('gives a value another beginning, once', () => {
  const local = { kind: 'begin', from: '0', with: '+254' } as const;
  expect(['0712', '712', '', '0'].map((value) => changedValue(value, local))).toEqual([
    '+254712',
    '712',
    '',
    '+254',
  ]);
  const before = { kind: 'begin', from: '', with: '+254' } as const;
  expect(['712', '+254712', ''].map((value) => changedValue(value, before))).toEqual([
    '+254712',
    '+254712',
    '',
  ]);
});

it('gives a value another ending, once', () => {
  const off = { kind: 'end', from: '.0', with: '' } as const;
  expect(['12.0', '12', '', '.0', '1.0.0'].map((value) => changedValue(value, off))).toEqual([
    ...['12', '12', '', '', '1.0'],
  ]);
  const behind = { kind: 'end', from: '', with: ' Ltd' } as const;
  expect(['Mo', 'Mo Ltd', ''].map((value) => changedValue(value, behind))).toEqual(['Mo Ltd', 'Mo Ltd', '']);
});

it('replaces a text wherever a value has it, as it was typed', () => {
  const change = { kind: 'find', from: '.', with: '$&' } as const;
  expect(['1.2.3', '123', ''].map((value) => changedValue(value, change))).toEqual(['1$&2$&3', '123', '']);
  expect(changedValue('abc', { kind: 'find', from: '', with: 'x' })).toBe('abc');
});

describe('the endings that most faulty values share', () => {
  it('are parts of their own, the shortest first', () => {
    expect(sharedEndings(['a@b.com.0', 'c@d.com.0', 'e@f.com.0', 'g'], [])).toEqual(['.0', '.com.0']);
    expect(sharedEndings(['12kg', '7kg', '3kg'], [])).toEqual(['kg']);
    expect(sharedEndings(['1200', '3400', '5600'], [])).toEqual([]);
    expect(sharedEndings(['a😀', 'b😀', 'c😀'], [])).toEqual(['😀']);
  });

  it('are none that the other values have too, or that few have', () => {
    expect(sharedEndings(['x@@b.com', 'y@@b.com', 'z@@b.com'], ['m@b.com'])).toEqual(['@@b.com']);
    expect(sharedEndings(['a.0', 'b.0'], [])).toEqual([]);
    expect(sharedEndings(['a.0', 'b.0', 'c.0', 'd', 'e', 'f', 'g'], [])).toEqual([]);
  });
});

it('replaces exactly one value, and sets every one', () => {
  const replace = { kind: 'replace', from: 'GTB', with: 'Guaranty' } as const;
  expect(['GTB', 'GTB ', 'gtb'].map((value) => changedValue(value, replace))).toEqual([
    'Guaranty',
    'GTB ',
    'gtb',
  ]);
  expect(changedValue('', { kind: 'set', with: 'KES' })).toBe('KES');
});

it('allows no correction of a row that exists, may exist, or is already corrected', () => {
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
