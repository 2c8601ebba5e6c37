import { Html } from '../report/html.ts';

/** Black on white, since it is made to be printed; each payer's sheet begins a page. */
const stylesheet = `
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2rem 1.25rem; background: #fff; color: #111;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
main { max-width: 46rem; margin: 0 auto; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 span, .amount span { display: block; font-size: .9rem; font-weight: 400; color: #444; }
h3 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; break-after: avoid; }
a { color: #164c86; }
nav table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
nav th, nav td { padding: .35rem .75rem .35rem 0; text-align: left; border-bottom: 1px solid #bbb; overflow-wrap: anywhere; }
nav th.number, nav td.number { text-align: right; padding-right: 1.5rem; }
article { margin-top: 2.5rem; padding-top: 2rem; border-top: 2px solid #111; break-before: page; }
.amount { font-size: 1.6rem; line-height: 1.25; margin: 0; padding: .75rem 1rem; border: 1px solid #111; overflow-wrap: anywhere; }
.test { margin: 0 0 1.25rem; padding: .5rem 1rem; border: 3px dashed #a3195b; color: #a3195b; font-size: 1.15rem; font-weight: 700; }
.watermark { display: none; }
.warning { font-weight: 600; padding: .75rem 1rem; border: 3px solid #a3195b; overflow-wrap: anywhere; }
.instruction { font-size: 1.15rem; overflow-wrap: anywhere; overflow: hidden; }
.instruction > :first-child, .instruction > div > :first-child { margin-top: 0; }
.instruction li { margin: .35rem 0; }
.instruction table { border-collapse: collapse; }
.instruction th, .instruction td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
.instruction pre { white-space: pre-wrap; }
.instruction a::after { content: " (" attr(href) ")"; }
article footer { margin-top: 2rem; color: #444; font-size: .85rem; overflow-wrap: anywhere; }
@page { margin: 16mm; }
@media print {
  .watermark {
    display: block; position: fixed; z-index: -1; top: 30%; left: 0; right: 0; margin: 0; text-align: center;
    font-size: 9rem; font-weight: 700; letter-spacing: .1em; color: #f3d9e4; transform: rotate(-30deg);
  }
  body { padding: 0; font-size: 11pt; }
  main { max-width: none; }
  thead { display: table-header-group; }
  tr, li { break-inside: avoid; }
  article { margin-top: 0; padding-top: 0; border-top: 0; }
}
`;

export const sheetStyle = new Html(`<style>${stylesheet}</style>`);
