/* The style sheet of the console: light and dark, narrow and wide. */

import { statusColours } from '../../account/report/page.ts';
import { resultStatuses } from '../../domain/rows/row-state.ts';
import { differenceStyles } from './difference-style.ts';
import { mappingStyles } from './mapping-style.ts';
import { peopleStyles } from './people-style.ts';
import { rowStyles } from './row-style.ts';

export const stylesheet = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2430; --soft: #556070; --line: #d9dfe6; --code: #eef1f5;
  --live: #b3140f; --sandbox: #2b5c8a; --link: #1a5fa8; --button: #1a5fa8; --button-ink: #ffffff;
  --danger: #b3140f; --danger-ink: #b3140f; --focus: #b45309;
  --created: #1f8a5b; --existing: #7cc4a0; --invalid: #c2410c; --rejected: #a3195b;
  --waiting: #8a6fd1; --not_sent: #94a0ad; --unknown: #c99700; --held: #3f6fc4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11161d; --card: #1a212b; --ink: #e6ebf1; --soft: #a3afbd; --line: #303a47; --code: #232c38;
    --live: #c22a25; --sandbox: #2f6596; --link: #86b9ef; --button: #3474b3; --button-ink: #ffffff;
    --danger: #c22a25; --danger-ink: #ff9a93; --focus: #f0a34a;
    --created: #3dbb84; --existing: #22734f; --invalid: #f0834a; --rejected: #e2679f;
    --waiting: #a993e8; --not_sent: #6d7986; --unknown: #e3b93c; --held: #6e9bea;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
a { color: var(--link); }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; }
.mode { background: var(--sandbox); color: #fff; padding: .35rem 1.25rem; font-size: .9rem; overflow-wrap: anywhere; }
.mode b { letter-spacing: .06em; }
.mode.live { background: var(--live); }
.top { border-bottom: 1px solid var(--line); background: var(--card); padding: .6rem 1.25rem; }
.top > div { max-width: 82rem; margin: 0 auto; }
.top > div { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; }
.top strong { font-size: 1.1rem; }
.top strong a { color: inherit; text-decoration: none; }
.top nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; flex: 1; }
.top nav a[aria-current] { font-weight: 650; text-decoration: none; color: var(--ink); }
.viewer { color: var(--soft); font-size: .9rem; }
main { max-width: 84.5rem; margin: 0 auto; padding: 1.25rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .4rem 0 .6rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .8rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .5rem; }
p { margin: 0 0 .75rem; max-width: 52rem; overflow-wrap: anywhere; }
section {
  margin: 0 0 1.15rem; padding: 1.15rem 1.35rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .7rem;
}
section > :last-child, section > form:last-child > :last-child { margin-bottom: 0; }
.headline { font-size: 1.25rem; font-weight: 650; line-height: 1.35; }
.second, .soft { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 1.75rem; margin: 0 0 1.1rem; color: var(--soft); font-size: .93rem; }
.facts div { display: flex; gap: .45rem; min-width: 0; }
.facts dt { font-weight: 600; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.bar { display: block; width: 100%; height: 1.1rem; margin: 0 0 1rem; border-radius: .55rem; }
.counts { display: grid; grid-template-columns: auto auto auto 1fr; gap: .35rem .65rem; margin: 0 0 .5rem; padding: 0; list-style: none; }
.counts li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: baseline; }
.counts b { text-align: right; }
.counts span { color: var(--soft); }
.counts i, .status i { width: .75rem; height: .75rem; border-radius: .2rem; align-self: center; display: inline-block; }
.status i { margin-right: .4rem; }
${statusColours}
${resultStatuses.map((status) => `.bar .${status} { fill: var(--${status}); }`).join('\n')}
.number, .counts b { font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; position: relative; margin: 0 0 .75rem; }
table { border-collapse: collapse; font-size: .93rem; min-width: min(100%, 40rem); }
caption { text-align: left; color: var(--soft); padding: 0 0 .4rem; }
th, td { padding: .45rem .9rem .45rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-size: .84rem; white-space: nowrap; }
th { font-weight: 600; }
td { overflow-wrap: break-word; max-width: 26rem; }
.number { text-align: right; white-space: nowrap; }
th.number, td.number { padding-right: 1.4rem; }
.status { white-space: nowrap; font-weight: 600; }
code, pre { font: .87rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
pre { background: var(--code); padding: .6rem .8rem; border-radius: .4rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
form { margin: 0; }
.search { display: flex; gap: .4rem; }
.search input { min-width: 0; width: 17rem; }
.top button { padding: .3rem .8rem; font-weight: 500; border-color: var(--line); }
.top input { padding: .3rem .6rem; border-color: var(--line); }
.actions { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .5rem 0 0; }
button, .button {
  font: inherit; font-weight: 600; padding: .45rem 1rem; border-radius: .45rem; border: 1px solid var(--button);
  background: var(--button); color: var(--button-ink); cursor: pointer; text-decoration: none; display: inline-block;
}
button.second, .button.second { background: transparent; color: var(--link); }
button.danger { background: var(--danger); border-color: var(--danger); color: #fff; }
button.danger.second { background: transparent; border-color: var(--danger-ink); color: var(--danger-ink); }
td button, td .button { padding: .2rem .7rem; font-weight: 500; font-size: .9rem; }
td .actions { margin: 0; }
label { display: block; font-weight: 600; margin: 0 0 .25rem; }
.hint { color: var(--soft); font-size: .9rem; margin: .15rem 0 .5rem; }
.actions + .hint { margin-top: .6rem; }
input, select, textarea {
  font: inherit; color: inherit; background: var(--page); border: 1px solid var(--soft); border-radius: .4rem;
  padding: .4rem .6rem; max-width: 100%;
}
input[type=file] { width: 100%; padding: 2.2rem 1rem; border-style: dashed; border-width: 2px; cursor: pointer; }
input[type=checkbox], input[type=radio] { width: 1.1rem; height: 1.1rem; }
.field { margin: 0 0 .9rem; }
.choice { display: flex; gap: .6rem; align-items: baseline; margin: 0 0 .5rem; font-weight: 400; }
.filter { display: flex; flex-wrap: wrap; gap: .6rem .9rem; align-items: end; margin: 0 0 1rem; }
.filter > * { min-width: 0; max-width: 100%; }
progress { width: 100%; height: 1.1rem; accent-color: var(--button); }
.lost { font-weight: 650; }
.lost:empty, [data-lost] :is(.actions, button) { display: none; }
.problem { border-left: .35rem solid var(--danger); }
.note { border-left: .35rem solid var(--sandbox); }
.steps { padding-left: 1.3rem; margin: 0; }
.steps li { margin: 0 0 .9rem; max-width: 52rem; }
.steps li:last-child { margin-bottom: 0; }
.files { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; }
.empty { color: var(--soft); }
.overview { list-style: none; margin: 0 0 .3rem; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; }
/* Apart from the link above, so that a finger hits the one that is meant. */
.lists { margin-top: .35rem; }
.download { margin: .4rem 0 0; font-size: .9rem; }
td .actions { margin: 0; gap: .35rem; }
td .actions :is(button, .button) { padding: .2rem .7rem; font-size: .9rem; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 45rem) {
  main, .top { padding-left: .8rem; padding-right: .8rem; }
  .top > div { gap: .5rem .75rem; }
  .top nav { order: 3; flex-basis: 100%; }
  .search { order: 4; flex-basis: 100%; }
  .search input { width: 100%; }
  .viewer { margin-left: auto; }
  section { padding: .9rem .9rem; }
  .counts { grid-template-columns: auto auto 1fr; }
  .counts span { grid-column: 3; }
  table:has(td[data-title]), :has(> tr > td[data-title]), tr:has(> td[data-title]) { display: block; min-width: 0; }
  table:has(td[data-title]) thead { display: none; }
  tr:has(> td[data-title]) { padding: .45rem 0; border-bottom: 1px solid var(--line); }
  tbody tr:last-child:has(> td[data-title]) { border-bottom: 0; }
  td[data-title] { display: flow-root; text-align: left; white-space: normal; border: 0; padding: .1rem 0 .1rem 7.1rem; max-width: none; overflow-wrap: anywhere; }
  td[data-title]:empty { display: none; }
  td[data-title]::before { content: attr(data-title); float: left; width: 6.5rem; margin-left: -7.1rem; color: var(--soft); font-size: .84rem; line-height: 1.5rem; overflow-wrap: anywhere; }
  td[data-title=''] { padding-left: 0; }
  td[data-title='']::before { display: none; }
}
.checks { list-style: none; margin: 0; padding: 0; }
.checks li { border-left: .35rem solid var(--created); padding: .15rem 0 .15rem .9rem; margin: 0 0 1.1rem; }
.checks li:last-child { margin-bottom: 0; }
.checks li.warning { border-color: var(--unknown); }
.checks li.problem { border-color: var(--danger); }
.checks li > div:first-child { display: flex; flex-wrap: wrap; gap: 0 .8rem; align-items: baseline; }
.checks p { margin: 0; }
.level { color: var(--soft); font-size: .9rem; }
${rowStyles}${mappingStyles}${peopleStyles}${differenceStyles}`;
