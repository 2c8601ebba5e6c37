/* The part of the style sheet that is about tables of rows, their cells, and what is said of them. */

export const rowStyles = `
.groups { list-style: none; margin: 0 0 .5rem; padding: 0; display: grid; grid-template-columns: auto auto 1fr; gap: .4rem .65rem; }
.groups li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: baseline; }
.groups i { width: .75rem; height: .75rem; border-radius: .2rem; align-self: center; }
.groups span { overflow-wrap: anywhere; }
.groups a[aria-current] { font-weight: 650; text-decoration: none; color: var(--ink); }
details { margin: 0 0 .5rem; }
summary { cursor: pointer; color: var(--link); margin: 0 0 .5rem; }
.grid table { min-width: 100%; }
.grid th, .grid td { padding-right: 1.1rem; }
.grid tbody th { font-weight: 400; }
.grid td { max-width: 20rem; overflow-wrap: anywhere; }
.grid td.said { min-width: 14rem; }
.grid td.faulty { min-width: 12rem; }
mark { background: color-mix(in srgb, var(--invalid) 22%, transparent); color: inherit; padding: .05rem .25rem; border-radius: .25rem; }
.fault { display: block; color: var(--soft); font-size: .88rem; }
`;
