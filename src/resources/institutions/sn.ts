/**
 * What institutions of Senegal are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the BCEAO: list of credit and electronic money institutions of the WAEMU. As of 2026-11.
 */
export const snInstitutions = `
  Société Générale Sénégal; SGSN; SGBS; SG Sénégal; Société Générale; SG
  CBAO Groupe Attijariwafa Bank; CBAO; Attijari; Attijariwafa; CBAO Attijari
  Banque de l'Habitat du Sénégal; BHS; Banque de l'Habitat
  Ecobank Sénégal; Ecobank; Eco Bank
  Orange Money; OM; Orange; Orange Sénégal; O. Money
  Wave; Wave Mobile Money; Wave Sénégal
  Free Money; Free; Tigo Cash; Tigo; Mixx; Yas
`;
