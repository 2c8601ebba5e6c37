/**
 * What institutions of Philippines are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Bangko Sentral ng Pilipinas: list of supervised institutions. As of 2026-11.
 */
export const phInstitutions = `
  BDO Unibank; BDO; Banco de Oro
  Bank of the Philippine Islands; BPI
  Metrobank; Metropolitan Bank and Trust Company; MBTC; Metropolitan Bank
  Landbank; Land Bank of the Philippines; LBP; Land Bank
  UnionBank; Union Bank of the Philippines; UBP; Union Bank; Unionbank
  Security Bank; SBC; SECB
  GCash; G-Cash; Globe GCash; Mynt; G Cash
  Maya; PayMaya; Maya Philippines; Pay Maya
  GrabPay; Grab; Grab Pay
`;
