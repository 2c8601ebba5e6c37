import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import type { AnswerOfPerson, EncodingQuestion } from '../../src/call/context.ts';
import { answerOn } from '../../src/cli/terminal/questions.ts';
import type { Call } from '../../src/index.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customer } from '../support/cli-files.ts';
import { agreeing, openEngine } from '../support/engine.ts';

const people = iconv.encode(
  csvOf([customer(1, { last_name: 'Dvořák' }), customer(2, { last_name: 'Wałęsa' })]),
  'windows-1250',
);

it('a CSV file whose encoding is ambiguous is refused, with its values in the likely encodings', async () => {
  const desk = await openDesk();
  const file = await desk.write('people.csv', people);
  const refused = await desk.json(['import', file]);
  expect(refused.summary).toMatchObject({
    exit_code: 3,
    batches: [],
    error: {
      code: 'encoding_uncertain',
      message: expect.stringMatching(/^people\.csv: It is not UTF-8.* In windows-1250 they are “.*Wałęsa.*”/),
      next: expect.stringMatching(/--encoding windows-1250.* or --encoding /),
    },
  });
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  // Whether it is stated or chosen, it is one batch, whose source and failed file are read again without a question.
  const stated = await desk.json(['plan', file, '--encoding', 'windows-1250']);
  const asked: unknown[] = [];
  const paybatch = await openEngine({
    api: { baseUrl: desk.sandbox.url, apiKey: desk.sandbox.apiKeys.sandbox },
    ledger: { databaseUrl: desk.databaseUrl ?? '' },
    output: { out: join(desk.folder, 'results') },
  });
  const call: Call = {
    confirm: (question) => {
      asked.push(question.kind);
      return true;
    },
  };
  const { batches } = await paybatch.import({ files: [join(desk.folder, file)] }, call).result;
  expect(asked).toEqual(['encoding']);
  expect(batches[0]?.id).toBe(stated.summary.batches[0]?.batch);
  expect((await desk.results()).map((row) => row['last_name'])).toEqual(['Dvořák', 'Wałęsa']);
});

it('what was chosen is part of the mapping that is agreed to, and of its remembered form', async () => {
  const desk = await openDesk({ ledger: 'embedded' });
  const header = 'Surname;First name;Client No\n';
  const write = (name: string, text: string): Promise<string> =>
    desk.write(name, iconv.encode(header + text, 'windows-1250'));
  const first = await write('one.csv', 'Dvořák;Jiří;C-1\nRůžička;Věra;C-2\n');
  const paybatch = await openEngine({
    ledger: { ledgerDir: desk.env['PAYBATCH_LEDGER_DIR'] ?? '' },
    reading: { kind: 'customers' },
  });
  const stem = join(desk.folder, 'agreed');
  const request = { file: join(desk.folder, first), answer: () => 'accept', stem };
  const { agreed } = await paybatch.mapping(request, agreeing).result;
  await paybatch.close();
  expect(JSON.parse(await readFile(agreed?.path ?? '', 'utf8'))).toMatchObject({ encoding: 'windows-1250' });
  const second = await write('two.csv', 'Wałęsa;Lech;C-3\n');
  const read = await desk.run(['validate', second]);
  expect(read.exitCode, read.stderr).toBe(0);
  expect(read.stderr).toContain('read with the remembered mapping "agreed"');
});

it('is asked of a program before everything else, with its values in the likely encodings', async () => {
  const desk = await openDesk();
  const file = await desk.write('people.csv', people);
  const answers = [
    ...[
      { question: 1, answer: 'klingon' },
      { question: 1, answer: 'back' },
      { question: 2, answer: 'accept' },
    ],
    ...[
      { question: 1, answer: 'windows-1250' },
      { question: 2, answer: 'accept' },
    ],
  ];
  const stdin = answers.map((answer) => JSON.stringify(answer)).join('\n');
  const { exitCode, stdout, stderr } = await desk.run(['mapping', file, '--dialogue'], { stdin });
  expect(exitCode, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ question: 1, kind: 'reading', about: 'encoding', free_text: true });
  expect(lines[0].options[0]).toMatchObject({ id: 'windows-1250', label: expect.stringContaining('Wałęsa') });
  expect(lines.slice(1, 4)).toEqual([
    { question: 1, error: '"klingon" is no encoding' },
    { question: 1, error: 'there is no question before this one' },
    { question: 1, error: 'question 2 is not open' },
  ]);
  expect(lines[0].why).toContain('is not UTF-8, and nothing else in it tells');
  expect(lines[4]).toMatchObject({ question: 2, kind: 'review', forecast: { pass: 2 } });
  expect(lines[4].why).toBe('This is how the file would be read.');
  expect(lines.at(-1)).toMatchObject({ mapping: { encoding: 'windows-1250' }, forecast: { pass: 2 } });
});

const question: EncodingQuestion = {
  kind: 'encoding',
  file: 'people\u001b[2J.csv',
  candidates: [
    { encoding: 'windows-1250', samples: ['Dvořák', 'Wałęsa'] },
    { encoding: 'iso-8859-2', samples: ['Dvořák', 'Wa\u0082ęsa'] },
  ],
};

it.each<[readonly (string | null)[], AnswerOfPerson]>([
  [['2'], { text: 'iso-8859-2' }],
  [['3', 'windows-1257 '], { text: 'windows-1257' }],
  [[''], 'no'],
  [[null], 'stop'],
])('on a terminal, %j is answered with %j', async (words, expected) => {
  const said: string[] = [];
  const answers = [...words];
  const terminal = { complain: (text: string) => said.push(text), useColour: false };
  const answer = answerOn(terminal as never, () => async () => answers.shift() ?? null);
  expect(await answer(question)).toEqual(expected);
  expect(said.join('\n')).toMatch(/1 {2}windows-1250 {2}Dvořák {3}Wałęsa/);
  expect(said.join('').replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
