/*
 * Steps of a person in the table of rows: a typed cell, or a block. Each is sent as one, after those before it. Steps that
 * cannot be sent stay in the page, which says so and tries again. Saved steps can be undone, the last one first. A block that
 * goes on beyond the page is checked once it is saved: nobody waits for the check of a thousand rows to have them saved.
 */

/**
 * @param address where steps are sent
 * @param bar the part of the page that tells of a lost connection
 * @param say shows a text, or a part of a page
 * @param showTyped shows what was typed in a cell
 * @param showSaved shows that it is saved, and not checked yet
 * @param renew takes over a row as the console has drawn it
 * @returns `take` makes a step, and `undo` takes the last one back
 *
 * A step may go on beyond the page: then the console saves it, and undoes it by its mark.
 */
globalThis.rowSteps = ({ address, bar, say, showTyped, showSaved, renew }) => {
  const patienceInMs = 20_000;
  const pauseInMs = 2_000;
  const counted = (number, what) => `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`;

  /* What was typed and is not saved yet, step by step; the checks of saved blocks; and what may be undone, or was. */
  const queue = [];
  const checks = [];
  const undone = new Set();
  const done = [];
  let isSaving = false;

  /** @param changes of one step, which are saved together or not at all */
  const take = (changes, { isUndo = false, further = {} } = {}) => {
    const isFurther = 'block' in further;
    const real = isFurther ? changes : changes.filter(({ was, typed }) => was !== typed);
    if (real.length === 0) return say('Nothing changes by it.');
    const { more = 0, ...fields } = further;
    const step = { changes: real, further: isUndo ? { is_undo: 'yes' } : fields, more };
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

  const requestOf = ({ changes, further, undoes, checks: saved }) => {
    if (saved !== undefined) return [`${address}/check`, { step: saved, rows: rowsOf(changes) }];
    if (undoes !== undefined) return [`${address}/undo`, { step: undoes, rows: rowsOf(changes) }];
    const edits = JSON.stringify(changes.map(({ row, place, was, typed }) => [row, place, was, typed]));
    return [address, { edits, ...further }];
  };

  const send = async (step) => {
    const [to, fields] = requestOf(step);
    const answer = await fetch(to, {
      method: 'POST',
      body: new URLSearchParams({ _csrf: token(), ...fields }),
      signal: AbortSignal.timeout(patienceInMs),
    });
    return { status: answer.status, text: await answer.text() };
  };

  const keptText = () => {
    const cells = queue.reduce((sum, { changes, more = 0 }) => sum + changes.length + more, 0);
    if (cells === 0) return 'What you typed is saved.';
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
    for (let step = next(); step !== undefined; step = next()) {
      const { status, text } = await send(step).catch(() => ({ status: 0, text: '' }));
      if (status === 0 || status === 429 || status >= 500)
        sayKept('No connection to the console: it is tried again.');
      else if (status === 401 || status === 403) {
        if (!(await renewToken().catch(() => false)))
          sayKept('Your session has ended. Sign in again in another window: it goes on here by itself.');
      } else {
        bar.classList.remove('lost-grid');
        const waiting = step.checks === undefined ? queue : checks;
        waiting.splice(waiting.indexOf(step), 1);
        finish(step, status, text);
        continue;
      }
      await new Promise((resume) => setTimeout(resume, pauseInMs));
    }
    isSaving = false;
  };

  /* What is typed is saved before anything is checked, and what was undone is not checked any more. */
  const next = () => {
    while (checks.length > 0 && undone.has(checks[0].checks)) checks.shift();
    return queue[0] ?? checks[0];
  };

  const finish = (step, status, text) => {
    const answer = new DOMParser().parseFromString(text, 'text/html');
    const message = answer.querySelector('[data-said]');
    globalThis.showMoments(answer);
    if (status === 200) noteSaved(step, message?.dataset.step);
    else if (step.checks === undefined) {
      if (done.includes(step)) done.splice(done.indexOf(step), 1);
      for (const { row, place, was } of step.changes) showTyped({ row, place, typed: was });
    }
    for (const row of answer.querySelectorAll('tr[data-row]')) renew(row);
    const draft = answer.querySelector('[data-draft]');
    if (draft !== null) document.querySelector('[data-draft]')?.replaceChildren(...draft.childNodes);
    for (const { changes } of queue) for (const change of changes) showTyped(change);
    say(message ?? notUnderstood(step));
  };

  const notUnderstood = ({ checks: saved }) =>
    saved === undefined
      ? 'The console did not understand it. Nothing of this step was changed: load the page again.'
      : 'The block is saved, and was not checked: load the page again.';

  /* A step with a mark is saved, and not checked yet. */
  const noteSaved = (step, mark) => {
    if (mark === undefined) return;
    step.mark = mark;
    checks.push({ changes: step.changes, checks: mark });
    for (const change of step.changes) showSaved(change);
  };

  const undo = () => {
    const step = done.pop();
    if (step === undefined) return say('There is nothing to undo.');
    const opposite = step.changes.map(({ row, place, was, typed }) => ({
      row,
      place,
      was: typed,
      typed: was,
    }));
    if (step.mark !== undefined) {
      undone.add(step.mark);
      for (const change of opposite) showTyped(change);
      queue.push({ changes: opposite, undoes: step.mark });
      return save();
    }
    if ('block' in step.further) {
      done.push(step);
      return say('The block is not saved yet: undo it afterwards.');
    }
    return take(opposite, { isUndo: true });
  };

  addEventListener('beforeunload', (event) => {
    if (queue.length > 0) event.preventDefault();
  });

  return { take, undo };
};
