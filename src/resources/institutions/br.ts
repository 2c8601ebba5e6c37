/**
 * What institutions of Brazil are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Banco Central do Brasil: participants of the STR with their COMPE codes. As of 2026-11.
 */
export const brInstitutions = `
  Itaú Unibanco; Itaú; Itau; Unibanco; Banco Itaú | 341
  Banco do Brasil; BB; B. Brasil | 001
  Bradesco; Banco Bradesco; Brad | 237
  Caixa Econômica Federal; Caixa; CEF; Caixa Econômica | 104
  Nubank; Nu; Nu Pagamentos; NuBank | 260
  Banco Inter; Inter; Banco Intermedium | 077
  Santander Brasil; Santander; Banco Santander | 033
`;
