/*
 * The script of all pages. It shows moments in the viewer's time zone, fills in forms that arrived after their
 * session had ended, and updates pages with work under way: a part with `data-live` is polled each second. If a request
 * fails, or no answer comes for long, the page says so, hides actions, and reloads with the first answer. Without scripts,
 * pages show UTC, filled-in fields are shown in a list, and the browser reloads pages by itself.
 */

(() => {
  /* The timeout of an answer: a console at work may be slow, which is no lost connection. */
  const longestPatienceInMs = 20_000;
  /* The timeout while the connection is lost. With the second before each request, its return is shown within five seconds. */
  const patienceWhileLostInMs = 3_000;
  const pauseInMs = 1_000;
  /* The status with which a part reports that its whole page has changed; other codes below 300 are for the part only. */
  const pageHasChanged = 205;

  const format = new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    hour12: false,
  });
  const momentText = (moment) => {
    const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    return (
      parts.year +
      '-' +
      parts.month +
      '-' +
      parts.day +
      ' ' +
      parts.hour +
      ':' +
      parts.minute +
      ' ' +
      parts.timeZoneName
    );
  };
  const showMoments = (place) => {
    for (const time of place.querySelectorAll('time[data-moment]'))
      time.textContent = momentText(new Date(time.dateTime));
  };
  /* For the script of the table of rows, which gets rows that are drawn anew. */
  globalThis.showMoments = showMoments;

  const ask = async (address, patienceInMs = longestPatienceInMs) => {
    const response = await fetch(address, { cache: 'no-cache', signal: AbortSignal.timeout(patienceInMs) });
    return { response, text: await response.text() };
  };

  /* In place of the whole page, so that it stays where it is while no answer comes. */
  const loadPage = async (address) => {
    const { response, text } = await ask(address);
    if (response.status >= 500) throw new Error('the console cannot answer');
    const page = new DOMParser().parseFromString(text, 'text/html');
    const typed = document.querySelector('#q');
    const search = page.querySelector('#q');
    const isTyping = typed !== null && document.activeElement === typed;
    if (typed !== null && search !== null && typed.value !== '') search.value = typed.value;
    document.title = page.title;
    document.body.replaceWith(page.body);
    if (isTyping) search?.focus();
    if (new URL(response.url).pathname !== location.pathname) history.replaceState(null, '', response.url);
    showMoments(document);
    document.dispatchEvent(new Event('pagechanged'));
  };

  const replacePart = (part, text) => {
    const template = document.createElement('template');
    template.innerHTML = text;
    const fresh = template.content.firstElementChild;
    if (fresh === null || fresh.outerHTML === part.outerHTML) return;
    const held = part.contains(document.activeElement) ? document.activeElement.tagName : null;
    showMoments(template.content);
    part.replaceWith(fresh);
    if (held !== null) fresh.querySelector(held)?.focus();
  };

  let isLost = false;
  const lose = (part) => {
    if (isLost) return;
    isLost = true;
    part.dataset.lost = '';
    const place = part.querySelector('.lost');
    if (place !== null)
      place.textContent = `No connection to the console since ${momentText(new Date())}. ${place.dataset.text}`;
  };

  const look = async (part) => {
    try {
      if (isLost) {
        const { response } = await ask(part.dataset.live, patienceWhileLostInMs);
        if (response.status >= 500) return;
        await loadPage(response.status === 404 ? part.dataset.gone : location.href);
        isLost = false;
        return;
      }
      const { response, text } = await ask(part.dataset.live);
      if (response.status >= 500) lose(part);
      else if (response.status === 404) await loadPage(part.dataset.gone);
      else if (response.status === pageHasChanged || response.redirected || !response.ok)
        await loadPage(location.href);
      else if (text !== '') replacePart(part, text);
    } catch {
      lose(part);
    }
  };

  const keepLooking = async () => {
    for (
      let part = document.querySelector('[data-live]');
      part !== null;
      part = document.querySelector('[data-live]')
    ) {
      await new Promise((resume) => setTimeout(resume, pauseInMs));
      await look(part);
    }
  };

  /* A value goes into its field only where the page shows what it showed when it was typed. */
  const fillIn = (note) => {
    const { action, typed, seen, field: lacking } = JSON.parse(note.dataset.kept);
    const form = [...document.forms].find(
      (each) => each.method === 'post' && each.getAttribute('action') === action,
    );
    if (form === undefined) return;
    const shown = new FormData(form);
    const isSame = ([name, value]) => shown.get(name) === value;
    const ofCells = seen.filter(([name]) => name.startsWith('was-'));
    if (!seen.filter((each) => !ofCells.includes(each)).every(isSame)) return;
    const changed = new Set(
      ofCells.filter((each) => !isSame(each)).map(([name]) => name.replace('was-', 'cell-')),
    );
    for (const box of form.querySelectorAll('input[type=checkbox]')) {
      box.checked = typed.some(([name, value]) => name === box.name && value === box.value);
    }
    let isFilled = false;
    for (const [name, value] of typed) {
      const field = form.elements.namedItem(name);
      if (changed.has(name) || field === null) continue;
      if (!['checkbox', 'hidden', 'submit'].includes(field.type)) field.value = value;
      note.querySelector(`[data-name="${CSS.escape(name)}"]`)?.remove();
      isFilled = true;
    }
    const isWhole = note.querySelector('[data-name]') === null;
    note.querySelector('[data-filled]').hidden = !isFilled;
    const left = note.querySelector('[data-left]');
    if (left !== null) left.hidden = isWhole;
    if (isWhole) note.querySelector('.kept')?.remove();
    const wrong = lacking ? form.elements.namedItem(lacking) : null;
    if (wrong === null) return;
    const said = document.createElement('p');
    said.className = 'fault';
    said.id = 'lacking';
    said.textContent = note.querySelector('.headline').textContent;
    wrong.before(said);
    wrong.setAttribute('aria-invalid', 'true');
    wrong.setAttribute('aria-describedby', said.id);
    wrong.focus();
  };

  showMoments(document);
  for (const note of document.querySelectorAll('[data-kept]')) fillIn(note);
  keepLooking();
})();
