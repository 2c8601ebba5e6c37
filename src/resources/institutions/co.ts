/**
 * What institutions of Colombia are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Superintendencia Financiera de Colombia: supervised institutions; ACH codes. As of 2026-11.
 */
export const coInstitutions = `
  Bancolombia; Banco de Colombia | 007
  Banco de Bogotá; Bogotá; Banco Bogotá | 001
  Davivienda; Banco Davivienda | 051
  BBVA Colombia; BBVA; Banco Ganadero | 013
  Nequi; Neki | 507
  DaviPlata; Davi Plata | 551
`;
