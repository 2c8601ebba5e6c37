import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { adviceText, type NextCommand, shellWord } from '../../../src/domain/failures/next-command.ts';
import { FilesRefused, PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import { describeUnexpected, traceOf } from '../../../src/domain/failures/unexpected.ts';

const validate: NextCommand = {
  words: ['validate', "Amina's list.csv"],
  after: ' lists the findings',
  needs: 'place_and_reading',
};

function refused(next: NextCommand | string | null): PaybatchError {
  return new PaybatchError('too_many_invalid', 'It is refused.', next);
}

describe('a word of a command', () => {
  it.each([
    'plain.csv',
    '-',
    'two words',
    "it's",
    '$HOME `ls` "x"',
    'a\nb',
    'bell\u0007',
    '送金.csv',
    '%;&|*',
  ])('is the same once a shell has read it: %j', (word) => {
    const read = execFileSync('bash', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' });
    expect(read).toBe(word);
  });
});

describe('the command that helps', () => {
  it('is quoted for a shell, between the words around it', () => {
    expect(adviceText({ ...validate, before: 'first: ' })).toBe(
      "first: paybatch validate 'Amina'\\''s list.csv' lists the findings",
    );
  });

  it('gets the options that only the caller knows, behind its own words', () => {
    const told = refused(validate).withOptions(({ needs }) =>
      needs === 'place_and_reading' ? ['--mapping', 'of theirs.json'] : [],
    );
    expect(told.next).toBe(
      "paybatch validate 'Amina'\\''s list.csv' --mapping 'of theirs.json' lists the findings",
    );
    expect(told).toMatchObject({ kind: 'file_refused', code: 'too_many_invalid', message: 'It is refused.' });
  });

  it('keeps it where the call ends in another way, and leaves other advice alone', () => {
    const stopped = refused(validate).withKind('stopped');
    expect(stopped.kind).toBe('stopped');
    expect(stopped.withOptions(() => ['--local-sandbox']).next).toContain('--local-sandbox');
    const advised = refused('wait');
    expect(advised.withOptions(() => ['--local-sandbox'])).toBe(advised);
    expect(refused(null).withOptions(() => ['--local-sandbox']).next).toBeNull();
  });

  it('gets them for each of several files', () => {
    const told = new FilesRefused([refused(validate), refused('mend it')]).withOptions(() => ['--out', 'x']);
    expect(told.each.map(({ next }) => next)).toEqual([
      "paybatch validate 'Amina'\\''s list.csv' --out x lists the findings",
      'mend it',
    ]);
    expect(told.next).toContain('--out x');
  });
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
