/*
 * What helps who says how a file is read. Drop-downs of many options are searched by typing: without this script they are
 * drop-downs, with it they keep what was chosen, and forms send it. What is typed chooses the answer that takes it. The rows that
 * would be sent are counted by what is chosen.
 */

(() => {
  const optionsOf = (select) =>
    [...select.options].map(({ text, parentElement: { label = '' } }) => ({ value: text, name: label }));

  const search = (select) => {
    const field = document.createElement('input');
    const moved = ['id', 'aria-label', 'aria-labelledby', 'aria-describedby'];
    for (const name of moved.filter((each) => select.hasAttribute(each))) {
      field.setAttribute(name, select.getAttribute(name));
      select.removeAttribute(name);
    }
    field.className = 'searched';
    field.autocomplete = 'off';
    field.setAttribute('role', 'combobox');
    field.setAttribute('aria-autocomplete', 'list');
    field.setAttribute('aria-expanded', 'false');
    const isNeeded = select.required;
    field.required = isNeeded;
    select.required = false;

    let list = null;
    const show = () => {
      const text = select.selectedOptions[0]?.text ?? '';
      const isOpen = isNeeded && select.value === '';
      field.value = isOpen ? '' : text;
      field.placeholder = isOpen ? text : '';
      field.title = field.value;
      /* What is typed next takes its place. */
      if (document.activeElement === field) field.select();
    };
    const close = () => {
      list?.remove();
      list = null;
      field.setAttribute('aria-expanded', 'false');
      field.removeAttribute('aria-activedescendant');
      field.removeAttribute('aria-controls');
    };
    const take = (text) => {
      const wanted = text.trim().toLowerCase();
      const option = [...select.options].find((each) => each.text.toLowerCase() === wanted);
      close();
      if (option !== undefined && !option.selected) {
        option.selected = true;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }
      show();
    };
    const open = (isTyping) => {
      list ??= globalThis.choiceList(field, Promise.resolve(optionsOf(select)), isTyping, take);
    };

    field.addEventListener('input', () => open(true));
    field.addEventListener('click', () => open(false));
    field.addEventListener('focus', () => field.select());
    field.addEventListener('blur', () => take(field.value));
    field.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      const { key } = event;
      if (list === null) {
        if (key === 'ArrowDown' || key === 'ArrowUp') open(false);
        /* As in a drop-down, Enter sends nothing. */
        if (['ArrowDown', 'ArrowUp', 'Enter'].includes(key)) event.preventDefault();
        return;
      }
      if (list.handle(event)) event.preventDefault();
      else if (key === 'Enter') {
        event.preventDefault();
        const [only, another] = document.querySelectorAll('#choices li');
        take(only !== undefined && another === undefined ? only.dataset.value : field.value);
      } else if (key === 'Escape') {
        event.preventDefault();
        close();
        show();
      }
    });
    show();
    select.hidden = true;
    select.after(field);
  };

  const searchAll = () => {
    for (const select of document.querySelectorAll('select[data-searched]:not([hidden])')) search(select);
  };
  document.addEventListener('input', ({ target: { form, dataset } }) => {
    if (dataset.answer === undefined) return;
    const answer = form.querySelector(`input[name=answer][value=${CSS.escape(dataset.answer)}]`);
    if (answer !== null) answer.checked = true;
  });

  const countSent = () => {
    for (const text of document.querySelectorAll('[data-sending]')) {
      const { elements } = text.closest('form');
      const isSent = (at) => elements.namedItem(`value.${at}`).value === 'word:send';
      const sent = JSON.parse(text.dataset.sending)
        .filter(({ values }) => values.every(isSent))
        .reduce((sum, { rows }) => sum + rows, 0);
      const words = text.dataset.words.replace('{}', sent.toLocaleString('en-US'));
      if (text.textContent !== words) text.textContent = words;
    }
  };
  document.addEventListener('change', countSent);

  const begin = () => {
    searchAll();
    countSent();
  };
  begin();
  document.addEventListener('pagechanged', begin);
})();
