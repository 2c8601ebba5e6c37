import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type FieldMeanings,
  type LegalForms,
  meaningOf,
  meaningsIn,
} from '../../src/kinds/words-of-files.ts';

const owner = 'account_owner_type';

function dataFile<Content>(name: string): Content {
  return JSON.parse(readFileSync(new URL(`../../src/kinds/${name}`, import.meta.url), 'utf8')) as Content;
}

describe('codes of one letter', () => {
  it('mean something only where all of a column do', () => {
    expect(['C', 'S'].map(meaningsIn('account_type', ['C', 'S']))).toEqual(['checking', 'savings']);
    expect(['C', 'S'].map(meaningsIn('account_type', ['C', 'S', 'L']))).toEqual([undefined, undefined]);
    // C corporations, sole proprietors, partnerships.
    const other = meaningsIn(owner, ['C', 'L', 'S', 'P']);
    expect(['C', 'L', 'S', 'P'].map(other)).toEqual([undefined, undefined, undefined, undefined]);
    expect(meaningsIn(owner, ['P', 'L', 'Person'])('Person')).toBe('individual');
  });
});

describe('a kind of account', () => {
  it.each([
    ['Personal checking', 'checking'],
    ['NOW account', 'checking'],
    ['Statement savings', 'savings'],
    ['CD', undefined],
    ['Pay card', undefined],
  ])('%s', (text, meaning) => {
    expect(meaningOf('account_type', text)).toBe(meaning);
  });
});

describe('a legal form', () => {
  it.each([
    ...[
      'Zrt.',
      'Kft.',
      'Bt.',
      'Nyrt.',
      'kkt',
      's.r.o.',
      'spol. s r.o.',
      'spol. s r. o.',
      'a.s.',
      'k.s.',
      'v.o.s.',
    ],
    ...[
      'VZW',
      'ASBL',
      'BV',
      'SRL',
      'NV',
      'CommV',
      'CVBA',
      'd.o.o.',
      'd.d.',
      'j.d.o.o.',
      'OÜ',
      'UAB',
      'MB',
      'SIA',
    ],
    ...[
      'ApS',
      'A/S',
      'I/S',
      'AB',
      'HB',
      'Oy',
      'Oyj',
      'ehf.',
      'Sp. z o.o.',
      'Sp. k.',
      'GmbH',
      'e.G.',
      'S.à r.l.',
      'Lda',
    ],
    ...['ООД', 'ЕООД', 'Ι.Κ.Ε.', 'АД', 'SNC', 'S.p.A.'],
  ])('%s is of a business', (form) => {
    expect(meaningOf(owner, form)).toBe('business');
    expect(meaningOf('type', form)).toBe('business');
  });

  it.each(['SZČO', 'OSVČ', 'FIE', 'ЕТ', 'obrt', 'e.U.', 'ENK', 'Tmi', 'JDG', 'e.K.', 'PFA', 'ПР', 'EIRL'])(
    '%s is of a sole trader, who is a person',
    (form) => {
      expect(meaningOf(owner, form)).toBe('individual');
    },
  );

  it('of two countries is determined by the others of its column, and open without them', () => {
    expect(meaningOf(owner, 'e.v.')).toBeUndefined();
    expect(meaningsIn(owner, ['Kft.', 'Zrt.', 'e.v.'])('e.v.')).toBe('individual');
    expect(meaningsIn(owner, ['GmbH', 'OHG', 'e.V.'])('e.V.')).toBe('business');
    expect(meaningsIn(owner, ['Kft.', 'OHG', 'e.V.'])('e.V.')).toBeUndefined();
    expect(meaningsIn(owner, ['d.o.o.', 's.p.', 'z.o.o.'])('s.p.')).toBe('individual');
    expect(meaningsIn(owner, ['s.r.o.', 'š.p.', 'a.s.'])('š.p.')).toBe('business');
  });

  it('says nothing about fields of other words', () => {
    expect(meaningOf('gender', 'Kft.')).toBeUndefined();
    expect(meaningOf('account_type', 'a.s.')).toBeUndefined();
  });

  it('is not among the other words for owners too', () => {
    const forms = Object.values(dataFile<LegalForms>('legal-forms.json'))
      .flatMap((lists) => Object.values(lists).flatMap((list: string) => list.split('; ')))
      .map(folded);
    const words = dataFile<readonly FieldMeanings[]>('value-meanings.json')
      .filter(({ fields }) => fields.includes(owner))
      .flatMap(({ meanings }) => Object.values(meanings).flat())
      .map(folded);
    expect(forms.filter((form) => words.includes(form))).toEqual([]);
  });
});

function folded(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

describe('a letter for a gender', () => {
  it('is determined by the others of its column', () => {
    expect(meaningsIn('gender', ['H', 'M'])('M')).toBe('female');
    expect(meaningsIn('gender', ['V', 'M'])('M')).toBeUndefined();
    expect(meaningsIn('gender', ['M', 'F'])('M')).toBe('male');
  });
});
