/* Markup of reports and pages: escaped text, and the style sheet of a report. */

import { resultStatuses } from '../../domain/rows/row-state.ts';

/** Text that is markup already. Only `html` creates it, so everything in it is written by paybatch or escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HtmlValue = string | number | null | Html | readonly HtmlValue[];

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text with visible replacements for characters that could hide or reverse the text beside them. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? ' ' : '\uFFFD'));
}

function escaped(text: string): string {
  return visible(text.replace(/[&<>"']/g, (character) => references[character] ?? ''));
}

function rendered(value: HtmlValue): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return value.map(rendered).join('');
}

/** A template of markup: values are escaped unless they are `Html`; null is omitted, an array is all its items. */
export function html(markup: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(markup.reduce((text, part, index) => text + rendered(values[index - 1] ?? null) + part));
}

/** The coloured square before a status. Classes, since a page of the console may have no style attributes. */
export const statusColours: string = resultStatuses
  .map((status) => `i.${status} { background: var(--${status}); }`)
  .join('\n');

/** One hue for each status, light enough on dark paper and dark enough on light, distinguishable without red and green. */
const stylesheet = `
${statusColours}
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2430; --soft: #5a6675; --line: #dfe4ea; --code: #eef1f5;
  --live: #b3140f; --sandbox: #2b5c8a; --link: #1a5fa8;
  --created: #1f8a5b; --existing: #7cc4a0; --invalid: #c2410c; --rejected: #a3195b;
  --waiting: #8a6fd1; --not_sent: #94a0ad; --unknown: #c99700; --held: #3f6fc4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11161d; --card: #1a212b; --ink: #e6ebf1; --soft: #9aa7b5; --line: #303a47; --code: #232c38;
    --live: #d8342e; --sandbox: #3d7ab5; --link: #7fb5ee;
    --created: #3dbb84; --existing: #22734f; --invalid: #f0834a; --rejected: #e2679f;
    --waiting: #a993e8; --not_sent: #6d7986; --unknown: #e3b93c; --held: #6e9bea;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
main, header, footer { max-width: 62rem; margin: 0 auto; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: .6rem 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .9rem; }
p { margin: 0 0 .75rem; }
a { color: var(--link); }
.badge {
  display: inline-block; padding: .2rem .75rem; border-radius: 999px; color: #fff; background: var(--sandbox);
  font-size: .8rem; font-weight: 700; letter-spacing: .06em;
}
.badge.live { background: var(--live); }
body.live { border-top: .5rem solid var(--live); }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 1.75rem; margin: 0 0 1.5rem; color: var(--soft); font-size: .92rem; }
.facts div { display: flex; gap: .45rem; min-width: 0; }
.facts dt { font-weight: 600; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
section {
  margin: 0 0 1.25rem; padding: 1.35rem 1.5rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem;
}
.headline { font-size: 1.35rem; font-weight: 650; line-height: 1.35; margin: 0 0 1rem; }
.headline:has(+ .second) { margin-bottom: .1rem; }
.second { font-size: 1.05rem; color: var(--soft); margin: 0 0 1rem; }
.warning { color: var(--rejected); margin-bottom: 0.25rem; }
.bar { display: flex; gap: 2px; height: 1.1rem; margin: 0 0 1rem; overflow: hidden; border-radius: .55rem; background: var(--code); }
.bar span { min-width: 5px; flex-basis: 0; }
.counts {
  display: grid; grid-template-columns: auto auto auto 1fr; gap: .35rem .65rem; margin: 0; padding: 0; list-style: none;
}
.counts li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: baseline; }
.counts i { width: .75rem; height: .75rem; border-radius: .2rem; align-self: center; }
.counts b { text-align: right; }
.counts span { color: var(--soft); }
.number, .counts b { font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.scroll table { min-width: 50%; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { padding: .5rem .75rem .5rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
tfoot td { font-weight: 600; border-top: 2px solid var(--line); border-bottom: 0; }
th { font-weight: 600; }
thead th { color: var(--soft); font-size: .82rem; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; padding-right: 1.25rem; }
.status { white-space: nowrap; font-weight: 600; }
.status i { display: inline-block; width: .65rem; height: .65rem; margin-right: .4rem; border-radius: .2rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .6rem; }
h2 + h3 { margin-top: 0; }
h3 > span:last-child { font-weight: 400; color: var(--soft); font-size: .92rem; }
.reason { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .9rem; margin: 0 0 1.1rem; }
.reason p { margin: 0 0 .3rem; max-width: 46rem; overflow-wrap: anywhere; }
.what > span { color: var(--soft); font-size: .9rem; white-space: nowrap; }
.places { list-style: none; margin: 0; padding: 0; font-size: .9rem; display: flex; flex-wrap: wrap; gap: .15rem 1.4rem; }
.places li { overflow-wrap: anywhere; }
.places span { color: var(--soft); font-variant-numeric: tabular-nums; }
.places code { background: var(--code); border-radius: .25rem; padding: .05rem .3rem; }
code, pre { font: .86rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
td { overflow-wrap: break-word; }
pre {
  margin: .35rem 0 0; padding: .55rem .8rem; background: var(--code); border-radius: .4rem;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
.steps { margin: 0; padding-left: 1.3rem; }
.steps li + li { margin-top: .9rem; }
.note { color: var(--soft); font-size: .9rem; margin: .9rem 0 0; }
footer { color: var(--soft); font-size: .85rem; }
@media screen and (max-width: 40rem) {
  .counts li { row-gap: 0; }
  .counts span { grid-column: 3 / -1; font-size: .9rem; }
  section { padding: 1.1rem; }
  body { padding: 1.25rem .75rem 3rem; }
  .headline { font-size: 1.2rem; }
  .places { display: block; }
  table, tbody, tfoot, tr, td { display: block; width: 100%; }
  thead { display: none; }
  tr { padding: .45rem 0; border-bottom: 1px solid var(--line); }
  tbody tr:last-child { border-bottom: 0; }
  td, td.number { display: flex; gap: .6rem; text-align: left; white-space: normal; border: 0; padding: .1rem 0; overflow-wrap: anywhere; }
  td::before { content: attr(data-title); flex: 0 0 6.5rem; color: var(--soft); font-size: .82rem; padding-top: .1rem; }
}
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --code: #f2f2f2; }
  body { padding: 0; font-size: 10pt; }
  header { padding-top: .75rem; }
  main, header, footer { max-width: none; }
  section { border: 0; border-top: 1px solid var(--line); border-radius: 0; padding: .8rem 0; margin: 0; }
  .badge, .bar span, i { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .scroll { overflow: visible; }
  thead { display: table-header-group; }
  tr, .counts li, .steps li { break-inside: avoid; }
  .what { break-after: avoid; }
  h2, h3 { break-after: avoid; }
}
`;

export const reportStyle = new Html(`<style>${stylesheet}</style>`);

/** A section with its title. */
export function section(title: string, content: HtmlValue): Html {
  return html`<section>
<h2>${title}</h2>
${content}
</section>
`;
}
