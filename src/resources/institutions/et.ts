/**
 * What institutions of Ethiopia are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the National Bank of Ethiopia: list of banks and payment instrument issuers. As of 2026-11.
 */
export const etInstitutions = `
  Commercial Bank of Ethiopia; CBE; CBE Birr
  Awash Bank; Awash; Awash International Bank; AIB
  Dashen Bank; Dashen; Amole
  Bank of Abyssinia; BoA; Abyssinia; Abyssinia Bank
  telebirr; Tele Birr; Ethio Telecom; ethiotelecom; Telebir
  M-PESA Ethiopia; M-PESA; MPESA; Safaricom; Safaricom Ethiopia; M-Pesa Safaricom
`;
