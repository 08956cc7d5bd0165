import { checkTaxId } from '../../../lib/values/business-ids/index.ts';
import { expect } from '../../support/unit.ts';

const check = (text: string) => checkTaxId('Account taxId', 'taxId', text);

describe('tax id check (accounts §1.1 rule 7)', () => {
  for (const text of [
    ...['ATU12345675', 'BE0123456749', 'BE1123456749', 'BG123456786', 'BG1234567890', 'CY12345678F'],
    ...['CZ12345679', 'CZ1234567890', 'DE123456788', 'DK12345674', 'EE101234560', 'EL123456783'],
    ...['ESB12345674', 'ESX1234567L', 'EST12345678', 'ES12345678Z', 'FI12345671', 'FR12345678901'],
    ...['FRK7399859412', 'FRXX999999999', 'HR12345678903', 'HU12345676', 'IE1234567T', 'IE1234567FA'],
    ...['IE8Z49289F', 'IT12345670017', 'LT123456715', 'LT123456789012', 'LU12345613', 'LV40003012345'],
    ...['MT12345634', 'NL123456782B01', 'PL1234567883', 'PT123456789', 'RO12', 'RO1234567890'],
    ...['SE123456789701', 'SI12345679', 'SK2021234567', 'XI123456782', 'XI123456789012', 'XIGD123'],
    ...['de 123 456 788', 'DE-123.456.788', ' ATU 123 456 75 ', 'DE\u00a0123456788'],
  ])
    it(`accepts ${JSON.stringify(text)}`, () => check(text));

  for (const [text, country, example] of [
    ['DE12345678', 'Germany', 'DE123456788'],
    ['DE1234567890', 'Germany', 'DE123456788'],
    ['DE123/456/788', 'Germany', 'DE123456788'],
    ['ATU1234567', 'Austria', 'ATU12345675'],
    ['AT12345675', 'Austria', 'ATU12345675'],
    ['FR1234567890', 'France', 'FR12345678901'],
    ['ESB1234567', 'Spain', 'ESB12345674'],
    ['BE123456749', 'Belgium', 'BE0123456749'],
    ['GR123456783', 'Greece', 'EL123456783'],
    ['EL12345678', 'Greece', 'EL123456783'],
    ['XI1234567', 'Northern Ireland', 'XI123456782'],
    ['NL123456782', 'the Netherlands', 'NL123456782B01'],
    ['SE1234567890', 'Sweden', 'SE123456789701'],
    ['IT1234567001', 'Italy', 'IT12345670017'],
    ['FR12345678901|||AB123456789', 'France', 'FR12345678901'],
  ] as const)
    it(`rejects ${text}, naming the country and an example`, () => {
      expect(() => check(text))
        .to.throw(`"${text}" does not have the format of VAT ids in ${country}, such as ${example}`)
        .with.deep.include({ code: 60003, facts: { field: 'taxId' } });
    });

  for (const [text, meaning] of [
    ['', 'no text'],
    ['12-3456789', 'an EIN of the United States'],
    ['GB123456782', 'a VAT id of Great Britain'],
    ['CHE-123.456.788 MWST', 'a VAT id of Switzerland'],
    ['NO 123 456 785 MVA', 'a VAT id of Norway'],
    ['T1234567890123', 'a number of Japan'],
    ['29ABCDE1234F1Z5', 'a GSTIN of India'],
    ['ATXPK1234L', 'a PAN of India'],
    ['ESP850101AB1', 'an RFC of Mexico'],
    ['DELM8501017X3', 'an RFC of Mexico'],
    ['DELMRA80A01H501U', 'a fiscal code of Italy'],
    ['DE/123456788', 'a code followed by neither a letter nor a digit'],
    ['HRB 12345', 'a number of a German register'],
    ['ITIN 912-34-5678', 'a text that names its kind'],
    ['DE', 'a code without digits'],
    ['exempt', 'a word'],
    ['<b>DE1</b>', 'markup'],
  ])
    it(`accepts ${JSON.stringify(text)} as ${meaning}`, () => check(text ?? ''));

  it('rejects a string of 100,000 characters with a short message', () => {
    const message = (() => {
      try {
        check(`DE${'1'.repeat(100_000)}`);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    })();
    expect(message).to.match(/such as DE123456788$/);
    expect(message.length).to.be.below(250);
  });
});
