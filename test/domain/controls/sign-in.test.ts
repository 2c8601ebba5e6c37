import { expect, it } from 'vitest';
import { passwordProblem, tryLimits, waitAfter } from '../../../src/domain/controls/sign-in.ts';

it('lets five wrong passwords of a name at an address pass, then doubles the wait up to a quarter of an hour', () => {
  const waits = [0, 4, 5, 6, 7, 8, 9, 10, 11, 1_000].map((failures) =>
    waitAfter({ failures, sinceLastInMs: 0 }, tryLimits.nameAtAddress),
  );
  expect(waits).toEqual([0, 0, 30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000]);
});

it('lets twenty of a name pass wherever they were typed', () => {
  const of = (failures: number): number => waitAfter({ failures, sinceLastInMs: 0 }, tryLimits.name);
  expect([of(19), of(20)]).toEqual([0, 30_000]);
});

it('lets twenty of an address pass, and counts the time since the last one', () => {
  const of = (failures: number, sinceLastInMs: number): number =>
    waitAfter({ failures, sinceLastInMs }, tryLimits.address);
  expect([of(19, 0), of(20, 10_000), of(20, 30_000), of(21, 0)]).toEqual([0, 20_000, 0, 60_000]);
});

it.each([
  ['elevenchars', false],
  ['twelve chars', true],
  ['ééééééééééé', false],
  ['aaaaaaaaaaaaaaaa', false],
  ['amina likes tea', false],
  [`a1b2c${'x'.repeat(600)}`, false],
  ['  spaces are fine  ', true],
])('takes %j as a password: %s', (text, isTaken) => {
  expect(passwordProblem(text, 'amina') === null).toBe(isTaken);
});
