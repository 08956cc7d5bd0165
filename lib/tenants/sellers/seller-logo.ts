import { logoMediaTypes, type SellerInput, type SellerLogo } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { faultOfSvg } from './svg-logo.ts';

export const MAX_LOGO_BYTES = 256 * 1_024;

const signatures = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/jpeg': [0xff, 0xd8, 0xff],
} as const;

/**
 * Checks a logo and returns it in the form in which it is stored.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), TOO_LARGE (60012).
 */
export function checkedLogo({ mediaType, bytes: given }: NonNullable<SellerInput['logo']>): SellerLogo {
  if (!logoMediaTypes.includes(mediaType)) {
    const types = logoMediaTypes.join(', ');
    throw invalidLogo(`has the media type "${shortenText(String(mediaType))}". Use one of ${types}`);
  }
  const bytes = bytesOf(given);
  if (bytes.length === 0) throw invalidLogo('is empty');
  if (bytes.length > MAX_LOGO_BYTES) {
    const message = `Seller logo has ${bytes.length} bytes; at most ${MAX_LOGO_BYTES} are allowed`;
    throw billingError(ErrorCode.TOO_LARGE, message, { field: 'logo', bytes: bytes.length });
  }
  const fault = faultOf(mediaType, bytes);
  if (fault !== null) throw invalidLogo(fault);
  return { mediaType, bytes };
}

function faultOf(mediaType: SellerLogo['mediaType'], bytes: Uint8Array): string | null {
  if (mediaType === 'image/svg+xml') return faultOfSvg(bytes);
  const isOfType = signatures[mediaType].every((byte, place) => bytes[place] === byte);
  return isOfType ? null : `does not begin like an image of the type ${mediaType}`;
}

function bytesOf(given: Uint8Array | string): Uint8Array {
  // Store a copy, because the caller may change its own bytes.
  if (given instanceof Uint8Array) return Uint8Array.from(given);
  if (typeof given !== 'string') throw invalidLogo('needs bytes or Base64 text');
  // A longer text is rejected as too large without being decoded.
  if (given.length > 2 * MAX_LOGO_BYTES) return new Uint8Array(Math.floor((given.length * 3) / 4));
  try {
    return Uint8Array.from(atob(given), (character) => character.charCodeAt(0));
  } catch {
    throw invalidLogo('is not valid Base64');
  }
}

function invalidLogo(fault: string): BillingError {
  return invalidField(`Seller logo ${fault}`, { field: 'logo' });
}
