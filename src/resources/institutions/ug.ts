/**
 * What institutions of Uganda are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Bank of Uganda: supervised institutions, licensed payment system operators. As of 2026-11.
 */
export const ugInstitutions = `
  Stanbic Bank Uganda; Stanbic; SBU
  Centenary Bank; Centenary; Centenary Rural Development Bank; CERUDEB
  dfcu Bank; dfcu; Development Finance Company of Uganda
  Absa Bank Uganda; Absa; Barclays; Barclays Bank; Barclays Bank of Uganda
  Equity Bank Uganda; Equity; Equity Bank
  Housing Finance Bank; HFB; Housing Finance
  PostBank Uganda; PostBank; Post Bank
  Standard Chartered Bank Uganda; Stanchart; Standard Chartered; SCB
  Bank of Africa Uganda; BOA; Bank of Africa
  Diamond Trust Bank Uganda; DTB; Diamond Trust
  KCB Bank Uganda; KCB
  MTN Mobile Money; MTN; MTN MoMo; MoMo; MTN Uganda; MTN UG; MTN Mobile; MTN Money
  Airtel Money; Airtel; Airtel Uganda; Airtel UG
`;
