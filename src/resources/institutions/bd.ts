/**
 * What institutions of Bangladesh are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Bangladesh Bank: scheduled banks and mobile financial services. As of 2026-11.
 */
export const bdInstitutions = `
  BRAC Bank; BRAC
  Dutch-Bangla Bank; DBBL; Dutch Bangla; Dutch Bangla Bank
  Islami Bank Bangladesh; IBBL; Islami Bank
  Sonali Bank; Sonali
  bKash; b-Kash; B kash
  Nagad; Nogod
  Rocket; DBBL Rocket; DBBL Mobile
`;
