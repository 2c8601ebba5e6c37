/*
 * What makes the pages quick for who works with them every day: keys, files that are dropped anywhere, the progress of an
 * upload, and a notice of the browser when something is done. Without this script every page works by its links and forms.
 */

(() => {
  const root = document.documentElement;
  root.classList.add('scripted');

  /* What this browser remembers; a browser that keeps nothing has the defaults. */
  const kept = (name) => {
    try {
      return localStorage.getItem(`paybatch.${name}`);
    } catch {
      return null;
    }
  };
  const keep = (name, value) => {
    try {
      localStorage.setItem(`paybatch.${name}`, value);
    } catch {
      /* It then counts for this page only. */
    }
  };

  /* Keys: single ones, so that they can be turned off, and never while something is typed. */

  let areKeysOn = kept('keys') !== 'off';
  const find = (selector) => document.querySelector(selector);
  const go = (selector) => {
    const link = find(selector);
    link?.click();
    return link !== null;
  };
  const focusOn = (place) => {
    place?.focus();
    return place !== null && place !== undefined;
  };
  /* The button is focused and not pressed: Enter presses it, so that no single key sends money. */
  const toAccept = () => {
    const button = find('main [data-key=accept]') ?? find('main form button:not(.second, .danger)');
    const needed = button?.form?.querySelector('input[name=note]');
    return focusOn(needed !== null && needed !== undefined && needed.value === '' ? needed : button);
  };
  const toTick = (step) => {
    const ticks = [...document.querySelectorAll('[data-key=tick]')];
    const at = ticks.indexOf(document.activeElement);
    return focusOn(at < 0 ? ticks.at(step > 0 ? 0 : -1) : ticks[at + step]);
  };
  const keys = [
    ['/', 'Find a batch or a row', () => focusOn(find('#q'))],
    ['n', 'Next page', () => go('main a[rel=next]')],
    ['p', 'Previous page', () => go('main a[rel=prev]')],
    ['j', 'Next difference to tick; the space bar ticks it', () => toTick(1)],
    ['k', 'Previous difference to tick', () => toTick(-1)],
    ['a', 'To the button that accepts or sends; Enter presses it', toAccept],
    ['u', 'Upload files', () => focusOn(find('#files')) || go('header a[href="/"]')],
    ['?', 'These keys', () => showHelp()],
  ];

  const element = (name, attributes, ...content) => {
    const made = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    made.append(...content);
    return made;
  };
  const box = (text, isChecked, onChange) => {
    const input = element('input', { type: 'checkbox' });
    input.checked = isChecked;
    input.addEventListener('change', () => onChange(input));
    return element('label', { class: 'choice' }, input, element('span', {}, text));
  };

  const canNotify = 'Notification' in globalThis && isSecureContext;
  const isAllowed = () => canNotify && Notification.permission === 'granted' && kept('notices') !== 'off';
  const showNotifying = () => {
    root.classList.toggle('may-notify', canNotify && Notification.permission !== 'denied' && !isAllowed());
  };
  const allowNotices = async () => {
    keep('notices', 'on');
    await Notification.requestPermission();
    showNotifying();
    return isAllowed();
  };

  const showHelp = () => {
    /* A closed dialog is removed in a later task, and a key may arrive before it. */
    if (find('dialog.keys-help[open]') !== null) return true;
    find('dialog.keys-help')?.remove();
    const lines = keys.map(([key, meaning]) =>
      element('div', {}, element('dt', {}, element('kbd', {}, key)), element('dd', {}, meaning)),
    );
    const close = element('button', { type: 'button' }, 'Close');
    const dialog = element(
      'dialog',
      { class: 'keys-help', 'aria-labelledby': 'keys-title' },
      element('h2', { id: 'keys-title' }, 'Keys'),
      element('dl', {}, ...lines),
      box('Single keys work', areKeysOn, ({ checked }) => {
        areKeysOn = checked;
        keep('keys', checked ? 'on' : 'off');
      }),
      ...(canNotify
        ? [
            box('A notice when a batch is done or waits for me', isAllowed(), async (input) => {
              if (input.checked) input.checked = await allowNotices();
              else keep('notices', 'off');
              showNotifying();
            }),
          ]
        : []),
      element('div', { class: 'actions' }, close),
    );
    close.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    return true;
  };

  /* A dialog keeps the focus until the next frame after it has closed, so only an open one takes the keys. */
  const isTyping = (target) =>
    target instanceof Element &&
    target.closest(
      'textarea, select, [contenteditable], table[data-grid], dialog[open], input:not([type=checkbox], [type=radio])',
    ) !== null;

  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || isTyping(target)) return;
    if (!areKeysOn && key !== '?') return;
    /* Caps Lock makes a capital of a letter. */
    const found = keys.find(([each]) => each === key.toLowerCase());
    if (found?.[2]() === true) event.preventDefault();
  });
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    if (target.closest('[data-keys]') !== null) showHelp();
    if (target.closest('[data-notify]') !== null) allowNotices();
  });

  /* A notice, where nobody looks at the page: what was under way has ended, or waits for a person. */

  document.addEventListener('pagechanged', () => {
    if (!document.hidden || find('[data-live]') !== null || !isAllowed()) return;
    const notice = new Notification(find('h1')?.textContent ?? 'paybatch', {
      body: document.title.replace(/ · paybatch$/, ''),
      tag: location.pathname,
    });
    notice.addEventListener('click', () => {
      globalThis.focus();
      notice.close();
    });
  });
  showNotifying();

  /* Uploads: how much has arrived is shown, and what went wrong, without losing the form. */

  const sizeText = (bytes) =>
    bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

  const showAnswer = (answer) => {
    if (answer.status < 400 && answer.responseURL !== '') {
      location.assign(answer.responseURL);
      return;
    }
    const page = new DOMParser().parseFromString(answer.responseText, 'text/html');
    document.title = page.title;
    document.body.replaceWith(page.body);
    find('h1')?.scrollIntoView();
  };

  let isSending = false;
  /** @param place where its progress is shown */
  const send = (address, data, place) => {
    if (isSending) return;
    isSending = true;
    const bar = element('progress', { max: '1', 'aria-label': 'Upload' });
    const said = element('p', { role: 'status' }, 'Uploading');
    const stop = element('button', { type: 'button', class: 'second' }, 'Stop the upload');
    const shown = element(
      'div',
      { class: 'uploading' },
      said,
      bar,
      element('div', { class: 'actions' }, stop),
    );
    place.after(shown);
    const form = place.closest('form');
    if (form !== null) form.hidden = true;
    const fail = (text) => {
      isSending = false;
      if (form !== null) form.hidden = false;
      shown.replaceChildren(element('p', { role: 'alert', class: 'lost' }, text));
    };
    const request = new XMLHttpRequest();
    let lastSaid = 0;
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      bar.value = total === 0 ? 0 : loaded / total;
      const now = Date.now();
      if (now - lastSaid < 1_000 && loaded < total) return;
      lastSaid = now;
      said.textContent =
        loaded < total ? `Uploading: ${sizeText(loaded)} of ${sizeText(total)}` : 'Uploaded, and looked at';
    });
    request.addEventListener('load', () => showAnswer(request));
    request.addEventListener('error', () =>
      fail('The connection was lost: nothing was done. Send it again.'),
    );
    request.addEventListener('abort', () => fail('Stopped: nothing was done.'));
    stop.addEventListener('click', () => request.abort());
    request.open('POST', address);
    request.send(data);
  };

  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    const files = form.querySelector('input[type=file]');
    if (files === null || files.files.length === 0) return;
    event.preventDefault();
    const data = new FormData(form);
    if ((submitter?.name ?? '') !== '') data.append(submitter.name, submitter.value);
    send(form.getAttribute('action'), data, form);
  });

  /* Files that are dropped anywhere go into the page's own field, or are uploaded at once where it has none. */

  const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files') === true;
  const canTake = () => find('main input[type=file]') !== null || find('main[data-drop]') !== null;
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event) || !canTake()) return;
    event.preventDefault();
    root.classList.add('dropping');
  });
  document.addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) root.classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    root.classList.remove('dropping');
    if (!hasFiles(event) || !canTake()) return;
    event.preventDefault();
    const { files } = event.dataTransfer;
    const field = find('main input[type=file]');
    const address = find('main')?.dataset.drop;
    if (field !== null) {
      field.files = files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
      if (field.form.getAttribute('action') === address) field.form.requestSubmit();
      else field.focus();
      return;
    }
    const data = new FormData();
    data.append('_csrf', find('input[name=_csrf]')?.value ?? '');
    for (const file of files) data.append('files', file, file.name);
    send(address, data, find('h1'));
  });
})();
