/**
 * What institutions of Ghana are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Bank of Ghana: register of licensed institutions; Telecel (Vodafone until 2024), AT (AirtelTigo until 2023). As of 2026-11.
 */
export const ghInstitutions = `
  GCB Bank; GCB; Ghana Commercial Bank
  Ecobank Ghana; Ecobank; Eco Bank; EBG
  Absa Bank Ghana; Absa; Barclays; Barclays Bank; Barclays Bank of Ghana; BBG
  Fidelity Bank Ghana; Fidelity; Fidelity Bank
  Stanbic Bank Ghana; Stanbic
  Standard Chartered Bank Ghana; Stanchart; Standard Chartered; SCB; StanChart
  CalBank; CAL; CAL Bank
  Zenith Bank Ghana; Zenith; Zenith Bank
  Access Bank Ghana; Access; Access Bank; Intercontinental Bank
  Agricultural Development Bank; ADB; Agric Development Bank; Agric Dev Bank; Agric
  Consolidated Bank Ghana; CBG; Consolidated Bank
  National Investment Bank; NIB
  Prudential Bank; Prudential; PBL
  Republic Bank Ghana; Republic; Republic Bank; HFC Bank
  Société Générale Ghana; SG Ghana; SocGen; Societe Generale; SG-SSB; SG
  Universal Merchant Bank; UMB; Merchant Bank
  First Atlantic Bank; First Atlantic; FAB
  FBNBank Ghana; FBN; FBN Bank; FBNBank
  OmniBSIC Bank; OmniBSIC; Omni Bank; Omni; BSIC
  ARB Apex Bank; ARB Apex; Apex Bank; Rural Bank Apex
  Guaranty Trust Bank Ghana; GTBank; GT Bank; GTB; Guaranty Trust
  United Bank for Africa Ghana; UBA
  MTN Mobile Money; MTN; MTN MoMo; MoMo; MTN Ghana; MTN GH; MTN Momo Wallet; MTN Mobile
  Telecel Cash; Telecel; Vodafone Cash; Vodafone; Voda; Voda Cash; VodaCash; Telecel Ghana; VF Cash; Telecel/Vodafone
  AT Money; AT; AirtelTigo; AirtelTigo Money; Airtel Tigo; Airtel Tigo Money; Airtel; Tigo; Tigo Cash; Airtel Money; ATM Money; AT Ghana
`;
