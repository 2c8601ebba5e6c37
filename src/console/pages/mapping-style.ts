/* The styles of the pages on which a person says how a file is read. */

export const mappingStyles = `
.sample { display: inline-block; background: var(--code); border-radius: .3rem; padding: 0 .4rem; margin: 0 .3rem .2rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.reading select { width: 100%; min-width: 11rem; }
.reading th[scope=row] { font-weight: 600; overflow-wrap: anywhere; min-width: 8rem; }
.reading .hint { margin: .2rem 0 0; }
fieldset { border: 0; margin: 0 0 .5rem; padding: 0; }
details { margin: 0 0 .9rem; }
summary { cursor: pointer; color: var(--link); }
.meanings { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: .6rem 0 0; }
.meanings div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; }
.meanings dt { font-weight: 600; }
.meanings dd { margin: 0; }
.grid td { white-space: nowrap; }
.grid .choice { margin: 0; font-weight: 600; white-space: nowrap; }
.grid tr:has(:checked) { background: var(--code); }
@media (max-width: 45rem) {
  .reading, .reading tbody, .reading tr, .reading th, .reading td { display: block; }
  .reading thead { display: none; }
  .reading tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .reading th, .reading td { border: 0; padding: .15rem 0; max-width: none; text-align: left; }
  .reading td[data-title]::before { content: attr(data-title) " "; color: var(--soft); font-size: .84rem; }
  .meanings { grid-template-columns: 1fr; }
}
`;
