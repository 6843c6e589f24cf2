export interface Currency {
  readonly one: string;
  readonly many: string;
  /** Singular and plural of the hundredth; `undefined` if the currency has none in use. */
  readonly cents: readonly [one: string, many: string] | undefined;
}

/**
 * The currencies of ISO 4217: code, singular, plural where it isn't that with an s, `/`, and their hundredths likewise.
 * A plural of `=` is the singular; `US Canadian …` before `dollar` are the countries that need their name.
 * @see https://www.iso.org/iso-4217-currency-codes.html
 */
const list = `USD dollar/cent;AED dirham/fils,=;AFN afghani/pul;ALL lek,=/qindarka,=;AMD dram,=/luma,=;AOA kwanza/cêntimo;
ARS Argentine peso/centavo;AUD Australian dollar/cent;AWG florin/cent;AZN manat,=/qapik,=;BAM convertible mark/fening;
BBD Barbadian dollar/cent;BDT taka,=/poisha,=;BGN lev,leva/stotinka,stotinki;BHD dinar;BIF Burundian franc;
BMD Bermudian dollar/cent;BND Brunei dollar/cent;BOB boliviano/centavo;BRL real,reais/centavo;BSD Bahamian dollar/cent;
BTN ngultrum,=/chhertum,=;BWP pula,=/thebe,=;BYN Belarusian ruble/kopek;BZD Belize dollar/cent;CAD Canadian dollar/cent;
CDF Congolese franc/centime;CHF franc/centime;CLP Chilean peso;CNY yuan,=/fen,=;COP Colombian peso/centavo;CRC colón,colones;
CUP Cuban peso/centavo;CVE escudo/centavo;CZK koruna,koruny/haler,halers;DJF Djiboutian franc;DKK Danish krone,Danish kroner/øre,=;
DOP Dominican peso/centavo;DZD Algerian dinar/centime;EGP Egyptian pound/piastre;ERN nakfa,=/cent;ETB birr,=/santim;EUR euro/cent;
FJD Fijian dollar/cent;FKP Falkland pound/penny,pence;GBP pound/penny,pence;GEL lari,=/tetri,=;GHS cedi/pesewa;
GIP Gibraltar pound/penny,pence;GMD dalasi,=/butut;GNF Guinean franc;GTQ quetzal,quetzales/centavo;GYD Guyanese dollar/cent;
HKD Hong Kong dollar/cent;HNL lempira/centavo;HTG gourde/centime;HUF forint,=;IDR rupiah,=;ILS shekel/agora,agorot;
INR rupee/paisa,paise;IQD Iraqi dinar;IRR rial;ISK Icelandic króna,Icelandic krónur;JMD Jamaican dollar/cent;JOD Jordanian dinar;
JPY yen,=;KES Kenyan shilling/cent;KGS som,=/tyiyn,=;KHR riel;KMF Comorian franc;KPW North Korean won,=;KRW won,=;
KWD Kuwaiti dinar;KYD Cayman Islands dollar/cent;KZT tenge,=/tiyn,=;LAK kip,=;LBP Lebanese pound;LKR Sri Lankan rupee/cent;
LRD Liberian dollar/cent;LSL loti,maloti/sente,lisente;LYD Libyan dinar;MAD Moroccan dirham/centime;MDL Moldovan leu,Moldovan lei/ban,bani;
MGA ariary,=;MKD denar/deni,=;MMK kyat;MNT tögrög,=;MOP pataca/avo;MRU ouguiya;MUR Mauritian rupee/cent;MVR rufiyaa,=/laari,=;
MWK kwacha,=/tambala;MXN Mexican peso/centavo;MYR ringgit,=/sen,=;MZN metical,meticais/centavo;NAD Namibian dollar/cent;NGN naira,=/kobo,=;
NIO córdoba/centavo;NOK Norwegian krone,Norwegian kroner/øre,=;NPR Nepalese rupee/paisa,paise;NZD New Zealand dollar/cent;OMR Omani rial;
PAB balboa/centésimo;PEN sol,soles/céntimo;PGK kina,=/toea,=;PHP peso/centavo;PKR Pakistani rupee/paisa,paise;PLN zloty/grosz,groszy;
PYG guaraní,guaraníes;QAR Qatari riyal/dirham;RON leu,lei/ban,bani;RSD Serbian dinar;RUB ruble/kopek;RWF Rwandan franc;
SAR riyal/halala;SBD Solomon Islands dollar/cent;SCR Seychellois rupee/cent;SDG Sudanese pound/piastre;
SEK Swedish krona,Swedish kronor/öre,=;SGD Singapore dollar/cent;SHP Saint Helena pound/penny,pence;SLE leone/cent;SOS Somali shilling;
SRD Surinamese dollar/cent;SSP South Sudanese pound;STN dobra;SYP Syrian pound;SZL lilangeni,emalangeni/cent;THB baht,=/satang,=;
TJS somoni,=/diram;TMT Turkmen manat,=/tenge,=;TND Tunisian dinar;TOP pa'anga,=/seniti,=;TRY lira,=/kuruş,=;
TTD Trinidad and Tobago dollar/cent;TWD Taiwan dollar/cent;TZS Tanzanian shilling;UAH hryvnia/kopiyka,kopiyky;UGX Ugandan shilling;
UYU Uruguayan peso/centésimo;UZS Uzbek som,=;VES bolívar,bolívares/céntimo;VND dong,=;VUV vatu,=;WST tala,=/sene,=;
XAF CFA franc;XCD East Caribbean dollar/cent;XOF CFA franc;XPF CFP franc;YER Yemeni rial;ZAR rand,=/cent;ZMW Zambian kwacha,=/ngwee,=;
ZWG Zimbabwe gold,=;KR krone,kroner/øre,=;US$ US dollar/cent`;

/** Signs, and names that aren't codes of ISO 4217. */
const signs = `$ USD;C$ CAD;CA$ CAD;A$ AUD;AU$ AUD;HK$ HKD;NZ$ NZD;S$ SGD;NT$ TWD;R$ BRL;MX$ MXN;€ EUR;£ GBP;¥ JPY;₹ INR;₩ KRW;
₽ RUB;₺ TRY;₪ ILS;฿ THB;₫ VND;₱ PHP;₦ NGN;₴ UAH;₵ GHS;₡ CRC;₲ PYG;₭ LAK;₮ MNT;₸ KZT;₼ AZN;₾ GEL;৳ BDT;៛ KHR;RMB CNY;kr KR;
zł PLN;Kč CZK;Ft HUF;лв BGN;Fr CHF`;

/** Codes that are words as well count only beside thousands or hundredths. */
export const wordlikeCodes = /^(?:ALL|TOP|CUP|TRY|MAD|PEN|SOS|RON|GEL|COP|MOP|BAM|LAK|PHP|KR)$/;

/** Currencies by code and sign. */
export const currencies: ReadonlyMap<string, Currency> = readTable();

function readTable(): Map<string, Currency> {
  const table = new Map<string, Currency>();
  for (const [code, names] of entriesOf(list)) {
    const [unit = '', cents] = names.split('/');
    const [one, many] = formsOf(unit);
    table.set(code, { one, many, cents: cents === undefined ? undefined : formsOf(cents) });
  }
  for (const [sign, code] of entriesOf(signs)) table.set(sign, table.get(code)!);
  return table;
}

function entriesOf(text: string): (readonly [key: string, value: string])[] {
  return text.split(/;\n?/).map((entry) => {
    const end = entry.indexOf(' ');
    return [entry.slice(0, end), entry.slice(end + 1)] as const;
  });
}

function formsOf(names: string): [one: string, many: string] {
  const [one = '', many = `${one}s`] = names.split(',');
  return [one, many === '=' ? one : many];
}
