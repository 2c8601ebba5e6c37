/* The part of the style sheet that is about tables of rows, their cells, and their findings. */

export const rowStyles = `
.groups { list-style: none; margin: 0 0 .5rem; padding: 0; display: grid; grid-template-columns: auto auto 1fr; gap: .4rem .65rem; }
.groups li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: baseline; }
.groups i { width: .75rem; height: .75rem; border-radius: .2rem; align-self: start; margin-top: .4rem; }
.groups span { overflow-wrap: anywhere; }
.groups a[aria-current] { font-weight: 650; text-decoration: none; color: var(--ink); }
details { margin: 0 0 .5rem; }
summary { cursor: pointer; color: var(--link); margin: 0 0 .5rem; }
.row-table { position: relative; }
.row-table table { width: max-content; min-width: 100%; }
.row-table th, .row-table td { padding-right: 1.1rem; }
.row-table tbody th { font-weight: 400; }
.row-table td { max-width: 20rem; overflow-wrap: break-word; }
.row-table td.said { min-width: 20rem; max-width: 28rem; }
.row-table td.faulty { min-width: 12rem; }
mark { background: color-mix(in srgb, var(--invalid) 22%, transparent); color: inherit; padding: .05rem .25rem; border-radius: .25rem; }
.fault { display: block; color: var(--soft); font-size: .88rem; }
.cells th { color: var(--soft); white-space: nowrap; font-size: .9rem; }
.events { list-style: none; margin: 0; padding: 0; }
.events li { display: grid; grid-template-columns: 12rem 1fr; gap: .2rem 1rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
.events li:last-child { border-bottom: 0; }
.events time { color: var(--soft); font-variant-numeric: tabular-nums; }
.events div { overflow-wrap: anywhere; min-width: 0; }
fieldset { border: 0; margin: 0 0 .9rem; padding: 0; }
legend { font-weight: 600; margin: 0 0 .4rem; padding: 0; }
.choice > span { max-width: 48rem; }
.choice input { flex: none; }
@media (max-width: 45rem) {
  .events li { grid-template-columns: 1fr; }
}
.cells table { min-width: 0; width: 100%; }
.cells label { margin: 0; font-weight: 600; }
.cells th { width: 14rem; padding-top: .75rem; overflow-wrap: anywhere; white-space: normal; }
.cells td { max-width: none; }
.cell { width: 100%; max-width: 34rem; }
.cell[aria-invalid] { border-color: var(--invalid); border-width: 2px; }
.was { display: block; color: var(--soft); font-size: .88rem; }
.passes { border-left: .35rem solid var(--created); padding-left: .7rem; }
.problem-text { color: var(--invalid); font-weight: 600; }
button.small { padding: .15rem .6rem; font-size: .88rem; }
@media (max-width: 45rem) {
  .row-table table, .row-table tbody, .row-table tr { display: block; width: auto; min-width: 0; }
  .row-table thead, .row-table td.more { display: none; }
  .row-table tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .row-table tbody tr:last-child { border-bottom: 0; }
  .row-table tbody th { display: block; text-align: left; border: 0; padding: 0; }
  .row-table tbody th::before { content: 'Row '; color: var(--soft); }
  .row-table td.said, .row-table td.faulty { min-width: 0; max-width: none; }
  .cells tr, .cells th, .cells td { display: block; width: 100%; }
  .cells th { border-bottom: 0; padding-bottom: 0; }
}
`;
