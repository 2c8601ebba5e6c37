/* The styles of the pages on which a person says how a file is read. */

export const mappingStyles = `
.sample { display: inline-block; background: var(--code); border-radius: .3rem; padding: 0 .4rem; margin: 0 .3rem .2rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.reading select { width: 100%; min-width: 11rem; }
.reading th[scope=row] { font-weight: 600; overflow-wrap: anywhere; min-width: 8rem; }
.reading .hint { margin: .2rem 0 0; }
.meanings { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: .6rem 0 0; }
.meanings div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; }
.meanings dt { font-weight: 600; }
.meanings dd { margin: 0; }
table.lines td { white-space: nowrap; }
.lines .choice { margin: 0; font-weight: 600; white-space: nowrap; align-items: center; }
.lines .choice input { margin: 0; }
.ways { margin: 0 0 1.15rem; }
.lines tr:has(:checked) { background: var(--code); }
.reading input { margin: .3rem 0 0; }
@media (max-width: 45rem) {
  .reading caption { display: block; }
  .reading, .reading tbody, .reading tr, .reading th, .reading td { display: block; width: auto; }
  .reading thead { display: none; }
  .reading tr { border-bottom: 1px solid var(--line); padding: .6rem 0; }
  .reading th, .reading td, .reading td.number { border: 0; padding: .15rem 0; max-width: none; text-align: left; }
  .reading td::before { content: attr(data-title); display: inline; margin: 0 .5rem 0 0; }
  .reading input { width: 100%; }
  .meanings { grid-template-columns: 1fr; }
}
`;
