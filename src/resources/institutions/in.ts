/**
 * What institutions of India are called: a line has their formal name, then short, former and other names, and
 * behind the bar their code. Source: the Reserve Bank of India: scheduled commercial banks; the first four letters of their IFSC. As of 2026-11.
 */
export const inInstitutions = `
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
`;
