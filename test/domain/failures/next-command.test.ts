import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../../src/domain/failures/exit-code.ts';
import { Failure, FilesRefused } from '../../../src/domain/failures/failure.ts';
import { adviceText, type NextCommand } from '../../../src/domain/failures/next-command.ts';
import { shellWord } from '../../../src/domain/text/shell-word.ts';

const validate: NextCommand = {
  words: ['validate', "Amina's list.csv"],
  after: ' lists the findings',
  needs: 'place_and_reading',
};

function refused(next: NextCommand | string | null): Failure {
  return new Failure(exitCodes.fileRefused, 'too_many_invalid', 'It is refused.', next);
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
    expect(told).toMatchObject({ exitCode: 3, code: 'too_many_invalid', message: 'It is refused.' });
  });

  it('keeps it under another exit code, and leaves other advice alone', () => {
    const stopped = refused(validate).withExitCode(exitCodes.stopped);
    expect(stopped.exitCode).toBe(4);
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
