/** The text that replaces a secret. */
export const SECRET_MASK = '*****';

const secretName =
  /pass(?:word|wd|phrase)|pwd|secret|token|key|credential|authorization|signature|nonce|cvv|cvc|\bpin\b/i;

/** Matches names of parameters whose values are intended only for a payment gateway. */
const opaqueName = /^pluginProperty$/i;

/**
 * Patterns for strings that are always secret, such as private keys, JSON Web Tokens, tokens after `Bearer`, API keys
 * and client secrets.
 */
const secretShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
  /(?<=\bBearer\s)[\w+/=.~-]{8,}/g,
  /\b(?:(?:sk|rk)_(?:live|test)|whsec|tok|gh[a-z]|xox[a-z])[_-][\w+/=-]+/g,
  /\b[a-z]+_\w+_secret_\w+/g,
];
/** Matches user info in a URL, up to the last `@`, because a password may contain `/`. Port numbers do not match. */
const userInfo =
  /(?<=\b[a-z][a-z\d+.-]*:\/\/)(?:[^\s/?#"'<>]+|[^\s/?#@:"'<>]+:(?!\d+[/?#])[^\s"'<>]{1,256})(?=@)/gi;
const pair = /([?&;])([\w.~%-]+)=([^\s&;#"'<>]+)/g;
/**
 * Matches secrets after their names in log lines, JSON and headers. Names that only contain `key`, such as
 * `externalKey`, are not secret.
 */
const named =
  /((?:pass(?:word|wd|phrase)|secret|token|(?:api|access|private|server|signing)[_.-]?key|credential|authorization|signature|nonce|cvv|cvc)[\w.~-]{0,40}\\?["']?[ \t]{0,2}[=:][ \t]{0,2})("[^"\\]+|\\"[^"\\]+|'[^'\\]+|(?:(?:Bearer|Basic|Digest)[ +])?[^\s"'&,;}<>\\)\]]+)/gi;
const pluginProperty = /(?<=\bpluginProperty=[^\s&"'=%]{0,255}(?:=|%3D))[^\s&"'<>]+/gi;
const word = /[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+|(?<![^\s"'<>,=])[^\s"'<>,=]{8,}={0,2}/gi;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const absoluteUrl = /^[a-z][a-z\d+.-]*:\/\/\S+$/i;
const cardNumber = /(?<![\w.-])[2-6](?:[ -]?\d){13,18}(?![\w.-])/g;

/** Matches long sequences of letters and digits. UUIDs do not match. */
const opaqueToken = /^[\w~+-]{20,}={0,2}$/;
const longRun = /[a-z\d]{20,}/gi;

/** Returns true for a name of a secret, such as `password`, `x.apiKey` or `Authorization`. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Returns the index after the first secret name in the text, or null if the text contains no secret name. */
export function secretNameEnd(text: string): number | null {
  const found = secretName.exec(text);
  return found === null ? null : found.index + found[0].length;
}

/**
 * Returns the text with masked secrets: strings that look like a secret, passwords in URLs, values after the name of a
 * secret, plugin properties and card numbers. Masking a text twice has no further effect.
 */
export function maskSecretShapes(text: string): string {
  const masked = secretShapes.reduce((shown, shape) => shown.replace(shape, SECRET_MASK), text);
  return masked
    .replace(userInfo, maskUserInfo)
    .replace(pluginProperty, SECRET_MASK)
    .replace(pair, maskPair)
    .replace(named, maskNamed)
    .replace(cardNumber, (digits) => (isCardNumber(digits) ? SECRET_MASK : digits));
}

/**
 * Returns the value of a parameter or property for display. The value is masked if its name or its form is that of a
 * secret. In a URL, all query values and long random parts of the path are masked.
 */
export function maskNamedValue(name: string, value: string): string {
  if (value === '') return value;
  if (secretName.test(name)) return SECRET_MASK;
  if (opaqueName.test(name)) return value.replace(/(?<==)[\s\S]+/, SECRET_MASK);
  return maskWord(maskSecretShapes(value));
}

/** Masks long random words, and masks URLs with `maskUrl`. */
export function maskWords(text: string): string {
  return text.replace(word, maskWord);
}

function maskWord(text: string): string {
  if (isOpaque(text)) return SECRET_MASK;
  return absoluteUrl.test(text) ? maskUrl(text) : text;
}

/** Masks the secret parameters in a query string without its `?`. */
export function maskQuery(query: string): string {
  if (query === '') return query;
  return query.split('&').map(maskParameter).join('&');
}

function maskParameter(part: string): string {
  const at = part.indexOf('=');
  if (at < 0) return part;
  const value = decodeUrlText(part.slice(at + 1));
  const shown = maskNamedValue(decodeUrlText(part.slice(0, at)), value);
  return shown === value
    ? part
    : part.slice(0, at + 1) + (shown === SECRET_MASK ? shown : encodeURIComponent(shown));
}

/** Masks the user info, query values, fragment and random path segments of a URL. */
export function maskUrl(url: string): string {
  const [, before = '', query, fragment] = /^([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(url) ?? [];
  const path = before.split('/').map((part) => (isOpaque(part) ? SECRET_MASK : part));
  return (
    maskSecretShapes(path.join('/')) +
    (query ?? '').replace(/(?<==)[^&]+/g, SECRET_MASK) +
    (fragment === undefined ? '' : `#${SECRET_MASK}`)
  );
}

function maskPair(whole: string, before: string, name: string): string {
  return secretName.test(name) ? `${before}${name}=${SECRET_MASK}` : whole;
}

/** Masks the value after a name, except for UUIDs such as the `userToken` of a request. */
function maskNamed(whole: string, before: string, value: string): string {
  const [, quote = '', text = ''] = /^(\\?["']?)([\s\S]*)$/.exec(value) ?? [];
  return uuid.test(text) ? whole : before + quote + SECRET_MASK;
}

function maskUserInfo(userAndPassword: string): string {
  const at = userAndPassword.indexOf(':');
  return at < 0 ? SECRET_MASK : userAndPassword.slice(0, at + 1) + SECRET_MASK;
}

function isOpaque(text: string): boolean {
  if (!opaqueToken.test(text)) return false;
  return (text.match(longRun) ?? []).some((run) => /\d/.test(run) && /[a-z]/i.test(run));
}

/** Returns true if the check digit of a card number is correct (ISO/IEC 7812). */
function isCardNumber(text: string): boolean {
  const digits = [...text.replace(/\D/g, '')].reverse().map(Number);
  const doubled = digits.map((digit, index) => (index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)));
  return doubled.reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}

function decodeUrlText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
