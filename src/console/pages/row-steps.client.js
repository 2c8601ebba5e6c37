/*
 * Steps of a person in the table of rows: a typed cell, or a block. Each is sent as one, after those before it. Steps that
 * cannot be sent stay in the page, which says so and tries again. Saved steps can be undone, the last one first.
 */

/**
 * @param address where steps are sent
 * @param bar the part of the page that tells of a lost connection
 * @param say shows a text, or a part of a page
 * @param showTyped shows what was typed in a cell
 * @param renew takes over a row as the console has drawn it
 * @returns `take` makes a step, and `undo` takes the last one back
 *
 * A step may go on beyond the page: then the console saves it, and undoes it by its mark.
 */
globalThis.rowSteps = ({ address, bar, say, showTyped, renew }) => {
  const patienceInMs = 20_000;
  const pauseInMs = 2_000;
  const counted = (number, what) => `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`;

  /* What was typed and is not saved yet, step by step, and what may be undone. */
  const queue = [];
  const done = [];
  let isSaving = false;

  /** @param changes of one step, which are saved together or not at all */
  const take = (changes, { isUndo = false, further = {} } = {}) => {
    const isFurther = 'block' in further;
    const real = isFurther ? changes : changes.filter(({ was, typed }) => was !== typed);
    if (real.length === 0) return say('Nothing changes by it.');
    const { more = 0, ...fields } = further;
    const step = { changes: real, further: fields, more };
    queue.push(step);
    if (!isUndo) done.push(step);
    for (const change of real) showTyped(change);
    if (isSaving && !bar.classList.contains('lost-grid')) say(`Saving … ${keptText()}`);
    return save();
  };

  const token = () => document.querySelector('input[name="_csrf"]')?.value ?? '';

  /* After signing in again, the token of the page is an old one. */
  const renewToken = async () => {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(patienceInMs) });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.querySelector('table[data-grid]') && page.querySelector('input[name="_csrf"]');
    if (!fresh) return false;
    for (const field of document.querySelectorAll('input[name="_csrf"]')) field.value = fresh.value;
    return true;
  };

  const rowsOf = (changes) => JSON.stringify([...new Set(changes.map(({ row }) => row))]);

  const send = async ({ changes, further, undoes }) => {
    const edits = JSON.stringify(changes.map(({ row, place, was, typed }) => [row, place, was, typed]));
    const fields = undoes === undefined ? { edits, ...further } : { step: undoes, rows: rowsOf(changes) };
    const answer = await fetch(undoes === undefined ? address : `${address}/undo`, {
      method: 'POST',
      body: new URLSearchParams({ _csrf: token(), ...fields }),
      signal: AbortSignal.timeout(patienceInMs),
    });
    return { status: answer.status, text: await answer.text() };
  };

  const keptText = () => {
    const cells = queue.reduce((sum, { changes, more = 0 }) => sum + changes.length + more, 0);
    return (
      counted(cells, 'cell') +
      ' that you typed ' +
      (cells === 1 ? 'is' : 'are') +
      ' kept in this page. Do not close it.'
    );
  };

  const sayKept = (why) => {
    bar.classList.add('lost-grid');
    say(`${why} ${keptText()}`);
  };

  const save = async () => {
    if (isSaving) return;
    isSaving = true;
    say('Saving …');
    while (queue.length > 0) {
      const { status, text } = await send(queue[0]).catch(() => ({ status: 0, text: '' }));
      if (status === 0 || status === 429 || status >= 500)
        sayKept('No connection to the console: it is tried again.');
      else if (status === 401 || status === 403) {
        if (!(await renewToken().catch(() => false)))
          sayKept('Your session has ended. Sign in again in another window: it goes on here by itself.');
      } else {
        bar.classList.remove('lost-grid');
        finish(queue.shift(), status, text);
        continue;
      }
      await new Promise((resume) => setTimeout(resume, pauseInMs));
    }
    isSaving = false;
  };

  const finish = (step, status, text) => {
    const answer = new DOMParser().parseFromString(text, 'text/html');
    const message = answer.querySelector('[data-said]');
    globalThis.showMoments(answer);
    if (status === 200) step.mark = message?.dataset.step;
    else {
      if (done.includes(step)) done.splice(done.indexOf(step), 1);
      if (step.undoes === undefined)
        for (const { row, place, was } of step.changes) showTyped({ row, place, typed: was });
    }
    for (const row of answer.querySelectorAll('tr[data-row]')) renew(row);
    for (const { changes } of queue) for (const change of changes) showTyped(change);
    say(
      message ?? 'The console did not understand it. Nothing of this step was changed: load the page again.',
    );
  };

  const undo = () => {
    const step = done.pop();
    if (step === undefined) return say('There is nothing to undo.');
    if (step.mark !== undefined) {
      queue.push({ changes: step.changes, undoes: step.mark });
      return save();
    }
    if ('block' in step.further) {
      done.push(step);
      return say('The block is not saved yet: undo it afterwards.');
    }
    return take(
      step.changes.map(({ row, place, was, typed }) => ({ row, place, was: typed, typed: was })),
      { isUndo: true },
    );
  };

  addEventListener('beforeunload', (event) => {
    if (queue.length > 0) event.preventDefault();
  });

  return { take, undo };
};
