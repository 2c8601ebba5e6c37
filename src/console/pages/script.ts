/*
 * The one script of our own. It shows moments in the zone of whoever looks, and keeps pages up to date on which something
 * is under way: a part with `data-live` is asked for anew each second. What it shows never outlives the connection: once no
 * answer comes, the page says so, hides what cannot be done, and loads itself anew with the first answer. Without scripts
 * pages show UTC, and a browser loads them again by itself.
 */

/** How long an answer may take: with the second before each question, a lost connection is said within five. */
const patienceInMs = 3_000;
const pauseInMs = 1_000;

/** Status by which a part says that its page has changed as a whole; any other one below 300 is about the part alone. */
export const pageHasChanged = 205;

export const script = `'use strict';
(() => {
  const format = new Intl.DateTimeFormat('en-GB', {
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', timeZoneName: 'short', hour12: false,
  });
  const momentText = (moment) => {
    const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    return parts.year + '-' + parts.month + '-' + parts.day + ' ' + parts.hour + ':' + parts.minute + ' ' + parts.timeZoneName;
  };
  const showMoments = (place) => {
    for (const time of place.querySelectorAll('time[data-moment]')) time.textContent = momentText(new Date(time.dateTime));
  };

  const ask = async (address) => {
    const response = await fetch(address, { cache: 'no-cache', signal: AbortSignal.timeout(${patienceInMs}) });
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
    if (place !== null) place.textContent = 'No connection to the console since ' + momentText(new Date()) + '. ' + place.dataset.text;
  };

  const look = async (part) => {
    try {
      if (isLost) {
        const { response } = await ask(part.dataset.live);
        if (response.status >= 500) return;
        await loadPage(response.status === 404 ? part.dataset.gone : location.href);
        isLost = false;
        return;
      }
      const { response, text } = await ask(part.dataset.live);
      if (response.status >= 500) lose(part);
      else if (response.status === 404) await loadPage(part.dataset.gone);
      else if (response.status === ${pageHasChanged} || response.redirected || !response.ok) await loadPage(location.href);
      else if (text !== '') replacePart(part, text);
    } catch {
      lose(part);
    }
  };

  const keepLooking = async () => {
    for (let part = document.querySelector('[data-live]'); part !== null; part = document.querySelector('[data-live]')) {
      await new Promise((resume) => setTimeout(resume, ${pauseInMs}));
      await look(part);
    }
  };

  showMoments(document);
  keepLooking();
})();
`;
