/* A person in front of a console who looks at every page closely, and a list of the pages that were looked at. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { rights } from '../../../src/console/access/rights.ts';
import type { ConsoleOfTest } from '../../support/console.ts';
import { password } from '../../support/passwords.ts';
import { expectAccessible, expectPleasant, openPage, uploaded } from '../browser.ts';

const samples = fileURLToPath(new URL('../../../samples', import.meta.url));

/** The path of a sample file. */
export const sample = (name: string): string => join(samples, name);

/** Pages that need no session. */
const outside = ['/sign-in', '/welcome', '/enter'];

/** What a browser loads and is no page: parts of pages, files, and addresses that only lead on. */
const isNoPage =
  /\/progress$|\.csv$|\/choices$|\/files\/|\/templates\/|^\/uploads\/:upload$|^\/batches\/:batch\/mapping$/;

/** The addresses of all pages, as they are registered. */
export const allPages: readonly string[] = [
  ...Object.keys(rights).flatMap((right) => (right.startsWith('GET ') ? [right.slice('GET '.length)] : [])),
  ...outside,
].filter((path) => !isNoPage.test(path));

/** Names of the states that were looked at, each with the address of its page as it is registered. */
export const walked = new Map<string, string>();

const headingsOfErrors = ['That did not work', 'Not found', 'Not yours', 'Nothing was changed'];

/** The address of a page as it is registered; where several could be meant, the one with fewer parameters. */
function registered(path: string): string {
  const parts = path.split('/');
  const fitting = allPages.filter((page) => {
    const names = page.split('/');
    return (
      names.length === parts.length && names.every((name, at) => name.startsWith(':') || name === parts[at])
    );
  });
  const parameters = (page: string): number => page.split(':').length;
  return fitting.sort((one, other) => parameters(one) - parameters(other))[0] ?? path;
}

/** A person in front of a console. */
export class Person {
  readonly page: Page;
  readonly #world: ConsoleOfTest;

  constructor(page: Page, world: ConsoleOfTest) {
    this.page = page;
    this.#world = world;
  }

  /**
   * Looks closely at the page as it is.
   * @param state its name in the list and on pictures, each one once; those that begin with "error" are about what cannot be
   */
  async see(state: string): Promise<void> {
    if (walked.has(state)) throw new Error(`${state} was looked at already`);
    const heading = await this.page.locator('h1').innerText();
    expect(headingsOfErrors.includes(heading), `${state}: ${heading}`).toBe(state.startsWith('error'));
    await expectPleasant(this.page, state);
    walked.set(state, registered(new URL(this.page.url()).pathname));
  }

  async go(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.#world.console.url).href);
  }

  async look(path: string, state: string): Promise<void> {
    await this.go(path);
    await this.see(state);
  }

  async upload(...paths: readonly string[]): Promise<void> {
    await this.go('/');
    await this.page.setInputFiles('#files', [...paths]);
    await this.click('Upload and check');
    await this.settled();
  }

  async write(name: string, content: string | Buffer): Promise<string> {
    return join(this.#world.desk.folder, await this.#world.desk.write(name, content));
  }

  async click(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name }).first().click();
    await uploaded(this.page);
  }

  /** Fills in the page of signing in. */
  async signInAs(name: string): Promise<void> {
    await this.page.getByLabel('Name').fill(name);
    await this.page.getByLabel('Password').fill(password);
    await this.click('Sign in');
  }

  /** Until nothing is under way. */
  async settled(): Promise<void> {
    await this.page.locator('main:not(:has([data-live]))').waitFor({ timeout: 120_000 });
  }

  async reads(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async send(): Promise<void> {
    await this.click(/^Send \d+ row/);
    await this.settled();
  }

  /** Looks at the report of a batch as a browser shows it that has it from the folder of results. */
  async report(batch: string, state: string): Promise<void> {
    const { request } = this.page.context();
    const answer = await request.get(new URL(`${batch}/files/report`, this.#world.console.url).href);
    const page = await openPage();
    await page.setContent(await answer.text());
    await expectAccessible(page, state);
    walked.set(state, 'a report');
  }

  /** The path of the page that is open. */
  path(): string {
    return new URL(this.page.url()).pathname;
  }

  /** The open question of a dialogue; null where none is. */
  async question(): Promise<ReturnType<Page['locator']> | null> {
    const button = this.page.locator('form:has(input[name="turn"]) button').first();
    return (await button.count()) === 0 ? null : button;
  }
}

/** Somebody who has entered a console without users. */
export async function enter(world: ConsoleOfTest): Promise<Person> {
  const person = new Person(await openPage(), world);
  await person.page.goto(world.console.entry);
  return person;
}

/** Somebody who has signed in. */
export async function signIn(world: ConsoleOfTest, name: string): Promise<Person> {
  const person = new Person(await openPage(), world);
  await person.go('/');
  await person.signInAs(name);
  await person.page.getByRole('heading', { name: 'To do' }).waitFor();
  return person;
}
