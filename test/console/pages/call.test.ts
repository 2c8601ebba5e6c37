import { expect, it } from 'vitest';
import { notesOf, progressOf } from '../../../src/console/pages/call.ts';
import type { Frame } from '../../../src/console/pages/layout.ts';
import { Calls } from '../../../src/console/under-way/calls.ts';

const frame = { may: () => false } as unknown as Frame;

it('says that sending goes on without a connection only where something is being sent', () => {
  const textOf = (isSending: boolean): string => {
    const subject = { title: 'Checking people.csv', isSending, by: 'grace' };
    const call = new Calls(() => 0).begin(subject, () => new Promise(() => {}));
    return progressOf(frame, call, 0).text;
  };
  expect(textOf(true)).toContain('What is being sent goes on as soon as the console runs');
  expect(textOf(false)).not.toContain('being sent');
  expect(textOf(false)).toContain('This page goes on as soon as the console answers.');
});

it('names no folder of the built-in sandbox', () => {
  const notes = [{ code: 'built_in_sandbox', folder: '.paybatch-sandbox' }] as const;
  const { text = '' } = notesOf({ ...frame, folders: [] } as unknown as Frame, { notes }) ?? {};
  expect(text).toContain('Using the built-in sandbox of the API: no money moves.');
  expect(text).not.toContain('.paybatch-sandbox');
});
