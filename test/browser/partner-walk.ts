/*
 * A colleague who knows a file, and takes it from its drop to the rows that are sent by the pages of the console: each
 * question is answered as the file's truth says, and each click and choice counts.
 */

import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import type { Engine } from '../../src/index.ts';
import type { PutQuestion } from '../../src/propose/session/encoding-question.ts';
import { forProgram } from '../../src/propose/session/program-question.ts';
import type { DialogueQuestion } from '../../src/propose/session/session.ts';
import { answerTo, questionSchema, type Truth } from '../support/partner-truth.ts';
import { dropFile } from './browser.ts';

/** What it took to send a file. */
export interface Walked {
  readonly file: string;
  readonly clicks: number;
  /** Values that were chosen in lists or typed, besides the clicks. */
  readonly choices: number;
  readonly questions: number;
  /** What the page says at last. */
  readonly end: string;
}

/** More questions than any file has. */
const mostSteps = 40;

/** What a page is about while a file is on its way. */
interface Asked {
  readonly page: Page;
  /** What the person knows of the file; null for one who takes each proposal. */
  readonly truth: Truth | null;
  /** The question that is open now, as the dialogue has it. */
  readonly open: () => DialogueQuestion | null;
}

/** Notes each question that a console asks. @returns the one that was asked last */
export function watchQuestions(engine: Engine): () => DialogueQuestion | null {
  let open: DialogueQuestion | null = null;
  const noting =
    (put: PutQuestion): PutQuestion =>
    (question, take) => {
      open = question;
      return put(question, take);
    };
  const agree = engine.agreeOnMapping.bind(engine);
  vi.spyOn(engine, 'agreeOnMapping').mockImplementation((request, options) => {
    const { lead, put } = request;
    return agree(
      {
        ...request,
        ...(put === undefined ? {} : { put: noting(put) }),
        lead: (session) => {
          const { dialogue } = session;
          const next = dialogue.next.bind(dialogue);
          vi.spyOn(dialogue, 'next').mockImplementation(async () => {
            open = await next();
            return open;
          });
          return lead(session);
        },
      },
      options,
    );
  });
  return () => open;
}

/**
 * Drops a file, answers its questions, and sends what would be sent.
 * @param clicked how many clicks there were so far
 */
export async function walk(
  asked: Asked,
  clicked: () => number,
  name: string,
  content: Buffer,
): Promise<Walked> {
  const { page, truth } = asked;
  await page.goto('/');
  const before = clicked();
  await dropFile(page, name, content);
  const question = page.locator('form:has(input[name="turn"])');
  const send = page.getByRole('button', { name: /^Send [\d,]+ rows?/ });
  let [questions, choices] = [0, 0];
  for (let step = 0; step < mostSteps; step += 1) {
    await page.locator('main:not(:has([data-live], .uploading))').waitFor();
    if (new URL(page.url()).pathname === '/') continue;
    if ((await send.count()) > 0) {
      await send.first().click();
      break;
    }
    questions += 1;
    const shown = await page.locator('main').innerHTML();
    if ((await question.count()) === 0) await (await offered(page, truth)).click();
    else {
      choices += await fillIn(asked);
      await question.locator('button').first().click();
    }
    await expect.poll(() => page.locator('main').innerHTML(), { timeout: 120_000 }).not.toBe(shown);
  }
  await page.locator('main:not(:has([data-live]))').waitFor();
  await expect
    .poll(() => page.locator('h1').innerText(), { timeout: 120_000 })
    .not.toMatch(/^(?:Under way|Sending|To be sent)/);
  // The page on which a click was made reports it shortly after.
  await page.waitForTimeout(100);
  const end = await page.locator('h1').innerText();
  return { file: name, clicks: clicked() - before, choices, questions, end };
}

/** The offer of a page that asks without a form, as the person decides. */
async function offered(page: Page, truth: Truth | null): Promise<ReturnType<Page['locator']>> {
  const offers = page.locator('main :is(.problem, .note) .actions :is(button, a.button):visible');
  const own =
    truth?.asked['hidden'] === 'skip' ? /^Leave hidden rows out/ : /^(?:Read hidden rows|Leave headings)/;
  const known = offers.filter({ hasText: own });
  const chosen = (await known.count()) > 0 ? known.first() : offers.first();
  if ((await chosen.count()) === 0)
    throw new Error(`nothing leads on from ${page.url()}: ${await page.locator('main').innerText()}`);
  return chosen;
}

/** Fills in the answer to the open question. @returns how many values were chosen or typed */
async function fillIn({ page, truth, open }: Asked): Promise<number> {
  const question = open();
  if (truth === null || question === null) return 0;
  if ((await page.locator('input[name="row"]').count()) > 0) return choosePlace(page, truth);
  const { question: asProgram, answerOf } = forProgram(question);
  const { finding, ...shown } = { finding: undefined, ...asProgram };
  const answer = answerOf(
    answerTo(
      truth,
      questionSchema.parse({ ...shown, ...(finding === undefined ? {} : { reason: finding }) }),
    ),
  );
  return answer === 'accept' ? 0 : enter(page, question, answer);
}

/** Chooses the line with the names of the columns, in the sheet that is shown. */
async function choosePlace(page: Page, { header_rows: rows, kind }: Truth): Promise<number> {
  const [first] = rows;
  const line = page.locator(`input[name="row"][value="${first}"]`);
  if (!(await line.isChecked())) await line.check();
  const two = page.locator('input[name="two"]');
  if ((await two.isChecked()) !== rows.length > 1) await two.click();
  return chosen(page, '#kind', kind);
}

/**
 * Chooses a value of a list, by typing where it is searched, unless it is chosen.
 * @param list the id of what is chosen in, or the name of its field
 * @returns how many values were chosen
 */
async function chosen(page: Page, list: string, value: string): Promise<number> {
  const found = page.locator(list);
  // A list that is searched has a field beside it, which takes the id over; the name stays with the list, which is sent.
  const isList = (await found.getAttribute('hidden')) !== null;
  const field = isList ? found.locator('xpath=../input[@role="combobox"]') : found;
  const isSearched = (await field.getAttribute('role')) === 'combobox';
  const select = isSearched ? field.locator('xpath=../select') : field;
  if ((await select.inputValue()) === value) return 0;
  if (!isSearched) await select.selectOption(value);
  else {
    await field.fill((await select.locator(`option[value="${value}"]`).first().textContent()) ?? '');
    await field.press('Enter');
    expect(await select.inputValue()).toBe(value);
  }
  return 1;
}

/** Opens what is folded around a field. */
async function unfold(page: Page, field: string): Promise<void> {
  const folded = page.locator(`details:not([open]):has(${field}) > summary`);
  if ((await folded.count()) > 0) await folded.first().click();
}

/** Types a value, unless it is there. @returns how many values were typed */
async function typed(page: Page, name: string, value: string): Promise<number> {
  const field = page.locator(`[name="${name}"]`);
  if ((await field.inputValue()) === value) return 0;
  await field.fill(value);
  return 1;
}

/** Enters an answer into the form of its question. @returns how many values were chosen or typed */
async function enter(page: Page, question: DialogueQuestion, answer: unknown): Promise<number> {
  switch (question.kind) {
    case 'review': {
      const wrong = valuesIn(answer, 'columns');
      return inTurn(
        [...question.columns.entries()].filter(([, { column }]) => wrong.has(column)),
        async ([at, { column }]) => {
          await unfold(page, `#use-${at}`);
          return chosen(page, `#use-${at}`, [wrong.get(column) ?? ''].flat().join('+'));
        },
      );
    }
    case 'column':
      return chosen(page, '#answer', [answer].flat().join('+'));
    case 'values': {
      const meanings = valuesIn(answer, 'values');
      return inTurn([...question.values.entries()], ([at, { value, proposal }]) => {
        const meaning = meanings.has(value) ? meanings.get(value) : proposal;
        return meaning === proposal ? Promise.resolve(0) : enterMeaning(page, at, meaning ?? null);
      });
    }
    case 'refused': {
      const meanings = valuesIn(answer, 'values');
      if (meanings.size === 0) return picked(page, answer);
      await picked(page, 'values');
      return inTurn([...question.values.entries()], async ([at, { value }]) => {
        const meaning = meanings.get(value);
        if (meaning !== '') return typed(page, `word.${at}`, String(meaning ?? ''));
        await page.locator(`[name="empty.${at}"]`).check();
        return 0;
      });
    }
    case 'constant': {
      const text = answer === null ? '' : textIn(answer);
      const list = page.locator('#answer');
      const isListed = (await list.locator(`option[value="${text}"]`).count()) > 0;
      return isListed ? chosen(page, '#answer', text) : typed(page, 'text', text);
    }
    case 'reading':
      return typeof answer === 'object' ? typed(page, 'text', textIn(answer)) : picked(page, answer);
    case 'repair':
      return picked(page, answer);
  }
}

/** One after the other: a page is one person's. */
async function inTurn<Item>(items: readonly Item[], act: (item: Item) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const item of items) sum += await act(item);
  return sum;
}

/** Picks an answer of the page; a click is counted by the browser. */
async function picked(page: Page, answer: unknown): Promise<number> {
  const option = page.locator(`input[name="answer"][value="${String(answer)}"]`);
  if (!(await option.isChecked())) await option.check();
  return 0;
}

async function enterMeaning(page: Page, at: number, meaning: unknown): Promise<number> {
  const list = page.locator(`[name="value.${at}"]`);
  await unfold(page, `[name="value.${at}"]`);
  // A value that differs by case or accents only is on the line of another one.
  if ((await page.locator(`[name="same-as.${at}"]`).count()) > 0) return 0;
  if ((await list.count()) === 0) return typed(page, `word.${at}`, String(meaning ?? ''));
  const option = meaning === null ? 'refuse' : `word:${String(meaning)}`;
  const isListed = (await list.locator(`option[value="${option}"]`).count()) > 0;
  return isListed ? chosen(page, `[name="value.${at}"]`, option) : typed(page, `word.${at}`, String(meaning));
}

function valuesIn(answer: unknown, name: 'columns' | 'values'): ReadonlyMap<string, unknown> {
  if (typeof answer !== 'object' || answer === null) return new Map();
  const found: unknown = Object.entries(answer).find(([key]) => key === name)?.[1];
  return new Map(Object.entries(typeof found === 'object' && found !== null ? found : {}));
}

function textIn(answer: unknown): string {
  return typeof answer === 'object' && answer !== null && 'text' in answer ? String(answer.text) : '';
}
