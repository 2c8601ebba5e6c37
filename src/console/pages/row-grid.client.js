/*
 * Makes the table of a batch's rows editable in a browser: cells are typed in, pasted as a block, filled down and
 * undone. Each step is sent as one, and the console answers with its rows as the checker sees them now. Steps that
 * cannot be sent stay in the page until they can. Without this script the links of the table lead to each row's form.
 */

(() => {
  const table = document.querySelector('table[data-grid]');
  const bar = document.querySelector('.grid-bar');
  if (table === null || bar === null) return;
  const said = bar.querySelector('.grid-said');
  const [body] = table.tBodies;
  const [head] = table.tHead.rows;
  /* The row number and the status stand before the file's own columns. */
  const firstOwn = 2;
  const mostPasted = 2_000_000;

  const cellAt = (line, at) => body.rows[line]?.cells[at];
  const placeOf = (at) => Number(head.cells[at].dataset.place);
  const atOf = (place) => [...head.cells].findIndex((cell) => cell.dataset.place === String(place));
  const rowOf = (cell) => Number(cell.parentElement.dataset.row);
  const textOf = (cell) => cell.dataset.value ?? cell.textContent;
  const titleOf = (at) => head.cells[at].textContent;
  const isOpen = (cell) => cell.cellIndex >= firstOwn && 'open' in cell.parentElement.dataset;
  const counted = (number, what) => `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`;
  const say = (...content) => said.replaceChildren(...content);

  /* The cell with the focus, and the other corner of what is selected. */
  let active = { line: 0, at: firstOwn };
  let anchor = active;

  const range = () => ({
    top: Math.min(active.line, anchor.line),
    bottom: Math.max(active.line, anchor.line),
    left: Math.min(active.at, anchor.at),
    right: Math.max(active.at, anchor.at),
  });

  const showSelection = () => {
    for (const cell of body.querySelectorAll('[aria-selected]')) cell.removeAttribute('aria-selected');
    const { top, bottom, left, right } = range();
    for (let line = top; line <= bottom; line += 1)
      for (let at = left; at <= right; at += 1) cellAt(line, at)?.setAttribute('aria-selected', 'true');
  };

  /* One cell is reached with the tabulator; the arrows lead to the others. */
  const goTo = (line, at, isExtending = false) => {
    const cell = cellAt(active.line, active.at);
    if (cell !== undefined) cell.tabIndex = -1;
    active = {
      line: Math.max(0, Math.min(body.rows.length - 1, line)),
      at: Math.max(isExtending ? firstOwn : 0, Math.min(head.cells.length - 1, at)),
    };
    if (!isExtending) anchor = active;
    const next = cellAt(active.line, active.at);
    next.tabIndex = 0;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    showSelection();
  };

  const decorate = (cell) => {
    cell.tabIndex =
      cell.parentElement.sectionRowIndex === active.line && cell.cellIndex === active.at ? 0 : -1;
    for (const inner of cell.querySelectorAll('a, [tabindex]')) inner.tabIndex = -1;
    const described = cell.querySelector('[aria-describedby]');
    if (described !== null) cell.setAttribute('aria-describedby', described.getAttribute('aria-describedby'));
    if (!isOpen(cell)) cell.setAttribute('aria-readonly', 'true');
    /* The console draws single rows without knowing the others of the page. */
    const titles = head.cells[cell.cellIndex].classList;
    for (const name of ['pinned', 'naming', 'number']) cell.classList.toggle(name, titles.contains(name));
  };

  const showTyped = ({ row, place, typed }) => {
    const cell = document.getElementById(`row-${row}`)?.cells[atOf(place)];
    if (cell === undefined || cell.classList.contains('editing')) return;
    cell.textContent = typed;
    cell.dataset.value = typed;
    cell.removeAttribute('aria-describedby');
    cell.classList.remove('faulty', 'edited', 'unchecked');
    cell.classList.add('unsaved');
  };

  const showSaved = ({ row, place }) =>
    document.getElementById(`row-${row}`)?.cells[atOf(place)]?.classList.replace('unsaved', 'unchecked');

  const changeOf = (cell, typed) => ({
    row: rowOf(cell),
    place: placeOf(cell.cellIndex),
    was: textOf(cell),
    typed,
  });

  const takeUnlessClosed = (wanted, further) => {
    const closed = wanted.find(({ cell }) => !isOpen(cell));
    if (closed !== undefined) return say(closedText(closed.cell));
    return take(
      wanted.map(({ cell, typed }) => changeOf(cell, typed)),
      { further },
    );
  };

  const closedText = (cell) =>
    cell.cellIndex < firstOwn
      ? 'The row number and the status are not part of the file.'
      : `Row ${rowOf(cell)} can no longer be corrected. Nothing was changed.`;

  /* Cell by cell, so that one in which somebody types stays. */
  const renew = (fresh) => {
    const row = document.getElementById(fresh.id);
    if (row === null) return;
    row.toggleAttribute('data-open', 'open' in fresh.dataset);
    for (const [at, cell] of [...fresh.cells].entries()) {
      const old = row.cells[at];
      if (old.classList.contains('editing')) continue;
      const isHeld = old.contains(document.activeElement);
      const isSelected = old.hasAttribute('aria-selected');
      old.replaceWith(cell);
      decorate(cell);
      if (isSelected) cell.setAttribute('aria-selected', 'true');
      if (isHeld) cell.focus({ preventScroll: true });
    }
  };

  const address = table.dataset.grid;
  const { attach } = globalThis.rowChoices(address.replace(/draft$/, 'choices'));
  const { take, undo } = globalThis.rowSteps({ address, bar, say, showTyped, showSaved, renew });

  const edit = (text) => {
    const cell = cellAt(active.line, active.at);
    if (!isOpen(cell)) return say(closedText(cell));
    const before = textOf(cell);
    const field = document.createElement('input');
    field.value = text ?? before;
    field.autocomplete = 'off';
    field.setAttribute('aria-label', `${titleOf(active.at)} of row ${rowOf(cell)}`);
    const reason = cell.getAttribute('aria-describedby');
    if (reason !== null) field.setAttribute('aria-describedby', reason);
    let isOver = false;
    const end = (isKept, down, right) => {
      if (isOver) return;
      isOver = true;
      const { value } = field;
      choices.remove();
      field.remove();
      cell.classList.remove('editing');
      cell.tabIndex = 0;
      if (down !== null) goTo(active.line + down, active.at + right);
      if (isKept && value !== before) take([{ ...changeOf(cell, value), was: before }]);
    };
    field.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (choices.handle(event)) return event.preventDefault();
      const by = event.shiftKey ? -1 : 1;
      const ends = {
        Enter: [true, by, 0],
        Tab: [true, 0, by],
        Escape: [false, 0, 0],
        ArrowUp: [true, -1, 0],
        ArrowDown: [true, 1, 0],
      }[event.key];
      if (ends === undefined) return;
      event.preventDefault();
      return end(...ends);
    });
    field.addEventListener('blur', () => end(true, null, 0));
    for (const name of ['paste', 'copy', 'mousedown', 'dblclick'])
      field.addEventListener(name, (event) => event.stopPropagation());
    cell.classList.add('editing');
    /* Its field takes the place of the cell, also for the tabulator. */
    cell.removeAttribute('tabindex');
    cell.append(field);
    field.focus();
    const choices = attach(field, placeOf(active.at), text !== undefined, (value) => {
      field.value = value;
      end(true, 0, 0);
    });
    return field.setSelectionRange(field.value.length, field.value.length);
  };

  const selected = () => {
    const { top, bottom, left, right } = range();
    const lines = [];
    for (let line = top; line <= bottom; line += 1) {
      const cells = [];
      for (let at = left; at <= right; at += 1) cells.push(cellAt(line, at));
      lines.push(cells);
    }
    return lines;
  };

  const fillDown = () => {
    const { top, bottom, left, right } = range();
    const source = bottom > top ? top : top - 1;
    if (source < 0) return say('There is no row above to fill down from.');
    const wanted = [];
    for (let line = source + 1; line <= bottom; line += 1)
      for (let at = left; at <= right; at += 1)
        wanted.push({ cell: cellAt(line, at), typed: textOf(cellAt(source, at)) });
    return takeUnlessClosed(wanted);
  };

  const paste = (text) => {
    if (text === '') return say('There is no text to paste.');
    if (text.length > mostPasted)
      return say('That is too much to paste. Nothing was changed: correct the file instead.');
    const lines = globalThis.tableBlocks.read(text);
    const { top, left } = range();
    const width = Math.max(...lines.map((line) => line.length));
    const isOne = lines.length === 1 && width === 1;
    if (isOne)
      return takeUnlessClosed(
        selected()
          .flat()
          .map((cell) => ({ cell, typed: lines[0][0] })),
      );
    const rowsLeft = body.rows.length - top;
    const columnsLeft = head.cells.length - left;
    const isTooLong = lines.length > rowsLeft;
    if (isTooLong && table.dataset.further === undefined)
      return say(
        'The block has ' +
          counted(lines.length, 'line') +
          ', and from row ' +
          rowOf(cellAt(top, left)) +
          ' on this page has ' +
          counted(rowsLeft, 'row') +
          '. Nothing was changed: paste fewer lines at once, and the others on the next page.',
      );
    if (width > columnsLeft)
      return say(
        'The block has ' +
          counted(width, 'column') +
          ', and here are ' +
          columnsLeft +
          '. Nothing was changed.',
      );
    goTo(top, left);
    anchor = { line: Math.min(body.rows.length, top + lines.length) - 1, at: left + width - 1 };
    showSelection();
    if (isTooLong) return offerFurther(lines, rowsLeft);
    return takeUnlessClosed(wantedOf(lines, top, left));
  };

  const wantedOf = (lines, top, left) =>
    lines.flatMap((line, down) =>
      line.map((typed, across) => ({ cell: cellAt(top + down, left + across), typed })),
    );

  const button = (text, act) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = 'second small';
    made.textContent = text;
    made.addEventListener('click', () => {
      cellAt(active.line, active.at).focus();
      act();
    });
    return made;
  };

  /* A person decides first, since the rows that follow the page were not seen. */
  const offerFurther = (lines, rowsLeft) => {
    const { top, left } = range();
    const columns = [...head.cells].slice(left, left + Math.max(...lines.map((line) => line.length)));
    const further = lines.slice(rowsLeft);
    const onPage = wantedOf(lines.slice(0, rowsLeft), top, left);
    const block = JSON.stringify({
      after: rowOf(cellAt(body.rows.length - 1, left)),
      places: columns.map((cell) => Number(cell.dataset.place)),
      lines: further,
    });
    const filter = Object.fromEntries(new URLSearchParams(table.dataset.further));
    const more = further.reduce((sum, line) => sum + line.length, 0);
    const text = document.createElement('p');
    text.textContent =
      `The block has ${counted(lines.length, 'line')}, and this page has ${counted(rowsLeft, 'row')} from here. ` +
      `The other ${counted(further.length, 'line')} would go into the rows that follow on the next pages. Nothing was changed yet.`;
    const choices = document.createElement('div');
    choices.className = 'actions';
    choices.append(
      button(`Paste all ${counted(lines.length, 'line')}`, () =>
        takeUnlessClosed(onPage, { more, block, ...filter }),
      ),
      button(`Only ${counted(rowsLeft, 'line')} on this page`, () => takeUnlessClosed(onPage)),
      button('Nothing', () => say('Nothing was changed.')),
    );
    say(text, choices);
    choices.firstElementChild.focus();
  };

  const copied = () =>
    globalThis.tableBlocks.write(
      selected().map((cells) =>
        cells.map((cell) => (cell.cellIndex < firstOwn ? cell.innerText : textOf(cell))),
      ),
    );

  /* The form of the page, with the column and the text of the cell. */
  const findAndReplace = () => {
    const form = document.querySelector('.replacing');
    if (form === null) return say('Nothing here can be replaced.');
    form.open = true;
    const place = head.cells[active.at].dataset.place;
    if (place !== undefined) form.querySelector('[name=place]').value = place;
    const field = form.querySelector('[name=from]');
    field.focus();
    return field.select();
  };

  const commands = { edit: () => edit(), fill: fillDown, undo };
  /* In small letters: Caps Lock makes a capital of a letter. */
  const withControl = {
    d: fillDown,
    h: findAndReplace,
    z: undo,
    home: () => goTo(0, firstOwn),
    end: () => goTo(body.rows.length - 1, head.cells.length - 1),
  };
  const moves = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageUp: [-15, 0],
    PageDown: [15, 0],
    Home: [0, -Number.MAX_SAFE_INTEGER],
    End: [0, Number.MAX_SAFE_INTEGER],
  };

  const pressed = (event) => {
    const { key, shiftKey, altKey } = event;
    if (altKey || event.isComposing) return null;
    if (event.ctrlKey || event.metaKey) return shiftKey ? null : (withControl[key.toLowerCase()] ?? null);
    const move = moves[key];
    if (move !== undefined) return () => goTo(active.line + move[0], active.at + move[1], shiftKey);
    if (key === 'F2') return commands.edit;
    if (key === 'Enter') {
      const link = active.at < firstOwn ? cellAt(active.line, active.at).querySelector('a') : null;
      return () => (link === null ? edit() : link.click());
    }
    if (key === 'Escape') return () => goTo(active.line, active.at);
    if (key === 'Delete' || key === 'Backspace')
      return () =>
        takeUnlessClosed(
          selected()
            .flat()
            .map((cell) => ({ cell, typed: '' })),
        );
    return key.length === 1 ? () => edit(key) : null;
  };

  table.addEventListener('keydown', (event) => {
    const act = pressed(event);
    if (act === null) return;
    event.preventDefault();
    act();
  });
  table.addEventListener('mousedown', (event) => {
    const cell = event.target.closest('tbody td, tbody th');
    if (cell === null || event.button !== 0 || event.target.closest('a:not(.value)') !== null) return;
    event.preventDefault();
    goTo(cell.parentElement.sectionRowIndex, cell.cellIndex, event.shiftKey);
  });
  table.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    const [, row, place] = /^#cell-(\d+)-(\d+)$/.exec(link?.getAttribute('href') ?? '') ?? [];
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (row === undefined && !link.classList.contains('value')) return;
    event.preventDefault();
    if (row !== undefined) goTo(document.getElementById(`row-${row}`).sectionRowIndex, atOf(place));
  });
  table.addEventListener('dblclick', (event) => {
    if (event.target.closest('tbody td') !== null) edit();
  });
  table.addEventListener('paste', (event) => {
    event.preventDefault();
    const { clipboardData: given } = event;
    paste(given.getData('text/plain') || globalThis.tableBlocks.readHtml(given.getData('text/html')));
  });
  table.addEventListener('copy', (event) => {
    if (getSelection().toString() !== '') return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', copied());
  });
  bar.addEventListener('click', (event) => {
    const name = event.target.closest('[data-do]')?.dataset.do;
    if (name === undefined) return;
    if (name !== 'edit') cellAt(active.line, active.at).focus();
    commands[name]();
  });
  table.setAttribute('role', 'grid');
  table.setAttribute('aria-multiselectable', 'true');
  table.parentElement.removeAttribute('tabindex');
  const start = body.querySelector('td.faulty') ?? cellAt(0, firstOwn);
  active = { line: start.parentElement.sectionRowIndex, at: start.cellIndex };
  anchor = active;
  for (const row of body.rows) for (const cell of row.cells) decorate(cell);
  bar.hidden = false;
})();
