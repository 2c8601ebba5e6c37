/* The part of the style sheet that is about differences, both sides next to each other. */

export const differenceStyles = `
.kinds { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: auto 1fr; gap: .4rem .9rem; }
.kinds li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: baseline; }
.kinds a[aria-current] { font-weight: 650; text-decoration: none; color: var(--ink); }
.sides { width: 100%; min-width: 54rem; table-layout: fixed; }
.sides thead th:nth-child(1) { width: 34%; }
.sides thead th:nth-child(2) { width: 12%; }
.sides th, .sides td { border-bottom: 0; padding: .2rem 1rem .2rem 0; max-width: none; overflow-wrap: anywhere; }
.sides thead th { padding-bottom: .5rem; }
.sides tbody { border-top: 1px solid var(--line); }
.sides tbody tr:first-child > * { padding-top: .8rem; }
.sides tbody tr:last-child > *, .sides th[scope=rowgroup] { padding-bottom: .8rem; }
.sides th[scope=row] { color: var(--soft); font-size: .88rem; font-weight: 400; }
.sides th[scope=rowgroup] { font-weight: 400; padding-right: 2rem; }
.sides th[scope=rowgroup] p { margin: 0 0 .35rem; }
.sides th[scope=rowgroup] .button { padding: .2rem .7rem; font-size: .9rem; margin-top: .2rem; }
.pair { margin-right: 1rem; }
@media (max-width: 45rem) {
  .sides { min-width: 0; }
  .sides tbody, .sides th[scope=rowgroup], .sides th[scope=row] { display: block; width: 100%; padding-right: 0; }
  .sides tbody { padding: .8rem 0; }
  .sides tr:has(> td[data-title]) { border: 0; padding: .15rem 0; }
  .sides tbody tr > * { padding-top: 0; padding-bottom: .1rem; }
  .sides tbody tr:first-child > *, .sides tbody tr:last-child > * { padding-top: 0; padding-bottom: .1rem; }
  .sides th[scope=rowgroup] { padding-bottom: .6rem; }
  .sides th[scope=row] { font-weight: 650; }
  .sides td[data-title] { padding-left: 4.1rem; }
  .sides td[data-title]::before { width: 3.5rem; margin-left: -4.1rem; }
  .sides td.none { display: none; }
  .pair { display: block; }
}
`;
