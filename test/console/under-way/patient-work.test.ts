import { expect, it } from 'vitest';
import { PatientWork } from '../../../src/console/under-way/patient-work.ts';

it('gives the same work to all who ask while it is under way, and begins anew afterwards', async () => {
  const work = new PatientWork<number>(0);
  let resolve = (_: number): void => {};
  const promise = new Promise<number>((done) => {
    resolve = done;
  });
  let begun = 0;
  const begin = (): Promise<number> => {
    begun += 1;
    return begun === 1 ? promise : Promise.resolve(begun);
  };
  expect(await work.take(begin)).toBeNull();
  expect([await work.take(begin), begun, work.isUnderWay()]).toEqual([null, 1, true]);
  resolve(7);
  await promise;
  expect(await new PatientWork<number>(1_000).take(() => promise)).toBe(7);
});

it('reports a failure to the next caller, and then starts again', async () => {
  const work = new PatientWork<number>(1_000);
  await expect(work.take(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(work.isUnderWay()).toBe(false);
  expect(await work.take(() => Promise.resolve(1))).toBe(1);
});
