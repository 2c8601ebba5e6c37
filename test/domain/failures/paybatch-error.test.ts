import { describe, expect, it } from 'vitest';
import { errorCodes, isErrorCode, kindOfCode } from '../../../src/domain/failures/error-codes.ts';
import { FilesRefused, isRefusal, PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';

describe('an expected failure', () => {
  const refused = new PaybatchError('too_many_invalid', 'It is refused.', [
    'mend it',
    { action: 'validate', files: ['a.csv'], asRead: true },
  ]);

  it('has its kind by its code, and what helps as data', () => {
    expect(refused).toMatchObject({
      kind: 'file_refused',
      code: 'too_many_invalid',
      message: 'It is refused.',
    });
    expect(refused.remedies).toEqual([
      { action: 'advice', text: 'mend it' },
      { action: 'validate', files: ['a.csv'], asRead: true },
    ]);
    expect(new PaybatchError('interrupted', 'Stopped.', null).remedies).toEqual([]);
  });

  it('keeps what helps where the call ends in another way', () => {
    expect(refused.withKind('stopped')).toMatchObject({ kind: 'stopped', remedies: refused.remedies });
  });

  it('of a plan that changed is no refusal of a file', () => {
    const changed = new PaybatchError('plan_changed', 'It changed.', null);
    expect([refused, changed, new Error('x')].map(isRefusal)).toEqual([true, false, false]);
  });

  it('of several files has the remedies of all; of one, everything of its own', () => {
    const other = new PaybatchError('empty_file', 'It is empty.', 'fill it');
    const both = new FilesRefused([refused, other]);
    expect(both).toMatchObject({ kind: 'file_refused', code: 'files_refused', each: [refused, other] });
    expect(both.remedies).toEqual([...refused.remedies, ...other.remedies]);
    const { code, message, remedies } = new FilesRefused([other]);
    expect({ code, message, remedies }).toEqual({
      code: 'empty_file',
      message: 'It is empty.',
      remedies: other.remedies,
    });
  });
});

it('every code has a meaning, and is listed once', () => {
  for (const [code, { kind, meaning }] of errorCodes) {
    expect([code, meaning]).toEqual([
      expect.stringMatching(/^[a-z_]+$/),
      expect.stringMatching(/^\S.*[^.]$/),
    ]);
    expect(isErrorCode(code) && kindOfCode(code)).toBe(kind);
  }
  expect(isErrorCode('no_such_code')).toBe(false);
});
