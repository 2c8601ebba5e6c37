/**
 * What institutions of Côte d'Ivoire are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the BCEAO: list of credit and electronic money institutions of the WAEMU. As of 2026-11.
 */
export const ciInstitutions = `
  Société Générale Côte d'Ivoire; SGCI; SGBCI; Société Générale; SG CI; SG
  NSIA Banque; NSIA; BIAO; NSIA Banque CI
  Coris Bank International; Coris; Coris Bank; CBI
  Banque Nationale d'Investissement; BNI
  Orange Money; OM; Orange; Orange CI
  MTN Mobile Money; MTN; MTN MoMo; MoMo; MTN CI; MTN Money
  Moov Money; Moov; Flooz; Moov Africa; Moov CI
  Wave; Wave CI
`;
