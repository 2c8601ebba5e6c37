import { join } from 'node:path';
import { expect, it } from 'vitest';
import { created } from '../../support/cli-desk.ts';
import { type PlannedBatch, planCustomers } from '../../support/planned-batch.ts';

const firstEmail = 'amina1@people.example';

/** Two customers that the API has refused, and takes from now on; the first has a correction that is not planned. */
async function rejectedWithCorrection(): Promise<PlannedBatch> {
  let isRefusing = true;
  const planned = await planCustomers(2, () => false, {
    onRequest: ({ method }) => (method === 'POST' && isRefusing ? '422' : undefined),
  });
  const { engine, batch, email: place } = planned;
  await engine.resume({ batch }).result;
  isRefusing = false;
  const edits = [{ row: 2, place, before: firstEmail, after: 'other@people.example' }];
  await engine.editDraft({ batch, edits }).result;
  return planned;
}

const notPlanned = { code: 'corrections_not_planned', kind: 'plan_changed' };

it('sends no row of a batch while a correction of one that is not sent is not planned, by whatever call', async () => {
  const { desk, engine, batch, email } = await planCustomers(2, () => false);
  const edits = [{ row: 2, place: email, before: firstEmail, after: 'other@people.example' }];
  await engine.editDraft({ batch, edits }).result;
  await expect(engine.resume({ batch }).result).rejects.toMatchObject(notPlanned);
  await expect(engine.submit({ batch }).result).rejects.toMatchObject(notPlanned);
  await expect(engine.retry({ batch }).result).rejects.toMatchObject(notPlanned);
  const again = await engine.import({ files: [join(desk.folder, 'people.csv')] }).result;
  expect(again).toMatchObject({ sending: 'refused', failure: notPlanned });
  expect(created(desk)).toBe(0);
  const { batch: account } = await engine.overview({ batch }).result;
  expect(account).toMatchObject({
    state: 'planned',
    edited: { notSent: 1, rejected: 0, invalid: 0 },
    needsPerson: 2,
  });
  expect(account.next.map(({ what }) => what)).toEqual(['plan_corrections']);

  const { batches } = await engine.planDraft({ batch }).result;
  expect((await engine.resume({ batch: batches[0]?.id ?? '' }).result).outcome).toBe('done');
  expect((await engine.resume({ batch }).result).batches[0]?.counts).toEqual({ created: 1, invalid: 1 });
  expect(created(desk)).toBe(2);
});

it('says by exit code, message and next step that corrections are to be planned', async () => {
  const { desk, engine, batch, email } = await planCustomers(2, () => false);
  const edits = [2, 3].map((row) => ({
    row,
    place: email,
    before: `amina${row - 1}@people.example`,
    after: `right${row}@people.example`,
  }));
  await engine.editDraft({ batch, edits }).result;
  await engine.close();
  const short = batch.slice(0, 8);
  const { exitCode: code, summary } = await desk.json(['resume', short]);
  expect([code, summary.error?.code]).toEqual([3, 'corrections_not_planned']);
  expect(summary.error?.message).toBe(
    `2 rows of batch ${short} (people.csv) have corrections that are not planned yet, and nothing was sent.`,
  );
  expect(summary.error?.next).toMatch(
    /^plan the corrections, or discard them, on the page of the batch in the console: paybatch serve /,
  );
  const status = await desk.run(['status', short]);
  expect(status.stdout).toContain('2 rows have corrections that are not planned yet');
  expect(status.stdout).not.toContain(`paybatch resume ${short}`);
});

it('sends no rejected row again while its correction is not planned, and the others by resume', async () => {
  const { desk, engine, batch } = await rejectedWithCorrection();
  await expect(engine.retry({ batch }).result).rejects.toMatchObject(notPlanned);
  const { batch: account } = await engine.overview({ batch }).result;
  expect(account).toMatchObject({ counts: { rejected: 2 }, edited: { notSent: 0, rejected: 1, invalid: 0 } });
  expect(account.next).toMatchObject([
    { what: 'plan_corrections', rows: 1 },
    { what: 'correct', rows: 1 },
  ]);
  expect((await engine.resume({ batch }).result).batches[0]?.counts).toEqual({ rejected: 2 });
  await engine.discardEdits({ batch }).result;
  expect((await engine.retry({ batch }).result).batches[0]?.counts).toEqual({ created: 2 });
  expect(created(desk)).toBe(2);
});

it('sends other rejected rows again where a file has corrected the row with the correction that is not planned', async () => {
  const { desk, engine, batch } = await rejectedWithCorrection();
  const corrected = (await desk.resultText('.failed.csv'))
    .split('\n')
    .filter((_, at) => at < 2)
    .join('\n')
    .replace(firstEmail, 'right@people.example');
  await engine.import({ files: [join(desk.folder, await desk.write('corrected.csv', corrected))] }).result;
  const { batch: account } = await engine.overview({ batch }).result;
  expect(account).toMatchObject({ counts: { rejected: 2 }, edited: { notSent: 0, rejected: 0, invalid: 0 } });
  expect(account.next).toMatchObject([{ what: 'correct', rows: 1 }, { what: 'retry' }]);
  expect((await engine.retry({ batch }).result).batches[0]?.counts).toEqual({ created: 1, rejected: 1 });
  expect(created(desk)).toBe(2);
});

it('leaves a correction batch out of a run of its first file while rows of it are being corrected again', async () => {
  const { desk, engine, batch, email } = await planCustomers(2, (number) => number === 2);
  const type = (of: string, row: number, before: string, after: string) =>
    engine.editDraft({ batch: of, edits: [{ row, place: email, before, after }] }).result;
  await type(batch, 3, 'nowhere2', 'right@people.example');
  const correction = (await engine.planDraft({ batch }).result).batches[0]?.id ?? '';
  const [row] = (await engine.rows({ batch: correction, limit: 1 }).result).rows;
  await type(correction, row?.row ?? 0, 'right@people.example', 'better@people.example');
  const sent = await engine.import({ files: [join(desk.folder, 'people.csv')] }).result;
  expect([sent.failure, created(desk)]).toEqual([null, 1]);
  expect((await engine.overview({ batch: correction }).result).batch.counts).toEqual({ not_sent: 1 });
});
