import { expect, it } from 'vitest';
import { openConsole } from '../../support/console.ts';

it('stops everything with a note, and then says so', async () => {
  const { visitor, engine } = await openConsole();
  expect((await visitor.get('/halt')).text).toContain('Nothing is stopped');
  expect((await visitor.post('/halt', { note: ' ' })).status).toBe(422);
  const after = await visitor.post('/halt', { note: 'wrong <accounts>' });
  expect(after.path).toBe('/halt');
  expect(after.text).toContain('wrong &lt;accounts&gt;');
  expect(after.text).not.toContain('Nothing is stopped');
  const first = (await visitor.get('/')).text;
  expect(first).toContain('<code>paybatch halt --lift</code>');
  expect(first.indexOf('wrong &lt;accounts&gt;')).toBeLessThan(first.indexOf('Nothing waits for you'));
  expect((await visitor.get('/doctor')).status).toBe(200);
  expect((await engine.halt({}).result).halt).toMatchObject({ note: 'wrong <accounts>' });
});
