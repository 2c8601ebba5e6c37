/**
 * What institutions of Rwanda are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the National Bank of Rwanda: licensed banks and payment service providers. As of 2026-11.
 */
export const rwInstitutions = `
  Bank of Kigali; BK; BK Group
  I&M Bank Rwanda; I&M; I & M; IM Bank
  BPR Bank Rwanda; BPR; Banque Populaire du Rwanda; KCB; KCB Bank Rwanda; BPR-KCB
  Equity Bank Rwanda; Equity; Equity Bank; Cogebanque
  MTN MoMo; MTN; MoMo; MTN Mobile Money; MTN Rwanda; MTN Mobile
  Airtel Money; Airtel; Airtel Rwanda; Tigo; Airtel-Tigo
`;
