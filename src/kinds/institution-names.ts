/* The names of a country's institutions: formal, short, former and other names, and their codes. */

/**
 * The names of a country's institutions, by its ISO 3166-1 code: a line has their formal name, then short, former and
 * other names, and after the bar their code. As of 2026-11.
 */
const tables: Readonly<Record<string, string>> = {
  // Bangladesh. Source: the Bangladesh Bank: scheduled banks and mobile financial services.
  BD: `
    BRAC Bank; BRAC
    Dutch-Bangla Bank; DBBL; Dutch Bangla; Dutch Bangla Bank
    Islami Bank Bangladesh; IBBL; Islami Bank
    Sonali Bank; Sonali
    bKash; b-Kash; B kash
    Nagad; Nogod
    Rocket; DBBL Rocket; DBBL Mobile
  `,
  // Brazil. Source: the Banco Central do Brasil: participants of the STR with their COMPE codes.
  BR: `
    Itaú Unibanco; Itaú; Itau; Unibanco; Banco Itaú | 341
    Banco do Brasil; BB; B. Brasil | 001
    Bradesco; Banco Bradesco; Brad | 237
    Caixa Econômica Federal; Caixa; CEF; Caixa Econômica | 104
    Nubank; Nu; Nu Pagamentos; NuBank | 260
    Banco Inter; Inter; Banco Intermedium | 077
    Santander Brasil; Santander; Banco Santander | 033
  `,
  // Côte d'Ivoire. Source: the BCEAO: list of credit and electronic money institutions of the WAEMU.
  CI: `
    Société Générale Côte d'Ivoire; SGCI; SGBCI; Société Générale; SG CI; SG
    NSIA Banque; NSIA; BIAO; NSIA Banque CI
    Coris Bank International; Coris; Coris Bank; CBI
    Banque Nationale d'Investissement; BNI
    Orange Money; OM; Orange; Orange CI
    MTN Mobile Money; MTN; MTN MoMo; MoMo; MTN CI; MTN Money
    Moov Money; Moov; Flooz; Moov Africa; Moov CI
    Wave; Wave CI
  `,
  // Cameroon. Source: the COBAC: list of licensed credit and payment institutions of the CEMAC.
  CM: `
    Afriland First Bank; Afriland; First Bank; AFB; CCEI
    Société Générale Cameroun; SGC; SGBC; Société Générale; SG
    Crédit Communautaire d'Afrique; CCA; CCA Bank; CCA-Bank
    UBA Cameroon; UBA; United Bank for Africa; UBA Cameroun
    MTN Mobile Money; MTN; MTN MoMo; MoMo; MTN Cameroon; MTN Money
    Orange Money; OM; Orange; Orange Cameroun
  `,
  // Colombia. Source: the Superintendencia Financiera de Colombia: supervised institutions; ACH codes.
  CO: `
    Bancolombia; Banco de Colombia | 007
    Banco de Bogotá; Bogotá; Banco Bogotá | 001
    Davivienda; Banco Davivienda | 051
    BBVA Colombia; BBVA; Banco Ganadero | 013
    Nequi; Neki | 507
    DaviPlata; Davi Plata | 551
  `,
  // Ethiopia. Source: the National Bank of Ethiopia: list of banks and payment instrument issuers.
  ET: `
    Commercial Bank of Ethiopia; CBE; CBE Birr
    Awash Bank; Awash; Awash International Bank; AIB
    Dashen Bank; Dashen; Amole
    Bank of Abyssinia; BoA; Abyssinia; Abyssinia Bank
    telebirr; Tele Birr; Ethio Telecom; ethiotelecom; Telebir
    M-PESA Ethiopia; M-PESA; MPESA; Safaricom; Safaricom Ethiopia; M-Pesa Safaricom
  `,
  // Ghana. Source: the Bank of Ghana: register of licensed institutions; Telecel (Vodafone until 2024), AT
  // (AirtelTigo until 2023).
  GH: `
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
  `,
  // India. Source: the Reserve Bank of India: scheduled commercial banks; the first four letters of their
  // IFSC.
  IN: `
    State Bank of India; SBI | SBIN
    HDFC Bank; HDFC | HDFC
    ICICI Bank; ICICI | ICIC
    Axis Bank; Axis; UTI Bank | UTIB
    Kotak Mahindra Bank; Kotak; Kotak Bank; ING Vysya Bank | KKBK
    Punjab National Bank; PNB; Oriental Bank of Commerce; United Bank of India | PUNB
    Bank of Baroda; BoB; Dena Bank; Vijaya Bank | BARB
    Canara Bank; Canara; Syndicate Bank | CNRB
    Union Bank of India; UBI; Union Bank; Andhra Bank; Corporation Bank | UBIN
    Indian Bank; Allahabad Bank | IDIB
    Bank of India; BOI | BKID
    IndusInd Bank; IndusInd; Indus Ind | INDB
    IDFC FIRST Bank; IDFC; IDFC First; IDFC Bank | IDFB
    YES Bank; Yes | YESB
    Federal Bank; Federal | FDRL
    South Indian Bank; SIB | SIBL
    Karnataka Bank; KBL | KARB
    RBL Bank; RBL; Ratnakar Bank | RATN
    UCO Bank; UCO; United Commercial Bank | UCBA
    Bandhan Bank; Bandhan | BDBL
    Jammu & Kashmir Bank; J&K Bank; J & K Bank; JKB; Jammu and Kashmir Bank | JAKA
    AU Small Finance Bank; AU Bank; AU SFB; AU | AUBL
  `,
  // Kenya. Source: the Central Bank of Kenya: directory of licensed banks and payment service providers; bank
  // codes of the Kenya Bankers Association.
  KE: `
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
  `,
  // Malawi. Source: the Reserve Bank of Malawi: licensed banks and mobile money providers.
  MW: `
    National Bank of Malawi; NBM; National Bank; NB Malawi
    Standard Bank Malawi; Standard Bank; Stanbic; Std Bank
    NBS Bank; NBS; New Building Society
    FDH Bank; FDH; First Discount House
    First Capital Bank; FCB; First Merchant Bank; FMB
    Airtel Money; Airtel; Airtel Malawi
    TNM Mpamba; Mpamba; TNM; Telekom Networks Malawi
  `,
  // Mexico. Source: the Banco de México: participants of SPEI with their keys.
  MX: `
    BBVA México; BBVA; Bancomer; BBVA Bancomer | 40012
    Banamex; Citibanamex; Banco Nacional de México; Citi Banamex | 40002
    Banorte; Banco Mercantil del Norte; Ixe; IXE Banco | 40072
    Santander México; Santander; Banco Santander | 40014
    HSBC México; HSBC; Bital | 40021
    BanCoppel; Coppel; Bancoppel | 40137
    STP; Sistema de Transferencias y Pagos | 90646
  `,
  // Nigeria. Source: the Central Bank of Nigeria: deposit money banks, microfinance and payment service
  // banks, mobile money operators; bank codes of the NUBAN scheme (CBN 2010, revised 2020).
  NG: `
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
  `,
  // Philippines. Source: the Bangko Sentral ng Pilipinas: list of supervised institutions.
  PH: `
    BDO Unibank; BDO; Banco de Oro
    Bank of the Philippine Islands; BPI
    Metrobank; Metropolitan Bank and Trust Company; MBTC; Metropolitan Bank
    Landbank; Land Bank of the Philippines; LBP; Land Bank
    UnionBank; Union Bank of the Philippines; UBP; Union Bank; Unionbank
    Security Bank; SBC; SECB
    GCash; G-Cash; Globe GCash; Mynt; G Cash
    Maya; PayMaya; Maya Philippines; Pay Maya
    GrabPay; Grab; Grab Pay
  `,
  // Rwanda. Source: the National Bank of Rwanda: licensed banks and payment service providers.
  RW: `
    Bank of Kigali; BK; BK Group
    I&M Bank Rwanda; I&M; I & M; IM Bank
    BPR Bank Rwanda; BPR; Banque Populaire du Rwanda; KCB; KCB Bank Rwanda; BPR-KCB
    Equity Bank Rwanda; Equity; Equity Bank; Cogebanque
    MTN MoMo; MTN; MoMo; MTN Mobile Money; MTN Rwanda; MTN Mobile
    Airtel Money; Airtel; Airtel Rwanda; Tigo; Airtel-Tigo
  `,
  // Senegal. Source: the BCEAO: list of credit and electronic money institutions of the WAEMU.
  SN: `
    Société Générale Sénégal; SGSN; SGBS; SG Sénégal; Société Générale; SG
    CBAO Groupe Attijariwafa Bank; CBAO; Attijari; Attijariwafa; CBAO Attijari
    Banque de l'Habitat du Sénégal; BHS; Banque de l'Habitat
    Ecobank Sénégal; Ecobank; Eco Bank
    Orange Money; OM; Orange; Orange Sénégal; O. Money
    Wave; Wave Mobile Money; Wave Sénégal
    Free Money; Free; Tigo Cash; Tigo; Mixx; Yas
  `,
  // Tanzania. Source: the Bank of Tanzania: directory of banks, licensed payment system providers; Vodacom,
  // Yas (Tigo until 2024), Halotel.
  TZ: `
    CRDB Bank; CRDB; Cooperative and Rural Development Bank
    NMB Bank; NMB; National Microfinance Bank
    NBC Bank; NBC; National Bank of Commerce
    Exim Bank Tanzania; Exim; Exim Bank
    Azania Bank; Azania; ABL
    Standard Chartered Bank Tanzania; Stanchart; Standard Chartered
    Stanbic Bank Tanzania; Stanbic
    Absa Bank Tanzania; Absa; Barclays; Barclays Bank
    M-Pesa (Vodacom); M-Pesa; MPESA; Vodacom; Vodacom M-Pesa; Voda; Vodacom Tanzania; M-Pesa Vodacom
    Mixx by Yas; Tigo Pesa; TigoPesa; Tigo; Yas; Mixx; Tigo Mixx; Zantel; Ezypesa; Tigo-Pesa
    Airtel Money; Airtel; Airtel Tanzania; Airtel TZ
    HaloPesa; Halotel; Halo Pesa; Halo
  `,
  // Uganda. Source: the Bank of Uganda: supervised institutions, licensed payment system operators.
  UG: `
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
  `,
  // South Africa. Source: the South African Reserve Bank, Prudential Authority: registered banks; universal
  // branch codes.
  ZA: `
    Absa Bank; Absa; ABSA | 632005
    Capitec Bank; Capitec | 470010
    First National Bank; FNB; FirstRand | 250655
    Nedbank; Ned Bank; Nedcor | 198765
    Standard Bank; Standard Bank of South Africa; SBSA; Std Bank | 051001
    TymeBank; Tyme; Tyme Bank | 678910
    Investec Bank; Investec | 580105
    African Bank | 430000
    Discovery Bank; Discovery | 679000
    Bidvest Bank; Bidvest | 462005
  `,
  // Zambia. Source: the Bank of Zambia: registered commercial banks and payment system businesses.
  ZM: `
    Zanaco; Zambia National Commercial Bank; ZNCB
    Stanbic Bank Zambia; Stanbic
    FNB Zambia; FNB; First National Bank; First National Bank Zambia
    Absa Bank Zambia; Absa; Barclays; Barclays Bank Zambia; Barclays
    Standard Chartered Bank Zambia; Stanchart; Standard Chartered
    Atlas Mara; BancABC; Finance Bank; Access Bank Zambia; Access
    MTN MoMo; MTN; MoMo; MTN Money; MTN Mobile Money; MTN Zambia; MTN ZM
    Airtel Money; Airtel; Airtel Zambia; Airtel ZM
    Zamtel Money; Zamtel; Zamtel Kwacha; Kwacha; Zamtel Mobile Money
  `,
};

/** The countries that have such a table. */
export const countriesWithInstitutions: readonly string[] = Object.keys(tables);

/** An institution by its names, of which the first is its formal one. */
interface NamedInstitution {
  readonly names: readonly string[];
  readonly code: string | null;
}

const known = new Map<string, readonly NamedInstitution[]>();

/**
 * The institutions of a country with their other names; none for a country without a table.
 * @param country ISO 3166-1 alpha-2
 */
export function institutionNames(country: string): readonly NamedInstitution[] {
  const kept = known.get(country);
  if (kept !== undefined) return kept;
  const lines = (tables[country] ?? '').split('\n').filter((line) => line.trim() !== '');
  const institutions = lines.map((line): NamedInstitution => {
    const [names = '', code] = line.split('|');
    return { names: names.split(';').map((name) => name.trim()), code: code?.trim() ?? null };
  });
  known.set(country, institutions);
  return institutions;
}

/** The codes of a country's bank with this name; none where it is not known. */
export function codesOfBank(name: string, country: string): readonly string[] {
  const wanted = name.trim().toLowerCase();
  return institutionNames(country)
    .filter(({ names }) => names.some((own) => own.toLowerCase() === wanted))
    .flatMap(({ code }) => (code === null ? [] : [code]));
}
