import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { proposeMappingOf } from '../../../src/job/mapping.ts';
import { type JobContext, systemClock } from '../../../src/job/running/context.ts';
import type { Answer, Question } from '../../../src/job/running/events.ts';
import { jobSettingsSchema, readSettings } from '../../../src/job/running/settings.ts';

const lines = [
  'Surname,First name,Geburtsdatum,Mobile No.,Kaunti,Dept,Foo',
  'Otieno,Amina,03/04/1990,0712 345 678,Nairobi,Ops,x',
  'Mushi,Joseph,05/06/1991,0733 345 678,Mombasa,Ops,y',
  'Doe,Jane,07/08/1992,254712345679,Kisumu,Ops,z',
];

async function folder(): Promise<string> {
  const made = await mkdtemp(join(inject('testFolder'), 'dialogue-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  await writeFile(join(made, 'partner.csv'), `${lines.join('\n')}\n`);
  return made;
}

function contextOf(answer: (question: Question) => Answer): JobContext {
  return {
    settings: readSettings(jobSettingsSchema, { kind: 'customers' }),
    environment: {},
    clock: systemClock,
    interrupted: new AbortController().signal,
    activity: { requests: 0 },
    report: () => {},
    ask: async (question) => answer(question),
  };
}

it('asks about each column and way of writing, and writes what was agreed to', async () => {
  const cwd = await folder();
  const asked: Question[] = [];
  const path = join(cwd, 'agreed');
  const app = contextOf((question) => {
    asked.push(question);
    switch (question.kind) {
      case 'mapping_column':
        return question.title === 'Foo' ? { text: 'external_id' } : 'yes';
      case 'mapping_reading':
        return question.text.includes('DD/MM/YYYY') ? 'no' : 'yes';
      case 'mapping_name':
        return { text: path };
      default:
        return 'no';
    }
  });
  const { agreed, document } = await proposeMappingOf(app, {
    file: join(cwd, 'partner.csv'),
    isInteractive: true,
  });
  expect(agreed?.path).toBe(`${path}.json`);
  expect(JSON.parse(await readFile(`${path}.json`, 'utf8'))).toEqual(document);
  expect(document).toEqual({
    kind: 'customers',
    columns: {
      Surname: 'last_name',
      Geburtsdatum: 'date_of_birth',
      'Mobile No.': 'phone',
      Kaunti: 'state',
      Foo: 'external_id',
    },
    ignore: ['Dept'],
    constants: { country: 'KE' },
    dateFormat: 'MM/DD/YYYY',
    places: 'names',
    phoneCountry: 'KE',
  });
  const column = asked.find((question) => question.kind === 'mapping_column' && question.title === 'Surname');
  expect(column).toMatchObject({ samples: ['Otieno', 'Mushi', 'Doe'], proposal: { field: 'last_name' } });
  const phones = asked.find(
    (question) => question.kind === 'mapping_reading' && question.text.includes('KE'),
  );
  expect(phones).toBeDefined();
});

it.each<[Answer, string]>([
  ['stop', 'interrupted'],
  ['nobody', 'no_terminal'],
])('writes nothing when the answer is %s', async (answer, code) => {
  const cwd = await folder();
  const app = contextOf((question) =>
    question.kind === 'mapping_name' ? answer : answer === 'stop' ? 'yes' : answer,
  );
  await expect(
    proposeMappingOf(app, { file: join(cwd, 'partner.csv'), isInteractive: true }),
  ).rejects.toMatchObject({ code });
});
