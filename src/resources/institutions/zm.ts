/**
 * What institutions of Zambia are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Bank of Zambia: registered commercial banks and payment system businesses. As of 2026-11.
 */
export const zmInstitutions = `
  Zanaco; Zambia National Commercial Bank; ZNCB
  Stanbic Bank Zambia; Stanbic
  FNB Zambia; FNB; First National Bank; First National Bank Zambia
  Absa Bank Zambia; Absa; Barclays; Barclays Bank Zambia; Barclays
  Standard Chartered Bank Zambia; Stanchart; Standard Chartered
  Atlas Mara; BancABC; Finance Bank; Access Bank Zambia; Access
  MTN MoMo; MTN; MoMo; MTN Money; MTN Mobile Money; MTN Zambia; MTN ZM
  Airtel Money; Airtel; Airtel Zambia; Airtel ZM
  Zamtel Money; Zamtel; Zamtel Kwacha; Kwacha; Zamtel Mobile Money
`;
