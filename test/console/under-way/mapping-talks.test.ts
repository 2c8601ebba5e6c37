import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { BeginTalk, MappingTalk } from '../../../src/console/under-way/mapping-talk.ts';
import { KeptAnswers, MappingTalks, talkLimits } from '../../../src/console/under-way/mapping-talks.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import type { DialogueQuestion, FinishedMapping } from '../../../src/propose/session/session.ts';
import { ownTemporaryFolder } from '../../support/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
const uploads = (): string => join(temporary(), 'uploads');

const question: DialogueQuestion = {
  question: 1,
  kind: 'reading',
  about: 'encoding',
  sheet: null,
  samples: [],
  proposal: null,
  why: { code: 'encoding_unclear', file: 'list.csv' },
  options: [],
  free_text: true,
  rows: 0,
  forecast: { pass: 0, refused: 0, left_out: 0 },
};

const finished: FinishedMapping = {
  mapping: {},
  forecast: question.forecast,
  path: 'list.mapping.json',
  remembered: 'list',
};

/** Asks one question, which has to be answered with `yes`. */
function asking(ended: PaybatchError[] = []): BeginTalk {
  return async ({ put }) => {
    try {
      await put(question, (_, given) => (given === 'yes' ? undefined : 'it is yes'));
    } catch (error) {
      if (error instanceof PaybatchError) ended.push(error);
      throw error;
    }
    return finished;
  };
}

function openTalks(clock: () => number = () => 0): MappingTalks {
  const talks = new MappingTalks(new KeptAnswers(uploads()), clock);
  onTestFinished(() => talks.close());
  return talks;
}

function open(talks: MappingTalks, key: string, begin: BeginTalk, by = 'grace'): MappingTalk {
  const about = { by, name: `${key}.csv`, address: `/uploads/${key}`, path: key };
  return talks.open(key, { about, isAgain: false, changes: 0, begin: () => begin });
}

it('waits for an answer to the question that is open, and takes no other one', async () => {
  const talk = open(openTalks(), 'a', asking());
  const first = await talk.settled();
  expect(first).toMatchObject({ kind: 'asking', turn: 1, problem: null, canGoBack: false, table: null });
  expect(talk.say(2, { answer: 'yes' })).toBe(false);
  expect(talk.say(1, { answer: 'no' })).toBe(true);
  expect(talk.say(1, { answer: 'yes' })).toBe(false);
  expect(await talk.settled()).toMatchObject({ kind: 'asking', turn: 1, problem: 'it is yes' });
  expect(talk.say(1, { answer: 'yes' })).toBe(true);
  expect(await talk.settled()).toEqual({ kind: 'agreed' });
});

it('keeps what is worth knowing for the pages of its questions', async () => {
  const note = { code: 'file_remark', file: null, text: 'There is a control line.' } as const;
  const talk = open(openTalks(), 'a', async (lead) => {
    lead.report({ kind: 'note', note });
    return asking()(lead);
  });
  expect(await talk.settled()).toMatchObject({ kind: 'asking', notes: [note] });
});

it('ends an idle dialogue, and keeps one that is viewed', async () => {
  let nowInMs = 0;
  const talks = openTalks(() => nowInMs);
  const ended: PaybatchError[] = [];
  const idle = open(talks, 'idle', asking(ended));
  const looked = open(talks, 'looked', asking());
  await Promise.all([idle.settled(), looked.settled()]);
  nowInMs = talkLimits.idleInMs;
  expect(talks.find('looked')).toBe(looked);
  nowInMs += 1;
  expect(talks.find('idle')).toBeUndefined();
  expect(await idle.settled()).toMatchObject({ kind: 'asking' });
  await expect.poll(() => idle.state.kind).toBe('failed');
  expect(ended.map(({ code }) => code)).toEqual(['dialogue_ended']);
  expect(talks.find('looked')).toBe(looked);
});

it('ends the one that waits longest where there are too many', async () => {
  let nowInMs = 0;
  const talks = openTalks(() => nowInMs);
  for (let at = 0; at <= talkLimits.most; at += 1) {
    nowInMs += 1;
    await open(talks, String(at), asking()).settled();
  }
  expect([talks.find('0'), talks.find('1') === undefined]).toEqual([undefined, false]);
});

it('ends all of them with the console', async () => {
  const talks = new MappingTalks(new KeptAnswers(uploads()), () => 0);
  const talk = open(talks, 'a', asking());
  await talk.settled();
  await talks.close();
  await expect.poll(() => talk.state.kind).toBe('failed');
});

/** Asks questions one after the other, each of which takes any answer but `no`, and `back`. @param failsAfter an answer */
function askingSeveral(asked: string[], { facts = 'a', failsAfter = '' } = {}): BeginTalk {
  return async ({ put }) => {
    for (let number = 1; number <= 3; ) {
      const about = `${facts}${number}`;
      let said: unknown;
      await put({ ...question, question: number, about }, (_, given) => {
        said = given;
        return given === 'no' ? 'no is none' : undefined;
      });
      asked.push(`${about}: ${String(said)}`);
      if (said === failsAfter) throw new Error('an internal error');
      number += said === 'back' ? -1 : 1;
    }
    return finished;
  };
}

async function answer(talk: MappingTalk, said: string): Promise<void> {
  const state = await talk.settled();
  if (state.kind !== 'asking') throw new Error(`nothing is asked: ${state.kind}`);
  expect(talk.say(state.turn, { answer: said })).toBe(true);
  await talk.settled();
}

it('continues with the answers after it has ended', async () => {
  let nowInMs = 0;
  const talks = openTalks(() => nowInMs);
  const talk = open(talks, 'a', askingSeveral([]));
  for (const said of ['one', 'wrong', 'back', 'two']) await answer(talk, said);
  const before = await talk.settled();
  expect(talks.of('grace')).toMatchObject([{ name: 'a.csv', address: '/uploads/a', answered: 2, left: 1 }]);
  expect(talks.of('mo')).toEqual([]);
  nowInMs = talkLimits.idleInMs + 1;
  expect([talks.find('a'), talks.hasAnswers('a')]).toEqual([undefined, true]);
  expect(talks.of('grace')).toMatchObject([{ answered: 2 }]);
  const asked: string[] = [];
  const again = open(talks, 'a', askingSeveral(asked));
  const state = await again.settled();
  expect(asked).toEqual(['a1: one', 'a2: two']);
  expect(state).toMatchObject({ kind: 'asking', question: { about: 'a3' }, problem: null });
  // A page of the earlier one answers nothing else.
  expect(again.say(before.kind === 'asking' ? before.turn : 0, { answer: 'late' })).toBe(false);
  await answer(again, 'three');
  expect(await again.settled()).toEqual({ kind: 'agreed' });
});

it('asks anew from the first question that is another one than before', async () => {
  const talks = openTalks();
  for (const said of ['one', 'two']) await answer(open(talks, 'a', askingSeveral([])), said);
  const asked: string[] = [];
  const again = open(talks, 'a', askingSeveral(asked, { facts: 'b' }));
  expect(await again.settled()).toMatchObject({ kind: 'asking', question: { about: 'b1' } });
  expect([asked, talks.of('grace')[0]?.answered]).toEqual([[], 0]);
});

it('keeps what was answered before an error, and goes back behind the last answer', async () => {
  const talks = openTalks();
  const talk = open(talks, 'a', askingSeveral([], { failsAfter: 'FCFA' }));
  for (const said of ['one', 'FCFA']) await answer(talk, said);
  expect(await talk.settled()).toMatchObject({ kind: 'failed' });
  talks.rest('a');
  expect(talks.of('grace')).toMatchObject([{ answered: 2 }]);
  const begin = (): BeginTalk => askingSeveral([], { failsAfter: 'FCFA' });
  const about = { by: 'grace', name: 'a.csv', address: '/uploads/a', path: 'a' };
  const again = talks.open('a', { about, isAgain: false, changes: 0, begin }, { without: 1 });
  expect(await again.settled()).toMatchObject({ kind: 'asking', question: { about: 'a2' } });
  expect(talks.of('grace')).toMatchObject([{ answered: 1 }]);
});

it('keeps one without an answer where the file is not read yet, and forgets the oldest of too many that rest', async () => {
  let nowInMs = 0;
  const talks = openTalks(() => nowInMs);
  await open(talks, 'none', asking()).settled();
  talks.rest('none');
  expect(talks.of('grace')).toMatchObject([{ name: 'none.csv', answered: 0, left: 1 }]);
  talks.forget('none');
  const about = { by: 'grace', name: 'read.csv', address: '/uploads/read', path: 'read' };
  await talks.open('read', { about, isAgain: true, changes: 0, begin: () => asking() }).settled();
  talks.rest('read');
  expect(talks.of('grace')).toEqual([]);
  for (let at = 0; at <= talkLimits.mostResting; at += 1) {
    nowInMs += 1;
    await answer(open(talks, String(at), askingSeveral([])), 'one');
    talks.rest(String(at));
  }
  expect(talks.find('any')).toBeUndefined();
  expect([talks.hasAnswers('0'), talks.hasAnswers('1')]).toEqual([false, true]);
});

/** Asks for a word, then what it means for it, then another thing. */
function askingInTurn(asked: string[]): BeginTalk {
  return async ({ put }) => {
    let first: unknown;
    const ask = async (number: number, about: string, take?: (said: unknown) => void): Promise<void> => {
      const options = [{ id: `${about} yes`, label: 'yes', passes: 1 }];
      await put({ ...question, question: number, about, options }, (_, given) => {
        take?.(given);
        asked.push(`${about}: ${String(given)}`);
        return undefined;
      });
    };
    await ask(1, 'word', (said) => {
      first = said;
    });
    // Another word leads to a further question in between.
    if (first === 'other') await ask(2, 'what other means');
    await ask(first === 'other' ? 3 : 2, first === 'third' ? 'third meaning' : 'meaning');
    await ask(first === 'other' ? 4 : 3, 'end');
    return finished;
  };
}

it('asks for an earlier answer again with what it was, and says the later ones again where the same is asked', async () => {
  const talks = openTalks();
  const talk = open(talks, 'a', askingInTurn([]));
  for (const said of ['one', 'two']) await answer(talk, said);
  expect(await talk.settled()).toMatchObject({
    answered: [{ asked: { about: 'word' }, said: { answer: 'one' } }, { asked: { about: 'meaning' } }],
  });
  const asked: string[] = [];
  const about = { by: 'grace', name: 'a.csv', address: '/uploads/a', path: 'a' };
  const beginning = { about, isAgain: false, changes: 0, begin: () => askingInTurn(asked) };
  const changing = talks.open('a', beginning, { change: 0 });
  expect(await changing.settled()).toMatchObject({
    question: { about: 'word' },
    earlier: 'one',
    answered: [],
  });
  expect(changing.progress.answered).toBe(2);
  await answer(changing, 'other');
  expect(await changing.settled()).toMatchObject({ question: { about: 'what other means' } });
  await answer(changing, 'it');
  // The number of the next one is another, and its answer is said again.
  expect(await changing.settled()).toMatchObject({ question: { about: 'end' }, earlier: undefined });
  expect(asked).toEqual(['word: other', 'what other means: it', 'meaning: two']);
});

it('drops a later answer where something else is asked, and keeps the answer that was looked at', async () => {
  const talks = openTalks();
  const talk = open(talks, 'a', askingInTurn([]));
  for (const said of ['one', 'two']) await answer(talk, said);
  const asked: string[] = [];
  const about = { by: 'grace', name: 'a.csv', address: '/uploads/a', path: 'a' };
  const beginning = { about, isAgain: false, changes: 0, begin: () => askingInTurn(asked) };
  const changing = talks.open('a', beginning, { change: 0 });
  await changing.settled();
  // Somebody who leaves the changed question does not lose the answers.
  const again = talks.open('a', beginning);
  expect(await again.settled()).toMatchObject({ question: { about: 'end' } });
  const third = talks.open('a', beginning, { change: 0 });
  await third.settled();
  await answer(third, 'third');
  expect(await third.settled()).toMatchObject({ question: { about: 'third meaning' }, earlier: undefined });
  // A place that no answer has changes nothing.
  const none = talks.open('a', beginning, { change: 7 });
  expect(await none.settled()).toMatchObject({ question: { about: 'third meaning' } });
});

it('continues with the same person and answers after a restart of the console, readable by its owner alone', async () => {
  const talks = openTalks();
  await writeFile(join(temporary(), 'a'), 'the file');
  const about = { by: 'grace', name: 'a.csv', address: '/uploads/a', path: join(temporary(), 'a') };
  const given = { about, isAgain: false, changes: 0 };
  const talk = talks.open('a', { ...given, begin: () => askingSeveral([]) });
  for (const said of ['one', 'two']) await answer(talk, said);
  const before = await talk.settled();
  await talks.close();
  const folder = join(uploads(), 'open-questions');
  const [name = '', ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, name))).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);

  const later = openTalks();
  expect(later.of('grace')).toEqual([{ ...about, answered: 2, left: 1 }]);
  expect(later.of('mo')).toEqual([]);
  expect([later.find('a'), later.hasAnswers('a')]).toEqual([undefined, true]);
  const asked: string[] = [];
  const again = later.open('a', { ...given, begin: () => askingSeveral(asked) });
  expect(await again.settled()).toMatchObject({ kind: 'asking', question: { about: 'a3' } });
  expect(asked).toEqual(['a1: one', 'a2: two']);
  expect(again.say(before.kind === 'asking' ? before.turn : 0, { answer: 'late' })).toBe(false);
  later.forget('a');
  await later.close();
  expect(await readdir(folder)).toEqual([]);
});

it('takes up nothing of a file that is gone, and nothing that it cannot read', async () => {
  const talks = openTalks();
  const path = join(temporary(), 'gone');
  await writeFile(path, 'the file');
  for (const key of ['a', 'b']) {
    const about = { by: 'grace', name: key, address: `/uploads/${key}`, path };
    const talk = talks.open(key, { about, isAgain: false, changes: 0, begin: () => askingSeveral([]) });
    await answer(talk, 'one');
  }
  await talks.close();
  const folder = join(uploads(), 'open-questions');
  const [first = ''] = await readdir(folder);
  const whole = await readFile(join(folder, first), 'utf8');
  await writeFile(join(folder, first), whole.slice(0, 20));
  expect(openTalks().of('grace')).toHaveLength(1);
  await rm(path);
  expect(openTalks().of('grace')).toEqual([]);
});

it('calls a guess decided once a person has gone on from the table that shows it, and a new one a guess', async () => {
  const uses = [
    ['email', 'phone'],
    ['email', 'phone'],
    ['email', 'city'],
  ];
  const reviewOf = ([first, second]: readonly string[], at: number): DialogueQuestion => ({
    ...{ question: at + 1, kind: 'review', sheet: null, about: 'customers', rows: 3, samples: [] },
    ...{
      proposal: 'accept',
      why: { code: 'review' },
      options: [],
      free_text: false,
      fields: [],
      reasons: [],
    },
    columns: [first, second].map((field, index) => ({
      ...{ column: `title ${index}`, field: field ?? null, samples: [], repairs: [], sent: [] },
    })),
    forecast: question.forecast,
  });
  const asked = uses.map(reviewOf);
  const talk = open(openTalks(), 'a', async ({ lead }) => {
    await lead({
      freeName: () => 'a',
      dialogue: {
        canGoBack: false,
        grids: [],
        next: async () => asked.shift() ?? null,
        answer: () => undefined,
        place: async () => null,
        readFrom: () => undefined,
        reading: async () => ({ forecast: question.forecast }),
        seen: async () => ({
          ...{
            grid: {
              ...{ sheet: null, isHidden: false, isCut: false, allRows: 0, rows: [] },
              titles: async () => [],
            },
          },
          ...{ header: [1], rows: new Set<number>(), next: [] },
          columns: [0, 1].map((index) => ({ index, sureness: 'guess' as const })),
        }),
      },
    });
    return finished;
  });
  const seen: unknown[] = [];
  for (let state = await talk.settled(); state.kind === 'asking'; state = await talk.settled()) {
    seen.push(state.seen?.columns.map(({ sureness }) => sureness));
    talk.say(state.turn, { answer: 'accept' });
  }
  expect(seen).toEqual([
    ['guess', 'guess'],
    ['decided', 'decided'],
    ['decided', 'guess'],
  ]);
});
