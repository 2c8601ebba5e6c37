import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { inVerdictNames } from '../../../src/console/pages/verdicts.ts';

const source = fileURLToPath(new URL('../../../src/reconcile', import.meta.url));

/** Where advice about a row is written. */
const files = ['verdicts/advice.ts', 'verdicts/decide-rows.ts', 'comparing/explain.ts'];
/** What only somebody at a terminal does by these names. */
const commandWords = /\b(?:resume|resolve|in the failed file)\b/;

const all = files.flatMap((file) =>
  [...readFileSync(`${source}/${file}`, 'utf8').matchAll(/'([^'\n]+)'|`([^`\n]+)`/g)]
    .map(([, quoted, template]) => (quoted ?? template ?? '').replace(/\$\{[^}]*\}/g, '7'))
    .filter((text) => text.includes(' ')),
);
const advice = all.filter((text) => commandWords.test(text));
const sentences = all.filter((text) => /\bsend it\b/.test(text));

describe('advice about a row', () => {
  it('is found where it is written', () => {
    expect(advice.length).toBeGreaterThan(4);
  });

  it.each(advice)('is told on a page without the names of commands: %s', (text) => {
    expect(inVerdictNames(text)).not.toMatch(commandWords);
  });

  it.each(sentences)('keeps "send" where it is a verb, and no verdict: %s', (text) => {
    expect(inVerdictNames(text)).toContain('send it');
  });

  it('names verdicts as the page of a decision names them', () => {
    expect(inVerdictNames('existing if the earlier object stands, send if this is another one')).toBe(
      '"An earlier object stands for it" if the earlier object stands, "Send it all the same" if this is another one',
    );
  });
});
