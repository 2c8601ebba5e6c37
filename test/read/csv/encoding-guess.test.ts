import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { guessEncoding } from '../../../src/read/csv/encoding-guess.ts';

/** Names and words that everybody has heard of; each is tried by itself, and all of a language together. */
const western: Readonly<Record<string, string>> = {
  German: 'Müller Jürgen Schröder Größe Weiß Straßburg Köln Übersee Jäger Österreich ÄRZTE Grüße Böß Mañosa',
  French:
    'François Hélène Benoît Noël Françoise Château Gérard Chloë Cœur Œuvre Besançon Genève Maître Brûlé ÉLODIE Haÿ Châlons L’Hôpital',
  Spanish:
    'José María Muñoz Núñez Peña García Zúñiga Agüero Íñigo Ángel Ñuñoa Begoña Logroño Hernández Raúl Mª',
  Portuguese:
    'João Conceição Simões Magalhães Guimarães Gonçalves Antônio Lúcia São Irmã Câmara Zêzere Camões',
  Italian: 'Nicolò Cantù Forlì Città Niccolò Noè Mosè Gesù Agliè D’Alò Perché',
  Dutch: 'Daniël Zoë Joël Reünie Curaçao Geërfd André Coöperatie België Ruïne Moët',
  Catalan: 'Antònia Núria Glòria Vallès Àngel Òscar València Pérez Sòria Col·lecció Güell',
  Danish: 'Søren Jørgensen Bjørn Ærø Kjær Næstved Ålborg Høeg Bøe Strandøy Jomfruøerne Lærke Møller',
  Norwegian: 'Bjørnstjerne Håkon Åse Sæther Øystein Røros Kåre Tromsø Grønås Høiland Støren',
  Swedish: 'Åsa Björn Göran Märta Malmö Ängelholm Sjöström Hägg Håkansson Östersund',
  Finnish: 'Mäkelä Hämäläinen Pöyhönen Töölö Jyväskylä Yrjö Äänekoski Räikkönen Öhman',
  Icelandic:
    'Þórður Guðrún Sigurður Jónsdóttir Ísafjörður Björk Óðinn Þjóðólfur Hróðólfur Ýmir Ásgeirsdóttir Davíð Friðþjófur Ægir',
  Estonian: 'Tõnis Põder Mõttus Jõgi Õunapuu Pärnu Võru Lõhmus Kõiv Tiiu Šmidt',
  Irish: 'Seán Órla Máire Pádraig Ó hÉalaithe Gráinne Dún Laoghaire Sinéad Caoimhín',
  Basque: 'Iñaki Begoña Oñati Peñafiel Muñagorri',
  English: 'Brontë Zoë café naïve O’Brien Beyoncé Renée “quoted” 5° 20€ Nº 3½ ©2026',
  Swahili: 'Ng’ombe Thiong’o Mwanza–Dodoma Zanzibar™',
};

/** Encodings with names of their languages. */
const others: readonly (readonly [string, string])[] = [
  ['windows-1250', 'Wałęsa Łódź Świątek Jędrzejczyk Żółć Kamiński Wiśniewski'],
  ['windows-1250', 'Dvořák Kučera Němcová Růžička Jiří Černý Ďurica Vaněk'],
  ['windows-1250', 'Petőfi Szűcs Erdős Szőke Győr Hegedűs Ernő'],
  ['windows-1250', 'Băsescu Ştefănescu Ioniţă Pătraşcu Brăila Stănescu'],
  ['windows-1250', 'Đorđević Kovačić Perić Horvatić Matošević Šimić'],
  ['windows-1250', 'Ľubomír Šťastný Černák Kováč Haňa Ďurčanský'],
  ['windows-1251', 'Наталья Иванова Сергей Достоевский Юлия'],
  ['windows-1251', 'Олександр Шевченко Ірина Київ Наталія'],
  ['windows-1251', 'Георги Димитров Мария Йорданова Пламен'],
  ['windows-1253', 'Γιώργος Παπαδόπουλος Ελένη Αθήνα Κώστας'],
  ['windows-1254', 'Şahin Yıldız Öztürk Çağlar İstanbul Kılıç Ayşe'],
  ['windows-1255', 'משה כהן דוד לוי שרה ירושלים אברהם'],
  ['windows-1256', 'محمد أحمد علي فاطمة عبدالله القاهرة'],
  ['windows-1257', 'Bērziņš Kārlis Jānis Ozoliņa Kalniņš Liepiņa Pēteris'],
  ['windows-1257', 'Kazlauskienė Šimkus Žukauskas Rimantė Jokūbas Ąžuolas'],
  ['windows-1258', 'Nguyễn Trần Phạm Đặng Huỳnh Vũ Bùi'],
  ['windows-874', 'สมชาย กรุงเทพ สมหญิง ประเทศไทย'],
  ['koi8-r', 'Наталья Иванова Сергей Достоевский Юлия'],
  ['ibm866', 'Наталья Иванова Сергей Достоевский Юлия'],
  ['iso-8859-5', 'Наталья Иванова Сергей Достоевский Юлия'],
  ['iso-8859-2', 'Wałęsa Łódź Świątek Jędrzejczyk Żółć Kamiński Wiśniewski'],
  ['ibm437', 'Müller Jürgen Schröder Größe Weiß Köln'],
  ['ibm850', 'François Hélène Benoît Noël André José Peña'],
  ['ibm850', 'Søren Jørgensen Kjær Ålborg Malmö Bjørn'],
  ['ibm852', 'Wałęsa Łódź Świątek Jędrzejczyk Kamiński Wiśniewski'],
  ['macintosh', 'Müller Jürgen Schröder François Hélène Núñez José María'],
  ['macintosh', 'Åsa Björn Göran Märta Malmö Sjöström Håkansson'],
  ['big5', '陳美玲 林志明 臺北市 黃淑芬'],
  ['shift_jis', '田中太郎 佐藤花子 東京都 タナカ 鈴木'],
  [
    'shift_jis',
    '田中太郎　電話番号 ０３－３３２５－１５３６ ０９０－９４３６－９２４３ 恵比須町５－１２－２０ 患者氏名（姓）',
  ],
  ['gb18030', '王伟 李娜 北京市 张敏 刘洋'],
  ['euc-kr', '김민수 이영희 박지성 서울특별시'],
  ['euc-jp', '田中太郎 佐藤花子 東京都 鈴木'],
];

/** A Vietnamese text has its tones as characters of their own in Windows-1258. */
function encoded(text: string, encoding: string): Buffer {
  if (encoding !== 'windows-1258') return iconv.encode(text, encoding);
  const apart = text
    .normalize('NFD')
    .replace(/[aeouAEOU][\u0302\u0306\u031b]/g, (letter) => letter.normalize('NFC'));
  return iconv.encode(apart, encoding);
}

function lines(words: string, encoding: string): Buffer {
  return encoded(words.split(' ').join('\n'), encoding);
}

describe('Windows-1252', () => {
  it.each(Object.entries(western))('is what %s looks like, each word by itself too', (_, words) => {
    const refused = words
      .split(' ')
      .filter((word) => guessEncoding(iconv.encode(word, 'windows-1252')) !== null);
    // `Šmidt`, `Ýmir` and their like are written in several encodings alike.
    expect(refused.filter((word) => !/^(?:Ýmir)$/.test(word))).toEqual([]);
    expect(guessEncoding(lines(words, 'windows-1252'))).toBeNull();
  });

  it('stays it with a slip among many words', () => {
    const letters = [...'abcdefghijklmn'];
    const words = letters.flatMap((one) => letters.map((other) => `Mü${one}${other}er`));
    expect(guessEncoding(lines([...words, 'Mü³ller'].join(' '), 'windows-1252'))).toBeNull();
    expect(guessEncoding(lines('Müller Mü³ller', 'windows-1252'))).not.toBeNull();
  });
});

describe('another encoding', () => {
  it.each(others)('%s is not read as Windows-1252, and named first, with %s', (encoding, words) => {
    const candidates = guessEncoding(lines(words, encoding));
    const [first] = candidates ?? [];
    expect(candidates?.length).toBeLessThanOrEqual(3);
    expect(first?.samples.map((sample) => sample.normalize('NFC'))).toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(words.split(' ').join('|')))]),
    );
    const bytes = lines(words, encoding);
    expect(iconv.decode(bytes, first?.encoding ?? '')).toBe(iconv.decode(bytes, encoding));
  });

  it.each(others)('%s is no Windows-1252 with two names of %s', (encoding, words) => {
    const names = words.split(' ');
    const passed = names.filter(
      (name, at) => guessEncoding(lines(`${name} ${names[(at + 1) % names.length]}`, encoding)) === null,
    );
    expect(passed).toEqual([]);
  });

  it('shows the same values in every candidate', () => {
    const bytes = encoded('Lech Wałęsa,Łódź\nWisława Szymborska;Kórnik', 'windows-1250');
    const candidates = guessEncoding(bytes) ?? [];
    expect(candidates[0]).toEqual({
      encoding: 'windows-1250',
      // The value that reads otherwise in most of them comes first.
      samples: ['Łódź', 'Lech Wałęsa', 'Wisława Szymborska'],
    });
    const lengths = candidates.map(({ samples }) => samples.map(({ length }) => length));
    expect(new Set(lengths.map(String)).size).toBe(1);
  });
});
