import { expect, it, onTestFinished } from 'vitest';
import { type BeginTalk, MappingTalks, talkLimits } from '../../../src/console/under-way/mapping-talks.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import type { DialogueQuestion, FinishedMapping } from '../../../src/propose/session/session.ts';

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
  const talks = new MappingTalks(clock);
  onTestFinished(() => talks.close());
  return talks;
}

it('waits for an answer to the question that is open, and takes no other one', async () => {
  const talk = openTalks().open('a', asking());
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
  const talk = openTalks().open('a', async (lead) => {
    lead.report({ kind: 'note', note });
    return asking()(lead);
  });
  expect(await talk.settled()).toMatchObject({ kind: 'asking', notes: [note] });
});

it('ends what nobody goes on with, and keeps what somebody looks at', async () => {
  let nowInMs = 0;
  const talks = openTalks(() => nowInMs);
  const ended: PaybatchError[] = [];
  const idle = talks.open('idle', asking(ended));
  const looked = talks.open('looked', asking());
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
    await talks.open(String(at), asking()).settled();
  }
  expect([talks.find('0'), talks.find('1') === undefined]).toEqual([undefined, false]);
});

it('ends all of them with the console', async () => {
  const talks = new MappingTalks(() => 0);
  const talk = talks.open('a', asking());
  await talk.settled();
  talks.close();
  await expect.poll(() => talk.state.kind).toBe('failed');
});
