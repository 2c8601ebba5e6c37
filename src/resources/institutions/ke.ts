/**
 * What institutions of Kenya are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Central Bank of Kenya: directory of licensed banks and payment service providers; bank codes of the Kenya Bankers Association. As of 2026-11.
 */
export const keInstitutions = `
  KCB Bank Kenya; KCB; KCB Bank; Kenya Commercial Bank; KCB Group | 01
  Standard Chartered Bank Kenya; Stanchart; Standard Chartered; SCB; SCBK; Stan Chart | 02
  Absa Bank Kenya; Absa; Barclays; Barclays Bank of Kenya; Barclays Bank; BBK | 03
  NCBA Bank Kenya; NCBA; CBA; Commercial Bank of Africa; NIC Bank; NIC | 07
  Prime Bank | 10
  Co-operative Bank of Kenya; Co-op; Coop; Co-op Bank; Coop Bank; Cooperative Bank; Cooperative; Co-operative Bank | 11
  National Bank of Kenya; NBK; National Bank | 12
  Citibank Kenya; Citibank; Citi | 16
  Bank of Africa Kenya; BOA; Bank of Africa | 19
  Stanbic Bank Kenya; Stanbic; CFC Stanbic; CFC | 31
  Ecobank Kenya; Ecobank; Eco Bank | 43
  SBM Bank Kenya; SBM; Chase Bank; Fidelity Commercial Bank | 60
  Kingdom Bank; Jamii Bora Bank; Jamii Bora | 51
  Guaranty Trust Bank Kenya; GTBank; GTB; GT Bank; Guaranty Trust | 53
  I&M Bank Kenya; I&M; I & M; I and M Bank; IM Bank | 57
  HFC Limited; HFC; HF; Housing Finance; HF Group | 61
  Diamond Trust Bank Kenya; DTB; DTBK; Diamond Trust | 63
  Sidian Bank; Sidian; K-Rep Bank; K-Rep | 66
  Equity Bank Kenya; Equity; Equity Bank; EBKL | 68
  Family Bank; Family | 70
  Gulf African Bank; Gulf; GAB; Gulf African | 72
  M-Pesa; MPESA; M-PESA; Safaricom; Safaricom M-Pesa; Safaricom M-PESA; Saf; Lipa na M-Pesa
  Airtel Money; Airtel; Airtel Kenya; Airtel KE
  T-Kash; TKash; Telkom; Telkom Kenya; T Kash; Orange Money
`;
