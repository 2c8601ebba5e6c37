/** The languages in which columns are named. */
export type Language = 'en' | 'de' | 'fr' | 'sw' | 'pt';

/**
 * What others call a column, in English, German, French, Swahili and Portuguese: one file a column beside this one.
 * Case, accents, spaces and signs do not count (`A/C No.`, `a c no`), and `#` reads as `no`. A name may be that of
 * several columns: then the other columns of the file decide, or a person.
 */
export type Synonyms = Readonly<Record<Language, readonly string[]>>;
