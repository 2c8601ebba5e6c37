import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, inject, it } from 'vitest';
import { engineInProcess, engineInThread } from '../../../../src/ledger/connection/embedded/start-engine.ts';

/** A thread that does what a script says with each request, as `request`, and replies with `reply`. */
function threadThat(
  script: string,
  opening = 'reply({ bytes: new Uint8Array() })',
  closing = 'parentPort.close()',
): Worker {
  const code = `
    const { parentPort } = require('node:worker_threads');
    const reply = (message) => parentPort.postMessage(message);
    parentPort.on('message', (request) => { if (request === 'close') { ${closing}; } else { ${script} } });
    ${opening};`;
  return new Worker(code, { eval: true, stderr: true });
}

const bytes = (...values: number[]): Uint8Array<ArrayBuffer> => new Uint8Array(values);

describe('the embedded ledger in a thread of its own', () => {
  it('answers call after call, and ends when it is closed', async () => {
    const engine = await engineInThread(threadThat('reply({ bytes: request.map((each) => each + 1) })'));
    const answers = [engine.answer(bytes(1, 2)), engine.answer(bytes(7))];
    expect(await Promise.all(answers)).toEqual([bytes(2, 3), bytes(8)]);
    await engine.close();
  });

  it('says why it cannot be opened', async () => {
    const opening = "reply({ bytes: null, message: 'no room', code: 'ENOSPC' })";
    const failure = { message: 'no room', code: 'ENOSPC' };
    const thread = threadThat('', opening);
    await expect(engineInThread(thread)).rejects.toMatchObject(failure);
    // It is not left behind: a thread that has ended has no number.
    expect(thread.threadId).toBe(-1);
  });

  it('says why there is no answer', async () => {
    const engine = await engineInThread(threadThat("reply({ bytes: null, message: 'unreachable' })"));
    await expect(engine.answer(bytes(1))).rejects.toThrow('unreachable');
    await engine.abandon();
  });

  it('fails what is under way and all that comes later, once its thread has died', async () => {
    const engine = await engineInThread(threadThat("throw new Error('out of memory')"));
    const underWay = [engine.answer(bytes(1)), engine.answer(bytes(2))];
    for (const answer of underWay) await expect(answer).rejects.toThrow('out of memory');
    await expect(engine.answer(bytes(3))).rejects.toThrow('out of memory');
    await engine.abandon();
  });

  it('says that it could not be closed', async () => {
    const thread = threadThat('', undefined, "throw new Error('no room for the last page')");
    const engine = await engineInThread(thread);
    await expect(engine.close()).rejects.toThrow('no room for the last page');
  });
});

describe('an embedded engine in a process of its own', () => {
  /** A process that does what a script says with each request, as `request`. */
  function processThat(script: string, opening = 'process.send({ bytes: new Uint8Array() })'): ChildProcess {
    const path = join(mkdtempSync(join(inject('testFolder'), 'engine-')), 'engine.cjs');
    const onRequest = `(request) => { if (request === 'close') process.disconnect(); else { ${script} } }`;
    writeFileSync(path, `process.on('message', ${onRequest}); ${opening};`);
    return fork(path, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  }

  it('answers call after call, and ends when it is closed', async () => {
    const child = processThat('process.send({ bytes: request.map((each) => each + 1) })');
    const engine = await engineInProcess(child);
    const [first, second] = await Promise.all([engine.answer(bytes(1, 2)), engine.answer(bytes(7))]);
    expect([[...first], [...second]]).toEqual([[2, 3], [8]]);
    await engine.close();
    expect(child.exitCode).toBe(0);
  });

  it('says why it cannot be opened, and is not left behind', async () => {
    const opening = "process.send({ bytes: null, message: 'no room', code: 'ENOSPC' })";
    const child = processThat('', opening);
    await expect(engineInProcess(child)).rejects.toMatchObject({ message: 'no room', code: 'ENOSPC' });
    expect(child.signalCode).toBe('SIGKILL');
  });

  it('fails what is under way and all that comes later, once it has died', async () => {
    const engine = await engineInProcess(processThat('process.exit(3)'));
    await expect(engine.answer(bytes(1))).rejects.toThrow('it has ended');
    await expect(engine.answer(bytes(2))).rejects.toThrow('it has ended');
    await engine.abandon();
  });
});
