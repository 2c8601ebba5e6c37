import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/index.ts';
import type { WordedQuestion } from '../../src/propose/session/question-reason.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { configOfDesk, openEngine } from '../support/engine.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';

let desk: Desk;
let folder = '';
let paybatch: Engine;
beforeEach(async () => {
  desk = await openDesk();
  folder = desk.folder;
  paybatch = await openOn(desk);
});

function openOn(given: Desk): Promise<Engine> {
  return openEngine({ ...configOfDesk(given), reading: { kind: 'customers' } });
}

const header = 'Kd-Nr;Vorname;Nachname;E-Mail;Telefon;Geschlecht;Bemerkung';

/** The list of a month, with a gender for each row. */
async function list(month: string, genders: readonly string[]): Promise<string> {
  const rows = genders.map((gender, at) =>
    [
      `${month}-${at}`,
      'Lena',
      `Vogel${month}`,
      `l${at}.${month}@post.example`,
      `+49301234${100 + at}`,
      gender,
      'neu',
    ].join(';'),
  );
  const path = join(folder, `${month}.csv`);
  await writeFile(path, `${[header, ...rows].join('\r\n')}\r\n`);
  return path;
}

interface Interview {
  readonly questions: readonly WordedQuestion[];
  readonly mapping: unknown;
  readonly path: string | null | undefined;
}

async function interview(
  file: string,
  stem: string,
  given: { readonly edit?: boolean; readonly about?: string } = {},
  answer: (question: WordedQuestion) => unknown = () => 'accept',
): Promise<Interview> {
  const questions: WordedQuestion[] = [];
  const put = (question: WordedQuestion): unknown => {
    questions.push(question);
    return answer(question);
  };
  const { agreed } = await paybatch.mapping({
    file,
    stem: join(folder, stem),
    answer: put,
    ...given,
  }).result;
  return { questions, mapping: agreed?.mapping, path: agreed?.path };
}

/** What a person says of the first list. */
const meanings = (question: WordedQuestion): unknown =>
  question.kind === 'values' ? { values: { M: 'male', W: 'female' } } : 'accept';

describe('the next file of a series', () => {
  it('needs no question, and no option', async () => {
    const first = await interview(await list('nov', ['M', 'W', 'M']), 'umoja', {}, meanings);
    expect(first.questions.map(({ kind }) => kind)).toContain('review');
    const next = await list('dec', ['W', 'W', 'M']);
    const again = await interview(next, 'never-written');
    expect(again.questions).toEqual([]);
    expect([again.path, again.mapping]).toEqual([null, first.mapping]);
    const { outcome, batches } = await paybatch.import({ files: [next] }).result;
    expect([outcome, batches[0]?.counts]).toEqual(['done', { created: 3 }]);
  });

  it('needs one question where a value is new, which is about that value alone', async () => {
    await interview(await list('nov', ['M', 'W', 'M']), 'umoja', {}, meanings);
    const next = await list('dec', ['W', 'Herr', 'Divers', 'M', 'Divers']);
    const again = await interview(next, 'umoja-2', {}, (question) =>
      question.kind === 'values' ? { values: { Divers: '' } } : 'accept',
    );
    expect(again.questions).toHaveLength(1);
    const [question] = again.questions;
    expect(question?.kind === 'values' && question.values.map(({ value }) => value).sort()).toEqual([
      'Divers',
      'Herr',
    ]);
    expect(again.mapping).toMatchObject({ values: { gender: { M: 'male', W: 'female', Divers: '' } } });
    const { outcome } = await paybatch.import({ files: [next] }).result;
    expect(outcome).toBe('done');
  });
});

describe('a word for an empty value in a later month', () => {
  /** A list in which one of the last names is this word. */
  async function listWith(word: string): Promise<string> {
    const path = await list('dec', ['M', 'W', 'M']);
    await writeFile(path, (await readFile(path, 'utf8')).replace('Vogeldec', word));
    return path;
  }

  it.each([
    ['wala', 'wala', { values: { last_name: { wala: 'wala' } } }, { created: 3 }],
    ['wala', '', { values: { last_name: { wala: '' } } }, { created: 2, invalid: 1 }],
    ['n/a', null, { empty: { Nachname: ['n/a'] } }, { created: 2, invalid: 1 }],
  ])('is not sent before a person has said what it means: %s is “%s”', async (word, said, part, counts) => {
    await interview(await list('nov', ['M', 'W', 'M']), 'umoja', {}, meanings);
    const next = await listWith(word);
    await expect(paybatch.import({ files: [next] }).result).rejects.toMatchObject({
      code: 'reading_drifted',
    });
    const again = await interview(next, 'umoja-2', {}, () => ({ values: { [word]: said } }));
    // A word that can be no name is shown as one for nothing, and needs no answer.
    expect(again.questions.map(({ kind, about }) => [kind, about])).toEqual(
      said === null ? [] : [['values', 'Nachname']],
    );
    expect(again.mapping).toMatchObject(part);
    const { batches } = await paybatch.import({ files: [next] }).result;
    expect(batches[0]?.counts).toEqual(counts);
  });
});

describe('a reading that is edited', () => {
  it('is the same interview, in which what was agreed to is proposed', async () => {
    const file = await list('nov', ['M', 'W', 'Herr']);
    const first = await interview(file, 'umoja', {}, meanings);
    const again = await interview(file, 'umoja-2', { edit: true });
    expect(again.questions.map(({ kind, about }) => [kind, about])).toEqual(
      first.questions.map(({ kind, about }) => [kind, about]),
    );
    expect(again.mapping).toEqual(first.mapping);
    const values = again.questions.find(({ kind }) => kind === 'values');
    expect(
      values?.kind === 'values' && values.values.map(({ value, proposal }) => [value, proposal]),
    ).toContainEqual(['W', 'female']);
  });

  it('can be changed: columns at the review, values one by one', async () => {
    const file = await list('nov', ['M', 'W', 'M']);
    await interview(file, 'umoja', {}, meanings);
    const changed = await interview(file, 'umoja-2', { edit: true }, (question) =>
      question.question === 1 ? { columns: { Geschlecht: 'ignore' } } : 'accept',
    );
    expect(changed.mapping).toMatchObject({ ignore: expect.arrayContaining(['Geschlecht']) });
    expect(changed.mapping).not.toHaveProperty('values.gender');
    const known = await interview(await list('dec', ['W']), 'never-written');
    expect([known.questions, known.mapping]).toEqual([[], changed.mapping]);
  });

  it('is asked about one column only, where one is named', async () => {
    const file = await list('nov', ['M', 'W', 'M']);
    await interview(file, 'umoja', {}, meanings);
    const again = await interview(file, 'umoja-2', { edit: true, about: 'Geschlecht' }, () => ({
      values: { W: '' },
    }));
    expect(again.questions.map(({ about, kind }) => [about, kind])).toEqual([['Geschlecht', 'values']]);
    expect(again.mapping).toMatchObject({ values: { gender: { M: 'male', W: '' } } });
  });

  it('keeps what was written into the mapping by hand and no question asks about', async () => {
    const file = await list('nov', ['M', 'W', 'M']);
    const { mapping } = await interview(file, 'first', {}, meanings);
    const byHand = { numericIdentifiers: { phone: 12 }, expectRows: 3, empty: ['neu'] };
    const path = join(folder, 'own.json');
    await writeFile(path, JSON.stringify({ ...Object(mapping), ...byHand }));
    const { agreed } = await paybatch.mapping({
      file,
      stem: join(folder, 'own'),
      edit: true,
      reading: { mapping: path },
      answer: () => 'accept',
    }).result;
    expect(agreed?.mapping).toMatchObject(byHand);
    expect(agreed?.mapping.values).toEqual(Object(mapping).values);
  });

  it('remembers what values meant that a month does not have', async () => {
    await interview(await list('nov', ['M', 'W', 'M']), 'umoja', {}, meanings);
    const dec = await interview(await list('dec', ['M', 'Divers']), 'umoja-2', {}, (question) =>
      question.kind === 'values' ? { values: { Divers: '' } } : 'accept',
    );
    expect(dec.mapping).toMatchObject({ values: { gender: { M: 'male', W: 'female', Divers: '' } } });
    expect((await interview(await list('jan', ['W']), 'umoja-3')).questions).toEqual([]);
  });

  it('begins from how the file was imported, where nothing is remembered', async () => {
    const file = await list('nov', ['M', 'W', 'M']);
    const { mapping } = await interview(file, 'first', {}, meanings);
    await paybatch.close();
    const databaseUrl = await createDatabase();
    onTestFinished(() => dropDatabase(databaseUrl));
    paybatch = await openOn({ ...desk, databaseUrl });
    const path = join(folder, 'first.mapping.json');
    expect((await paybatch.import({ files: [file], reading: { mapping: path ?? '' } }).result).outcome).toBe(
      'done',
    );
    expect((await interview(file, 'second', { edit: true })).mapping).toEqual(mapping);
  });
});
