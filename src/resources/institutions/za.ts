/**
 * What institutions of South Africa are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the South African Reserve Bank, Prudential Authority: registered banks; universal branch codes. As of 2026-11.
 */
export const zaInstitutions = `
  Absa Bank; Absa; ABSA | 632005
  Capitec Bank; Capitec | 470010
  First National Bank; FNB; FirstRand | 250655
  Nedbank; Ned Bank; Nedcor | 198765
  Standard Bank; Standard Bank of South Africa; SBSA; Std Bank | 051001
  TymeBank; Tyme; Tyme Bank | 678910
  Investec Bank; Investec | 580105
  African Bank | 430000
  Discovery Bank; Discovery | 679000
  Bidvest Bank; Bidvest | 462005
`;
