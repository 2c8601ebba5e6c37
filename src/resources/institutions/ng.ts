/**
 * What institutions of Nigeria are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Central Bank of Nigeria: deposit money banks, microfinance and payment service banks, mobile money operators; bank codes of the NUBAN scheme (CBN 2010, revised 2020). As of 2026-11.
 */
export const ngInstitutions = `
  Access Bank; Access; Access (Diamond); Access Diamond; Diamond Bank; Diamond; Access Bank Diamond | 044
  Guaranty Trust Bank; GTBank; GTB; GT Bank; GTCO; Guaranty Trust; Guaranty; Guarantee Trust Bank | 058
  Zenith Bank; Zenith; Zenith International Bank | 057
  First Bank of Nigeria; First Bank; FBN; FirstBank | 011
  United Bank for Africa; UBA; U.B.A. | 033
  Fidelity Bank; Fidelity | 070
  Union Bank of Nigeria; Union Bank; Union; UBN | 032
  Ecobank Nigeria; Ecobank; Eco Bank; Oceanic Bank | 050
  Stanbic IBTC Bank; Stanbic; Stanbic IBTC; IBTC | 221
  Sterling Bank; Sterling | 232
  Wema Bank; Wema; ALAT; Wema/ALAT; ALAT by Wema; Alat Wema | 035
  Polaris Bank; Polaris; Skye Bank; Skye | 076
  Keystone Bank; Keystone; Bank PHB | 082
  Unity Bank; Unity | 215
  Heritage Bank; Heritage | 030
  Providus Bank; Providus | 101
  Jaiz Bank; Jaiz | 301
  SunTrust Bank; SunTrust; Suntrust | 100
  Titan Trust Bank; Titan; Titan Trust; TTB | 102
  Citibank Nigeria; Citibank; Citi | 023
  Standard Chartered Bank Nigeria; Stanchart; Standard Chartered; SCB | 068
  First City Monument Bank; FCMB | 214
  Globus Bank; Globus | 103
  Parallex Bank; Parallex | 104
  PremiumTrust Bank; Premium Trust; PremiumTrust; Premium Trust Bank | 105
  Lotus Bank; Lotus | 303
  TAJBank; TAJ; Taj Bank | 302
  Signature Bank; Signature | 106
  Optimus Bank; Optimus | 107
  Kuda Microfinance Bank; Kuda; Kuda Bank; Kuda MFB | 50211
  Moniepoint Microfinance Bank; Moniepoint; Moniepoint MFB; Monie Point; Moniepoint Bank | 50515
  OPay; O Pay; OPay Digital Services; Paycom | 999992
  PalmPay; Palm Pay; Palmpay Limited | 999991
  MTN MoMo PSB; MTN MoMo; MoMo PSB; MTN; MoMo; MoMo Payment Service Bank | 120003
  9PSB; 9 PSB; 9mobile PSB; 9 Payment Service Bank | 120001
  Smartcash Payment Service Bank; Smartcash; SmartCash PSB; Airtel Smartcash | 120004
`;
