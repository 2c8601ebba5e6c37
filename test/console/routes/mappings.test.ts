import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cheapScrypt } from '../../support/cheap-scrypt.ts';
import { openConsole } from '../../support/console.ts';
import { openConsoleWithUsers, visitorAs } from '../../support/console-users.ts';

cheapScrypt();

const file = `Staff ID;Given Name;Surname;Day of birth;Sex\nS-1;Amina;Otieno;31/12/1990;f\nS-2;Joseph;Mushi;01/02/1991;m\n`;

it('says that nothing is remembered yet, and what would be', async () => {
  const { visitor } = await openConsole();
  const shown = await visitor.get('/mappings');
  expect(shown.text).toContain('Nothing is remembered yet');
  expect(shown.text).toContain('aria-current="page">Mappings');
});

it('lists what is remembered, shows it in words, and forgets it when asked twice', async () => {
  const { visitor, engine, desk } = await openConsole();
  const path = join(desk.folder, 'staff <b>.csv');
  await writeFile(path, file);
  await engine.mapping({ file: path, stem: join(desk.folder, 'staff <b>'), answer: () => 'accept' }).result;
  const list = await visitor.get('/mappings');
  expect(list.text).toContain('staff &lt;b&gt;');
  expect(list.text).toContain('Staff ID, Given Name, Surname, Day of birth, Sex');
  const page = /href="(\/mappings\/[0-9a-f]{64})"/.exec(list.text)?.[1] ?? '';
  const shown = await visitor.get(page);
  expect(shown.text).toContain('Your customer number');
  expect(shown.text).toContain('Days are written DD/MM/YYYY.');
  expect(shown.text).not.toContain('staff <b>');
  const question = await visitor.get(`${page}/forget`);
  expect(question.text).toContain('Keep it');
  expect((await visitor.get('/mappings')).text).toContain('staff &lt;b&gt;');
  const after = await visitor.post(`${page}/forget`);
  expect([after.path, after.text.includes('Nothing is remembered yet')]).toEqual(['/mappings', true]);
  expect((await visitor.post(`${page}/forget`)).status).toBe(404);
  expect((await visitor.get(page)).status).toBe(404);
});

it('offers to forget one to those who may', async () => {
  const world = await openConsoleWithUsers();
  const path = join(world.desk.folder, 'staff.csv');
  await writeFile(path, file);
  await world.engine.mapping({ file: path, stem: join(world.desk.folder, 'staff'), answer: () => 'accept' })
    .result;
  for (const [name, isOffered] of [
    ['mo', true],
    ['ada', false],
    ['root', false],
  ] as const) {
    const visitor = await visitorAs(world, name);
    const list = await visitor.get('/mappings');
    const page = /href="(\/mappings\/[0-9a-f]{64})"/.exec(list.text)?.[1] ?? '';
    const shown = await visitor.get(page);
    expect([shown.status, shown.text.includes('Forget it')], name).toEqual([200, isOffered]);
    expect((await visitor.get(`${page}/forget`)).status, name).toBe(isOffered ? 200 : 403);
  }
});
