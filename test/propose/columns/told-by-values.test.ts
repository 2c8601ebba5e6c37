import { describe, expect, it } from 'vitest';
import { meaningsIn } from '../../../src/kinds/words-of-files.ts';
import { kenyan, readLines as read } from '../grids.ts';

describe('what is inferred from the values of a file', () => {
  it('takes a column of words that mean one thing for that field, whatever its title', async () => {
    const { mapping } = await read([
      ['Code', 'Nom', 'IBAN', 'Banque', 'Rue', 'Ville', 'CP', 'Pays', 'Type'],
      [
        'C-1',
        'Luc Petit',
        'DE89370400440532013000',
        'ING',
        'Allee 5',
        'Berlin',
        '10115',
        'DE',
        'Particulier',
      ],
      ['C-2', 'Ets Roy', 'FR1420041010050500013M02606', 'LCL', 'Foch 2', 'Paris', '75001', 'FR', 'Société'],
    ]);
    expect(mapping.columns?.['Type']).toBe('account_owner_type');
    expect(mapping.values).toEqual({ account_owner_type: { Particulier: 'individual', Société: null } });
  });

  it('reads no column as the names of payees in which all rows have one of a few values', async () => {
    const kindsOfPayee = ['Person', 'Sole prop.', 'Company', 'Non-profit'];
    const rows = Array.from({ length: 60 }, (_, at) => [
      ...[`C-${at}`, `Amina Otieno ${at}`, kindsOfPayee[at % 4] ?? ''],
      ...['Bank of Utah', '021000021', `0012${at + 100}`, 'Savings'],
      ...['1 Main St', 'Austin', 'TX', '78701'],
    ]);
    const address = ['Street', 'City', 'State', 'ZIP'];
    const names = ['Vendor ID', 'Name on the account', 'Payee is a', 'Bank or credit union'];
    const header = [...names, 'ABA routing', 'Account', 'Account type', ...address];
    const { mapping } = await read([header, ...rows], {}, kenyan);
    expect(mapping.columns).toMatchObject({
      'Name on the account': 'account_name',
      'Payee is a': 'account_owner_type',
      'Bank or credit union': 'bank_name',
    });
  });

  it.each([
    [['H', 'M'], { H: 'male', M: 'female' }],
    [['M', 'F'], { M: 'male', F: 'female' }],
    [['H', 'F'], { H: 'male', F: 'female' }],
    [['M', 'W'], { M: 'male', W: 'female' }],
    // Man and vrouw, or varón and mujer: only a person knows.
    [['M', 'V'], { M: null, V: null }],
  ])('reads each of the letters for men and women %j by the other one', (letters, expected) => {
    const meaningOf = meaningsIn('gender', letters);
    expect(Object.fromEntries(letters.map((letter) => [letter, meaningOf(letter) ?? null]))).toEqual(
      expected,
    );
  });

  it('finds the country of phones whose country code is in a column of its own, where some rows lack it', async () => {
    const codes = ['+254', '', '254', '+254', ''];
    const lines = codes.map((code, at) => [
      `C-${at}`,
      `Ana Otieno ${at}`,
      'M-Pesa',
      code,
      `07121000${at}0`,
      '500',
    ]);
    const header = ['Member', 'Holder', 'Operator', 'Dial code', 'Phone number', 'Net pay (KES)'];
    const said = { 'column:Dial code': 'phone_number', 'column:Phone number': 'phone_number' };
    const { mapping } = await read([header, ...lines], said, kenyan);
    expect(mapping.join).toEqual({ phone_number: ['Dial code', 'Phone number'] });
    expect(mapping.phoneCountry).toBe('KE');
    expect(mapping.repair?.['Phone number']).toContain('local_phone');
  });

  it('knows a name by both its parts in brackets, and days of birth without signs', async () => {
    const { mapping } = await read([
      ['Kundnr', 'Kund (efternamn, förnamn)', 'Född (ååååmmdd)', 'E-post'],
      ['10246', 'Lindström, Åsa', '19800305', 'asa@people.example'],
      ['10253', 'von Essen, Petter', '19661224', 'petter@people.example'],
      ['10311', 'Ekblad, Örjan', '20011130', 'orjan@people.example'],
    ]);
    expect(mapping.split?.['Kund (efternamn, förnamn)']?.into).toEqual(['first_name', 'last_name']);
    expect(mapping.columns).toMatchObject({ 'Född (ååååmmdd)': 'date_of_birth', Kundnr: 'external_id' });
    expect(mapping.dateFormat).toBe('YYYYMMDD');
  });

  it('knows customers by the ledger, also where two of them have all the rows', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => [
      at < 7 ? 'C-1' : 'C-2',
      `Amina Otieno ${String.fromCharCode(65 + at)}`,
      `07123456${10 + at}`,
      'Safaricom',
      `${850 + at}`,
    ]);
    const header = ['Reg', 'Names', 'Phone', 'Provider', 'Net pay (KES)'];
    const { mapping } = await read([header, ...rows], {}, kenyan);
    expect(mapping.columns?.['Reg']).toBe('customer_external_id');
  });

  it('joins the two surnames of a Spanish name, and knows words by the point behind them', async () => {
    const { mapping } = await read(
      [
        ['No. de socio', 'Nombre(s)', 'Apellido paterno', 'Apellido materno', 'Fecha de nac.', 'C.P.'],
        ['S-1', 'Ana', 'Luna', 'Vega', '13/02/1980', '44100'],
        ['S-2', 'Luis', 'Rojas', 'Mora', '01/12/1971', '64000'],
      ],
      {},
      { stated: { kind: 'customers' } },
    );
    expect(mapping.join).toEqual({ last_name: ['Apellido paterno', 'Apellido materno'] });
    expect(mapping.columns?.['Fecha de nac.']).toBe('date_of_birth');
  });

  it('reads words for an empty value by column, and never in amounts', async () => {
    const { mapping } = await read(
      [
        ['Member', 'Names', 'Phone', 'Provider', 'Net pay (KES)', 'E-mail'],
        ['C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', '850', 'NA'],
        ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', '-', 'j@people.example'],
        ['C-3', 'Na', '-', 'MPESA', '700', 'NIL'],
      ],
      {},
      kenyan,
    );
    expect(mapping.empty).toEqual({ Phone: ['-'] });
    expect(mapping.repair).not.toHaveProperty('Net pay (KES)');
  });

  it.each(['Ej angivet', 'nicht angegeben', 'Non renseigné', 'no consta', 'nie podano'])(
    'knows that %j is no gender, and leaves the field empty',
    async (unstated) => {
      const { mapping, tables } = await read(
        [
          ['Customer ID', 'First name', 'Last name', 'Gender', 'Country'],
          ['U-1', 'Ana', 'Berg', 'female', 'SE'],
          ['U-2', 'Pål', 'Lund', 'male', 'SE'],
          ['U-3', 'Kim', 'Dahl', unstated, 'SE'],
        ],
        {},
        { stated: { kind: 'customers' } },
      );
      expect(mapping.empty).toEqual({ Gender: [unstated] });
      expect(tables.flatMap(({ field, lines }) => (field === 'gender' ? lines : []))).not.toContainEqual(
        expect.objectContaining({ value: unstated }),
      );
    },
  );

  it.each([
    // Number cells of the same column are as large as one of the readings.
    [[45000, 161500, 88000], 'KES', { thousands: ',' }, false],
    // What the country of the currency writes is proposed, and asked.
    [[], 'KES', { thousands: ',' }, true],
    // Rwanda writes decimals behind a comma, and its francs have none.
    [[], 'RWF', { thousands: ',' }, false],
    [[], 'EUR', { thousands: ',' }, true],
  ])('reads three digits behind a comma beside %j in %s', async (beside, currency, expected, isAsked) => {
    const { mapping, points } = await read(
      [
        ['Member', 'Names', 'Phone', 'Provider', `Net pay (${currency})`],
        ['C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', '161,000'],
        ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', '44,800'],
        ['C-3', 'Wanjiru Kamau', '0712 345 680', 'MPESA', '52,000'],
        ...beside.map((amount, at) => [`C-${4 + at}`, `Wanjiru ${at}`, '0712 345 681', 'MPESA', amount]),
      ],
      {},
      kenyan,
    );
    expect(mapping).toMatchObject(expected);
    expect(points.some(({ id }) => id === 'reading:decimal')).toBe(isAsked);
  });

  it.each([
    // A room, a place on a list and a plot, and no ringgit, rupee or kwacha.
    [['Rm', ['C23', 'C24', 'D1']], undefined],
    [['R', ['A', 'B', 'C']], undefined],
    [['Plot (K)', ['K-12', 'K-13', 'K-14']], undefined],
    [['Fee (KSh)', ['1,200', '1,300', '900']], 'KES'],
    [['Rm', ['1,200', '1,300', '900']], 'MYR'],
    [['Guarantee in €', ['yes', 'no', 'no']], 'EUR'],
    // Codes of branches, and no birr.
    [['Br.', ['660586', '331958', '462015']], undefined],
  ] as const)(
    'reads letters in another title as a currency only above amounts: %j',
    async ([title, values], expected) => {
      const { mapping } = await read(
        [
          ['Member', 'Names', 'IBAN', 'Net pay', title],
          ...values.map((value, at) => [
            `C-${at}`,
            `Amina Otieno ${at}`,
            'DE89370400440532013000',
            `${at + 3},100.00`,
            value,
          ]),
        ],
        {},
        { stated: { kind: 'collections' } },
      );
      expect(mapping.constants?.['currency']).toBe(expected);
    },
  );

  it.each(['2018-01-15', '15.01.2018', '1/15/2018', '2018-01-15г.'])(
    'does not read a column of days as numbers: %s',
    async (day) => {
      const { mapping } = await read(
        [
          ['Customer since', 'Ref', 'First name', 'Surname'],
          ...[20417, 20433, 20441].map((number, at) => [
            day.replace('15', `${15 + at}`),
            number,
            `Amina ${at}`,
            'Otieno',
          ]),
        ],
        {},
        { stated: { kind: 'customers' } },
      );
      expect(mapping.columns?.['Customer since']).toBeUndefined();
    },
  );

  it.each(['Poids net (kg)', 'Net weight', 'Area (ha)'])(
    'does not read a measure as the amount: %s',
    async (title) => {
      const { mapping } = await read(
        [
          ['Member', 'Names', 'IBAN', title],
          ...[310, 1200, 745].map((value, at) => [
            `C-${at}`,
            `Amina Otieno ${at}`,
            'DE89370400440532013000',
            value,
          ]),
        ],
        {},
        { stated: { kind: 'recipients' } },
      );
      expect(mapping.columns?.[title]).toBeUndefined();
    },
  );

  it('reads zeros behind a comma as thousands, since amounts are not written with three decimals', async () => {
    const { mapping, points } = await read(
      [
        ['Member', 'Names', 'Phone', 'Provider', 'Net salary Frw'],
        ['C-1', 'Aline Uwimana', '0788 345 678', 'MTN', '666,000'],
        ['C-2', 'Eric Habimana', '0788 345 679', 'Airtel', '60,000'],
      ],
      { 'constant:currency': { text: 'RWF' } },
      kenyan,
    );
    expect(mapping).toMatchObject({ thousands: ',' });
    expect(mapping.decimal ?? '.').toBe('.');
    expect(points.find(({ id }) => id === 'reading:decimal')?.subject).toMatchObject({ proposal: '.' });
  });

  it.each([
    [['1\u202f161,50', '361,73'], { decimal: ',', thousands: ' ' }],
    [['1\u00a0161.50', '361.73'], { thousands: ' ' }],
    [["1'161.50", '361.73'], { thousands: "'" }],
    [['1.161,50', '361,73'], { decimal: ',', thousands: '.' }],
  ])('knows the signs in amounts like %j', async (amounts, expected) => {
    const { mapping } = await read([
      ['Code', 'Nom', 'IBAN', 'Banque', 'Montant'],
      ...amounts.map((amount, at) => [`C-${at}`, 'Luc Petit', 'DE89370400440532013000', 'ING', amount]),
    ]);
    expect(mapping).toMatchObject(expected);
  });

  it('knows the country of a row by its code, for the zeros that its postal code has lost', async () => {
    const { writing } = await read([
      [
        'Cod. fornitore',
        'Ragione sociale',
        'IBAN',
        'Banca',
        'Indirizzo',
        'CAP',
        'Comune',
        'Paese',
        'Tipo persona',
      ],
      ['C-1', 'Marco Galli', 'DE89370400440532013000', 'ING', 'Via 5', '184', 'Roma', 'IT', 'Privato'],
      ['C-2', 'Serra', 'FR1420041010050500013M02606', 'LCL', 'Via 2', '20121', 'Milano', 'Italia', 'Privato'],
    ]);
    expect(writing.offers.find(({ name }) => name === 'lost_zeros')?.samples).toEqual([
      { row: 2, before: '184', after: '00184' },
    ]);
  });

  it.each([
    ['Wpłata (KES)', 'recipients', 'amount'],
    ['Wpłata', 'recipients', undefined],
    ['Wpłata', 'collections', 'amount'],
  ] as const)(
    'reads the only column of amounts %j of %s as the paid amount only where its title or the kind demands one',
    async (title, kind, field) => {
      const { mapping } = await read(
        [
          ['Member', 'Names', 'Phone', 'Provider', 'Invoice ref', title],
          ['C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', 'INV-1', '850.00'],
          ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', 'INV-2', '12500.00'],
          ['C-3', 'Wanjiru Kamau', '0712 345 680', 'MPESA', 'INV-3', '700.00'],
        ],
        {},
        { ...kenyan, stated: { kind } },
      );
      expect(mapping.columns?.[title]).toBe(field);
    },
  );

  it('reads the only column of names as the holder, whatever it is called', async () => {
    const { mapping } = await read(
      [
        ['Member', 'Pracownik', 'Phone', 'Provider', 'Town', 'Net pay (KES)'],
        ['C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', 'Voi', '850'],
        ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', 'Voi', '950'],
        ['C-3', 'Wanjiru Kamau', '0712 345 680', 'MPESA', 'Thika', '760'],
      ],
      {},
      { ...kenyan, stated: { kind: 'recipients' } },
    );
    expect(mapping.columns?.['Pracownik']).toBe('account_name');
  });

  it.each([
    [{ Rent: 1 }, 'Rent', ["Rent: all of the file's customers have such an account"]],
    [
      { Rent: 0.996, Deposits: 0.58, Fees: 0.004 },
      undefined,
      [
        "Rent: 99 % of the file's customers have such an account",
        "Deposits: 58 % of the file's customers have such an account",
        "Fees: less than 1 % of the file's customers have such an account",
      ],
    ],
    [{}, undefined, []],
  ])('proposes the label that the accounts of the customers have: %j', async (labels, label, options) => {
    const { mapping, points } = await read(
      [
        ['Invoice ref', 'Tenant code', 'Arrears (KES)'],
        ['INV-1', 'C-1', '850.00'],
        ['INV-2', 'C-2', '1250.00'],
      ],
      {},
      {
        facts: { ...kenyan.facts, accountLabels: async () => new Map(Object.entries(labels)) },
        stated: { kind: 'collections' },
      },
    );
    expect(mapping.constants?.['destination_label']).toBe(label);
    const asked = points.find(({ id }) => id === 'constant:destination_label');
    expect(asked?.options.map(({ label }) => label)).toEqual(options);
    expect(asked?.subject).toMatchObject({ proposal: label ?? null });
  });

  it.each([
    [['00221771234567', '00221781234568', '77 123 45 69'], 'XOF', 'SN'],
    [['+237671234567', '+237671234568', '671234569'], 'XAF', 'CM'],
    [['771234567', '781234568', '77 123 45 69'], undefined, undefined],
  ])(
    'distinguishes the two francs that are written alike by the phone numbers %j',
    async (phones, currency, country) => {
      const { mapping } = await read(
        [
          ['Matricule', 'Nom complet', 'N° de téléphone', 'Opérateur', 'Net à payer'],
          ...phones.map((phone, at) => [
            `C-${at}`,
            `Fatou Diop ${at}`,
            phone,
            'Orange',
            `${at + 5} 500 FCFA`,
          ]),
        ],
        {},
        { stated: { kind: 'recipients' } },
      );
      expect(mapping.constants?.['currency']).toBe(currency);
      expect(mapping.constants?.['institution_country']).toBe(country);
    },
  );

  it.each([
    ['DE02120300000000202051', 'DE'],
    ['FR1420041010050500013M02606', null],
  ])(
    'proposes the country of all IBANs for the address, and leaves it to a person: %s',
    async (iban, country) => {
      const { mapping, points } = await read([
        ['Code', 'Name', 'IBAN', 'Bank', 'Street', 'City', 'ZIP', 'Holder type'],
        ['C-1', 'Lukas Roth', 'DE89370400440532013000', 'ING', 'Allee 5', 'Berlin', '10115', 'individual'],
        ['C-2', 'Ute Dubois', iban, 'LCL', 'Foch 2', 'Bonn', '53111', 'individual'],
      ]);
      expect(mapping.constants).not.toHaveProperty('country');
      expect(points.find(({ id }) => id === 'constant:country')?.subject).toMatchObject({
        proposal: country,
      });
    },
  );

  it('reads phone numbers under a title of accounts as the phone of mobile money', async () => {
    const { mapping } = await read(
      [
        ['Member', 'Names', 'Wallet account no', 'Provider', 'Net pay (KES)'],
        ['C-1', 'Amina Otieno', 712345678, 'Safaricom', 850],
        ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', 950],
        ['C-3', 'Wanjiru Kamau', '0712 345 680', 'Airtel', 760],
      ],
      { 'reading:payee_type': 'mobile_money' },
      { ...kenyan, stated: { kind: 'recipients' } },
    );
    expect(mapping.columns?.['Wallet account no']).toBe('phone_number');
    expect(mapping.repair?.['Wallet account no']).toContain('number_cells');
  });
});

describe('a value of a column of countries', () => {
  const ibans: Readonly<Record<string, readonly string[]>> = {
    SK: ['SK1509000000000002345678', 'SK5809000000000000012345', 'SK5309000000000000098765'],
    CZ: ['CZ9208000000000002345678', 'CZ3808000000000000012345', 'CZ3308000000000000098765'],
  };
  /** What each value of the column means where its rows have accounts in a country, and which are asked about. */
  async function meaningsOf(values: Readonly<Record<string, string>>) {
    const lines = Object.entries(values).flatMap(([value, country]) =>
      (ibans[country] ?? []).map((iban) => [
        `D-${iban.slice(-7)}${value}`,
        'Horvath a.s.',
        iban,
        'Hlavna 5',
        'Obec',
        value,
      ]),
    );
    const { tables } = await read([['Kod', 'Nazev', 'IBAN', 'Ulice', 'Obec', 'Stát'], ...lines]);
    const [table] = tables.filter(({ field }) => field === 'country');
    return Object.fromEntries(
      table?.lines.map(({ value, meaning, isSure }) => [value, [meaning, isSure]]) ?? [],
    );
  }

  it('that is a code which no other row of the file has, and whose rows are all of another country, is asked about', async () => {
    expect(await meaningsOf({ SR: 'SK', ČR: 'CZ', Slovensko: 'SK' })).toEqual({
      SR: [null, false],
      ČR: [null, false],
      Slovensko: ['SK', true],
    });
  });

  it('that is a code which other rows have too means what it says', async () => {
    expect(await meaningsOf({ CZ: 'CZ', SK: 'CZ', Slovensko: 'SK' })).toEqual({
      CZ: ['CZ', true],
      SK: ['SK', true],
      Slovensko: ['SK', true],
    });
  });
});

describe('columns of files in further languages and of further programs', () => {
  it('are no amount of customers, who have none', async () => {
    const lines = Array.from({ length: 6 }, (_, at) => [
      `S-${at}`,
      'Lena',
      `Vogel${'abcdef'[at]}`,
      `l${at}@post.example`,
      `${at + 1}20.50`,
    ]);
    const { mapping } = await read(
      [['Ref', 'First name', 'Last name', 'E-mail', 'Deposit ($)'], ...lines],
      {},
      { stated: { kind: 'customers' } },
    );
    expect(mapping.ignore).toEqual(['Deposit ($)']);
  });

  it.each([
    ['payment_id', (at: number) => `tr_000${at + 41}`],
    ['payout no', (at: number) => `${at * 17 + 4_100}`],
    ['payout', (at: number) => `TRF${at * 17 + 4_100}`],
  ])('are no amount where they have identifiers: %s', async (title, id) => {
    const lines = Array.from({ length: 8 }, (_, at) => [
      id(at),
      `C-${at}`,
      `Lena Vogel${'abcdefgh'[at]}`,
      'DE89370400440532013000',
      `${at + 1}20.50`,
    ]);
    const { mapping } = await read([[title, 'customer_ref', 'holder', 'iban', 'net_eur'], ...lines]);
    expect(mapping.columns).toMatchObject({ net_eur: 'amount' });
    expect(mapping.ignore).toContain(title);
  });

  it('are the three parts of Bulgarian names, and the address', async () => {
    const lines = Array.from({ length: 6 }, (_, at) => [
      `C-${at}`,
      ['Ивана', 'Петър', 'Мария'][at % 3] ?? '',
      ['Георгиева', 'Иванов'][at % 2] ?? '',
      ['Тодорова', 'Колев', 'Динева'][at % 3] ?? '',
      `ул. Роза ${at + 3}`,
      `${1000 + at * 100}`,
      ['Варна', 'Русе'][at % 2] ?? '',
      'DE89370400440532013000',
      'Банка Север',
      `${at + 9}50.20`,
    ]);
    const titles = ['Таб. номер', 'Име', 'Бащино име', 'Фамилия', 'Ул., №', 'Пощ. код', 'Нас. м.'];
    const { mapping } = await read([[...titles, 'IBAN', 'Банка', 'За получаване'], ...lines]);
    expect(mapping.join).toEqual({ account_name: ['Име', 'Бащино име', 'Фамилия'] });
    expect(mapping.columns).toMatchObject({
      'Ул., №': 'address_line1',
      'Пощ. код': 'postal_code',
      'Нас. м.': 'city',
      Банка: 'bank_name',
      'За получаване': 'amount',
    });
  });

  it('are two surnames and two parts of the second line of an address in Mexico', async () => {
    const lines = Array.from({ length: 6 }, (_, at) => [
      `S-${at}`,
      ['Luna', 'Ríos', 'Paz'][at % 3] ?? '',
      ['Soto', 'Vega'][at % 2] ?? '',
      ['Ana', 'Iván', 'Eva'][at % 3] ?? '',
      `a${at}@correo.example`,
      ['Calle Norte', 'Av. Sur'][at % 2] ?? '',
      `${at + 12}`,
      `${at + 1}-B`,
      ['Centro', 'Lomas'][at % 2] ?? '',
      `${64_000 + at * 10}`,
      ['Monterrey', 'Puebla'][at % 2] ?? '',
    ]);
    const titles = [
      'No. socio',
      'Ap. paterno',
      'Ap. materno',
      'Nombre(s)',
      'Correo',
      'Calle',
      'Domicilio / No. ext.',
    ];
    const { mapping } = await read(
      [[...titles, 'No. int.', 'Fracc.', 'C.P.', 'Alcaldía'], ...lines],
      {},
      { stated: { kind: 'customers' } },
    );
    expect(mapping.join).toMatchObject({
      last_name: ['Ap. paterno', 'Ap. materno'],
      address_line1: ['Calle', 'Domicilio / No. ext.'],
      address_line2: ['No. int.', 'Fracc.'],
    });
    expect(mapping.columns).toMatchObject({ 'Nombre(s)': 'first_name', Alcaldía: 'city' });
  });

  it('are the holder of the account, where one is named beside the first and last names of somebody', async () => {
    const lines = Array.from({ length: 6 }, (_, at) => [
      `C-${at}`,
      ['Reyes', 'Santos'][at % 2] ?? '',
      ['Liza', 'Ramon', 'Nena'][at % 3] ?? '',
      `${['Berto', 'Celia'][at % 2]} ${['Reyes', 'Santos'][at % 2]}`,
      'DE89370400440532013000',
      `${at + 9}50.20`,
    ]);
    const titles = ['Blg. ng kasapi', 'Apelyido', 'Pangalan', 'May-ari ng account', 'IBAN', 'Matatanggap'];
    const { mapping } = await read([titles, ...lines], {}, { stated: { kind: 'recipients' } });
    expect(mapping.columns).toMatchObject({ 'May-ari ng account': 'account_name' });
    expect(mapping.join).toBeUndefined();
  });
});

it('offers the states of the rows’ country for one that it does not know, those named like it first', async () => {
  const { tables } = await read(
    [
      ['Customer ID', 'First name', 'Last name', 'County', 'Country'],
      ['U-1', 'Ana', 'Nagy', 'Csongrád', 'HU'],
      ['U-2', 'Pál', 'Kiss', 'Csongrád', 'HU'],
      ['U-3', 'Éva', 'Tóth', 'Baranya', 'HU'],
    ],
    {},
    { stated: { kind: 'customers' } },
  );
  const states = tables.find(({ field }) => field === 'state');
  expect(states?.lines.map(({ value, meaning }) => [value, meaning])).toEqual([
    ['Csongrád', null],
    ['Baranya', 'Baranya'],
  ]);
  const offered = states?.choices('Csongrád') ?? [];
  expect(offered[0]).toEqual({ id: 'HU-CS', label: 'Csongrád-Csanád (HU-CS)' });
  expect(offered.filter(({ id }) => id === 'HU-CS')).toHaveLength(1);
  expect(offered.map(({ id }) => id)).toContain('HU-BZ');
  expect(offered.at(-1)?.id).toBeNull();
});

it('offers every usual word for a field that no column has, also those that the specification does not show', async () => {
  const { points } = await read([
    ['Code', 'Name', 'IBAN', 'Bank', 'Street', 'Town', 'ZIP', 'Country'],
    ['C-1', 'Luc Petit', 'DE89370400440532013000', 'ING', 'Allee 5', 'Berlin', '10115', 'DE'],
    ['C-2', 'Ets Roy', 'FR1420041010050500013M02606', 'LCL', 'Foch 2', 'Paris', '75001', 'FR'],
  ]);
  const owner = points.find(({ id }) => id === 'constant:account_owner_type');
  expect(owner?.options.map(({ id }) => id)).toEqual(['individual', 'business']);
});

it('neither asks about a column of numbers nor offers it as a name that is missing', async () => {
  const lines = [
    ['Code', 'Name', 'IBAN', 'Xyzzy', 'Street', 'Town', 'ZIP', 'Country'],
    ['C-1', 'Luc Petit', 'DE89370400440532013000', '36570001', 'Allee 5', 'Berlin', '10115', 'DE'],
    ['C-2', 'Ets Roy', 'FR1420041010050500013M02606', '36570012', 'Foch 2', 'Paris', '75001', 'FR'],
  ];
  const { points } = await read(lines, { 'review:first': 'accept' });
  expect(points.map(({ id }) => id)).not.toContain('column:Xyzzy');
  const withNames = lines.map((cells, at) => cells.with(3, ['Xyzzy', 'Ingo', 'Lclo'][at] ?? ''));
  const named = await read(withNames, { 'review:first': 'accept' });
  expect(named.points.map(({ id }) => id).concat(Object.values(named.mapping.columns ?? {}).flat())).toEqual(
    expect.arrayContaining([expect.stringMatching(/^column:Xyzzy$|^bank_name$/)]),
  );
});
