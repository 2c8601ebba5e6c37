/* The one script of our own: moments in the zone of whoever looks. Without it pages show UTC. */

export const script = `'use strict';
(() => {
  const format = new Intl.DateTimeFormat('en-GB', {
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', timeZoneName: 'short', hour12: false,
  });
  const show = (place) => {
    for (const time of place.querySelectorAll('time[data-moment]')) {
      const parts = Object.fromEntries(format.formatToParts(new Date(time.dateTime)).map(({ type, value }) => [type, value]));
      time.textContent = parts.year + '-' + parts.month + '-' + parts.day + ' ' + parts.hour + ':' + parts.minute + ' ' + parts.timeZoneName;
    }
  };
  show(document);
  document.addEventListener('htmx:afterSwap', () => show(document));
})();
`;
