import type { SellerInput } from '../../../lib/records/index.ts';

/** Seller data without a logo. */
export const seller = {
  name: 'Orchard GmbH',
  address1: 'Am Hang 1',
  city: 'Graz',
  postalCode: '8010',
  country: 'AT',
  taxId: 'ATU12345675',
  registrationNumber: 'FN 12345a',
  email: 'office@orchard.example',
  phone: '+43 316 12345',
  bankName: 'Bank am Hang',
  iban: 'AT611904300234573201',
  bic: 'BKAUATWW',
  paymentTermsDays: 14,
  notes: { DE: 'Innergemeinschaftliche Lieferung', '*': 'Thank you' },
  accentColor: '#0a5cff',
} satisfies SellerInput;

/** One pixel. */
export const png = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
);

export const jpeg = Uint8Array.from([
  0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0xff, 0xd9,
]);

export const svg = new TextEncoder().encode(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="#0a5cff"/></svg>',
);
