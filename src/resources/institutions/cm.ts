/**
 * What institutions of Cameroon are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the COBAC: list of licensed credit and payment institutions of the CEMAC. As of 2026-11.
 */
export const cmInstitutions = `
  Afriland First Bank; Afriland; First Bank; AFB; CCEI
  Société Générale Cameroun; SGC; SGBC; Société Générale; SG
  Crédit Communautaire d'Afrique; CCA; CCA Bank; CCA-Bank
  UBA Cameroon; UBA; United Bank for Africa; UBA Cameroun
  MTN Mobile Money; MTN; MTN MoMo; MoMo; MTN Cameroon; MTN Money
  Orange Money; OM; Orange; Orange Cameroun
`;
