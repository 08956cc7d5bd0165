import { checkedSeller } from '../../../lib/tenants/sellers/seller-input.ts';
import { jpeg, png, seller, svg } from '../../support/tenants/sellers.ts';
import { errorOf, expect } from '../../support/unit.ts';

const checked = (more: object = {}) => checkedSeller({ ...seller, ...more });
const rejection = (more: object, code = 60003) => {
  const error = errorOf(() => checked(more));
  expect(error.code).to.equal(code);
  return error;
};

describe('seller data checks', () => {
  it('store country, IBAN and BIC in uppercase without spaces (invoicing §14 rule 7)', () => {
    const stored = checked({
      country: ' de ',
      iban: 'de89 3704 0044 0532 0130 00',
      bic: 'cobadeff xxx',
      taxId: ' DE 123 456 788 ',
    });
    expect(stored).to.include({
      country: 'DE',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      taxId: 'DE 123 456 788',
    });
  });

  for (const [field, value, message] of [
    ['name', '', 'Seller name needs to be set'],
    ['name', '  ', 'Seller name needs to be set'],
    ['country', 'Germany', 'Seller country is 7 characters long; at most 2 are allowed'],
    ['country', 'D', 'Seller country "D" is not a country of two letters such as DE'],
    ['country', 'D1', 'Seller country "D1" is not a country of two letters such as DE'],
    [
      'taxId',
      'DE12345678',
      'Seller taxId "DE12345678" does not have the format of VAT ids in Germany, such as DE123456788',
    ],
    [
      'iban',
      'DE89370400440532013001',
      'Seller iban "DE89370400440532013001" is not an IBAN with valid check digits',
    ],
    ['iban', 'account 5', 'Seller iban "ACCOUNT5" is not an IBAN with valid check digits'],
    ['bic', 'COBADE', 'Seller bic "COBADE" is not a BIC of 8 or 11 characters'],
    ['paymentTermsDays', -1, 'Seller paymentTermsDays -1 is not an integer from 0 to 365'],
    ['paymentTermsDays', 366, 'Seller paymentTermsDays 366 is not an integer from 0 to 365'],
    ['accentColor', 'blue', 'Seller accentColor "blue" is not a color such as #0a5cff'],
    ['accentColor', '#0a5cf', 'Seller accentColor "#0a5cf" is not a color such as #0a5cff'],
    ['name', 'x'.repeat(100_000), 'Seller name is 100000 characters long; at most 255 are allowed'],
    ['bankName', 'a\u0000b', 'Seller bankName contains a NUL character or half of a surrogate pair'],
  ] as const)
    it(`reject ${JSON.stringify(value).slice(0, 40)} as ${field} (invoicing §14 rule 7)`, () => {
      const error = rejection({ [field]: value });
      expect(error.message).to.equal(message);
      expect(error.facts.field).to.match(new RegExp(`${field}$`));
    });

  for (const [kind, notes, message] of [
    ['a list', ['x'], 'Seller notes is not an object of texts by country'],
    [
      'a small letter',
      { de: 'x' },
      'Seller notes has the key "de". Use two capital letters of a country, or * for all others',
    ],
    ['no text', { DE: 5 }, 'Seller notes.DE is not text'],
    [
      '2,001 characters',
      { '*': 'x'.repeat(2001) },
      'Seller notes.* is 2001 characters long; at most 2000 are allowed',
    ],
    [
      'half of a surrogate pair',
      { FR: '\ud800' },
      'Seller notes.FR contains a NUL character or half of a surrogate pair',
    ],
  ] as const)
    it(`reject notes with ${kind} (invoicing §14 rule 7)`, () => {
      const error = rejection({ notes });
      expect(error.message).to.equal(message);
    });

  it('report every invalid and unknown field in one error (invoicing §14 rule 7)', () => {
    const error = rejection({
      name: ' ',
      country: 'Germany',
      iban: 'DE00',
      notes: { de: 'x', FR: 5 },
      paymentTermsDays: -1,
      logo: { mediaType: 'image/png', bytes: new Uint8Array(262_145) },
      vatId: 'DE123456788',
    });
    const fields = ['name', 'country', 'paymentTermsDays', 'iban', 'notes.de', 'notes.FR', 'logo', 'vatId'];
    expect(error.facts.fields).to.eql(fields);
    const messages = error.problems?.map(({ message }) => message) ?? [];
    expect(error.message).to.equal(messages.join('; '));
    expect(messages).to.have.lengthOf(fields.length);
    expect(messages[1]).to.equal('Seller country is 7 characters long; at most 2 are allowed');
    expect(messages.at(-1)).to.match(/^Seller vatId is not a valid member\. Use name, legalName, .*, logo$/);
  });

  it('list at most 50 invalid fields (invoicing §14 rule 7)', () => {
    const notes = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`n${at}`, 'x']));
    const error = rejection({ notes });
    expect(error.problems).to.have.lengthOf(50);
    expect(error.message).to.match(/; and 10 more$/);
  });

  it('accept a stored version with its id and dates (invoicing §14 rule 7)', () => {
    const version = { recordId: 5, id: 'x', createdDate: new Date(), logoMediaType: null };
    expect(checked({ ...version, city: 'Graz' }))
      .to.include({ city: 'Graz' })
      .and.not.have.any.keys('id');
  });

  describe('for logos', () => {
    const logo = (mediaType: string, bytes: Uint8Array | string) => ({ logo: { mediaType, bytes } });
    const svgOf = (content: string, attributes = '') =>
      new TextEncoder().encode(
        `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`,
      );

    for (const [kind, mediaType, bytes] of [
      ['a PNG', 'image/png', png],
      ['a JPEG', 'image/jpeg', jpeg],
      ['an SVG', 'image/svg+xml', svg],
      ['an image of 256 kB', 'image/jpeg', Uint8Array.from({ length: 262_144 }, (_, at) => jpeg[at] ?? at)],
      [
        'an SVG with references to itself',
        'image/svg+xml',
        svgOf(
          '<style>.a { fill: url(#g) }</style><use xlink:href="#a"/><image href="data:image/png;base64,AAAA"/><rect fill="url(\'#g\')"/>',
        ),
      ],
    ] as const)
      it(`accept ${kind}, as bytes or Base64 (invoicing §14 rule 7)`, () => {
        for (const given of [bytes, Buffer.from(bytes).toString('base64')])
          expect(checked(logo(mediaType, given)).logo).to.eql({ mediaType, bytes: Uint8Array.from(bytes) });
      });

    it('accept an SVG with the document type that drawing programs write (invoicing §14 rule 7)', () => {
      const doctype =
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';
      const bytes = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${doctype}${Buffer.from(svg)}`);
      expect(checked(logo('image/svg+xml', bytes)).logo?.bytes).to.have.length(bytes.length);
    });

    for (const [kind, mediaType, bytes, message] of [
      ['a GIF', 'image/gif', png, /has the media type "image\/gif"\. Use one of image\/png, image\/jpeg/],
      ['a JPEG called PNG', 'image/png', jpeg, /does not begin like an image of the type image\/png/],
      ['a page called JPEG', 'image/jpeg', svgOf(''), /does not begin like an image/],
      ['an empty image', 'image/png', new Uint8Array(), /is empty/],
      ['no Base64', 'image/png', 'a*b', /is not valid Base64/],
      ['no XML', 'image/svg+xml', png, /is not UTF-8 text/],
      ['broken XML', 'image/svg+xml', svgOf('<g>'), /is not well-formed XML/],
      [
        'a page',
        'image/svg+xml',
        new TextEncoder().encode('<html xmlns="http://www.w3.org/1999/xhtml"/>'),
        /does not begin with an svg element/,
      ],
      ['a script', 'image/svg+xml', svgOf('<script>alert(1)</script>'), /contains the element script/],
      [
        'a script with a prefix',
        'image/svg+xml',
        svgOf('<s:script/>', 'xmlns:s="http://www.w3.org/2000/svg"'),
        /contains the element script/,
      ],
      ['a foreign object', 'image/svg+xml', svgOf('<foreignObject/>'), /contains the element foreignObject/],
      [
        'an element of HTML',
        'image/svg+xml',
        svgOf('<img xmlns="http://www.w3.org/1999/xhtml"/>'),
        /contains the element img/,
      ],
      ['an event', 'image/svg+xml', svgOf('', 'onload="alert(1)"'), /contains the event attribute onload/],
      ['an external image', 'image/svg+xml', svgOf('<image href="https://x.io/a.png"/>'), /refers to "https/],
      [
        'an external reference with a prefix',
        'image/svg+xml',
        svgOf('<use xlink:href="//x.io/a.svg#b"/>'),
        /refers to "\/\/x\.io/,
      ],
      [
        'a script in a link',
        'image/svg+xml',
        svgOf('<a href=" javascript:alert(1)"/>'),
        /refers to " javascript/,
      ],
      [
        'an SVG in a reference',
        'image/svg+xml',
        svgOf('<use href="data:image/svg+xml,x"/>'),
        /refers to "data:image\/svg/,
      ],
      [
        'a style with an import',
        'image/svg+xml',
        svgOf('<style>@import "x.css";</style>'),
        /loads files or runs code/,
      ],
      [
        'a style with an external file in two parts',
        'image/svg+xml',
        svgOf('<style>a{fill:ur<![CDATA[l(https://x.io/a)]]>}</style>'),
        /refers to "https:\/\/x\.io\/a" in a style/,
      ],
      [
        'an attribute with an external file',
        'image/svg+xml',
        svgOf('<rect fill="url( &quot;//x.io/a&quot; )"/>'),
        /refers to "\/\/x\.io\/a" in a style/,
      ],
      [
        'an escaped url',
        'image/svg+xml',
        svgOf('<rect style="fill:\\75rl(//x.io)"/>'),
        /contains an escape sequence/,
      ],
      [
        'entities',
        'image/svg+xml',
        Buffer.from(`<!DOCTYPE svg [<!ENTITY a "b">]>${Buffer.from(svg)}`),
        /declares entities/,
      ],
      [
        'a style sheet instruction',
        'image/svg+xml',
        Buffer.from(`<?xml-stylesheet href="x.css"?>${Buffer.from(svg)}`),
        /contains the instruction <\?xml-stylesheet\?>/,
      ],
      ['an animated link', 'image/svg+xml', svgOf('<set attributeName="href"/>'), /contains the element set/],
      [
        'deep nesting',
        'image/svg+xml',
        svgOf(`${'<g>'.repeat(1_000)}${'</g>'.repeat(1_000)}`),
        /nests elements more than 64 levels deep/,
      ],
    ] as const)
      it(`reject ${kind} (invoicing §14 rule 7)`, () => {
        const error = rejection(logo(mediaType, bytes));
        expect(error.message).to.match(/^Seller logo /);
        expect(error.message).to.match(message);
        expect(error.message.length).to.be.below(300);
      });

    for (const bytes of [new Uint8Array(262_145), 'A'.repeat(700_000)])
      it(`reject more than 256 kB, given as ${typeof bytes} (invoicing §14 rule 7)`, () => {
        const error = rejection(logo('image/png', bytes), 60012);
        expect(error.message).to.match(/^Seller logo has \d+ bytes; at most 262144 are allowed$/);
      });
  });
});
