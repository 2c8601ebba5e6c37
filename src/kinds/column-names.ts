/**
 * What others call paybatch's own columns, by language: the one table of them. Case, accents, spaces and signs do not count
 * (`A/C No.`, `a c no`), and `#` reads as `no`. A name may belong to several columns: then the values of the
 * column, the other columns of the file, or a person decide.
 */

/** The languages in which columns are named; Norwegian is listed with Danish. */
type Language =
  | 'cs'
  | 'da'
  | 'de'
  | 'en'
  | 'es'
  | 'fi'
  | 'fr'
  | 'hu'
  | 'it'
  | 'nl'
  | 'pl'
  | 'pt'
  | 'ro'
  | 'sv'
  | 'sw'
  | 'tr';

/** The names of one column, by language; a language without a name of its own is left out. */
export type Synonyms = Readonly<Partial<Record<Language, readonly string[]>>>;

/** Names separated by semicolons, which keeps the table readable. */
function names(text: string): readonly string[] {
  return text
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

export const columnNames = {
  accountKind: {
    en: names(`account type; acc type; kind of account`),
    de: names(`kontoart; kontotyp`),
    fr: names(`type de compte`),
    pt: names(`tipo de conta`),
    sw: names(`aina ya akaunti`),
    pl: names(`typ konta; rodzaj konta`),
  },
  accountName: {
    en: names(
      `payee; payee name; beneficiary; beneficiary name; account holder; account holder name; holder; holder name; recipient; recipient name; name; full name; sort name; name on account; account title; creditor; creditor name; payee full name; account holders name; name of beneficiary; name of payee; customer name; employee name; staff name; account owner name; a/c name; acc name; acct name; bank account name; receiver; receiver name; supplier; supplier name; vendor; vendor name; staff names; worker name; participant; participant name; beneficiary full name; names; full names; trading name; trading as; company name; business name; payee/beneficiary; account in name of; remit to name; merchant name; driver name; farmer name; teacher name; student name; member name`,
    ),
    de: names(
      `kontoinhaber; kontoinhaberin; name des kontoinhabers; empfänger; empfaenger; empfängername; name des empfängers; begünstigter; beguenstigter; name des begünstigten; zahlungsempfänger; zahlungsempfaenger; name; name/firma; firma; firmenname; lieferant; name des lieferanten; mitarbeiter; honorarempfänger; auftragnehmer`,
    ),
    fr: names(
      `bénéficiaire; nom du bénéficiaire; titulaire; titulaire du compte; nom du titulaire; nom complet; destinataire; nom du destinataire; intitulé du compte; nom ou raison sociale; raison sociale; fournisseur; nom du fournisseur; nom et prénom; nom et prénoms; nom prénom; salarié; employé`,
    ),
    es: names(
      `razón social; nombre o razón social; nombre completo; nombre y apellidos; beneficiario; nombre del beneficiario; titular; titular de la cuenta; nombre del titular; proveedor; nombre del proveedor; acreedor; empleado; nombre; destinatario`,
    ),
    it: names(
      `ragione sociale; beneficiario; nome beneficiario; intestatario; intestatario del conto; intestazione; fornitore; nome del fornitore; nominativo; nome e cognome; cognome e nome; denominazione; dipendente; beneficiario/ragione sociale; creditore; cliente; nome e cognome / ragione sociale`,
    ),
    nl: names(
      `naam; naam begunstigde; begunstigde; naam rekeninghouder; rekeninghouder; ten name van; tenaamstelling; leverancier; naam leverancier; bedrijfsnaam; volledige naam; crediteur; medewerker; naam crediteur; naam debiteur; naam medewerker; naam bedrijf; begunstigde naam; klantnaam`,
    ),
    pt: names(
      `beneficiário; nome do beneficiário; titular; titular da conta; nome do titular; nome completo; destinatário; favorecido; nome do favorecido; razão social; fornecedor; nome do fornecedor; funcionário; colaborador; nome/razão social`,
    ),
    sw: names(
      `jina; jina kamili; jina la akaunti; mpokeaji; jina la mpokeaji; mlipwaji; jina la mlipwaji; mwenye akaunti; majina; jina la mkulima; jina la mfanyakazi; jina la mteja; majina kamili; jina la mnufaika; mnufaika; jina la mhusika`,
    ),
    cs: names(
      `název; jméno; příjemce; název příjemce; jméno příjemce; majitel účtu; dodavatel; název dodavatele; firma; zaměstnanec; jméno a příjmení; název firmy; obchodní firma`,
    ),
    da: names(
      `navn; modtager; modtagers navn; modtagernavn; betalingsmodtager; mottaker; mottakers navn; kontohaver; kontoindehaver; kontoeier; leverandør; leverandørnavn; firma; firmanavn; medarbejder; ansatt; fulde navn; fullt navn`,
    ),
    fi: names(
      `nimi; saaja; saajan nimi; maksunsaaja; tilinhaltija; toimittaja; toimittajan nimi; yritys; yrityksen nimi; työntekijä; koko nimi`,
    ),
    hu: names(
      `név; kedvezményezett; kedvezményezett neve; számlatulajdonos; partner; partner neve; szállító; szállító neve; cégnév; dolgozó neve; teljes név`,
    ),
    pl: names(
      `nazwa; nazwa odbiorcy; odbiorca; nazwa kontrahenta; kontrahent; beneficjent; imię i nazwisko; imię i nazwisko/nazwa; nazwisko i imię; posiadacz rachunku; właściciel rachunku; dostawca; nazwa dostawcy; pracownik; nazwa firmy; firma`,
    ),
    ro: names(
      `nume; beneficiar; nume beneficiar; denumire; denumire beneficiar; titular; titular cont; furnizor; denumire furnizor; angajat; nume și prenume; nume complet; societate`,
    ),
    sv: names(
      `namn; mottagare; mottagarens namn; betalningsmottagare; kontohavare; kontoinnehavare; leverantör; leverantörsnamn; företag; företagsnamn; anställd; fullständigt namn; för- och efternamn`,
    ),
    tr: names(
      `ad soyad; adı soyadı; isim; alıcı; alıcı adı; hesap sahibi; unvan; ünvan; firma; firma adı; tedarikçi; tedarikçi adı; personel; çalışan; cari adı; cari ünvan; şirket adı`,
    ),
  },
  accountNumber: {
    en: names(
      `a/c no; a/c; a/c number; acc no; acct no; acct; account no; account; bank account; bank account no; bank account number; account #; beneficiary account; beneficiary account no; beneficiary account number; nuban; nuban number; a/c no.; acc number; acct number; ac no; ac number; account num; beneficiary a/c no; bank a/c no; bank acc no; bank acct; bank a/c; account no/nuban; nuban account; account nos; acct nr; a/c nos; bank account nr; account or wallet number; account/wallet`,
    ),
    de: names(`kontonummer; konto; konto nr; kontonr; konto-nr.; bankkonto; nummer des kontos`),
    fr: names(
      `numéro de compte; n° de compte; no de compte; compte; compte bancaire; numéro du compte; num compte; rib`,
    ),
    es: names(
      `número de cuenta; cuenta; nº de cuenta; no. de cuenta; cuenta bancaria; num cuenta; clabe; cuenta clabe; cbu`,
    ),
    it: names(`numero di conto; conto; conto corrente; numero conto; c/c; n. conto; conto bancario`),
    nl: names(`rekeningnummer; rekening; bankrekening; bankrekeningnummer; rekeningnr`),
    pt: names(
      `número da conta; nº da conta; conta; conta bancária; n.º de conta; número de conta; num conta; conta corrente; nº conta`,
    ),
    sw: names(
      `namba ya akaunti; nambari ya akaunti; akaunti; akaunti namba; akaunti ya benki; nambari ya akaunti ya benki; namba ya akaunti ya benki`,
    ),
    cs: names(`číslo účtu; č. účtu; účet; bankovní účet; bankovní spojení`),
    da: names(`kontonummer; kontonr; konto; bankkonto; bankkontonummer`),
    fi: names(`tilinumero; tili; tilinro; pankkitili`),
    hu: names(`számlaszám; bankszámlaszám; bankszámla`),
    pl: names(
      `numer rachunku; nr rachunku; numer konta; nr konta; rachunek; rachunek bankowy; konto; konto bankowe; nrb`,
    ),
    ro: names(`cont; nr. cont; număr cont; cont bancar; numărul contului`),
    sv: names(`kontonummer; kontonr; konto; bankkonto; bankkontonummer`),
    tr: names(`hesap no; hesap numarası; hesap; banka hesabı; banka hesap no`),
  },
  accountOwnerType: {
    en: names(
      `owner type; account owner; holder type; account holder type; owner kind; entity type; holder kind; person or company; individual or company; individual/company; individual or business; business or individual; entity; legal form; legal entity type; vendor type; supplier type; customer class; payee class; ownership; company/individual; natural or legal person`,
    ),
    de: names(
      `art des kontoinhabers; inhabertyp; kontoinhabertyp; art; privat/firma; privat oder firma; kundenart; rechtsform; personenart; kundentyp`,
    ),
    fr: names(
      `type de titulaire; type du titulaire; nature juridique; type de personne; particulier/société; catégorie juridique; forme juridique; statut juridique; personne`,
    ),
    es: names(
      `clase; tipo de titular; tipo de persona; persona; naturaleza jurídica; tipo; clase de persona; forma jurídica`,
    ),
    it: names(`tipo soggetto; tipo persona; natura giuridica; tipologia; forma giuridica; tipo cliente`),
    nl: names(`soort; type rekeninghouder; soort persoon; rechtsvorm; particulier/zakelijk; soort klant`),
    pt: names(`tipo de titular; tipo do titular; tipo de pessoa; natureza jurídica; pf/pj; tipo pessoa`),
    sw: names(`aina ya mmiliki`),
    cs: names(`typ subjektu; právní forma; typ osoby; typ zákazníka; osoba/firma`),
    da: names(`kundetype; privat/erhverv; privat/bedrift; selskabsform; selskapsform; mottakertype`),
    fi: names(`asiakastyyppi; tyyppi; yhtiömuoto; yritysmuoto; henkilö/yritys; saajan tyyppi`),
    hu: names(`partner típusa; jogi forma; ügyféltípus`),
    pl: names(
      `rodzaj; typ kontrahenta; rodzaj kontrahenta; forma prawna; typ podmiotu; osoba/firma; osoba fizyczna/firma; rodzaj podmiotu`,
    ),
    ro: names(`tip persoană; tip client; formă juridică; pf/pj; tip entitate`),
    sv: names(`kundtyp; typ; privat/företag; juridisk form; mottagartyp`),
    tr: names(`kişi türü; müşteri türü; müşteri tipi; hesap sahibi türü; gerçek/tüzel; şahıs/firma`),
  },
  accountType: {
    en: names(
      `type of account; acct type; a/c type; acc type; kind of account; checking or savings; c/s; chk/sav; ck/sv; chk or sav; checking/savings; acct kind; account class; type of acct; dda/sav`,
    ),
    de: names(`kontoart; kontotyp; art des kontos`),
    fr: names(`type de compte; nature du compte`),
    es: names(`tipo de cuenta; clase de cuenta`),
    it: names(`tipo di conto; tipo conto`),
    nl: names(`soort rekening; type rekening`),
    pt: names(`tipo de conta; tipo da conta; tipo conta`),
    sw: names(`aina ya akaunti`),
    cs: names(`typ účtu; druh účtu`),
    da: names(`kontotype; type konto`),
    fi: names(`tilityyppi; tilin tyyppi`),
    hu: names(`számla típusa`),
    pl: names(`typ rachunku; rodzaj rachunku`),
    ro: names(`tip cont`),
    sv: names(`kontotyp; typ av konto`),
    tr: names(`hesap türü; hesap tipi`),
  },
  addressLine1: {
    en: names(
      `address; address 1; street; street address; address line; beneficiary address; street and number; street name; addr; addr 1; address line one; postal address; residential address; home address; mailing address; remit-to street; remit to street; remit to address; address street; bill to address; mailing street; street line 1; physical address; street address 1; address 1 street`,
    ),
    de: names(
      `straße; strasse; straße und hausnummer; strasse und hausnummer; straße hausnummer; strasse hausnummer; straße nr; anschrift; adresse; adresszeile 1; strasse + hausnr.; strasse und hausnr; straße + hausnr.; straße, nr.; strasse/nr; str.; anschrift 1; straße und nr`,
    ),
    fr: names(
      `adresse; rue; adresse 1; adresse ligne 1; numéro et rue; adresse postale; n° et rue; numéro et voie; voie; n° et voie; adresse 1re ligne; no et rue`,
    ),
    es: names(`domicilio; dirección; calle; calle y número; dirección 1; dirección postal; calle y nº; vía`),
    it: names(`indirizzo; via; via e numero; via/piazza; indirizzo 1; via e n. civico`),
    nl: names(
      `adres; straat; straat en huisnummer; straatnaam; straat + huisnummer; adresregel 1; straat + nr`,
    ),
    pt: names(`endereço; morada; rua; logradouro; endereço 1; morada 1; endereço completo; rua e número`),
    sw: names(`anwani; mtaa; anwani 1`),
    cs: names(`adresa; ulice; ulice a číslo; ulice a č.p.; adresa 1`),
    da: names(`adresse; gade; gadenavn; vejnavn; gate; gateadresse; adresse 1; gade og nr; postadresse`),
    fi: names(`osoite; katuosoite; lähiosoite; katu; postiosoite`),
    hu: names(`cím; utca; utca, házszám; utca és házszám`),
    pl: names(`adres; ulica; ulica i nr; ulica i numer; ulica, nr; ulica i nr domu; adres 1`),
    ro: names(`adresă; adresa; stradă; strada; strada și numărul`),
    sv: names(`adress; gatuadress; gata; postadress; adress 1; utdelningsadress`),
    tr: names(`adres; açık adres; cadde; sokak; adres 1`),
  },
  addressLine2: {
    en: names(
      `address 2; street 2; apartment; unit; address line two; addr 2; apt; suite; floor; flat; street address 2`,
    ),
    de: names(`adresszusatz; zusatz; adresszeile 2; adresse 2`),
    fr: names(`complément d'adresse; complément; adresse 2; adresse ligne 2`),
    es: names(`piso; dirección 2; complemento; puerta`),
    it: names(`interno; indirizzo 2; scala`),
    nl: names(`toevoeging; adresregel 2; huisnummer toevoeging`),
    pt: names(`complemento; endereço 2; morada 2; compl.; compl`),
    sw: names(`anwani 2`),
    cs: names(`adresa 2`),
    da: names(`adresse 2; c/o`),
    fi: names(`osoite 2; osoiterivi 2`),
    pl: names(`adres 2; nr lokalu; mieszkanie; lokal`),
    ro: names(`bloc/apartament; apartament`),
    sv: names(`adress 2; c/o; co-adress`),
    tr: names(`adres 2; daire`),
  },
  amount: {
    en: names(
      `amt; sum; value; total; collection amount; payout amount; payment amount; net pay; net amount; net salary; pay; amount due; amount to pay; amount payable; payable; transfer amount; disbursement amount; payout; net amt; amt due; amt payable; total payable; net payable; total to pay; total due; this month; amount payable this month; balance due; invoice amount; amount outstanding; outstanding; net; total amount; stipend amount; to be paid; grand total; total net pay; net wages; take home; take home pay; amount in; pay amount; pmt amount; open amount; gross to net; arrears; amount in arrears; rent due; fees due; amount owed; amount owing; balance owing; balance; closing balance; wages; salary; premium due; instalment; installment`,
    ),
    de: names(
      `betrag; summe; zahlbetrag; auszahlungsbetrag; überweisungsbetrag; ueberweisungsbetrag; nettobetrag; wert; auszahlung; honorar brutto; zu zahlen; zahlbetrag brutto; endbetrag; gesamtbetrag; rechnungsbetrag; offener betrag; nettolohn; auszahlungssumme`,
    ),
    fr: names(
      `montant; somme; montant à payer; montant net; valeur; ttc; montant ttc; net à payer; total ttc; à payer; montant dû; total à payer; solde dû; montant à régler`,
    ),
    es: names(
      `importe; importe total; monto; total a pagar; cantidad; neto a pagar; líquido a percibir; importe a pagar; importe líquido; total; saldo pendiente`,
    ),
    it: names(
      `importo; importo totale; totale; netto a pagare; importo netto; totale da pagare; da pagare; totale dovuto; importo da pagare; importo bonifico; saldo; netto da pagare; importo dovuto; netto in busta`,
    ),
    nl: names(
      `bedrag; totaal; te betalen; nettobedrag; totaalbedrag; te betalen bedrag; factuurbedrag; uit te betalen; openstaand; openstaand bedrag; saldo; nettoloon; netto uit te betalen`,
    ),
    pt: names(
      `valor; montante; quantia; valor a pagar; valor líquido; valor líquido a pagar; valor total; total a pagar; salário líquido; importância; líquido`,
    ),
    sw: names(
      `kiasi; kiasi cha malipo; jumla; malipo; fedha; jumla ya malipo; kiasi halisi; malipo halisi; kiasi cha kulipwa; jumla ya kulipwa; mshahara; mshahara halisi; stahiki; kiasi kinacholipwa`,
    ),
    cs: names(
      `částka; k úhradě; částka k úhradě; celkem; celkem k úhradě; k výplatě; suma; zbývá uhradit; čistá mzda`,
    ),
    da: names(
      `beløb; beløp; sum; at betale; å betale; til betaling; til udbetaling; til utbetaling; nettobeløb; nettobeløp; samlet beløb; totalbeløp; fakturabeløb; fakturabeløp; restbeløb`,
    ),
    fi: names(
      `summa; määrä; maksettava; maksettava määrä; maksettavaa; loppusumma; yhteensä; laskun summa; nettosumma; avoin summa`,
    ),
    hu: names(`összeg; fizetendő; fizetendő összeg; utalandó összeg; végösszeg; nettó bér; egyenleg`),
    pl: names(
      `kwota; kwota do zapłaty; do zapłaty; wartość; suma; kwota brutto; razem do zapłaty; kwota przelewu; do wypłaty; kwota do wypłaty; należność; saldo do zapłaty`,
    ),
    ro: names(
      `sumă; suma; suma de plată; total de plată; de plată; valoare; total; salariu net; net de plată`,
    ),
    sv: names(
      `belopp; summa; att betala; belopp att betala; nettobelopp; totalbelopp; fakturabelopp; att utbetala; nettolön; restbelopp`,
    ),
    tr: names(
      `tutar; ödenecek tutar; toplam; ödeme tutarı; net tutar; net ödenecek; net maaş; genel toplam; bakiye`,
    ),
  },
  bankName: {
    en: names(
      `bank; beneficiary bank; beneficiary bank name; name of bank; bank of beneficiary; receiving bank; payee's bank; payee bank; bank name and branch; name of the bank; bank/branch; vendor bank; rdfi; receiving bank name`,
    ),
    de: names(
      `bankname; kreditinstitut; name der bank; geldinstitut; bankverbindung; bankinstitut; institut; name des kreditinstituts; hausbank`,
    ),
    fr: names(
      `banque; nom de la banque; établissement bancaire; domiciliation; nom banque; établissement; agence bancaire`,
    ),
    es: names(`entidad; entidad bancaria; banco; nombre del banco; entidad financiera; banco/entidad`),
    it: names(`banca; istituto; istituto bancario; nome banca; banca di appoggio; banca d’appoggio`),
    nl: names(`bank; naam bank; banknaam`),
    pt: names(`banco; nome do banco; nome banco; instituição bancária`),
    sw: names(`benki; jina la benki`),
    cs: names(`banka; název banky`),
    da: names(`bank; banknavn; bankens navn`),
    fi: names(`pankki; pankin nimi`),
    hu: names(`bank neve; bank`),
    pl: names(`bank; nazwa banku; bank odbiorcy`),
    ro: names(`bancă; banca; nume bancă; denumire bancă`),
    sv: names(`bank; bankens namn; banknamn`),
    tr: names(`banka; banka adı; bankanın adı`),
  },
  blockchainNetwork: {
    en: names(`network; blockchain; chain; crypto network; blockchain name`),
    de: names(`netzwerk; blockchain netzwerk`),
    fr: names(`réseau; réseau blockchain`),
    pt: names(`rede; rede blockchain`),
    sw: names(`mtandao`),
  },
  city: {
    en: names(
      `town; city town; locality; city/town; place; municipality; suburb; remit-to city; remit to city; address city; mailing city; city name; bill to city`,
    ),
    de: names(`ort; stadt; wohnort; ortschaft; wohnort/stadt; gemeinde`),
    fr: names(`ville; localité; commune; ville/commune; bureau distributeur`),
    es: names(`población; ciudad; localidad; municipio`),
    it: names(`città; comune; località`),
    nl: names(`plaats; woonplaats; plaatsnaam; stad; gemeente; woonplaats/plaats; vestigingsplaats`),
    pt: names(`cidade; localidade; município; cidade/uf`),
    sw: names(`mji; jiji; mahali; kata`),
    cs: names(`město; obec; místo`),
    da: names(`bynavn; poststed`),
    fi: names(`kaupunki; paikkakunta; postitoimipaikka; kunta`),
    hu: names(`város; település; helység`),
    pl: names(`miasto; miejscowość; poczta`),
    ro: names(`oraș; localitate; oraș/localitate; municipiu`),
    sv: names(`ort; stad; postort`),
    tr: names(`şehir; il; ilçe`),
  },
  clientCustomerId: {
    en: names(`our customer no; our customer id; customer label`),
    de: names(`unsere kundennummer`),
    fr: names(`notre numéro client`),
    pt: names(`nosso número de cliente`),
    sw: names(`namba yetu ya mteja`),
  },
  clientReference: {
    en: names(
      `reference; ref; our reference; invoice; invoice no; invoice number; order no; order number; payment reference; collection reference; bill no; bill number; transaction reference; receipt no; inv no; inv #; inv. no; inv; document no; doc no; document number; voucher no; contract no; policy no; loan no; account reference; payment ref; transaction no`,
    ),
    de: names(
      `referenz; rechnungsnummer; rechnungsnr; rechnung; verwendungszweck; auftragsnummer; belegnummer; rechnungs-nr; re-nr; beleg-nr; vertragsnummer`,
    ),
    fr: names(
      `référence; numéro de facture; n° de facture; facture; numéro de commande; n° facture; facture n°; réf facture; pièce; n° pièce`,
    ),
    es: names(`factura; nº factura; número de factura; nº de factura; referencia; nº documento; documento`),
    it: names(`fattura; numero fattura; n. fattura; riferimento; n. documento`),
    nl: names(`factuurnummer; factuur; factuurnr; kenmerk; referentie`),
    pt: names(
      `referência; número da fatura; fatura; nº da fatura; número do pedido; nº fatura; nota fiscal; documento`,
    ),
    sw: names(`kumbukumbu; namba ya ankara; ankara; namba ya risiti; nambari ya ankara`),
    cs: names(`číslo faktury; č. faktury; faktura; variabilní symbol; číslo dokladu`),
    da: names(`fakturanummer; fakturanr; faktura; reference; referanse; bilagsnummer`),
    fi: names(`laskunumero; laskun numero; lasku; viite; viitenumero; tositenumero`),
    hu: names(`számla sorszáma; bizonylatszám; hivatkozás; számla száma`),
    pl: names(`numer faktury; nr faktury; faktura; nr dokumentu; numer dokumentu; tytuł; referencje`),
    ro: names(`nr. factură; număr factură; factură; factura; referință; nr. document`),
    sv: names(`fakturanummer; fakturanr; faktura; referens; ocr; verifikationsnummer`),
    tr: names(`fatura no; fatura numarası; fatura; referans; belge no`),
  },
  country: {
    en: names(
      `country code; country iso; iso country; country of residence; beneficiary country; nation; country name; ctry; country/region; mailing country; remit to country`,
    ),
    de: names(`land; staat; ländercode; laendercode; wohnsitzland; länderkürzel`),
    fr: names(`pays; code pays; pays de résidence`),
    es: names(`país; pais; código de país`),
    it: names(`paese; nazione; stato; stato/paese; cod. paese`),
    nl: names(`land; landcode`),
    pt: names(`país; código do país; país de residência`),
    sw: names(`nchi`),
    cs: names(`země; kód země`),
    da: names(`land; landekode; landkode`),
    fi: names(`maa; maakoodi`),
    hu: names(`ország; országkód`),
    pl: names(`kraj; państwo; kod kraju`),
    ro: names(`țară; țara; cod țară`),
    sv: names(`land; landskod`),
    tr: names(`ülke; ülke kodu`),
  },
  currency: {
    en: names(
      `ccy; cur; curr; currency code; account currency; payout currency; currency iso; iso currency; payment currency`,
    ),
    de: names(`währung; waehrung; währungscode; whg`),
    fr: names(`devise; monnaie; code devise`),
    es: names(`moneda; divisa`),
    it: names(`valuta; divisa`),
    nl: names(`valuta; munt`),
    pt: names(`moeda; divisa; código da moeda`),
    sw: names(`sarafu`),
    cs: names(`měna; kód měny`),
    da: names(`valuta; valutakode`),
    fi: names(`valuutta`),
    hu: names(`pénznem; deviza`),
    pl: names(`waluta; kod waluty`),
    ro: names(`monedă; moneda; valută; valuta`),
    sv: names(`valuta; valutakod`),
    tr: names(`para birimi; döviz; döviz cinsi`),
  },
  customerExternalId: {
    en: names(
      `external id; customer ref; customer reference; client ref; client id; client no; customer no; customer number; customer code; external customer id; member no; member id; staff no; employee no; employee id; payroll no; membership no; vendor no; vendor number; vendor #; vendor id; vendor code; vendor ref; supplier no; supplier number; supplier id; supplier code; cust no; cust code; cust #; cust id; customer #; debtor code; debtor no; debtor number; account code; payee id; payee code; payee no; beneficiary id; beneficiary code; participant code; participant no; participant id; emp no; emp id; empl id; personnel no; personnel number; worker id; driver id; farmer no; farmer id; agent code; agent id; dealer code; student no; code; ref no; file no; pf no; p/no; staff code; staff ref; employee code; employee ref; person id; crm id; record id; member code; creditor no; creditor code`,
    ),
    de: names(
      `kundennummer; kundennr; kunden-nr.; mitgliedsnummer; personalnummer; kd-nr; kd.-nr.; kdnr; kunden-nr; kundennr.; lieferantennummer; lieferanten-nr; lief.-nr.; liefnr; kreditor; kreditorennummer; debitor; debitorennummer; personal-nr; pers.-nr.; mitarbeiternummer; mitarbeiter-nr; vertragspartner-nr`,
    ),
    fr: names(
      `numéro client; n° client; référence client; code client; matricule; code; code fournisseur; n° fournisseur; numéro fournisseur; réf. fournisseur; code tiers; compte tiers; n° adhérent; code adhérent; n° salarié; code salarié; identifiant; réf client`,
    ),
    es: names(
      `nº proveedor; número de proveedor; código de proveedor; código proveedor; nº cliente; número de cliente; código cliente; código de cliente; código; código empleado; nº empleado; legajo; matrícula; nº socio; id cliente; id proveedor; ref. cliente`,
    ),
    it: names(
      `codice; codice cliente; codice fornitore; cod. cliente; cod. fornitore; n. cliente; matricola; numero cliente; id cliente; codice dipendente; cod. forn.; cod. cli.; cod. anagrafica; codice anagrafica; n. fornitore; numero fornitore`,
    ),
    nl: names(
      `klantnummer; klantnr; klantcode; leveranciersnummer; leveranciersnr; leveranciercode; crediteurnummer; debiteurnummer; crediteurnr; debiteurnr; personeelsnummer; lidnummer; relatienummer; code`,
    ),
    pt: names(
      `número do cliente; nº do cliente; código do cliente; referência do cliente; código; código do fornecedor; cód. fornecedor; cód. cliente; matrícula; nº do fornecedor; código cliente; id do cliente`,
    ),
    sw: names(
      `namba ya mteja; nambari ya mteja; namba ya mwanachama; namba ya mfanyakazi; namba ya msambazaji; namba ya mkulima; nambari ya mwanachama; namba ya mnufaika; namba ya utambulisho; nambari ya mfanyakazi; namba`,
    ),
    cs: names(
      `číslo zákazníka; č. zákazníka; číslo dodavatele; č. dodavatele; kód dodavatele; kód zákazníka; osobní číslo; kód`,
    ),
    da: names(
      `kundenummer; kundenr; leverandørnummer; leverandørnr; medarbejdernr; ansattnr; ansattnummer; medlemsnummer; medlemsnr; kode; kreditornr; debitornr`,
    ),
    fi: names(
      `asiakasnumero; asiakasnro; toimittajanumero; toimittajanro; henkilönumero; jäsennumero; tunnus; asiakastunnus; koodi`,
    ),
    hu: names(`ügyfélszám; partnerkód; szállítókód; törzsszám; azonosító; ügyfélkód`),
    pl: names(
      `nr kontrahenta; numer kontrahenta; kod kontrahenta; nr klienta; numer klienta; kod klienta; nr dostawcy; kod dostawcy; nr pracownika; numer pracownika; identyfikator; kod; id klienta; symbol kontrahenta`,
    ),
    ro: names(`cod client; nr. client; cod furnizor; nr. furnizor; marcă; cod angajat; cod partener; cod`),
    sv: names(
      `kundnummer; kundnr; leverantörsnummer; leverantörsnr; lev.nr; anställningsnummer; anställningsnr; medlemsnummer; medlemsnr; kod; kund-id`,
    ),
    tr: names(
      `müşteri no; müşteri numarası; müşteri kodu; cari kodu; cari no; tedarikçi kodu; tedarikçi no; sicil no; personel no; kod`,
    ),
  },
  customerId: {
    en: names(`customer uuid; client uuid; api customer id`),
    de: names(`kunden-uuid`),
    fr: names(`uuid client`),
    pt: names(`uuid do cliente`),
    sw: names(`kitambulisho cha mteja`),
  },
  customerType: {
    en: names(`customer type; client type; kind of customer`),
    de: names(`kundentyp; kundenart`),
    fr: names(`type de client`),
    pt: names(`tipo de cliente`),
    sw: names(`aina ya mteja`),
    pl: names(`typ klienta; rodzaj klienta`),
  },
  dateOfBirth: {
    en: names(`dob; birth date; birthdate; birthday; date of birth; born; d.o.b.; birth; day of birth`),
    de: names(`geburtsdatum; geburtstag; geb. datum; geb. am; geboren; geboren am`),
    fr: names(`date de naissance; né le; née le; naissance`),
    es: names(`fecha de nacimiento; fecha nacimiento; f. nacimiento; nacimiento; fec. nac.`),
    it: names(`data di nascita; nato il; nascita; data nascita`),
    nl: names(`geboortedatum; geb. datum; geboren op`),
    pt: names(`data de nascimento; nascimento; data nasc.; dt nascimento; data de nasc.; dt. nasc.`),
    sw: names(`tarehe ya kuzaliwa`),
    cs: names(`datum narození; narozen; nar.`),
    da: names(`fødselsdato; født; fødselsdag`),
    fi: names(`syntymäaika; syntymäpäivä`),
    hu: names(`születési dátum; született; születési idő`),
    pl: names(`data urodzenia; data ur.; urodzony`),
    ro: names(`data nașterii; născut la`),
    sv: names(`födelsedatum; född; födelsedag`),
    tr: names(`doğum tarihi; d. tarihi`),
  },
  destinationId: {
    en: names(`destination; account id; destination account; destination account id; receiving account id`),
    de: names(`zielkonto`),
    fr: names(`compte de destination`),
    pt: names(`conta de destino`),
    sw: names(`akaunti lengwa`),
  },
  destinationLabel: {
    en: names(
      `account label; account; account name; wallet; receiving account; collection account; destination account; credit account; into account; deposit to`,
    ),
    de: names(`kontobezeichnung`),
    fr: names(`libellé du compte`),
    pt: names(`nome da conta`),
    sw: names(`jina la akaunti lengwa`),
  },
  destinationType: {
    en: names(`kind of destination`),
    de: names(`zielart`),
    fr: names(`type de destination`),
    pt: names(`tipo de destino`),
    sw: names(`aina ya lengo`),
  },
  email: {
    en: names(
      `mail; email address; mail address; e mail address; email id; contact email; e-mail address; e mail`,
    ),
    de: names(`e-mail; e-mail-adresse; mailadresse`),
    fr: names(`courriel; adresse e-mail; adresse électronique; mél; adresse mail`),
    es: names(`correo; correo electrónico; email`),
    it: names(`posta elettronica; indirizzo email`),
    nl: names(`e-mailadres; mailadres`),
    pt: names(`correio eletrónico; correio eletrônico; endereço de e-mail`),
    sw: names(`barua pepe`),
    cs: names(`e-mailová adresa; e-mail`),
    da: names(`e-mail; e-mailadresse; e-post; e-postadresse; epost`),
    fi: names(`sähköposti; sähköpostiosoite`),
    hu: names(`e-mail cím; e-mail`),
    pl: names(`adres e-mail; e-mail; poczta elektroniczna`),
    ro: names(`adresă e-mail; adresă de e-mail`),
    sv: names(`e-post; e-postadress; epost; mejl`),
    tr: names(`e-posta; e-posta adresi; eposta`),
  },
  externalId: {
    en: names(
      `customer ref; customer reference; client ref; client id; client no; customer no; customer number; customer code; customer external id; external ref; reference; ref; member no; member id; id; staff no; employee no; employee id; payroll no; membership no; record id; contact id; crm id; cust no; cust #; cust code; cust id; account no; account number; vendor id; customer #; unique id; user id; code`,
    ),
    de: names(
      `kundennummer; kundennr; kunden-nr.; mitgliedsnummer; personalnummer; referenz; kd-nr; kundennr.; kunden-id; debitor`,
    ),
    fr: names(
      `numéro client; n° client; référence client; code client; matricule; référence; identifiant; code; n° adhérent`,
    ),
    es: names(
      `código; código cliente; código de cliente; nº cliente; número de cliente; id cliente; nº socio`,
    ),
    it: names(`codice; codice cliente; cod. cliente; numero cliente`),
    nl: names(`klantnummer; klantnr; relatienummer; lidnummer`),
    pt: names(
      `número do cliente; nº do cliente; código do cliente; referência do cliente; código; código cliente; cód. cliente; matrícula`,
    ),
    sw: names(`namba ya mteja; nambari ya mteja; namba ya mwanachama`),
    cs: names(`číslo zákazníka; č. zákazníka; kód zákazníka; kód`),
    da: names(`kundenummer; kundenr; medlemsnummer; medlemsnr; kunde-id`),
    fi: names(`asiakasnumero; asiakasnro; jäsennumero; asiakastunnus; tunnus`),
    hu: names(`ügyfélszám; ügyfélkód; azonosító; partnerkód`),
    pl: names(`nr klienta; numer klienta; kod klienta; identyfikator; id klienta; kod; nr kontrahenta`),
    ro: names(`cod client; nr. client; cod partener; id client; cod`),
    sv: names(`kundnummer; kundnr; medlemsnummer; medlemsnr; kund-id`),
    tr: names(`müşteri no; müşteri numarası; müşteri kodu; cari kodu; üye no`),
  },
  firstName: {
    en: names(
      `given name; forename; first; fname; name first; christian name; first names; given names; other names; other name; firstname; given`,
    ),
    de: names(`vorname; vornamen; rufname; vorname(n)`),
    fr: names(`prénom; prénoms; prénom usuel`),
    es: names(`nombre; nombres; nombre de pila; primer nombre`),
    it: names(`nome`),
    nl: names(`voornaam; voornamen; roepnaam`),
    pt: names(`nome próprio; primeiro nome; prenome; nome; nomes próprios`),
    sw: names(`jina la kwanza; majina mengine`),
    cs: names(`jméno; křestní jméno`),
    da: names(`fornavn; fornavne`),
    fi: names(`etunimi; etunimet; kutsumanimi`),
    hu: names(`keresztnév; utónév`),
    pl: names(`imię; imiona; pierwsze imię`),
    ro: names(`prenume`),
    sv: names(`förnamn; tilltalsnamn`),
    tr: names(`ad; adı; isim`),
  },
  gender: {
    en: names(`sex; gender m/f; sex m/f`),
    de: names(`geschlecht; anrede`),
    fr: names(`sexe; genre; civilité`),
    es: names(`sexo; género`),
    it: names(`sesso; genere`),
    nl: names(`geslacht`),
    pt: names(`sexo; género; gênero`),
    sw: names(`jinsia; jinsi`),
    cs: names(`pohlaví`),
    da: names(`køn; kjønn`),
    fi: names(`sukupuoli`),
    hu: names(`nem`),
    pl: names(`płeć`),
    ro: names(`sex; gen`),
    sv: names(`kön`),
    tr: names(`cinsiyet; cinsiyeti`),
  },
  iban: {
    en: names(
      `iban no; iban number; iban code; beneficiary iban; iban account; iban #; iban / account; account iban; iban/account`,
    ),
    de: names(`iban-nummer; iban nr; iban / konto; iban/kontonummer; iban-nr; iban nummer`),
    fr: names(`code iban; numéro iban; n° iban; iban du bénéficiaire`),
    es: names(`cuenta (iban); cuenta iban; nº iban; código iban; número de iban`),
    it: names(`codice iban; coordinate iban; iban beneficiario`),
    nl: names(`iban-nummer; iban rekeningnummer; iban begunstigde`),
    pt: names(`número iban; código iban; nº iban`),
    sw: names(`namba ya iban`),
    cs: names(`číslo účtu (iban); iban účtu`),
    da: names(`iban-nummer; iban-nr; iban nr`),
    fi: names(`iban-tilinumero; tilinumero (iban); iban-numero`),
    hu: names(`iban szám; iban számlaszám`),
    pl: names(`nr rachunku (iban); numer iban; nr iban; rachunek iban; konto iban`),
    ro: names(`cont iban; cod iban; nr. iban`),
    sv: names(`iban-nummer; iban nr`),
    tr: names(`iban no; iban numarası`),
  },
  institutionCountry: {
    en: names(`bank country; provider country; beneficiary bank country; country of bank`),
    de: names(`bankland; land der bank`),
    fr: names(`pays de la banque`),
    pt: names(`país do banco`),
    sw: names(`nchi ya benki`),
  },
  institutionId: {
    en: names(`provider id; operator id; bank id; institution uuid`),
    de: names(`institut-id`),
    fr: names(`identifiant de l'établissement`),
    pt: names(`id da instituição`),
    sw: names(`kitambulisho cha benki`),
  },
  institutionName: {
    en: names(
      `institution; provider; operator; mobile operator; mno; network; bank; bank name; mobile money provider; beneficiary bank; bank/provider; bank / mobile money; financial institution; wallet provider; telco; payment provider; bank or mobile money; momo network; wallet; carrier; service provider; mobile network; bank/telco; momo provider; network provider; payment network; sent via; payout provider; bank or network; bank/wallet`,
    ),
    de: names(`bank; institut; anbieter; kreditinstitut`),
    fr: names(`banque; opérateur; établissement; fournisseur; réseau; opérateur mobile; banque ou opérateur`),
    es: names(`banco; operador; red; entidad; billetera`),
    pt: names(`banco; instituição; operadora; rede; operador`),
    sw: names(`benki; mtoa huduma; taasisi; mtandao; mtandao wa simu; jina la benki; benki/mtandao`),
  },
  label: {
    en: names(`account label; account name; name; wallet; wallet name; account title`),
    de: names(`bezeichnung; kontobezeichnung; kontoname`),
    fr: names(`libellé; nom du compte`),
    pt: names(`nome da conta; etiqueta`),
    sw: names(`jina la akaunti`),
  },
  lastName: {
    en: names(`surname; family name; last; lname; name last; family names; second name surname`),
    de: names(`nachname; familienname; zuname; name`),
    fr: names(`nom; nom de famille`),
    es: names(`apellido; apellidos; primer apellido; apellido paterno; 1er apellido`),
    it: names(`cognome`),
    nl: names(`achternaam; familienaam`),
    pt: names(`apelido; sobrenome; último nome; nome de família; sobrenomes; apelidos`),
    sw: names(`jina la ukoo; jina la mwisho; jina la familia`),
    cs: names(`příjmení`),
    da: names(`efternavn; etternavn`),
    fi: names(`sukunimi`),
    hu: names(`vezetéknév; családnév`),
    pl: names(`nazwisko`),
    ro: names(`nume de familie; nume`),
    sv: names(`efternamn`),
    tr: names(`soyad; soyadı; soyisim`),
  },
  methods: {
    en: names(`method; payment method; payment methods; channel; pay method`),
    de: names(`zahlungsart; zahlungsmethode; zahlungsweg`),
    fr: names(`mode de paiement; moyen de paiement`),
    pt: names(`método de pagamento; forma de pagamento`),
    sw: names(`njia ya malipo`),
  },
  middleName: {
    en: names(`middle; second name; other name; other names; mname; middle names; middle initial`),
    de: names(`zweiter vorname; mittelname`),
    fr: names(`deuxième prénom; second prénom`),
    es: names(`segundo nombre`),
    it: names(`secondo nome`),
    nl: names(`tussenvoegsel; tweede naam`),
    pt: names(`nome do meio; segundo nome`),
    sw: names(`jina la kati`),
    da: names(`mellemnavn; mellomnavn`),
    pl: names(`drugie imię`),
  },
  payeeType: {
    en: names(
      `type; recipient type; beneficiary type; payment type; payout type; rail; payout method; payment method; method; type of payee; kind of payee; transfer type`,
    ),
    de: names(`empfängertyp; zahlungsart; empfaengerart; typ`),
    fr: names(`type de bénéficiaire; mode de paiement; type`),
    pt: names(`tipo de beneficiário; forma de pagamento; tipo`),
    sw: names(`aina ya mpokeaji; njia ya malipo`),
  },
  phone: {
    en: names(
      `mobile; msisdn; phone number; phone no; mobile number; mobile no; mobile phone; tel; tel no; telephone; telephone number; cell; cell phone; contact number; phone; mobile money number; wallet number; momo number; momo; mobile no.; phone #; telephone no; cell no; cell number; cellphone; mobile money no; mpesa no; m-pesa no; m-pesa number; mpesa number; gsm; whatsapp; contact; contact no; contact phone; momo no; momo nr; mobile money nr; mobile money phone; wallet no; wallet phone; cellular; cell #; phone nos; mobile nos; airtel money no; mtn no; tigo pesa no; registered number; msisdn number; contact mobile; phone/mobile`,
    ),
    de: names(
      `telefon; telefonnummer; tel.; handy; handynummer; mobilnummer; mobiltelefon; mobil; rufnummer; mobil-nr; telefon mobil`,
    ),
    fr: names(
      `téléphone; numéro de téléphone; tél.; portable; mobile; n° de téléphone; numéro mobile; n° mobile; numéro mobile money; n° de portable; gsm`,
    ),
    es: names(`teléfono; telefono; móvil; celular; nº de teléfono; teléfono móvil; tel. móvil`),
    it: names(
      `telefono; cellulare; numero di telefono; cell.; recapito telefonico; tel.; cell; numero cellulare`,
    ),
    nl: names(
      `telefoon; telefoonnummer; mobiel; mobiel nummer; gsm-nummer; gsm; tel.; telefoonnr; gsm nr; mobiele telefoon`,
    ),
    pt: names(
      `telefone; telemóvel; celular; número de telefone; nº de telefone; número de telemóvel; celular/whatsapp; nº celular`,
    ),
    sw: names(
      `simu; namba ya simu; nambari ya simu; simu ya mkononi; namba ya simu ya mkononi; namba ya simu ya malipo; nambari ya simu ya mkononi`,
    ),
    cs: names(`telefon; telefonní číslo; mobil; mobilní telefon; tel. číslo`),
    da: names(`telefon; telefonnummer; tlf; tlf.nr; mobil; mobilnummer; mobiltelefon; mobilnr`),
    fi: names(`puhelin; puhelinnumero; matkapuhelin; gsm; puh.`),
    hu: names(`telefon; telefonszám; mobil; mobilszám`),
    pl: names(`telefon; nr telefonu; numer telefonu; tel. kom.; telefon komórkowy; komórka`),
    ro: names(`telefon; număr de telefon; nr. telefon; mobil; telefon mobil`),
    sv: names(`telefon; telefonnummer; mobil; mobilnummer; mobiltelefon; tel.nr`),
    tr: names(`telefon; telefon no; telefon numarası; cep telefonu; cep no; gsm`),
  },
  postalCode: {
    en: names(
      `zip; zip code; postcode; post code; postal; po code; zip postal code; postal zip; zip/postal code; postal/zip; postal code/zip; remit-to zip; mailing zip; pin; pin code; pincode; eircode`,
    ),
    de: names(`plz; postleitzahl`),
    fr: names(`code postal; cp; c.p.; code post.`),
    es: names(`código postal; c.p.; cp; cód. postal; codigo postal`),
    it: names(`cap; codice postale; c.a.p.`),
    nl: names(`postcode`),
    pt: names(`código postal; cep; código postal/cep`),
    sw: names(`msimbo wa posta; sanduku la posta`),
    cs: names(`psč; poštovní směrovací číslo`),
    da: names(`postnummer; postnr`),
    fi: names(`postinumero; postinro`),
    hu: names(`irányítószám; irsz.`),
    pl: names(`kod pocztowy`),
    ro: names(`cod poștal`),
    sv: names(`postnummer; postnr`),
    tr: names(`posta kodu`),
  },
  routingNumber: {
    en: names(
      `routing; routing no; aba; aba no; aba number; aba routing number; rtn; routing transit number; fedwire; aba/routing; ach routing; ach routing number; routing #; bank routing number; aba #; aba routing no; transit number; aba/rtn; aba routing; bank routing; rt #`,
    ),
    de: names(`routingnummer; aba nummer`),
    fr: names(`numéro d'acheminement; code aba`),
    pt: names(`número de roteamento; código aba`),
    sw: names(`namba ya routing`),
  },
  sourceType: {
    en: names(`source; kind of source`),
    de: names(`herkunft`),
    fr: names(`origine`),
    pt: names(`origem`),
    sw: names(`chanzo`),
  },
  state: {
    en: names(
      `province; region; county; state province; subdivision; state/province; st; state code; county/state; state/region; remit-to state; mailing state; province/state; st/prov`,
    ),
    de: names(`bundesland; provinz; kanton`),
    fr: names(`état; région; province; département`),
    es: names(`estado; provincia; comunidad autónoma; departamento; entidad federativa; entidad`),
    it: names(`provincia; regione; prov`),
    nl: names(`provincie; provincie/regio`),
    pt: names(`estado; província; distrito; região; uf; estado/uf`),
    sw: names(`jimbo; mkoa; kaunti`),
    cs: names(`kraj`),
    da: names(`fylke; region`),
    fi: names(`maakunta`),
    hu: names(`megye`),
    pl: names(`województwo`),
    ro: names(`județ; judet`),
    sv: names(`län; landskap`),
    tr: names(`il; bölge`),
  },
} as const satisfies Readonly<Record<string, Synonyms>>;
