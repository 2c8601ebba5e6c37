/*
 * A list of values below a field, which is searched by typing: a combobox as the WAI-ARIA practices describe it. Cells of the
 * table of rows have it, and drop-downs of many options.
 */

(() => {
  const patienceInMs = 5_000;
  const mostShown = 100;
  const gapInPixels = 2;

  const plain = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

  /* Those that begin with the text come first. */
  const matching = (values, text) => {
    const wanted = plain(text.trim());
    const begins = ({ value, name }) => plain(value).startsWith(wanted) || plain(name).startsWith(wanted);
    const found = values.filter((each) => plain(`${each.value} ${each.name}`).includes(wanted));
    return [...found.filter(begins), ...found.filter((each) => !begins(each))].slice(0, mostShown);
  };

  /*
   * Adds the list to a field.
   * @param whenKnown a promise of the values, each with its name; without any the field stays a plain one
   * @param isTyping whether its text is a search already
   * @param choose is called once a value was taken with the pointer
   * @returns `handle` takes keys that belong to the list, and `remove` takes the list away
   */
  const attach = (field, whenKnown, isTyping, choose) => {
    let list = null;
    let values = [];
    let at = -1;
    let isRemoved = false;

    const put = () => {
      const { left, bottom, width } = field.getBoundingClientRect();
      const { style } = list;
      style.minWidth = `${width}px`;
      style.left = `${Math.max(0, Math.min(left, innerWidth - list.offsetWidth))}px`;
      style.top = `${bottom + gapInPixels}px`;
    };

    const mark = (next) => {
      list.children[at]?.setAttribute('aria-selected', 'false');
      at = next;
      const option = list.children[at];
      if (option === undefined) return field.removeAttribute('aria-activedescendant');
      option.setAttribute('aria-selected', 'true');
      field.setAttribute('aria-activedescendant', option.id);
      return option.scrollIntoView({ block: 'nearest' });
    };

    const optionOf = ({ value, name }, number) => {
      const option = document.createElement('li');
      option.id = `choice-${number}`;
      option.setAttribute('role', 'option');
      option.setAttribute('aria-selected', 'false');
      option.dataset.value = value;
      const shown = document.createElement('b');
      shown.textContent = value;
      option.append(shown, name === '' ? '' : ` ${name}`);
      return option;
    };

    const show = (text) => {
      const found = matching(values, text);
      list.replaceChildren(...found.map(optionOf));
      list.hidden = found.length === 0;
      field.setAttribute('aria-expanded', String(!list.hidden));
      mark(-1);
      put();
    };

    const search = () => show(field.value);

    const begin = (found) => {
      if (isRemoved || found.length === 0 || !field.isConnected) return;
      values = found;
      list = document.createElement('ul');
      list.id = 'choices';
      list.className = 'cell-choices';
      list.setAttribute('role', 'listbox');
      const named = field.getAttribute('aria-labelledby');
      if (named !== null) list.setAttribute('aria-labelledby', named);
      else
        list.setAttribute(
          'aria-label',
          field.getAttribute('aria-label') ?? field.labels[0]?.textContent ?? '',
        );
      list.addEventListener('mousedown', (event) => {
        event.preventDefault();
        const option = event.target.closest('li');
        if (option !== null) choose(option.dataset.value);
      });
      document.querySelector('main').append(list);
      field.setAttribute('role', 'combobox');
      field.setAttribute('aria-autocomplete', 'list');
      field.setAttribute('aria-controls', list.id);
      field.addEventListener('input', search);
      addEventListener('scroll', put, true);
      addEventListener('resize', put);
      /* What the cell has is no search: all values are shown until somebody types. */
      show(isTyping ? field.value : '');
    };
    whenKnown.then(begin);

    const handle = ({ key }) => {
      if (list === null || list.hidden) return false;
      const last = list.children.length - 1;
      if (key === 'ArrowDown' || key === 'ArrowUp') {
        const by = key === 'ArrowDown' ? 1 : -1;
        mark(at === -1 && by === -1 ? last : (at + by + last + 1) % (last + 1));
        return true;
      }
      if ((key === 'Enter' || key === 'Tab') && at !== -1) field.value = list.children[at].dataset.value;
      return false;
    };

    const remove = () => {
      isRemoved = true;
      field.removeEventListener('input', search);
      removeEventListener('scroll', put, true);
      removeEventListener('resize', put);
      list?.remove();
    };

    return { handle, remove };
  };

  globalThis.choiceList = attach;

  /*
   * The lists of a batch's cells. The console names the values of a column; a column without them has a plain field.
   * @param address of the values, to which the place of a column is added
   */
  globalThis.rowChoices = (address) => {
    const known = new Map();

    const ask = async (place) => {
      const answer = await fetch(`${address}?place=${place}`, { signal: AbortSignal.timeout(patienceInMs) });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      /* Another page came, such as that for signing in. */
      if (page.querySelector('[data-choices]') === null) throw new Error('no values came');
      return [...page.querySelectorAll('[data-choices] li')].map(({ dataset: { value }, textContent }) => ({
        value,
        name: textContent,
      }));
    };

    const valuesOf = (place) => {
      if (!known.has(place)) {
        const asked = ask(place).catch(() => {
          /* It is asked again once there is a connection. */
          known.delete(place);
          return [];
        });
        known.set(place, asked);
      }
      return known.get(place);
    };

    return {
      attach: (field, place, isTyping, choose) => attach(field, valuesOf(place), isTyping, choose),
    };
  };
})();
