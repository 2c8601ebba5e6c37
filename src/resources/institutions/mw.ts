/**
 * What institutions of Malawi are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Reserve Bank of Malawi: licensed banks and mobile money providers. As of 2026-11.
 */
export const mwInstitutions = `
  National Bank of Malawi; NBM; National Bank; NB Malawi
  Standard Bank Malawi; Standard Bank; Stanbic; Std Bank
  NBS Bank; NBS; New Building Society
  FDH Bank; FDH; First Discount House
  First Capital Bank; FCB; First Merchant Bank; FMB
  Airtel Money; Airtel; Airtel Malawi
  TNM Mpamba; Mpamba; TNM; Telekom Networks Malawi
`;
