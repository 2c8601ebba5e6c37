import pg from 'pg';
import { expect, it } from 'vitest';
import { describeUnexpected, traceOf } from '../../../src/domain/failures/unexpected.ts';

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

it('an unexpected error of the database is told by its facts, and by no value of a row', () => {
  const told = traceOf(databaseError());
  expect(told).toMatch(
    /^database error \(severity ERROR, code 22P02, constraint rows_own_key_once, routine string_to_uuid\)\n +at /,
  );
  expect(told).not.toMatch(/Amina|254712/);
});

it.each([
  ['JSON', () => JSON.parse('{"name": Amina}')],
  ['a number', () => BigInt('Amina')],
])('what a parser of %s was given is not told', (_, parse) => {
  let error: unknown;
  try {
    parse();
  } catch (thrown) {
    error = thrown;
  }
  expect(traceOf(error)).toMatch(/^SyntaxError\n/);
  expect(traceOf(error)).not.toContain('Amina');
});

it('a broken assumption of ours is told in its own words, with where it was found', () => {
  expect(traceOf(new Error('row 3 comes after row 4'))).toMatch(
    /^Error: row 3 comes after row 4\n +at .*unexpected\.test/,
  );
  // Lines of a message are none of the stack.
  expect(
    traceOf(databaseError())
      .split('\n')
      .filter((line) => !/^ +at /.test(line)),
  ).toHaveLength(1);
  expect(describeUnexpected('Amina')).not.toContain('Amina');
});
