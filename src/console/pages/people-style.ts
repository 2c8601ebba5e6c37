/* Styles of the pages of people: signing in, and a form that was kept. */

export const peopleStyles = `
.narrow { max-width: 30rem; }
.narrow input:not([type=hidden]) { width: 100%; }
.kept { display: grid; gap: .3rem; margin: 0 0 1rem; }
.kept div { display: grid; grid-template-columns: minmax(6rem, 12rem) 1fr; gap: .6rem; }
.kept dt { color: var(--soft); }
.kept dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
`;
