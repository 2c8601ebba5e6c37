import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WordedQuestion } from '../../src/propose/session/question-reason.ts';
import { type AskedQuestion, refusedWithoutQuestion } from '../propose/session/unasked.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { openDesk } from '../support/cli-desk.ts';
import { configOfDesk, openEngine } from '../support/engine.ts';

const header = [
  'Kd-Nr',
  'Vorname',
  'Nachname',
  'E-Mail',
  'Telefon',
  'Geburtsdatum',
  'Straße',
  'PLZ',
  'Ort',
  'Land',
];
const rowsInFile = 60;

/** What people write in place of a value, by the title of the column. No rule of paybatch knows these. */
const damages: readonly (readonly [title: string, write: (value: string, at: number) => string])[] = [
  ['E-Mail', (value) => value.replace('@', ' bei ')],
  ['E-Mail', () => 'per Fax'],
  ['Telefon', () => 'siehe Akte'],
  ['Telefon', (value) => value.slice(0, 8)],
  ['Telefon', (_, at) => `Handy ${at}`],
  ['Geburtsdatum', (_, at) => `${30 + (at % 2)}.02.1980`],
  ['Geburtsdatum', () => 'erwachsen'],
  ['PLZ', (value) => value.slice(1)],
  ['PLZ', (_, at) => `Fach ${at}`],
  ['Land', (_, at) => `Region ${'ABC'[at % 3]}`],
];

function fileOf(random: Random): string {
  const rows = Array.from({ length: rowsInFile }, (_, at) => [
    `K-${at}`,
    ['Lena', 'Jonas', 'Mia', 'Paul'][at % 4] ?? '',
    `Vogel${'abcdefgh'[at % 8]}`,
    `lena.${at}@post.example`,
    `+4930123${4_100 + at}`,
    `1${at % 9}.0${1 + (at % 9)}.198${at % 10}`,
    `Weg ${at + 1}`,
    `0${4_100 + at}`,
    'Leipzig',
    'Deutschland',
  ]);
  const chosen = [...damages].sort(() => random.fraction() - 0.5).slice(0, 3);
  chosen.forEach(([title, write], number) => {
    const column = header.indexOf(title);
    for (let at = number; at < number + 21; at += 3) {
      const row = rows[at];
      if (row !== undefined) row[column] = write(row[column] ?? '', at);
    }
  });
  return `${[header, ...rows].map((cells) => cells.join(';')).join('\r\n')}\r\n`;
}

it.each([1, 2, 3, 4, 5, 6])('refuses no group of rows without a question: file %i', async (seed) => {
  const desk = await openDesk();
  const { folder } = desk;
  const paybatch = await openEngine({ ...configOfDesk(desk), reading: { kind: 'customers' } });
  const file = join(folder, await desk.write('kunden.csv', fileOf(createRandom(seed))));
  const asked: AskedQuestion[] = [];
  const answer = ({ about, reason, ...question }: WordedQuestion): unknown => {
    const code = reason.code === 'values_refused' ? reason.finding : undefined;
    asked.push({ about, reason: code, values: question.kind === 'values' ? question.values : [] });
    return 'accept';
  };
  await paybatch.mapping({ file, stem: join(folder, 'kunden'), answer }).result;
  const { batches } = await paybatch.import({ files: [file] }).result;
  const results = await readFile(batches[0]?.files.results ?? '', 'utf8');
  expect(refusedWithoutQuestion(results, asked)).toEqual([]);
  // The same rows were refused without their questions.
  expect(refusedWithoutQuestion(results, []).length).toBeGreaterThan(0);
});
