/* Browsers that read their answers slowly, or send their files slowly, delay no other person. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, inject, it, onTestFinished } from 'vitest';
import { csvOf, customers } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck } from '../../support/console.ts';

/** Asks for a page, and reads nothing of the answer. */
async function askAndWait(url: string, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.pause();
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

it.each(inject('ledgers'))(
  'a slow reader does not slow the sending, on the %s ledger',
  async (ledger) => {
    const { console, visitor, desk } = await openConsole({ ledger });
    const wide = customers(3_000, 10_000).map((row) => ({ ...row, address_line1: 'x'.repeat(90) }));
    const large = await uploadAndCheck(visitor, [{ name: 'large.csv', content: csvOf(wide) }]);
    const small = await uploadAndCheck(visitor, [{ name: 'small.csv', content: csvOf(customers(30)) }]);
    const host = new URL(console.url).host;
    const { cookie } = visitor;
    const readers: Socket[] = [];
    for (const page of [`${large.path}/rows.csv`, `${large.path}/rows`, '/assets/console.css']) {
      for (let reader = 0; reader < 5; reader += 1) {
        readers.push(
          await askAndWait(console.url, `GET ${page} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`),
        );
      }
    }
    // A file that never comes to its end.
    await askAndWait(
      console.url,
      `POST /uploads HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${console.url}\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n--b\r\n`,
    );
    await visitor.get(small.path);
    await visitor.post(`${small.path}/resume`);
    await visitor.until(small.path, ({ text }) => text.includes('All 30 rows created'));
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(30);
    // Each of them was served, as far as it has read.
    for (const reader of readers) {
      reader.resume();
      expect(String((await once(reader, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
    }
  },
  120_000,
);
