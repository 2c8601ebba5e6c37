import { expect, inject, it } from 'vitest';
import { openConsole } from '../../support/console.ts';

it.each(inject('ledgers'))('shows each check in words on the %s ledger', async (ledger) => {
  const { visitor } = await openConsole({ ledger });
  const shown = await visitor.until('/doctor', ({ text }) => text.includes('What was found'));
  expect(shown.status).toBe(200);
  expect(shown.text).toContain('answers and takes the key.');
  expect(shown.text).toMatch(/The folder .* can be written to|The folder .* will be made/);
  expect(shown.text).toContain('aria-current="page">Checks');
  expect(shown.text).not.toContain('role="alert"');
});

it('shows what is wrong first, with what helps', async () => {
  const { visitor, desk } = await openConsole();
  await desk.sandbox.close();
  const { text } = await visitor.until('/doctor', (shown) => shown.text.includes('What was found'));
  expect(text).toContain('1 problem to solve');
  expect(text.indexOf('class="problem"')).toBeLessThan(text.indexOf('class="ok"'));
});
