import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes, kindOfCode } from '../../../src/domain/failures/error-codes.ts';
import {
  describeUnexpected,
  FilesRefused,
  isRefusal,
  PaybatchError,
  traceOf,
} from '../../../src/domain/failures/paybatch-error.ts';

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
    expect(kindOfCode(code as ErrorCode)).toBe(kind);
  }
  expect(errorCodes.has('no_such_code')).toBe(false);
});

function databaseError(): Error {
  const error = new pg.DatabaseError(
    'insert into "rows" values ($1) - invalid input syntax for type uuid: "Amina Odhiambo"',
    0,
    'error',
  );
  return Object.assign(error, {
    severity: 'ERROR',
    code: '22P02',
    detail: 'Failing row contains (Amina Odhiambo, +254712345678).',
    where: 'unnamed portal parameter $1 = Amina Odhiambo',
    routine: 'string_to_uuid',
    constraint: 'rows_own_key_once',
  });
}

it('an unexpected error of the database is reported with its facts, and without a value of a row', () => {
  const told = traceOf(databaseError());
  expect(told).toMatch(
    /^database error \(severity ERROR, code 22P02, constraint rows_own_key_once, routine string_to_uuid\)\n +at /,
  );
  expect(told).not.toMatch(/Amina|254712/);
});

it.each([
  ['JSON', () => JSON.parse('{"name": Amina}')],
  ['a number', () => BigInt('Amina')],
])('the input of a parser of %s is not reported', (_, parse) => {
  let error: unknown;
  try {
    parse();
  } catch (thrown) {
    error = thrown;
  }
  expect(traceOf(error)).toMatch(/^SyntaxError\n/);
  expect(traceOf(error)).not.toContain('Amina');
});

it('a broken assumption of the program has its own words, with where it was found', () => {
  expect(traceOf(new Error('row 3 comes after row 4'))).toMatch(
    /^Error: row 3 comes after row 4\n +at .*paybatch-error\.test/,
  );
  // Lines of a message are none of the stack.
  expect(
    traceOf(databaseError())
      .split('\n')
      .filter((line) => !/^ +at /.test(line)),
  ).toHaveLength(1);
  expect(describeUnexpected('Amina')).not.toContain('Amina');
});
