/**
 * What institutions of Tanzania are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Bank of Tanzania: directory of banks, licensed payment system providers; Vodacom, Yas (Tigo until 2024), Halotel. As of 2026-11.
 */
export const tzInstitutions = `
  CRDB Bank; CRDB; Cooperative and Rural Development Bank
  NMB Bank; NMB; National Microfinance Bank
  NBC Bank; NBC; National Bank of Commerce
  Exim Bank Tanzania; Exim; Exim Bank
  Azania Bank; Azania; ABL
  Standard Chartered Bank Tanzania; Stanchart; Standard Chartered
  Stanbic Bank Tanzania; Stanbic
  Absa Bank Tanzania; Absa; Barclays; Barclays Bank
  M-Pesa (Vodacom); M-Pesa; MPESA; Vodacom; Vodacom M-Pesa; Voda; Vodacom Tanzania; M-Pesa Vodacom
  Mixx by Yas; Tigo Pesa; TigoPesa; Tigo; Yas; Mixx; Tigo Mixx; Zantel; Ezypesa; Tigo-Pesa
  Airtel Money; Airtel; Airtel Tanzania; Airtel TZ
  HaloPesa; Halotel; Halo Pesa; Halo
`;
