/**
 * What institutions of Mexico are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Banco de México: participants of SPEI with their keys. As of 2026-11.
 */
export const mxInstitutions = `
  BBVA México; BBVA; Bancomer; BBVA Bancomer | 40012
  Banamex; Citibanamex; Banco Nacional de México; Citi Banamex | 40002
  Banorte; Banco Mercantil del Norte; Ixe; IXE Banco | 40072
  Santander México; Santander; Banco Santander | 40014
  HSBC México; HSBC; Bital | 40021
  BanCoppel; Coppel; Bancoppel | 40137
  STP; Sistema de Transferencias y Pagos | 90646
`;
